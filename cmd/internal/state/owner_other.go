//go:build !unix

package state

// shared is the name of the user's folder: here temporary files are the user's.
func shared() string { return "ccheck" }

func owned(string) error { return nil }
