//go:build race

package hclfile

const racing = true
