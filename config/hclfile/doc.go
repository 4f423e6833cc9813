// Package hclfile reads configurations: it finds, parses, merges, evaluates and
// decodes the HCL files of a folder into a config.Config, and scripted model
// files into a config.Script. Besides package schema, whose table it decodes by,
// it is the only place that knows HCL.
//
// It promises that everything a person wrote wrongly is reported, all of it at
// once, with the place, the reason and what to do; that no value which came from
// the environment or was declared sensitive reaches a message, a model-visible
// place or a log; and that it reads nothing but what the caller's Files allow,
// starts nothing and changes nothing.
package hclfile
