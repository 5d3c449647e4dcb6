package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"CREATE TABLE users (id serial PRIMARY KEY, \"Email\" varchar(20) NOT NULL UNIQUE)", "users.email=varchar ( 20 ) users.id=serial"},
		{"create table if not exists public.t (a double precision default 0, b int[], constraint x check (a > 0), unique (a))", "t.a=double precision t.b=int [ ]"},
		{"ALTER TABLE ONLY t ADD COLUMN IF NOT EXISTS c timestamp with time zone, ADD CONSTRAINT u UNIQUE (c), DROP COLUMN d", "t.c=timestamp with time zone"},
		{"CREATE TABLE t (a int); CREATE TABLE t (a text)", "t.a=int"},
		{"CREATE TABLE t (a", ""},
		{"SELECT 1", ""},
	} {
		c := Columns{}
		c.Read(tt.sql)
		var got []string
		for _, table := range slices.Sorted(maps.Keys(c)) {
			for _, column := range slices.Sorted(maps.Keys(c[table])) {
				got = append(got, fmt.Sprintf("%s.%s=%s", table, column, c[table][column]))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.sql, got, tt.want)
		}
	}
}
