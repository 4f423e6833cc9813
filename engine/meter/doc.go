// Package meter says how many tokens a text, a message, a header and the next
// request have. It counts by script class with factors for each family of
// tokenizers, and is calibrated by what the provider reported: the input of a
// request, plus the estimated difference since (spec, section 6).
//
// The estimate of ordinary text is off by less than 10 % on the mean of its kinds
// and by less than 20 % on each of them, with the families whose vocabulary the
// factors were fitted to; a calibrated one is off by less than 3 % of a request.
// Text of another kind, such as rare scripts, can be further off.
package meter
