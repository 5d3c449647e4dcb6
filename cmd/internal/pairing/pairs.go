package pairing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/rivals"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// Pair is two kinds, and the two requests of them that have the most to get
// wrong. A kind beside itself is one request sent twice.
type Pair struct {
	A, B          *Kind
	First, Second *tape.Request
	Risk          rivals.Risk
	Where, Why    string

	shared int // values that the two requests were sent, where their statements are not known
}

// Names are the names of the two kinds.
func (p *Pair) Names() []string { return []string{p.A.Name, p.B.Name} }

// secrets counts what the user must give before the two can be sent.
func (p *Pair) secrets() int { return len(Secrets(p.First)) + len(Secrets(p.Second)) }

// Secrets are the names of what the tape does not have of a request.
func Secrets(r *tape.Request) []string {
	texts := []string{r.Path, r.Body}
	for _, h := range r.Headers {
		texts = append(texts, h.Value)
	}
	names := tape.Secrets(strings.Join(texts, "\n"))
	slices.Sort(names)
	return slices.Compact(names)
}

// Pairs are the pairs of kinds that have examples, those with the highest risk
// first. Without statements on the tape all pairs of which one may write are of
// medium risk, those first that name the same things, and of low risk where they
// name different ones.
func Pairs(t *tape.Tape, kinds []*Kind) []Pair {
	var all []*example
	for _, k := range kinds {
		for _, r := range k.Examples {
			all = append(all, &example{k, r, callOf(t, r)})
		}
	}
	best := map[[2]*Kind]*Pair{}
	reader := rivals.NewReader()
	for i, a := range all {
		for _, b := range all[i:] {
			if a.r != b.r && a.kind == b.kind || a.kind.Reads && b.kind.Reads {
				continue
			}
			p := compare(reader, t, a, b)
			key := [2]*Kind{p.A, p.B}
			if old := best[key]; old == nil || p.Risk > old.Risk || p.Risk == old.Risk && cmp.Or(p.shared-old.shared, old.secrets()-p.secrets()) > 0 {
				best[key] = &p
			}
		}
	}
	return inOrder(best, kinds)
}

type example struct {
	kind *Kind
	r    *tape.Request
	call rivals.Call
}

func compare(reader *rivals.Reader, t *tape.Tape, a, b *example) Pair {
	p := Pair{A: a.kind, B: b.kind, First: a.r, Second: b.r}
	if t.Database == "" {
		p.unseen()
		return p
	}
	c := reader.Compare(&a.call, &b.call)
	p.Risk, p.Where, p.Why = c.Risk, c.Where, c.Why
	return p
}

// unseen ranks a pair by what its requests were sent.
func (p *Pair) unseen() {
	p.Risk, p.Why = rivals.Medium, "their statements are not on the tape"
	if p.First == p.Second {
		return
	}
	common, apart := shared(p.First, p.Second)
	switch p.shared = len(common); {
	case apart:
		p.Risk, p.Why = rivals.Low, "their statements are not on the tape, and what they were sent names different things"
	case p.shared > 0:
		p.Where = strings.Join(common[:min(len(common), 3)], ", ")
	}
}

// inOrder sorts by risk; what only reads comes behind what writes.
func inOrder(best map[[2]*Kind]*Pair, kinds []*Kind) []Pair {
	var list []Pair
	for i, a := range kinds {
		for _, b := range kinds[i:] {
			if p := best[[2]*Kind{a, b}]; p != nil {
				list = append(list, *p)
			}
			if p := best[[2]*Kind{b, a}]; p != nil && a != b {
				list = append(list, *p)
			}
		}
	}
	reads := func(p Pair) int {
		if p.A.Reads || p.B.Reads {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Risk, a.Risk), reads(a)-reads(b), b.shared-a.shared)
	})
	return list
}

// callOf are the statements that the request caused or may have caused.
func callOf(t *tape.Tape, r *tape.Request) rivals.Call {
	sure, maybe := t.Of(r.N)
	c := rivals.Call{Name: r.String()}
	for _, s := range slices.Concat(sure, maybe) {
		st := rivals.Statement{SQL: s.SQL, Maybe: len(s.Of) > 1}
		for _, v := range s.Args {
			if strings.Contains(v.Text, "{{") {
				v = history.Null // it was masked
			}
			st.Args = append(st.Args, v)
		}
		c.Statements = append(c.Statements, st)
	}
	return c
}
