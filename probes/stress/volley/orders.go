package volley

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
)

// The bounds of the search for a serial order that explains a round.
const (
	maxOrders = 200
	maxSearch = 10 * time.Second
)

// repeats is how often the serial order of all clients is run again to learn
// which values are chance: clocks, sequences, random ids.
const repeats = 2

// orders are the serial orders of a stage. Calls of one kind are the same call,
// so that of a hundred clients with one request there is one order. A call that
// was refused changes nothing and may as well not have been there; so an order
// that explains a round has the calls that were accepted in it, and may have
// those that failed or were not answered.
type orders struct {
	*run
	team  []string
	kinds [][]int // clients whose calls are the same call
	ran   map[string]bool
	known map[string]bool // signatures of rounds: all orders were run
	// refused are the beginnings of orders whose last call is not accepted.
	refused map[string]bool
}

func newOrders(r *run, team []string) *orders {
	o := &orders{run: r, team: team, ran: map[string]bool{}, known: map[string]bool{}, refused: map[string]bool{}}
	of := map[string]int{}
	for i, name := range team {
		key := name
		if service.ByLane(r.Service.Learned(name)) {
			key = fmt.Sprint(name, "#", i)
		}
		k, ok := of[key]
		if !ok {
			k = len(o.kinds)
			of[key] = k
			o.kinds = append(o.kinds, nil)
		}
		o.kinds[k] = append(o.kinds[k], i)
	}
	return o
}

func (o *orders) all() []int {
	list := make([]int, len(o.team))
	for i := range list {
		list[i] = i
	}
	return list
}

// baseline runs all clients one after the other, and again with the sequences
// moved on.
func (o *orders) baseline(ctx context.Context) error {
	if err := o.one(ctx, explore.Serial, o.all(), whole); err != nil {
		return err
	}
	for range repeats {
		if err := o.one(ctx, explore.Repeated, o.all(), whole); err != nil {
			return err
		}
	}
	return nil
}

// again runs the clients one after the other when the rounds are over. One that
// is answered otherwise now is answered by more than the rows.
func (o *orders) again(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	return o.one(ctx, explore.Repeated, o.all(), whole)
}

// whole has an order run to its end, whatever its calls are answered.
func whole(int) bool { return false }

// one runs clients one after the other and puts the rows back, again when the
// application has disturbed it. The order ends with a call that is not accepted
// where it must be.
func (o *orders) one(ctx context.Context, phase string, clients []int, must func(client int) bool) error {
	for range attempts {
		if phase == explore.Repeated {
			if err := o.keeper.Advance(); err != nil {
				return err
			}
		}
		o.reset()
		ran, ends, err := o.inTurn(ctx, clients, must)
		if err != nil {
			return err
		}
		if err := o.look(ctx, o.team, ends); err != nil {
			return err
		}
		disturbed, err := o.restore(ctx, phase, o.text(ran))
		if err != nil {
			return err
		}
		if !disturbed {
			o.learn(ran, ends)
			return nil
		}
	}
	return errDisturbed
}

// attempts bounds how often an order is run that is disturbed.
const attempts = 6

// errDisturbed says that the application wrote by itself each time that an order
// was run.
var errDisturbed = errors.New("the application writes by itself to tables that its requests use")

// inTurn makes the calls one after the other, up to one that is not accepted and
// must be. ran are the clients whose calls were made.
func (o *orders) inTurn(ctx context.Context, clients []int, must func(client int) bool) (ran []int, ends []explore.Ending, err error) {
	ends = make([]explore.Ending, len(o.team))
	for n, i := range clients {
		if ends[i], err = o.call(ctx, i); err != nil {
			return nil, nil, err
		}
		if ends[i].Outcome != history.Accepted && must(i) {
			return clients[:n+1], ends, nil
		}
	}
	return clients, ends, nil
}

// learn remembers that an order was run, and where it was refused.
func (o *orders) learn(ran []int, ends []explore.Ending) {
	for n, i := range ran {
		if ends[i].Outcome != history.Accepted {
			o.refused[fmt.Sprint(ran[:n+1])] = true
		}
	}
	o.ran[fmt.Sprint(ran)] = true
}

// call makes the call of one client, and waits until it has come to rest.
func (o *orders) call(ctx context.Context, i int) (explore.Ending, error) {
	rec := o.lanes[i]
	rec.BeginCall(o.team[i])
	e := o.Service.Learned(o.team[i]).Call(ctx, i)
	rec.EndCall(e.Outcome, max(e.Tries, 1), e.Vars, e.Err)
	if err := rec.Flush(); err != nil {
		return e, err
	}
	if e.Outcome == history.Unknown {
		return e, o.because(e.Err)
	}
	return e, o.Service.Wire.Rest(ctx, settleTime)
}

// text is a serial order in words: "buy#1 buy#2".
func (o *orders) text(clients []int) string {
	names := explore.Names(o.team)
	words := make([]string, len(clients))
	for n, i := range clients {
		words[n] = names[i]
	}
	return strings.Join(words, " ")
}

// signature is how a round ended, as far as it says which orders could explain
// it: for each kind how many calls were accepted, and how many may have taken
// effect.
type signature struct{ must, may []int }

func (o *orders) signature(ends []explore.Ending) signature {
	s := signature{make([]int, len(o.kinds)), make([]int, len(o.kinds))}
	for k, clients := range o.kinds {
		for _, i := range clients {
			switch ends[i].Outcome {
			case history.Accepted:
				s.must[k]++
			case history.Failed, history.Unknown:
				s.may[k]++
			}
		}
	}
	return s
}

// explain runs the orders that could explain a round, unless it has done so for
// one like it, and notes that the round can be judged when it has run them all.
func (o *orders) explain(ctx context.Context, ends []explore.Ending, number int) error {
	s := o.signature(ends)
	key := fmt.Sprint(s)
	whole, known := o.known[key]
	if !known {
		var err error
		if whole, err = o.search(ctx, s); err != nil {
			return err
		}
		o.known[key] = whole
	}
	if whole {
		o.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Decided, Text: fmt.Sprint(number)})
	}
	return o.rec.Flush()
}

// search runs all orders of a signature, and reports whether there were few
// enough.
func (o *orders) search(ctx context.Context, s signature) (whole bool, err error) {
	w := &walk{orders: o, ctx: ctx, end: time.Now().Add(maxSearch)}
	err = w.choose(s, nil)
	return !w.cut, err
}

// walk goes through the orders of a signature.
type walk struct {
	*orders
	ctx context.Context
	end time.Time
	n   int
	cut bool
}

// choose goes through the numbers of calls that each kind can have had.
func (w *walk) choose(s signature, calls []int) error {
	k := len(calls)
	if k == len(s.must) {
		return w.order(s, calls, nil)
	}
	for n := s.must[k]; n <= s.must[k]+s.may[k]; n++ {
		if err := w.choose(s, append(slices.Clone(calls), n)); err != nil || w.cut {
			return err
		}
	}
	return nil
}

// order goes through the orders of that many calls of each kind.
func (w *walk) order(s signature, left, before []int) error {
	if w.cut || w.refused[fmt.Sprint(before)] && w.must(s, before[len(before)-1]) {
		return nil // every order that begins so is none
	}
	last := true
	for k, n := range left {
		if n == 0 {
			continue
		}
		last = false
		rest := slices.Clone(left)
		rest[k]--
		next := w.kinds[k][used(before, w.kinds[k])]
		if err := w.order(s, rest, append(slices.Clone(before), next)); err != nil {
			return err
		}
	}
	if last && len(before) > 0 {
		return w.leaf(s, before)
	}
	return nil
}

// used is the number of calls of a kind in an order.
func used(order, kind []int) (n int) {
	for _, i := range order {
		if slices.Contains(kind, i) {
			n++
		}
	}
	return n
}

// must reports whether a call of the client has to be accepted: none of its kind
// failed.
func (w *walk) must(s signature, client int) bool {
	k := slices.IndexFunc(w.kinds, func(clients []int) bool { return slices.Contains(clients, client) })
	return s.may[k] == 0
}

// leaf runs a whole order.
func (w *walk) leaf(s signature, order []int) error {
	switch {
	case w.ran[fmt.Sprint(order)]:
		return nil
	case w.n >= maxOrders, time.Now().After(w.end), w.ctx.Err() != nil:
		w.cut = true
		return nil
	}
	w.n++
	err := w.one(w.ctx, explore.Serial, order, func(client int) bool { return w.must(s, client) })
	if errors.Is(err, errDisturbed) {
		w.cut = true
		return nil
	}
	return err
}
