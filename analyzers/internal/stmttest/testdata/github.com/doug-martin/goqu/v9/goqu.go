// Package goqu has the types that the analyzers look for.
package goqu

import (
	"context"

	"github.com/doug-martin/goqu/v9/exec"
)

type (
	Expression interface{}
	Ex         map[string]any
	Op         map[string]any
	Record     map[string]any
)

type Column interface {
	Eq(any) Expression
	Gte(any) Expression
	IsTrue() Expression
}

func C(name string) Column             { return nil }
func L(sql string, args ...any) Column { return nil }
func DoNothing() Expression            { return nil }
func COUNT(column any) Expression      { return nil }

type Database struct{}

func (d *Database) From(t ...any) *SelectDataset           { return nil }
func (d *Database) Update(t any) *UpdateDataset            { return nil }
func (d *Database) Insert(t any) *InsertDataset            { return nil }
func (d *Database) WithTx(f func(*TxDatabase) error) error { return nil }

type TxDatabase struct{}

func (d *TxDatabase) From(t ...any) *SelectDataset { return nil }
func (d *TxDatabase) Update(t any) *UpdateDataset  { return nil }
func (d *TxDatabase) Insert(t any) *InsertDataset  { return nil }

type SelectDataset struct{}

func (s *SelectDataset) Where(e ...Expression) *SelectDataset            { return s }
func (s *SelectDataset) ForUpdate(wait int, of ...Column) *SelectDataset { return s }
func (s *SelectDataset) ScanStructContext(ctx context.Context, i any) (bool, error) {
	return false, nil
}
func (s *SelectDataset) CountContext(ctx context.Context) (int64, error) { return 0, nil }

type UpdateDataset struct{}

func (u *UpdateDataset) Set(v any) *UpdateDataset             { return u }
func (u *UpdateDataset) Where(e ...Expression) *UpdateDataset { return u }
func (u *UpdateDataset) Executor() exec.QueryExecutor         { return exec.QueryExecutor{} }

type InsertDataset struct{}

func (i *InsertDataset) Rows(r ...any) *InsertDataset           { return i }
func (i *InsertDataset) OnConflict(c Expression) *InsertDataset { return i }
func (i *InsertDataset) Executor() exec.QueryExecutor           { return exec.QueryExecutor{} }
