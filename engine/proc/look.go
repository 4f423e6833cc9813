package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Look finds the program that a bare name means, in the folders of path, a value
// of PATH. A name with a separator is returned as it is. Folders that are not
// absolute do not count: what runs must not depend on the working directory. The
// error names what was not found.
func Look(name, path string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if file := filepath.Join(dir, name); executable(file) {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in PATH", name)
}

func isFile(path string) (os.FileInfo, bool) {
	info, err := os.Stat(path)
	return info, err == nil && info.Mode().IsRegular()
}
