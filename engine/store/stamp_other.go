//go:build !linux

package store

import "io/fs"

// identify has nothing to add here: size and time of the last write tell the states of
// a file apart.
func (st *stamp) identify(fs.FileInfo) {}
