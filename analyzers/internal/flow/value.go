package flow

import (
	"slices"
	"strings"
)

// none is a source that is no source.
var none = Source{Event: -1, Param: -1}

// changed says of a list or map that something in it is no longer what it was
// copied from.
var changed = Part{Path: "[]", Source: none, Over: true, May: true}

// pick returns the sources of a part of a value. What was set over the part
// hides what came with the whole.
func pick(parts []Part, path string) []Part {
	hide := -1
	for _, p := range parts {
		if p.Over && !p.May && under(path, p.Path) {
			hide = max(hide, len(p.Path))
		}
	}
	var out []Part
	for _, p := range parts {
		switch {
		case len(p.Path) < hide:
		case under(path, p.Path):
			q := Part{Source: p.Source, Over: p.Over && p.Path == path, May: p.May && p.Path == path}
			if q.Source != none {
				q.Source.Path = short(q.Source.Path + path[len(p.Path):])
			}
			out = add(out, q)
		case under(p.Path, path):
			out = add(out, Part{Path: p.Path[len(path):], Source: p.Source, Over: p.Over, May: p.May})
		}
	}
	return out
}

// under reports whether path is whole or one of its parts.
func under(path, whole string) bool {
	return strings.HasPrefix(path, whole) && (len(path) == len(whole) || path[len(whole)] == '.' || path[len(whole)] == '[')
}

// enough is the number of sources of one value after which more make no
// difference.
const enough = 40

func add(parts []Part, more ...Part) []Part {
	for _, p := range more {
		if len(parts) >= enough {
			return parts
		}
		if !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return parts
}

// deep is the number of fields after which a path is cut: without it the list
// of a list of a list would have no end.
const deep = 4

func short(path string) string {
	n := 0
	for i := range len(path) {
		if path[i] == '.' {
			if n++; n > deep {
				return path[:i]
			}
		}
	}
	return path
}

// calculated marks the sources as computed from: the parts are no longer told
// apart.
func calculated(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if p.Source == none {
			continue
		}
		p.Path, p.Over, p.May, p.Calc = "", false, false, true
		out = add(out, p)
	}
	return out
}

// perhaps marks what was set over the whole as set on one way only.
func perhaps(parts []Part) []Part {
	out := make([]Part, 0, len(parts))
	for _, p := range parts {
		p.May = p.Over
		out = append(out, p)
	}
	return out
}

// at puts the sources at a part of a larger value.
func at(path string, parts []Part, over bool) []Part {
	out := make([]Part, 0, len(parts)+1)
	if over {
		out = append(out, Part{Path: path, Source: none, Over: true})
	}
	for _, p := range parts {
		p.Path = short(path + p.Path)
		p.Over = over || p.Over
		out = add(out, p)
	}
	return out
}

// Part is the value of a field of a structure.
func (v Value) Part(path string) Value {
	if path == "" {
		return v
	}
	w := Value{Desc: v.Desc.Part(path), From: pick(v.From, path)}
	for p, d := range v.Parts {
		if under(path, p) {
			w.Desc = d.Part(path[len(p):])
			continue
		}
		if under(p, path) {
			if w.Parts == nil {
				w.Parts = map[string]Desc{}
			}
			w.Parts[p[len(path):]] = d
		}
	}
	return w
}

// Part is the description of a field.
func (d Desc) Part(path string) Desc {
	if path != "" {
		class := ""
		if path == "[]" && d.Class != "" && d.Root != Local {
			class = strings.TrimSuffix(d.Class, "[]") + "[]" // the elements of one declaration
		}
		d.Path = short(d.Path + path)
		d.Class, d.Handle = class, 0
	}
	return d
}

// Sources are the sources of the value as a whole, without what was overwritten.
func (v Value) Sources() []Source {
	var all []Source
	for _, p := range v.From {
		if p.Source != none {
			all = append(all, p.Source)
		}
	}
	return all
}
