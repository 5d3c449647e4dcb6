package heapgrowth

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// maxSteps bounds how much of a path is told: the ends say most.
const maxSteps = 12

// tell turns a path of edges into steps that a person knows from the source:
// variables, properties, entries. What only the engine has is left out. The
// step in which everything below gathers is marked.
func (h *heap) tell(edges []uint32, holder uint32) (steps []report.Held, owner int) {
	owner = -1
	name := ""
	var scope uint32 // the closure whose variables come next, 0 for none
	seen := false    // the holder is on the way that was gone
	for i, e := range edges {
		n := h.To[e]
		if text := h.edge(e); text != "" {
			name = text
		}
		if h.Kind[n] == series.Closure {
			scope = n
		}
		last := i == len(edges)-1
		if !last && h.silent(n) {
			seen = seen || n == holder
			if h.isContext(n) && scope == 0 {
				scope = h.closureOf(n)
				if scope != 0 {
					steps = append(steps, h.held("", scope))
					name = ""
				}
			}
			if n == holder && len(steps) > 0 {
				owner = len(steps) - 1
			}
			continue
		}
		if h.Kind[n] != series.Closure {
			scope = 0
		}
		steps = append(steps, h.held(name, n))
		name = ""
		if n == holder && !last {
			owner = len(steps) - 1
		}
	}
	if owner >= 0 {
		steps[owner].Owner = true
	}
	steps = fromSource(squeezed(steps))
	for owner = len(steps) - 1; owner >= 0 && !steps[owner].Owner; owner-- {
	}
	return shorten(steps, owner), owner
}

// squeezed says a run of the same steps once: a list of listeners has as many
// steps as listeners.
func squeezed(steps []report.Held) []report.Held {
	var out []report.Held
	for i := 0; i < len(steps); {
		n := 1
		for i+n < len(steps) && !steps[i].Owner && steps[i+n].Name == steps[i].Name && steps[i+n].Class == steps[i].Class {
			n++
		}
		s := steps[i]
		if n > 2 {
			s.Class += fmt.Sprintf(" ×%d", n)
		} else {
			n = 1
		}
		out = append(out, s)
		i += n
	}
	return out
}

// fromSource drops the way from the engine's roots to the last function before
// the owner: that one is in somebody's source.
func fromSource(steps []report.Held) []report.Held {
	owner := len(steps) - 1
	for i, s := range steps {
		if s.Owner {
			owner = i
		}
	}
	for i := owner - 1; i > 0; i-- {
		if strings.HasPrefix(steps[i].Class, "closure") && steps[i].Where != "" && !strings.HasPrefix(steps[i].Where, "node:") {
			return steps[i:]
		}
	}
	return steps
}

// shorten folds the middle of a long path.
func shorten(steps []report.Held, owner int) []report.Held {
	if len(steps) <= maxSteps {
		return steps
	}
	front, back := maxSteps/2, len(steps)-maxSteps/2+1
	if owner >= front && owner < back { // the owner is told whatever happens
		front = min(owner, front)
		back = owner
		if len(steps)-back > maxSteps/2 {
			tail := append([]report.Held{steps[owner], {Name: fmt.Sprintf("… %d more", len(steps)-owner-3)}}, steps[len(steps)-2:]...)
			return append(append(append([]report.Held(nil), steps[:2]...), report.Held{Name: fmt.Sprintf("… %d more", owner-2)}), tail...)
		}
	}
	out := append([]report.Held(nil), steps[:front]...)
	out = append(out, report.Held{Name: fmt.Sprintf("… %d more", back-front)})
	return append(out, steps[back:]...)
}

func (h *heap) held(name string, n uint32) report.Held {
	return report.Held{Name: name, Class: h.class(n), Where: h.where(n), Bytes: h.size(n)}
}

// silent reports whether a node is the engine's own affair.
func (h *heap) silent(n uint32) bool {
	switch h.Kind[n] {
	case series.Hidden, series.Array, series.Code, series.Synthetic, series.Shape:
		return true
	case series.Object, series.Native:
		return strings.HasPrefix(h.Text(n), "system / ") || strings.HasPrefix(h.Text(n), "(")
	}
	return false
}

func (h *heap) isContext(n uint32) bool { return strings.HasPrefix(h.Text(n), "system / Context") }

// closureOf is a function that sees the variables of a context.
func (h *heap) closureOf(context uint32) uint32 {
	for e, to := range h.To {
		if to != context || h.Link[e] != series.Internal {
			continue
		}
		if from := h.From(uint32(e)); h.Kind[from] == series.Closure {
			return from
		}
	}
	return 0
}

// edge is the name of a reference, "" for one that only the engine has.
func (h *heap) edge(e uint32) string {
	switch h.Link[e] {
	case series.Element:
		if h.Kind[h.From(e)] == series.Synthetic || h.Kind[h.From(e)] == series.Hidden {
			return ""
		}
		return "[" + strconv.FormatUint(uint64(h.LinkName[e]), 10) + "]"
	case series.Property, series.Context, series.Shortcut:
		if h.From(e) == 0 {
			return "" // a number
		}
		return h.Strings.At(h.LinkName[e])
	case series.Internal:
		if h.Strings.At(h.LinkName[e]) == "table" {
			return ""
		}
		if h.Kind[h.From(e)] == series.Array {
			return "[entry]"
		}
	case series.HiddenLink:
		if h.Kind[h.From(e)] == series.Array {
			return "[entry]"
		}
	}
	return ""
}

// class names what a node is, as a person would.
func (h *heap) class(n uint32) string {
	return className(h.Kind[n], h.Text(n))
}

func className(k series.Kind, name string) string {
	switch k {
	case series.Closure:
		if name == "" {
			return "closure"
		}
		return "closure " + name + "()"
	case series.String:
		return "(string)"
	case series.ConsString:
		return "(concatenated string)"
	case series.SlicedString:
		return "(sliced string)"
	case series.Array:
		return "(array)"
	case series.Code:
		return "(compiled code)"
	case series.Number:
		return "(number)"
	case series.RegExp:
		return "RegExp"
	case series.Symbol:
		return "Symbol"
	case series.BigInt:
		return "BigInt"
	case series.Shape:
		return "(object shape)"
	case series.Hidden, series.Synthetic, series.Unknown, series.Wasm:
		if name == "" {
			return "(system)"
		}
	}
	if len(name) > 60 {
		name = name[:57] + "..."
	}
	return strings.TrimPrefix(name, "Object / ")
}

// where is the place of a function in the source.
func (h *heap) where(n uint32) string {
	if h.Kind[n] != series.Closure {
		return ""
	}
	at, ok := h.Place(n)
	if !ok {
		return ""
	}
	script := h.script(n)
	if script == "" || strings.HasPrefix(script, "system / ") {
		return ""
	}
	return fmt.Sprintf("%s:%d", script, at.Line)
}

// script is the file that a function is from, "" where it is not known.
func (h *heap) script(function uint32) string {
	shared, ok := h.Find(function, "shared")
	if !ok {
		return ""
	}
	if s, ok := h.Find(shared, "script_or_debug_info"); ok {
		return h.Text(s)
	}
	if s, ok := h.Find(shared, "script"); ok {
		return h.Text(s)
	}
	return ""
}

// ownerText says in a few words what gathers the objects: "Map hits in the scope
// of memoised() (app.js:9)".
func ownerText(steps []report.Held, owner int) string {
	if owner < 0 || owner >= len(steps) {
		return ""
	}
	s := steps[owner]
	if strings.HasPrefix(s.Class, "closure") && owner+1 < len(steps) && steps[owner+1].Name != "" {
		return "the variable " + steps[owner+1].Name + scopeText(s)
	}
	text := s.Class
	if s.Name != "" && s.Name != s.Class {
		text += " " + s.Name
	}
	for i := owner - 1; i >= max(owner-3, 0); i-- {
		prev := steps[i]
		switch {
		case strings.HasPrefix(prev.Class, "closure"):
			return text + scopeText(prev)
		case prev.Class != "":
			text += " of " + prev.Class
			if prev.Name != "" && prev.Name != prev.Class && !strings.HasPrefix(prev.Name, "[") {
				text += " " + prev.Name
			}
		}
	}
	return text
}

// scopeText names the function whose variables are meant.
func scopeText(s report.Held) string {
	name := strings.TrimPrefix(s.Class, "closure ")
	if name == "closure" {
		name = "a function"
	}
	if s.Where == "" {
		return " in the scope of " + name
	}
	return " in the scope of " + name + " (" + path.Base(s.Where) + ")"
}
