// Package metadata stands for the real one.
package metadata

import "context"

type MD map[string][]string

func (md MD) Get(k string) []string { return md[k] }

func FromIncomingContext(ctx context.Context) (MD, bool) { return nil, false }
