package cli

import (
	"errors"
	"path/filepath"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/meter/bpe"
)

// tokenizers are those of a configuration that were read from files, by their paths:
// they are big, and models share them. The zero value has none.
type tokenizers struct{ read map[string]*bpe.Tokenizer }

// take reads the tokenizer.json of a path, once.
func (t *tokenizers) take(path string, text []byte) error {
	if t.read[path] != nil {
		return nil
	}
	tk, err := bpe.Read(filepath.Base(path), text)
	if err != nil {
		return err
	}
	if t.read == nil {
		t.read = map[string]*bpe.Tokenizer{}
	}
	t.read[path] = tk
	return nil
}

// estimatorOf returns what counts tokens by the name of a tokenizer: exactly where
// the program has the vocabulary, else as an estimate of the family. It unpacks a
// vocabulary, so a name is asked for once. Errors: *meter.UnknownFamilyError.
func estimatorOf(name string) (meter.Estimator, error) {
	tk, err := bpe.Open(name)
	if unknown := (*bpe.UnknownError)(nil); errors.As(err, &unknown) {
		return meter.For(name)
	}
	if err != nil {
		return meter.Estimator{}, err
	}
	return meter.Exactly(tk), nil
}

// estimator returns what counts the tokens of a model of the configuration: its
// tokenizer, or an estimate for the family that the dialect of its provider suggests.
func (p *project) estimator(m *config.Model) (meter.Estimator, error) {
	name := m.Tokenizer.V
	if tk := p.tokenizers.read[name]; tk != nil {
		return meter.Exactly(tk), nil
	}
	if name != "" {
		return estimatorOf(name)
	}
	if provider, ok := p.config.Provider(m.Provider); ok && provider.Dialect.V == "deepseek" {
		return meter.For("deepseek")
	}
	return meter.For(meter.DefaultFamily)
}
