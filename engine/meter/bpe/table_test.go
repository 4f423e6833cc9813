package bpe

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

// published are the digests of the vocabularies as their author publishes them: a
// line for each token with its bytes in base64 and its rank.
var published = map[string]string{
	"o200k":  "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
	"cl100k": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}

var reference = map[string]func() *codec.Codec{"o200k": codec.NewO200kBase, "cl100k": codec.NewCl100kBase}

// The vocabularies are the published ones. With DSH_UPDATE they are made anew of
// those of another implementation, and held to the same digests.
func TestTables(t *testing.T) {
	for name, packed := range map[string][]byte{"o200k": o200k, "cl100k": cl100k} {
		got := digestOf(packed)
		if got != published[name] && os.Getenv("DSH_UPDATE") == "1" {
			packed = pack(t, reference[name]())
			if err := os.WriteFile("tables/"+name+".bin", packed, 0o644); err != nil {
				t.Fatal(err)
			}
			got = digestOf(packed)
		}
		if got != published[name] {
			t.Errorf("%s has the digest %s", name, got)
		}
	}
}

// digestOf returns the digest that a packed vocabulary has in its published form.
func digestOf(packed []byte) string {
	tokens, err := unpack(packed)
	if err != nil {
		return err.Error()
	}
	digest := sha256.New()
	for rank, token := range tokens {
		fmt.Fprintf(digest, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), rank)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

func pack(t *testing.T, c *codec.Codec) []byte {
	var raw bytes.Buffer
	for rank := uint(0); ; rank++ {
		token, err := c.Decode([]uint{rank})
		if err != nil {
			break
		}
		raw.WriteByte(byte(len(token)))
		raw.WriteString(token)
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(raw.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
