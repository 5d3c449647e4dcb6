package stalereplica

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "stalereplica", Judge: judge}

// Analyzer reports reads from a replica after a write to the primary.
var Analyzer = &analysis.Analyzer{
	Name:     "stalereplica",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.Run(Pairing),
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated {
		return nil
	}
	all := stmt.All(s)
	var out []flow.Found
	done := map[flow.Pos]bool{}
	for _, r := range all {
		if !replica(s, r.Event) || marked(r.Event) || switched(s, r) || done[r.Site[0]] {
			continue
		}
		for _, w := range all {
			if t := written(s, w, r); t != "" && !waited(s, w.I, r.I) && !askedAgain(all, w, r) {
				done[r.Site[0]] = true
				out = append(out, story(w, r, t))
				break
			}
		}
	}
	return out
}

// written is the table that the write changes and the read looks at, when the
// write comes first and goes elsewhere.
func written(s *flow.Summary, w, r stmt.Stmt) string {
	if !s.After(w.I, r.I) || !s.Local(w.I, r.I) || w.Async || r.Async || replica(s, w.Event) || s.After(r.I, w.I) && len(r.Loop) == 0 {
		return ""
	}
	for i := range w.Acc.Tables {
		t := &w.Acc.Tables[i]
		if !t.Kind.Writes() {
			continue
		}
		for j := range r.Acc.Tables {
			o := &r.Acc.Tables[j]
			if sqlread.Same(t, o) && !o.Kind.Writes() && !otherRow(w, t, r, o) {
				return t.Name
			}
		}
	}
	return ""
}

// otherRow reports whether one column has surely different values in both.
func otherRow(w stmt.Stmt, t *sqlread.Table, r stmt.Stmt, o *sqlread.Table) bool {
	for _, k := range stmt.Keys(o) {
		for _, l := range stmt.Keys(t) {
			a, b := r.Arg(k.Values[0]), w.Arg(l.Values[0])
			if k.Column == l.Column && a.Root == flow.Const && b.Root == flow.Const && a.Name != b.Name {
				return true
			}
		}
	}
	return false
}

var (
	replicas  = regexp.MustCompile(`(?i)replica|read_?only|slave|secondary|follower|standby|read_?db|db_?read|read_?pool|reader|^reads?$|^ro$|_ro$|^ro_|^roDB$|RO$|dbr$`)
	primaries = regexp.MustCompile(`(?i)primary|master|writ|leader|rw`)
)

// replica reports whether an event runs on a handle that is called so.
func replica(s *flow.Summary, e *flow.Event) bool {
	if e.Op != libs.Query && e.Op != libs.Exec {
		return false
	}
	for _, name := range names(s, e.On.Desc) {
		if replicas.MatchString(name) && !primaries.MatchString(name) {
			return true
		}
	}
	return false
}

// mark are calls that give a context in which a function that chooses a handle
// finds that the primary is needed.
var mark = regexp.MustCompile(`(?i)^call (context\.WithValue$|.*\b\w*(primary|master|writer|leader|sticky|consisten|strong|fresh|after_?write)\w*$)`)

// marked reports whether a function chose the handle of a statement whose context
// was marked before.
func marked(e *flow.Event) bool { return e.On.Desc.Via != "" && mark.MatchString(e.Ctx.Class) }

// names are what the source calls a handle: field, parameter, variable, or the
// method that gives it.
func names(s *flow.Summary, d flow.Desc) []string {
	parts := strings.Split(strings.TrimPrefix(d.Path, "."), ".")
	out := slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "DB" || strings.HasPrefix(p, "#") })
	for _, name := range []string{d.Via, d.Given} {
		if name != "" {
			out = append(out, name)
		}
	}
	switch d.Root {
	case flow.Param:
		if d.N < len(s.Names) {
			out = append(out, s.Names[d.N])
		}
	case flow.Global, flow.Local, flow.Expr:
		out = append(out, d.Name[strings.LastIndexByte(d.Name, '.')+1:])
	case flow.Result:
		if d.N < len(s.Events) {
			call := s.Events[d.N].Call
			out = append(out, call[strings.LastIndexByte(call, '.')+1:])
		}
	}
	return out
}

// wait are names of calls, position those of functions of PostgreSQL, after
// which the replica has caught up.
var (
	wait     = regexp.MustCompile(`(?i)wait|catch_?up|lsn|sync_?replica|consistent`)
	position = regexp.MustCompile(`(?i)_lsn\b|pg_wal|pg_last_wal`)
)

func waited(s *flow.Summary, w, r int) bool {
	for i := range s.Events {
		e := &s.Events[i]
		if s.After(w, i) && s.After(i, r) && (position.MatchString(e.SQL) || e.Op == libs.Calls && wait.MatchString(e.Method)) {
			return true
		}
	}
	return false
}

func story(w, r stmt.Stmt, table string) flow.Found {
	return flow.Found{
		At:       r.Site[0],
		Severity: "medium",
		Message: strings.Join([]string{
			fmt.Sprintf("%s is read from a replica right after it was written on the primary: the replica may not have the change yet", table),
			"primary: " + w.Text,
			"replica: " + r.Text + "   -- sees the state before",
			"Fix, best first: RETURNING on the write; read from the primary in a request that wrote; wait for the replica to replay the write",
		}, "\n"),
		Related: append([]flow.Note{{At: w.Site[0], Text: "written here: " + w.Text}}, stmt.Within(r, "read")...),
	}
}
