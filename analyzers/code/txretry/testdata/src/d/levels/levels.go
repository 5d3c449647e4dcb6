// Package levels has the options with which other packages begin.
package levels

import (
	"database/sql"

	"github.com/jackc/pgx/v5"
)

// Strict is how money moves.
var Strict = pgx.TxOptions{IsoLevel: pgx.Serializable}

// Looking is how it is looked at.
var Looking = &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true}

// Chosen is set when the program starts.
var Chosen = pgx.TxOptions{IsoLevel: pgx.Serializable}

// Relax lets all transactions begin without a level.
func Relax() { Chosen = pgx.TxOptions{} }
