// Package flags holds the flags that commands share, so that they have the same
// name, words and meaning everywhere. A command takes the groups it needs.
package flags

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Global are the flags of every command: how ccheck talks.
type Global struct {
	Config  string // file that replaces .ccheck.yaml, "" to look for it
	Color   string
	Plain   bool
	ASCII   bool
	Quiet   bool
	Verbose bool
}

// Colors are the words --color takes.
var Colors = []string{"auto", "always", "never"}

// Register adds the flags to fs.
func (g *Global) Register(fs *pflag.FlagSet) {
	fs.StringVar(&g.Config, "config", "", "take settings from this `file` instead of .ccheck.yaml here or above")
	fs.StringVar(&g.Color, "color", "auto", "colour the output: auto, always or never")
	fs.BoolVar(&g.Plain, "plain", false, "whole lines only: no full screen, no box drawing")
	fs.BoolVar(&g.ASCII, "ascii", false, "no glyph outside ASCII")
	fs.BoolVarP(&g.Quiet, "quiet", "q", false, "no progress, the result alone")
	fs.BoolVarP(&g.Verbose, "verbose", "v", false, "tell more")
}

// Apply checks the flags and tells s how to talk.
func (g *Global) Apply(s *stdio.Streams) error {
	if !slices.Contains(Colors, g.Color) {
		return exit.Usagef("--color cannot be %s", Shown(g.Color)).WithHint("it takes auto, always or never")
	}
	if g.Quiet && g.Verbose {
		return exit.Usagef("--quiet and --verbose contradict each other").WithHint("leave one of them out")
	}
	s.SetColor(g.Color)
	s.Plain, s.Quiet, s.Verbose = g.Plain, g.Quiet, g.Verbose
	s.ASCII = g.ASCII || !s.UTF8()
	return nil
}

// Seed is a flag that is chosen at random when it is not given. The same seed
// gives the same operations; the server's scheduling stays its own.
type Seed struct {
	Value uint64
	Given bool
}

// Register adds --seed to fs.
func (v *Seed) Register(fs *pflag.FlagSet) {
	fs.Var(v, "seed", "seed of all random choices (default: chosen and printed)")
}

// Pick returns the seed, choosing it first when none was given. It has at most
// 32 bits when chosen: people retype it.
func (v *Seed) Pick() uint64 {
	if !v.Given && v.Value == 0 {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails, says its documentation
		v.Value = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	return v.Value
}

// String, Set and Type make Seed a pflag.Value.
func (v *Seed) String() string {
	if !v.Given {
		return ""
	}
	return strconv.FormatUint(v.Value, 10)
}

// Set reads the seed from the command line.
func (v *Seed) Set(text string) error {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return exit.Usagef("%q is no seed", text).WithHint("a seed is a whole number from 0 to 18446744073709551615")
	}
	v.Value, v.Given = n, true
	return nil
}

// Type names the value in the help.
func (*Seed) Type() string { return "uint64" }
