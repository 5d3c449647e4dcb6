package skew

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// reading is one look at another clock: bounds of how far it is ahead.
type reading struct {
	at        time.Duration // on the monotonic clock
	wall      time.Duration // this machine's, since 1970
	low, high time.Duration
}

// source is another clock with its readings.
type source struct {
	name, kind string
	readings   []reading
}

// event is what a session wrote while it held the row.
type event struct {
	session    string
	n          int64 // its place in the order of the server
	stamp, now int64 // microseconds since 1970
	start, end time.Duration
}

// try is one token that was sent.
type try struct {
	side     string
	off      time.Duration
	accepted bool
	status   string
	at       time.Duration
}

// timed is a duration under a clock that was set.
type timed struct {
	command              string
	measured, took, step time.Duration
	at                   time.Duration
}

// record is a history, sorted.
type record struct {
	sources []*source
	events  []event // in the order of the server
	tries   []try
	timed   []timed
	unknown int
	why     string
	ended   bool
}

func collect(ops iter.Seq2[*history.Op, error]) (*record, error) {
	r := &record{}
	names := map[int64]string{} // of the calls that go on
	for o, err := range ops {
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		switch {
		case o.Scope == history.ScopeNote:
			r.ended = r.ended || o.Text == "end"
		case o.Scope != history.ScopeCall:
		case o.Kind == history.Invoke:
			names[o.Call] = o.Actor
		case o.Outcome == history.Unknown:
			if r.unknown == 0 {
				r.why = names[o.Call] + ": " + o.Error
			}
			r.unknown++
		default:
			r.add(o, names[o.Call])
		}
	}
	slices.SortStableFunc(r.events, func(a, b event) int { return cmp.Compare(a.n, b.n) })
	return r, nil
}

func (r *record) add(o *history.Op, what string) {
	v := values{}
	for _, x := range o.Vars {
		v[x.Name] = x.Value.Text
	}
	switch what {
	case "reading":
		s := r.source(v["source"], v["kind"])
		s.readings = append(s.readings, reading{o.Time, v.duration("wall_ns"), v.duration("low_ns"), v.duration("high_ns")})
	case "event":
		r.events = append(r.events, event{v["session"], v.number("n"), v.number("stamp_us"), v.number("now_us"), o.Start, o.Time})
	case "token":
		r.tries = append(r.tries, try{v["side"], v.duration("offset_ns"), v["accepted"] == "true", v["status"], o.Time})
	case "timed":
		r.timed = append(r.timed, timed{v["command"], v.duration("measured_ns"), v.duration("took_ns"), v.duration("step_ns"), o.Time})
	}
}

func (r *record) source(name, kind string) *source {
	for _, s := range r.sources {
		if s.name == name {
			return s
		}
	}
	s := &source{name: name, kind: kind}
	r.sources = append(r.sources, s)
	return s
}

type values map[string]string

// number is 0 for what is no number.
func (v values) number(name string) int64 {
	n, _ := strconv.ParseInt(v[name], 10, 64)
	return n
}

func (v values) duration(name string) time.Duration { return time.Duration(v.number(name)) }
