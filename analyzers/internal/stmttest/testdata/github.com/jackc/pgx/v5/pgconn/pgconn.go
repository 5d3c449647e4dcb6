// Package pgconn has the types that the analyzers look for.
package pgconn

type CommandTag struct{}

func (CommandTag) RowsAffected() int64 { return 0 }

type PgError struct{ Code string }

func (*PgError) Error() string { return "" }

func SafeToRetry(err error) bool { return false }
