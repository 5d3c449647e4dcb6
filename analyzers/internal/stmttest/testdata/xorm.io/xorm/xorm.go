// Package xorm has the types that the analyzers look for.
package xorm

import "database/sql"

type Engine struct{}

func (e *Engine) NewSession() *Session              { return nil }
func (e *Engine) Get(beans ...any) (bool, error)    { return false, nil }
func (e *Engine) ID(id any) *Session                { return nil }
func (e *Engine) Where(q any, args ...any) *Session { return nil }

type Session struct{}

func (s *Session) Begin() error                                { return nil }
func (s *Session) Commit() error                               { return nil }
func (s *Session) Close() error                                { return nil }
func (s *Session) ID(id any) *Session                          { return s }
func (s *Session) Where(q any, args ...any) *Session           { return s }
func (s *Session) Cols(c ...string) *Session                   { return s }
func (s *Session) ForUpdate() *Session                         { return s }
func (s *Session) Decr(column string, arg ...any) *Session     { return s }
func (s *Session) Get(beans ...any) (bool, error)              { return false, nil }
func (s *Session) Exist(beans ...any) (bool, error)            { return false, nil }
func (s *Session) Insert(beans ...any) (int64, error)          { return 0, nil }
func (s *Session) Update(bean any, cond ...any) (int64, error) { return 0, nil }
func (s *Session) Exec(sqlOrArgs ...any) (sql.Result, error)   { return nil, nil }
