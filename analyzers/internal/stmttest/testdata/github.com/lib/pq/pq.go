// Package pq has the types that the analyzers look for.
package pq

type ErrorCode string

type Error struct{ Code ErrorCode }

func (*Error) Error() string { return "" }

func (c ErrorCode) Name() string { return string(c) }
