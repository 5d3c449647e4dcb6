// Package facts reads the clock of another package.
package facts

import "facts/tick"

type bucket struct{ start, last uint64 }

func newBucket() *bucket { return &bucket{start: tick.Now()} }

func index(start, now uint64) uint64 { return (now - start) / 1000 } // want `elapsed time measured with the wall clock`

func (b *bucket) take() uint64 { return index(b.start, tick.Now()) }

type steady struct{ start uint64 }

func newSteady() *steady { return &steady{start: tick.Since()} }

func (s *steady) age() uint64 { return tick.Since() - s.start }
