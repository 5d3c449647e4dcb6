package bleed

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports answers with the data of another user.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name = "bleed" // of the probe, too
	// enough is how many answers must have overlapped with one of another user
	// before their being right says something.
	enough = 100

	// confine is the one kind of mend: no atomic statement or lock makes it right
	// that two requests share what belongs to one.
	confine report.FixKind = "confine to the request"
)

// What the probe writes, and what it says must hold.
const (
	claim    = "an answer holds the data of its own user alone"
	actor    = "request"
	together = "together"
	ended    = "end"
)

func run(pass *check.Pass) error {
	if pass.Header.Probe != name {
		return nil
	}
	r, err := collect(pass.Ops())
	if err != nil {
		return err
	}
	if f, found := r.finding(); found {
		pass.Report(f)
		return nil // what right answers would need says nothing then
	}
	for _, why := range r.missing() {
		pass.Unknown(why)
	}
	return nil
}

// answer is one answer of the application.
type answer struct {
	lane       int
	user       string
	seen       []string
	around     string
	status     string
	start, end time.Duration
	together   bool
}

// foreign is the marker of another user that it holds, "" for none.
func (a *answer) foreign() string {
	i := slices.IndexFunc(a.seen, func(m string) bool { return m != a.user })
	if i < 0 {
		return ""
	}
	return a.seen[i]
}

func (a *answer) overlaps(b *answer) bool { return a.start < b.end && b.start < a.end }

// record is a history, sorted.
type record struct {
	answers []*answer // by their end
	users   int
	failed  int // requests without an answer, or with an error
	whole   bool
}

func collect(ops iter.Seq2[*history.Op, error]) (*record, error) {
	r := &record{}
	crowd := false
	for o, err := range ops {
		switch {
		case err != nil:
			return nil, fmt.Errorf("reading the history: %w", err)
		case o.Scope == history.ScopeNote:
			crowd = crowd || o.Text == together
			r.whole = o.Text == ended
		case o.Scope == history.ScopeCall && o.Kind != history.Invoke && o.Actor == actor:
			r.add(o, crowd)
		}
	}
	return r, nil
}

// add keeps an answer. An error that names another user bleeds as well.
func (r *record) add(o *history.Op, crowd bool) {
	a := &answer{lane: o.Process, start: o.Start, end: o.Time, together: crowd}
	for _, v := range o.Vars {
		switch v.Name {
		case "user":
			a.user = v.Value.Text
		case "seen":
			a.seen = append(a.seen, v.Value.Text)
		case "status":
			a.status = v.Value.Text
		case "around":
			a.around = v.Value.Text
		}
	}
	r.users = max(r.users, o.Process+1)
	if o.Outcome != history.Accepted {
		r.failed++
	}
	r.answers = append(r.answers, a)
}

// overlaps counts the answers of the crowd that were open while one of another
// user was.
func (r *record) overlaps() int {
	n := 0
	for i, a := range r.answers {
		if a.together && r.beside(i, func(b *answer) bool { return b.lane != a.lane }) != nil {
			n++
		}
	}
	return n
}

// beside is an answer that fits and was open at the same time as the i-th, nil
// for none. Ends are in order, and no lane has two requests open: what is further
// away than a few of each lane cannot overlap, and is not looked at.
func (r *record) beside(i int, fits func(*answer) bool) *answer {
	a, far := r.answers[i], 8*r.users
	for d := 1; d <= far; d++ {
		for _, k := range []int{i - d, i + d} {
			if k >= 0 && k < len(r.answers) && a.overlaps(r.answers[k]) && fits(r.answers[k]) {
				return r.answers[k]
			}
		}
	}
	return nil
}

// missing tells why right answers would say nothing.
func (r *record) missing() (why []string) {
	if !r.whole {
		why = append(why, "the run ended before its time")
	}
	own := map[int]bool{}
	for _, a := range r.answers {
		if a.together && slices.Contains(a.seen, a.user) {
			own[a.lane] = true
		}
	}
	if r.users < 2 {
		return append(why, "one user cannot get the data of another")
	}
	if len(own) < r.users {
		why = append(why, fmt.Sprintf("the answers of %d of %d users never held the marker of their own user while all asked at once, so one of another would not have shown either",
			r.users-len(own), r.users))
	}
	if overlaps := r.overlaps(); overlaps < enough {
		why = append(why, fmt.Sprintf("%d answers overlapped with one of another user, and %d are needed", overlaps, enough))
	}
	return why
}
