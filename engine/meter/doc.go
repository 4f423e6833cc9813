// Package meter says how many tokens a text, a message, a header and the next
// request have. It counts exactly, with a tokenizer that it is given, or estimates by
// script class with factors for each family of tokenizers. In both cases it is
// calibrated by what the provider reported: the input of a request, plus the
// difference since (spec, section 6).
//
// The estimate of English, Chinese, programs and data is off by less than 10 % on the
// mean of their kinds and by less than 20 % on each of them; over all kinds, prose in
// other languages among them, by what Estimator.Error says. A calibrated one is off by
// less than 3 % of a request.
package meter
