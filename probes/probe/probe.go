// Package probe holds the descriptor of a probe: something that observes a
// running system and records a history of it.
package probe

// Probe describes a probe to `ccheck list`, `ccheck explain` and the docs.
// What it takes and how it runs is its own package's affair.
type Probe struct {
	Name string // lower-case word, also the name of the command
	Doc  string // first line: name: what it does; then how, what it proves and what it cannot
}
