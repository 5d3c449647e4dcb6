package heapgrowth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/bound"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// idle says why a bound has no effect in this process, "" where it may have one: its
// time is over, it looks only at what is asked for again, or its switch is off. What was seen goes before what is written: the
// value of the switch and whether what it runs has ever run, in the heap of V8, then
// the environment of the process. Where neither is known, a switch that is off unless
// the process is told otherwise is taken to be off.
func (j *judge) idle(h *heap, c *held, s bound.Sign) string {
	if watched := j.watched(); s.Age > 0 && watched >= outlived*s.Age {
		return fmt.Sprintf("%s %s after %v, and it went on for %v", s.Place(), s.Does, s.Age, watched.Round(time.Second))
	}
	if s.Lazy {
		return fmt.Sprintf("%s %s, and only what is asked for again", s.Place(), s.Does)
	}
	w := s.Switch
	if w.Cond == "" {
		return ""
	}
	off := fmt.Sprintf("%s %s only where %s, ", s.Place(), s.Does, w.Cond)
	if h != nil {
		if h.ran(w.Through) {
			return ""
		}
		if on, known := h.truth(c, w.Name); known {
			if on != w.Not {
				return ""
			}
			return off + "which is not so in this process"
		}
	}
	switch {
	case w.State == bound.Open, w.State == bound.Unset && j.told(w):
		return ""
	case w.State == bound.Off:
		return off + "which is never so"
	case j.Settings != nil:
		return off + "which it was not started with"
	}
	return off + "which is off unless it was started with it"
}

// outlived is how many times an age must have passed for it to bound nothing: a busy
// process is late.
const outlived = 3

// watched is for how long it was seen to grow, 0 where that is not known.
func (j *judge) watched() time.Duration {
	n := len(j.Points)
	return j.Points[n-1].At - j.Points[settled(n)].At
}

// told reports whether the process was started with what turns a switch on. The
// names of flags are not read from JavaScript, so there any flag may be the one.
func (j *judge) told(w bound.Switch) bool {
	if j.Settings == nil {
		return false
	}
	if w.Env != "" && j.Settings.Env[w.Env] != "" {
		return true
	}
	return w.Flag != "" && slices.ContainsFunc(j.Settings.Args, func(arg string) bool {
		return strings.HasPrefix(arg, "-") && strings.HasPrefix(strings.TrimLeft(arg, "-"), strings.TrimLeft(w.Flag, "-"))
	})
}

// ran reports whether a function of that name was compiled, which V8 does when it
// is called for the first time.
func (h *heap) ran(name string) bool {
	if name == "" {
		return false
	}
	for n, kind := range h.Kind {
		if kind != series.Closure || h.Text(uint32(n)) != name {
			continue
		}
		if shared, ok := h.Find(uint32(n), "shared"); ok && h.compiled(shared) {
			return true
		}
	}
	return false
}

// compiled reports whether there is code for what several closures share.
func (h *heap) compiled(shared uint32) bool {
	for e := h.First[shared]; e < h.First[shared+1]; e++ {
		switch text := h.Text(h.To[e]); {
		case h.Kind[h.To[e]] != series.Code && h.Kind[h.To[e]] != series.Hidden:
		case strings.HasPrefix(text, "system / BytecodeArray"), strings.HasPrefix(text, "system / InterpreterData"), strings.HasPrefix(text, "system / Baseline"):
			return true
		}
	}
	return false
}

// truth is what a variable or property holds that something on the way to the
// objects has, or a scope around it: true or false. Known is false where it holds
// something else, or two of that name differ.
func (h *heap) truth(c *held, name string) (on, known bool) {
	if name == "" {
		return false, false
	}
	for _, n := range h.scopes(c) {
		to, ok := h.Find(n, name)
		if !ok {
			continue
		}
		value, is := h.boolean(to)
		if !is || known && value != on {
			return false, false
		}
		on, known = value, true
	}
	return on, known
}

// scopes are the objects on the way, and the contexts whose variables the functions
// on it see.
func (h *heap) scopes(c *held) []uint32 {
	var out []uint32
	add := func(n uint32) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for _, e := range slices.Concat(c.raw, c.other) {
		n := h.To[e]
		add(n)
		if proto, ok := h.Find(n, "__proto__"); ok && h.Kind[n] == series.Object {
			if made, ok := h.Find(proto, "constructor"); ok {
				n = made
			}
		}
		for context, ok := h.Find(n, "context"); ok && h.isContext(context); context, ok = h.Find(context, "previous") {
			add(context)
		}
	}
	return out
}

// boolean reads true, false and undefined, which V8 has one object of each.
func (h *heap) boolean(n uint32) (value, is bool) {
	if h.Kind[n] == series.String {
		return h.Text(n) != "", true
	}
	if h.Kind[n] != series.Hidden || !strings.HasPrefix(h.Text(n), "system / ") {
		return false, false
	}
	for e := h.First[n]; e < h.First[n+1]; e++ {
		if to := h.To[e]; h.Kind[to] == series.String {
			switch h.Text(to) {
			case "true":
				return true, true
			case "false", "undefined", "null":
				return false, true
			}
		}
	}
	return false, false
}
