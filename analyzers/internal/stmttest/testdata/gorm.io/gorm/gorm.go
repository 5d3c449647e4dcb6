// Package gorm has the types that the analyzers look for.
package gorm

import (
	"context"
	"database/sql"
	"errors"

	"gorm.io/gorm/clause"
)

var ErrRecordNotFound = errors.New("record not found")

type DB struct {
	Error        error
	RowsAffected int64
}

func (db *DB) Model(v any) *DB                                             { return db }
func (db *DB) Where(q any, args ...any) *DB                                { return db }
func (db *DB) Clauses(c ...clause.Expression) *DB                          { return db }
func (db *DB) Set(k string, v any) *DB                                     { return db }
func (db *DB) Raw(q string, args ...any) *DB                               { return db }
func (db *DB) Scan(dest any) *DB                                           { return db }
func (db *DB) First(dest any, conds ...any) *DB                            { return db }
func (db *DB) Scopes(fs ...func(*DB) *DB) *DB                              { return db }
func (db *DB) Find(dest any, conds ...any) *DB                             { return db }
func (db *DB) Count(n *int64) *DB                                          { return db }
func (db *DB) Create(v any) *DB                                            { return db }
func (db *DB) Save(v any) *DB                                              { return db }
func (db *DB) Update(col string, v any) *DB                                { return db }
func (db *DB) UpdateColumn(col string, v any) *DB                          { return db }
func (db *DB) Updates(v any) *DB                                           { return db }
func (db *DB) Exec(q string, args ...any) *DB                              { return db }
func (db *DB) Transaction(f func(tx *DB) error, o ...*sql.TxOptions) error { return f(db) }

func Expr(q string, args ...any) any { return nil }

func (db *DB) Limit(n int) *DB                          { return db }
func (db *DB) FirstOrCreate(dest any, conds ...any) *DB { return db }
func (db *DB) Begin(o ...*sql.TxOptions) *DB            { return db }
func (db *DB) Commit() *DB                              { return db }
func (db *DB) Rollback() *DB                            { return db }

func (db *DB) WithContext(ctx context.Context) *DB { return db }
