// Package bound looks in the source of a program for what keeps something from
// growing: a size that is compared before entries are removed or added, an age
// after which they go, an index that wraps round. A cache that has not filled yet
// grows as a leak does, and nothing but its source tells them apart.
//
// It reads text and no heap, runs nothing, and proves nothing: a bound that is
// written there may never take effect. Who asks must take it as a reason to
// doubt. Judges may import it.
package bound

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Sign is a place in a source at which something is kept from growing.
type Sign struct {
	File string
	Line int
	// Limit is the number of entries that it compares with; 0 where that cannot be
	// read from the source.
	Limit int64
	Does  string // "removes from pages when it has more than 5000"
	Size  bool   // it compares a size, and not an age
	// Age is after which time entries go; 0 where that cannot be read.
	Age time.Duration
	// Lazy says that only an entry that is asked for again goes when it is too old:
	// one that nobody asks for stays.
	Lazy bool
	// Switch is what must hold beside that.
	Switch Switch
}

// idle reports whether it bounds nothing by its source alone.
func (s Sign) idle() bool { return s.Lazy || s.Switch.Idle() }

// String is what it does and where.
func (s Sign) String() string { return s.Place() + " " + s.Does }

// Place is where it is.
func (s Sign) Place() string { return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line) }

// number reads a whole number as JavaScript and Go write it, 0 for what is none.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || n < 2 {
		return 0
	}
	return n
}
