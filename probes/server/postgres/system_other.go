//go:build !linux && !darwin

package postgres

import (
	"io/fs"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

func (account) mayEnter(fs.FileInfo) bool { return false }

func (account) ours(fs.FileInfo) bool { return false }

func socketLimit() int { return 0 }

func (account) removeSegment(int, int) error { return system.ErrUnsupported }

func free(string) uint64 { return 0 }
