// Package uuid has the part of the library's interface that the tests use.
package uuid

func NewString() string { return "" }
