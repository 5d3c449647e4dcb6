package session

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// event is one thing that a session did.
type event struct {
	what       string // write, read, told, pay, deposit
	lane       int
	session    string
	policy     string
	start, end time.Duration
	outcome    history.Outcome
	why        string
	sqlstate   string

	key     string
	version int64
	lsn     string
	asked   string // the replica that the read was for
	from    string // the server that answered
	waited  time.Duration

	account       string
	amount, seen  int64
	after         int64
	paid          bool // it decided to pay
	cut           bool // while a replica was cut off
	expects       int64
	kind          kind // of what it expects
	behind, stale bool
}

func (e *event) ok() bool { return e.outcome == history.Accepted }

// sight is when a write could be read on a replica.
type sight struct {
	replica   string
	key       string
	version   int64
	committed time.Duration
	stale     time.Duration // the last look that did not show it; 0 for none
	visible   time.Duration // 0 for never
	bytes     int64
}

func (s *sight) lag() time.Duration { return max(s.visible-s.committed, 0) }

// place is a version on a replica.
type place struct {
	replica, key string
	version      int64
}

// record is a history, sorted.
type record struct {
	events   []*event // by their end
	sights   []*sight
	byPlace  map[place]*sight
	replicas []string
	cut      string
	from, to time.Duration // of the cut; to is 0 while it lasts
	last     time.Duration
	ended    bool
}

func collect(ops iter.Seq2[*history.Op, error]) (*record, error) {
	r := &record{byPlace: map[place]*sight{}}
	names := map[int64]string{} // of the calls that go on
	for o, err := range ops {
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		r.last = o.Time
		switch {
		case o.Scope == history.ScopeNote:
			r.note(o)
		case o.Scope == history.ScopeCall && o.Kind == history.Invoke:
			names[o.Call] = o.Actor
		case o.Scope == history.ScopeCall:
			r.add(o, names[o.Call])
			delete(names, o.Call)
		}
	}
	slices.SortFunc(r.sights, func(a, b *sight) int { return cmp.Compare(a.committed, b.committed) })
	slices.Sort(r.replicas)
	r.judge()
	return r, nil
}

func (r *record) note(o *history.Op) {
	if name, ok := strings.CutPrefix(o.Text, "cut "); ok {
		r.cut, r.from = name, o.Time
	}
	if strings.HasPrefix(o.Text, "mended ") {
		r.to = o.Time
	}
	r.ended = r.ended || o.Text == "end"
}

// add sorts a call in.
func (r *record) add(o *history.Op, what string) {
	v := newValues(o.Vars)
	if what == "visible" || what == "invisible" {
		s := &sight{replica: v["session"], key: v["key"], version: v.number("version"), bytes: v.number("bytes")}
		s.committed, s.stale, s.visible = v.duration("committed_ns"), v.duration("stale_ns"), v.duration("visible_ns")
		r.sights = append(r.sights, s)
		r.byPlace[place{s.replica, s.key, s.version}] = s
		if !slices.Contains(r.replicas, s.replica) {
			r.replicas = append(r.replicas, s.replica)
		}
		return
	}
	e := &event{
		what: what, lane: o.Process, session: v["session"], policy: v["policy"], start: o.Start, end: o.Time,
		outcome: o.Outcome, why: o.Error, sqlstate: o.SQLState,
		key: v["key"], version: v.number("version"), lsn: v["lsn"], asked: v["asked"], from: v["from"],
		waited: time.Duration(v.number("waited_us")) * time.Microsecond, account: v["account"],
		amount: v.number("amount"), seen: v.number("seen"), after: v.number("after"),
	}
	_, e.paid = v["after"]
	e.cut = r.cut != "" && e.start >= r.from && (r.to == 0 || e.start < r.to)
	r.events = append(r.events, e)
}

// values are the variables of a call.
type values map[string]string

func newValues(vars []history.Var) values {
	v := values{}
	for _, x := range vars {
		v[x.Name] = x.Value.Text
	}
	return v
}

// number is 0 for what is no number.
func (v values) number(name string) int64 {
	n, _ := strconv.ParseInt(v[name], 10, 64)
	return n
}

func (v values) duration(name string) time.Duration { return time.Duration(v.number(name)) }

// kind is why a session may expect a version.
type kind int

const (
	none  kind = iota
	own        // it wrote it
	read       // it read it before
	cause      // somebody knew it who wrote what it read, or who told it
	money      // it spent it
)

// knowledge is what a session knows of each key.
type knowledge struct{ own, read, cause map[string]int64 }

func newKnowledge() *knowledge {
	return &knowledge{map[string]int64{}, map[string]int64{}, map[string]int64{}}
}

// expects is the least version of the key that the session may be shown, and
// why; its own writes come first.
func (k *knowledge) expects(key string) (int64, kind) {
	most := max(k.own[key], k.read[key], k.cause[key])
	switch {
	case most == 0:
		return 0, none
	case k.own[key] == most:
		return most, own
	case k.read[key] == most:
		return most, read
	}
	return most, cause
}

// all is what the session knows from anywhere.
func (k *knowledge) all() map[string]int64 {
	sum := maps.Clone(k.own)
	merge(sum, k.read)
	merge(sum, k.cause)
	return sum
}

func merge(into, from map[string]int64) {
	for key, version := range from {
		into[key] = max(into[key], version)
	}
}

// version is one version of a key.
type version struct {
	key string
	n   int64
}

// judge goes through the events and finds what each read had to show.
func (r *record) judge() {
	sessions := map[int]*knowledge{}
	pasts := map[version]map[string]int64{} // what the writer knew
	for _, e := range r.events {
		k := sessions[e.lane]
		if k == nil {
			k = newKnowledge()
			sessions[e.lane] = k
		}
		switch e.what {
		case "write":
			if e.ok() {
				k.own[e.key] = max(k.own[e.key], e.version)
				pasts[version{e.key, e.version}] = k.all()
			}
		case "told":
			k.cause[e.key] = max(k.cause[e.key], e.version)
			merge(k.cause, pasts[version{e.key, e.version}])
		case "read":
			r.read(e, k)
			merge(k.cause, pasts[version{e.key, e.version}])
		case "pay":
			r.pay(e)
		}
	}
}

// read compares a read with what its session knows.
func (r *record) read(e *event, k *knowledge) {
	e.expects, e.kind = k.expects(e.key)
	e.behind = e.asked != e.from && e.ok() && e.policy == "token" || r.lacked(e.asked, e.key, e.expects, e.start)
	if e.ok() {
		e.stale = e.version < e.expects
		e.behind = e.behind || e.stale
		k.read[e.key] = max(k.read[e.key], e.version)
	}
}

// pay looks whether a payment was decided on a balance that was not there.
func (r *record) pay(e *event) {
	e.key, e.expects, e.kind = "account/"+e.account, e.version, money
	e.behind = e.asked != e.from && e.ok() && e.policy == "token" || r.lacked(e.asked, e.key, e.expects, e.start)
	e.stale = e.ok() && e.paid && e.after < 0 && e.seen >= e.amount
	e.behind = e.behind || e.stale
}

// lacked reports whether a look at the replica that began at that time or later
// did not show the version.
func (r *record) lacked(replica, key string, n int64, at time.Duration) bool {
	s := r.byPlace[place{replica, key, n}]
	return s != nil && (s.stale >= at && s.stale > 0 || s.visible == 0 && s.stale > 0)
}
