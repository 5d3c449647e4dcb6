package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker keeps the books of accepted calls.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const name = "ledger"

func run(pass *check.Pass) error {
	b := newBooks(pass.Header)
	if len(b.accounts) == 0 {
		return nil
	}
	for o, err := range pass.Ops() {
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		b.add(o)
	}
	for _, a := range b.accounts {
		if a.why != "" && len(a.wrong) == 0 {
			pass.Unknown(fmt.Sprintf("the ledger of %s.%s has no verdict: %s", a.table, a.column, a.why))
		}
	}
	return tell(pass, b)
}

// books are the accounts of one history.
type books struct {
	actors   map[string][]effect
	accounts []*account // in the order of the header
	calls    map[int]string
	round    int
}

// effect is an Effect with the account it goes to.
type effect struct {
	history.Effect
	account *account
}

// account is a column with one entry for every key.
type account struct {
	table, key, column string
	entries            map[string]*entry
	begun, closed      bool // has seen a before, has been compared with an after
	began              time.Duration
	why                string // why there is no verdict
	wrong              []difference
}

// entry is one key of an account.
type entry struct {
	before   amount
	accepted amount // sum of the effects of accepted calls
	low      amount // sum of what calls of unknown outcome can have taken away
	high     amount // and of what they can have added
}

// difference is a key whose books do not balance.
type difference struct {
	key                              string
	before, accepted, low, high, now amount
	round                            int
	began, ended                     time.Duration
}

// off is how far the value is outside of what is expected: negative when
// something is missing.
func (d *difference) off() amount {
	expected := d.before.plus(d.accepted)
	if low := expected.plus(d.low); d.now.less(low) {
		return d.now.minus(low)
	}
	return d.now.minus(expected.plus(d.high))
}

func newBooks(h *history.Header) *books {
	b := &books{actors: map[string][]effect{}, calls: map[int]string{}}
	for _, a := range h.Actors {
		for _, e := range a.Effects {
			b.actors[a.Name] = append(b.actors[a.Name], effect{e, b.account(e)})
		}
	}
	return b
}

func (b *books) account(e history.Effect) *account {
	i := slices.IndexFunc(b.accounts, func(a *account) bool { return a.table == e.Table && a.key == e.Key && a.column == e.Column })
	if i >= 0 {
		return b.accounts[i]
	}
	a := &account{table: e.Table, key: e.Key, column: e.Column, entries: map[string]*entry{}, why: "the contents after the run were not recorded"}
	b.accounts = append(b.accounts, a)
	return a
}

func (b *books) add(o *history.Op) {
	switch {
	case o.Scope == history.ScopeCall && o.Kind == history.Invoke:
		b.calls[o.Process] = o.Actor
	case o.Scope == history.ScopeCall:
		b.call(o)
	case o.Scope == history.ScopeState:
		b.state(o)
	case o.Scope == history.ScopeNote && o.Text == lanes.Reset:
		b.round++
		for _, a := range b.accounts {
			clear(a.entries)
			a.begun, a.closed = false, false
		}
	}
}

// call enters the effects of a call that ended.
func (b *books) call(o *history.Op) {
	actor := cmp.Or(o.Actor, b.calls[o.Process])
	delete(b.calls, o.Process)
	if o.Outcome == history.Refused || o.Outcome == history.Failed {
		return
	}
	for i := range b.actors[actor] {
		e := &b.actors[actor][i]
		key, ok := value(o, e.KeyVar)
		text, ok2 := value(o, e.AddVar)
		add, ok3 := parse(text.Text)
		if !ok || !ok2 || !ok3 || key.Null || text.Null {
			e.account.why = fmt.Sprintf("a call of %s ended without a number for its effect", actor)
			e.account.closed = true
			continue
		}
		e.account.enter(key.Text, add, o.Outcome == history.Accepted)
	}
}

func value(o *history.Op, name string) (history.Value, bool) {
	for _, v := range o.Vars {
		if v.Name == name {
			return v.Value, true
		}
	}
	return history.Value{}, false
}

func (a *account) enter(key string, add amount, accepted bool) {
	e := a.entries[key]
	if e == nil {
		e = &entry{}
		a.entries[key] = e
	}
	switch {
	case accepted:
		e.accepted = e.accepted.plus(add)
	case add.sign() < 0:
		e.low = e.low.plus(add)
	default:
		e.high = e.high.plus(add)
	}
}

// state opens or closes the books with the contents of a table.
func (b *books) state(o *history.Op) {
	for _, a := range b.accounts {
		k, c := slices.Index(o.Columns, a.key), slices.Index(o.Columns, a.column)
		if a.table != o.Text || k < 0 || c < 0 || a.closed {
			continue
		}
		contents, why := read(o, k, c)
		switch {
		case why != "":
			a.why, a.closed = why, true
		case o.Phase == "before":
			a.begin(contents, o.Time)
		case a.begun:
			a.close(contents, o.Time, b.round)
		default:
			a.why = "the contents before the run were not recorded"
		}
	}
}

// tooMany is the number of keys beyond which the contents are not whole.
const tooMany = 10_000

// read returns the values by key, or why they are not to be had.
func read(o *history.Op, k, c int) (contents map[string]amount, why string) {
	if o.More > 0 || len(o.Rows) > tooMany {
		return nil, fmt.Sprintf("the table has more than %d rows, its contents were not recorded whole; use fewer keys", tooMany)
	}
	contents = make(map[string]amount, len(o.Rows))
	for _, row := range o.Rows {
		if k >= len(row) || c >= len(row) || row[c].Null {
			continue
		}
		n, ok := parse(row[c].Text)
		if !ok {
			return nil, fmt.Sprintf("%q is no number", row[c].Text)
		}
		contents[row[k].Text] = contents[row[k].Text].plus(n)
	}
	return contents, ""
}

func (a *account) begin(contents map[string]amount, at time.Duration) {
	a.begun, a.began = true, at
	for key, n := range contents {
		a.entries[key] = &entry{before: n}
	}
}

// close compares every key. A key that has no row has the value 0.
func (a *account) close(contents map[string]amount, at time.Duration, round int) {
	a.why, a.closed = "", true
	for key := range contents {
		if a.entries[key] == nil {
			a.entries[key] = &entry{}
		}
	}
	var wrong []difference
	for key, e := range a.entries {
		d := difference{key, e.before, e.accepted, e.low, e.high, contents[key], round, a.began, at}
		expected := e.before.plus(e.accepted)
		if d.now.less(expected.plus(e.low)) || expected.plus(e.high).less(d.now) {
			wrong = append(wrong, d)
		}
	}
	slices.SortFunc(wrong, func(x, y difference) int {
		return cmp.Or(cmp.Compare(len(x.key), len(y.key)), cmp.Compare(x.key, y.key))
	})
	a.wrong = append(a.wrong, wrong...)
}
