package driver

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

const (
	// sure is the length from which a secret is taken out of any text. A shorter
	// one could be part of a word.
	sure = 6
	// maxSecrets bounds what is remembered.
	maxSecrets = 10_000
)

// masker takes secrets out of what is told. The judges see them, since a race
// may be one for a token; a report is pasted into issues and kept by CI.
type masker struct {
	mask   history.Mask
	tables map[string][]string // columns by table
	stmts  map[*history.Stmt]sqlread.Access
	known  map[string]bool
	long   *strings.Replacer
}

// hide masks the values of secret columns and fields in the findings.
func hide(file *history.File, findings []report.Finding) {
	if len(findings) == 0 {
		return
	}
	m := &masker{mask: file.Header.Mask(), tables: map[string][]string{}, stmts: map[*history.Stmt]sqlread.Access{}, known: map[string]bool{}}
	if m.concerned(file.Header) {
		for o, err := range file.Ops() {
			if err != nil {
				break // what is told comes from before that place
			}
			m.learn(o)
		}
	}
	m.ready()
	for i := range findings {
		m.finding(&findings[i])
	}
}

// concerned reports whether the run has anything that could be secret.
func (m *masker) concerned(h *history.Header) bool {
	found := slices.ContainsFunc(h.Actors, func(a history.Actor) bool { return a.HTTP != "" })
	for _, t := range h.Tables {
		m.tables[t.Name] = t.Columns
		found = found || slices.ContainsFunc(t.Columns, m.mask.Secret)
	}
	return found
}

// learn remembers the secrets of an event.
func (m *masker) learn(o *history.Op) {
	for _, row := range o.Rows {
		for i, v := range row {
			if i < len(o.Columns) {
				m.note(o.Columns[i], v)
			}
		}
	}
	for _, v := range o.Vars {
		m.note(v.Name, v.Value)
	}
	if o.Kind != history.Invoke || o.Stmt == nil {
		return
	}
	a, read := m.stmts[o.Stmt]
	if !read {
		a = sqlread.Read(o.Stmt.SQL)
		m.stmts[o.Stmt] = a
	}
	for i := range a.Tables {
		m.written(&a.Tables[i], o.Args)
	}
}

// written notes the values that a statement sets beside a column, or looks for.
func (m *masker) written(t *sqlread.Table, args []history.Value) {
	note := func(column string, v sqlread.Value) {
		switch {
		case v.Kind == sqlread.Literal:
			m.note(column, history.Text(v.Text))
		case v.Kind == sqlread.Param && v.N >= 1 && v.N <= len(args):
			m.note(column, args[v.N-1])
		}
	}
	for _, p := range t.Preds {
		for _, v := range p.Values {
			note(p.Column, v)
		}
	}
	for _, w := range t.Writes {
		note(w.Column, w.Value)
	}
	into := t.Into
	if into == nil {
		into = m.tables[t.Name]
	}
	for _, row := range t.Rows {
		for i, v := range row[:min(len(row), len(into))] {
			note(into[i], v)
		}
	}
}

func (m *masker) note(name string, v history.Value) {
	if len(v.Text) > 1 && len(m.known) < maxSecrets && m.mask.Hides(name, v) {
		m.known[v.Text] = true
	}
}

// ready ends the learning.
func (m *masker) ready() {
	var pairs []string
	for _, v := range m.sorted() {
		if len(v) >= sure {
			pairs = append(pairs, v, history.Masked)
		}
		// As SQL and as JSON write it.
		pairs = append(pairs, "'"+strings.ReplaceAll(v, "'", "''")+"'", "'"+history.Masked+"'", `"`+v+`"`, `"`+history.Masked+`"`)
	}
	m.long = strings.NewReplacer(pairs...)
}

// sorted are the secrets, those first that others may be a part of.
func (m *masker) sorted() []string {
	list := make([]string, 0, len(m.known))
	for v := range m.known {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return list
}

// finding masks one. Its fingerprint is made of names and shapes, and stays.
func (m *masker) finding(f *report.Finding) {
	for _, row := range f.Rows {
		for i := range row {
			if i < len(f.Columns) && m.mask.Hides(f.Columns[i], history.Text(row[i])) {
				row[i] = history.Masked
			}
			m.text(&row[i])
		}
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		m.text(&s.Text, &s.Read, &s.Wrote, &s.Result)
	}
	for i := range f.Fixes {
		m.text(&f.Fixes[i].Title, &f.Fixes[i].SQL, &f.Fixes[i].Note)
	}
	for i := range f.Repro.Psql {
		m.text(&f.Repro.Psql[i])
	}
	m.text(&f.Message, &f.Before, &f.After, &f.Expected, &f.Why)
}

// word is what a short secret with a digit in it is looked for as, assigned a value
// behind the name of its column, and listed one in a row that is told in words.
var (
	word     = regexp.MustCompile(`[\pL\pN_]+`)
	assigned = regexp.MustCompile(`[\pL\pN_.]+ = [^\s,;)]+`)
	listed   = regexp.MustCompile(`[(,] ?[\pL\pN_.]+ [^\s,;()]+`)
)

func (m *masker) text(texts ...*string) {
	if len(m.known) == 0 {
		return
	}
	for _, t := range texts {
		s := m.long.Replace(*t)
		s = assigned.ReplaceAllStringFunc(s, func(pair string) string {
			name, value, _ := strings.Cut(pair, " = ")
			if m.known[value] {
				return name + " = " + history.Masked
			}
			return pair
		})
		s = listed.ReplaceAllStringFunc(s, func(pair string) string {
			at := strings.LastIndexByte(pair, ' ') + 1
			if m.known[pair[at:]] && m.mask.Secret(strings.Trim(pair[:at], "(, ")) {
				return pair[:at] + history.Masked
			}
			return pair
		})
		*t = word.ReplaceAllStringFunc(s, func(w string) string {
			if m.known[w] && strings.ContainsAny(w, "0123456789") {
				return history.Masked
			}
			return w
		})
	}
}
