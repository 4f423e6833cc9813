package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/dsh-hcl/dsh/config"
)

// Digest is the SHA-256, in lower-case hex, of what a configuration may start:
// the set of kinds and texts. Places, order and repetition do not count, so that
// moving a block asks nobody again, and neither does the folder, which the record
// holds beside the digest.
func Digest(starts []config.Start) string {
	set := make([][2]string, 0, len(starts))
	for _, s := range starts {
		set = append(set, [2]string{s.Kind, s.Text})
	}
	slices.SortFunc(set, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	set = slices.Compact(set)

	// Each field stands behind its length, so that no text can pass for two.
	buf := []byte("dsh trust 1\n")
	for _, s := range set {
		for _, field := range s {
			buf = strconv.AppendInt(buf, int64(len(field)), 10)
			buf = append(buf, ':')
			buf = append(buf, field...)
		}
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:])
}
