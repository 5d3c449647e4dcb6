package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
)

// large is a table with too many rows to be put back. It stands as it is as long
// as nobody writes to it, which a trigger notes: in a sequence, so that a write
// that is rolled back counts too and the lanes wait for nothing.
type large struct {
	name     string
	sequence string
	value    string
}

// watching is where the notes are, away from the application's own names.
const watching = "ccheck_watch"

const watchSQL = `create schema if not exists ` + watching + `;
create or replace function ` + watching + `.note() returns trigger language plpgsql security definer as
	$$ begin perform nextval(tg_argv[0]::regclass); return null; end $$;`

// watch begins to look after a table.
func (w *world) watch(t history.Table) error {
	l := large{name: t.Name, sequence: fmt.Sprintf("%s.%s", watching, lab.Ident(t.Name))}
	_, err := w.conn.Ask(watchSQL + fmt.Sprintf(`create sequence if not exists %s;
do $$ begin
	if not exists (select from pg_trigger where tgname = 'ccheck_note' and tgrelid = %s::regclass) then
		create trigger ccheck_note after insert or update or delete or truncate on %s for each statement execute function %s.note(%s);
	end if;
end $$`, l.sequence, lab.Literal(lab.Ident(t.Name)), lab.Ident(t.Name), watching, lab.Literal(l.sequence)))
	if err != nil {
		return fmt.Errorf("watching %s: %w", t.Name, err)
	}
	if l.value, err = l.read(w.conn); err != nil {
		return err
	}
	w.large = append(w.large, l)
	return nil
}

func (l *large) sql() string { return fmt.Sprintf("select last_value, is_called from %s;", l.sequence) }

func (l *large) read(conn *pg.Conn) (string, error) {
	res, err := conn.Ask(l.sql())
	if err != nil {
		return "", fmt.Errorf("looking whether %s was changed: %w", l.name, err)
	}
	return rowKey(res.Rows[0]), nil
}

// referring reports whether a table that is watched has a foreign key to one
// that is put back.
func (w *world) referring(needs map[string][]string) bool {
	return slices.ContainsFunc(w.large, func(l large) bool {
		return slices.ContainsFunc(needs[l.name], func(name string) bool {
			return slices.ContainsFunc(w.tables, func(t *relation) bool { return t.Name == name })
		})
	})
}

// lookLarge is the end of what reads everything.
func (w *world) lookLarge() string {
	var b strings.Builder
	for i := range w.large {
		b.WriteString(w.large[i].sql())
	}
	return b.String()
}

// touched returns an error when somebody wrote to a table that cannot be put back.
func (w *world) touched(results []pg.Result) error {
	for i := range w.large {
		if l := &w.large[i]; rowKey(results[i].Rows[0]) != l.value {
			return &TooLargeError{Table: l.name, Limit: w.limit, Written: true}
		}
	}
	return nil
}
