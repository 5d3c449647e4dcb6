package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	tests := []struct{ sql, want string }{
		{"CREATE TABLE users (id serial PRIMARY KEY, email text NOT NULL UNIQUE, name text)", "users(id) users(email)"},
		{"create table if not exists public.\"Users\" (a int, b int, unique (a, b), constraint pk primary key (b))", "users(a,b) users(b)"},
		{"CREATE UNLOGGED TABLE t (a numeric(10, 2) UNIQUE, b int CHECK (b > 0 OR unique_ok(b)))", "t(a)"},
		{"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY shop.t USING btree (a, lower(b) DESC NULLS LAST)", "t(a,b)"},
		{"CREATE UNIQUE INDEX ON t ((lower(email::text)))", "t(email)"},
		{"CREATE UNIQUE INDEX i ON t (a) WHERE deleted_at IS NULL", ""},
		{"CREATE INDEX i ON t (a)", ""},
		{"ALTER TABLE ONLY t ADD CONSTRAINT u UNIQUE NULLS NOT DISTINCT (a), ADD COLUMN c int UNIQUE, DROP COLUMN d", "t(a) t(c)"},
		{"-- CREATE TABLE x (a int UNIQUE);\n/* ; */ CREATE TABLE y (a text DEFAULT 'x; unique' , b int);", ""},
		{"CREATE FUNCTION f() RETURNS void AS $body$ CREATE TABLE x (a int UNIQUE); $body$ LANGUAGE sql; CREATE TABLE y (a int UNIQUE)", "y(a)"},
		{"CREATE DATABASE shop;\n\\c shop\nCREATE TABLE t (a int UNIQUE)", "t(a)"},
		{"SELECT 1", ""},
		{"CREATE TABLE", ""},
		{"CREATE TABLE t (", ""},
		{"CREATE TABLE t (a int UNIQUE", "t(a)"},
		{"ALTER TABLE t ADD UNIQUE", ""},
	}
	for _, tt := range tests {
		s := Schema{}
		s.Read(tt.sql)
		var got []string
		for _, table := range slices.Sorted(maps.Keys(s)) {
			for _, key := range s[table] {
				got = append(got, fmt.Sprintf("%s(%s)", table, strings.Join(key, ",")))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.sql, got, tt.want)
		}
	}
}

func TestUnique(t *testing.T) {
	s := Schema{}
	s.Read("CREATE TABLE shop.Categories (id int PRIMARY KEY, user_id int, title text, UNIQUE (user_id, title))")
	tests := []struct {
		table, columns string
		want           bool
	}{
		{"categories", "user_id title", true},
		{"shop.categories", "TITLE user_id hidden", true},
		{"categories", "title", false},
		{"categories", "id", true},
		{"categories", "", false},
		{"users", "id", false},
	}
	for _, tt := range tests {
		if got := s.Unique(tt.table, strings.Fields(tt.columns)); got != tt.want {
			t.Errorf("%s(%s): %v", tt.table, tt.columns, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("CREATE TABLE t (a int UNIQUE, \"b\" text, UNIQUE (a, lower(b)))")
	f.Add("CREATE UNIQUE INDEX i ON t (a) WHERE b; ALTER TABLE t ADD UNIQUE (a); $x$ '")
	f.Fuzz(func(t *testing.T, text string) {
		s := Schema{}
		s.Read(text)
		for table, keys := range s {
			for _, key := range keys {
				if len(key) == 0 || !s.Unique(table, key) {
					t.Errorf("key %q of %q is none", key, table)
				}
			}
		}
	})
}
