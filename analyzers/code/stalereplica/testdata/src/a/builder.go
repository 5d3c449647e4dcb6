package a

import (
	"database/sql"

	sq "github.com/Masterminds/squirrel"
)

type users struct{ db, replicaDB *sql.DB }

func (u *users) builder() sq.StatementBuilderType {
	return sq.StatementBuilder.PlaceholderFormat(sq.Dollar).RunWith(u.replicaDB)
}

func (u *users) masterBuilder() sq.StatementBuilderType {
	return sq.StatementBuilder.PlaceholderFormat(sq.Dollar).RunWith(u.db)
}

func (u *users) dedup() (left int, err error) {
	if _, err := u.masterBuilder().Delete("users").Where("superseded").Exec(); err != nil {
		return 0, err
	}
	err = u.builder().Select("COUNT(*)").From("users").Where("superseded").QueryRow().Scan(&left) // want "read from a replica"
	return left, err
}

func (u *users) dedupOnMaster() (left int, err error) {
	if _, err := u.masterBuilder().Delete("users").Where("superseded").Exec(); err != nil {
		return 0, err
	}
	err = u.masterBuilder().Select("COUNT(*)").From("users").Where("superseded").QueryRow().Scan(&left)
	return left, err
}
