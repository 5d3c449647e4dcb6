package stress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// ParamShards is the number of shards of a joined history, whose ParamClockError
// is the greatest error between the times of any two of them.
const ParamShards = "shards"

// JoinError says why histories are not those of one run. Hint is the mend.
type JoinError struct{ Msg, Hint string }

func (e *JoinError) Error() string { return e.Msg }

// IsShard reports whether the history is a part that says nothing alone.
func IsShard(h *history.Header) bool { return h.Param(ParamShard) != "" }

// Join writes the histories of all shards of a run as one, to be judged. Times
// are aligned by the clock of the server, which every shard read before and after.
func Join(path string, files []*history.File) error {
	parts := make([]shardFile, len(files))
	for i, f := range files {
		p, err := readShard(f)
		if err != nil {
			return err
		}
		parts[i] = p
	}
	slices.SortFunc(parts, func(a, b shardFile) int { return a.index - b.index })
	if err := complete(parts); err != nil {
		return err
	}
	first := parts[0]
	h := *first.Header
	h.Params = slices.DeleteFunc(slices.Clone(h.Params), func(p history.Parameter) bool {
		return p.Name == ParamShard || p.Name == ParamClock || p.Name == ParamClockError
	})
	var merged []history.Part
	worst := time.Duration(0)
	for i, p := range parts {
		merged = append(merged, history.Part{File: p.File, Shift: time.Duration(p.clock - first.clock)})
		for _, q := range parts[:i] {
			worst = max(worst, p.within+q.within)
		}
	}
	h.Params = append(h.Params,
		history.Parameter{Name: ParamShards, Value: fmt.Sprint(first.count)},
		history.Parameter{Name: ParamClockError, Value: fmt.Sprint(worst.Nanoseconds())})
	return history.Merge(path, h, merged)
}

// shardFile is the history of one shard.
type shardFile struct {
	*history.File
	index, count int
	clock        int64 // of the server at time 0, ns since 1970
	within       time.Duration
	gate         int64 // of the server when the lanes began
}

// oneGate is how far the starts of two shards may be apart: they agree on one, and
// a machine that is busy is late.
const oneGate = 10 * time.Second

func readShard(f *history.File) (p shardFile, err error) {
	h := f.Header
	if !IsShard(h) {
		return p, &JoinError{fmt.Sprintf("%s is not the history of a shard", f.Path), "`ccheck check` takes one history, or those of all shards of one run"}
	}
	p.File = f
	index, count, _ := strings.Cut(h.Param(ParamShard), "/")
	var within int64
	for _, n := range []struct {
		text string
		to   any
	}{{index, &p.index}, {count, &p.count}, {h.Param(ParamClock), &p.clock}, {h.Param(ParamClockError), &within}} {
		if _, err := fmt.Sscan(n.text, n.to); err != nil {
			return p, &JoinError{fmt.Sprintf("%s: the header does not say which shard it is", f.Path), "make the run again"}
		}
	}
	p.within = time.Duration(within)
	p.gate = p.clock + Gate(f).Nanoseconds()
	return p, p.drift()
}

// drift takes the second reading of the clock into the error.
func (p *shardFile) drift() error {
	ended := false
	for o, err := range p.Ops() {
		if err != nil {
			return &JoinError{err.Error(), "make the run again: without all of every shard nothing can be said"}
		}
		text, isClock := strings.CutPrefix(o.Text, history.ClockMark)
		if o.Scope != history.ScopeNote || !isClock {
			continue
		}
		at, within, _ := strings.Cut(text, " ")
		ns, err1 := strconv.ParseInt(at, 10, 64)
		bound, err2 := strconv.ParseInt(within, 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		ended = true
		apart := time.Duration(ns - p.clock - int64(o.Time)).Abs()
		p.within = max(p.within, time.Duration(bound), apart)
	}
	if !ended {
		return &JoinError{fmt.Sprintf("%s ends before the run of its shard did", p.Path), "make the run again: without all of every shard nothing can be said"}
	}
	return nil
}

// complete finds out that the shards are all of one run, each once.
func complete(parts []shardFile) error {
	if len(parts) == 0 {
		return &JoinError{"there is no history to join", "name those of all shards"}
	}
	first := parts[0]
	for i, p := range parts {
		h, o := p.Header, first.Header
		if time.Duration(p.gate-first.gate).Abs() > oneGate || h.Run != o.Run || h.Target.Schema != o.Target.Schema || h.Seed != o.Seed || h.Scenario != o.Scenario || p.count != first.count || h.Target.Isolation != o.Target.Isolation {
			return &JoinError{fmt.Sprintf("%s and %s are of different runs", first.Path, p.Path), "name the shards of one run: the same --meet, --seed and scenario"}
		}
		if i > 0 && parts[i-1].index == p.index {
			return &JoinError{fmt.Sprintf("%s and %s are both shard %d", parts[i-1].Path, p.Path, p.index), "name every shard once"}
		}
	}
	var missing []int
	for i := 1; i <= first.count; i++ {
		if !slices.ContainsFunc(parts, func(p shardFile) bool { return p.index == i }) {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return &JoinError{fmt.Sprintf("of %d shards these are missing: %s", first.count, join(missing)), "name the histories of all shards: what one did looks like a fault in the others"}
	}
	return nil
}
