package a

import "a/store"

// Sheet is no row, although it has a table.
type Sheet struct {
	store.Cache[int]
	table string
}

func (s *Sheet) TableName(of string) string { return of + s.table }

func (s *Sheet) Up(k string) {
	n, _ := s.Get(k)
	s.Set(k, n+1) // want `lost update`
}

type Book struct {
	rows store.Cache[int]
}

// upRow is about the book, which the row has no part of.
func (b *Book) upRow(k string) {
	n, _ := b.rows.Get(k)
	b.rows.Set(k, n+1) // want `lost update`
}
