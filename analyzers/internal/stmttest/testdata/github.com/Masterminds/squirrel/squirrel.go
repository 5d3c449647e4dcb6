// Package squirrel has the types that the analyzers look for.
package squirrel

import "database/sql"

type Eq map[string]any

type SelectBuilder struct{}

func Select(columns ...string) SelectBuilder                       { return SelectBuilder{} }
func (b SelectBuilder) From(t string) SelectBuilder                { return b }
func (b SelectBuilder) Where(p any, args ...any) SelectBuilder     { return b }
func (b SelectBuilder) Suffix(s string, args ...any) SelectBuilder { return b }
func (b SelectBuilder) ToSql() (string, []any, error)              { return "", nil, nil }

func (b SelectBuilder) QueryRow() RowScanner { return nil }

// RowScanner is one row of an answer.
type RowScanner interface{ Scan(dest ...any) error }

// BaseRunner is what statements run on.
type BaseRunner interface {
	Exec(q string, args ...any) (sql.Result, error)
	Query(q string, args ...any) (*sql.Rows, error)
}

type DeleteBuilder struct{}

func (b DeleteBuilder) Where(p any, args ...any) DeleteBuilder { return b }
func (b DeleteBuilder) Exec() (sql.Result, error)              { return nil, nil }

type UpdateBuilder struct{}

func Update(t string) UpdateBuilder                            { return UpdateBuilder{} }
func (b UpdateBuilder) Set(c string, v any) UpdateBuilder      { return b }
func (b UpdateBuilder) Where(p any, args ...any) UpdateBuilder { return b }
func (b UpdateBuilder) ToSql() (string, []any, error)          { return "", nil, nil }

func Expr(q string, args ...any) any { return nil }

type PlaceholderFormat interface{ ReplacePlaceholders(string) (string, error) }

var Dollar PlaceholderFormat

type StatementBuilderType struct{}

var StatementBuilder StatementBuilderType

func (b StatementBuilderType) PlaceholderFormat(PlaceholderFormat) StatementBuilderType { return b }
func (b StatementBuilderType) RunWith(BaseRunner) StatementBuilderType                  { return b }
func (b StatementBuilderType) Delete(from string) DeleteBuilder                         { return DeleteBuilder{} }
func (b StatementBuilderType) Select(columns ...string) SelectBuilder                   { return SelectBuilder{} }
func (b StatementBuilderType) Insert(into string) InsertBuilder                         { return InsertBuilder{} }

type InsertBuilder struct{}

func (b InsertBuilder) Columns(columns ...string) InsertBuilder    { return b }
func (b InsertBuilder) Values(values ...any) InsertBuilder         { return b }
func (b InsertBuilder) Suffix(s string, args ...any) InsertBuilder { return b }
func (b InsertBuilder) ToSql() (string, []any, error)              { return "", nil, nil }
