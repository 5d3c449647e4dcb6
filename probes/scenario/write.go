package scenario

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// manifest writes the scenario as ccheck.yaml, without other versions.
func (s *Scenario) manifest() (string, error) {
	m := yaml.MapSlice{{Key: "version", Value: 1}, {Key: "name", Value: strings.ReplaceAll(variantName(s), "_", "-")}}
	add := func(m *yaml.MapSlice, key string, value any, given bool) {
		if given {
			*m = append(*m, yaml.MapItem{Key: key, Value: value})
		}
	}
	add(&m, "title", s.Title, s.Title != "")
	add(&m, "doc", s.Doc+"\n", s.Doc != "")
	add(&m, "setup", sourcesOut(s.Setup), len(s.Setup) > 0)
	if s.Reset != nil {
		add(&m, "reset", sourceOut(*s.Reset), true)
	}
	add(&m, "params", paramsOut(s.Params), len(s.Params) > 0)
	add(&m, "isolation", string(s.Isolation), s.Isolation != "")
	add(&m, "max_tries", s.MaxTries, s.MaxTries > 0)
	add(&m, "load", loadOut(s.Load), true)
	add(&m, "actors", actorsOut(s.Actors), true)
	add(&m, "invariants", invariantsOut(s.Invariants), len(s.Invariants) > 0)
	var b bytes.Buffer
	err := yaml.NewEncoder(&b, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true)).Encode(m)
	return b.String(), err
}

// variantName is a name for a variant that stands alone.
func variantName(s *Scenario) string {
	name := strings.ToLower(variableName(s.Name))
	if s.Version != "" {
		name += "-" + s.Version
	}
	return strings.TrimLeft(name, "_")
}

func sourcesOut(sources []Source) []any {
	var out []any
	for _, s := range sources {
		out = append(out, sourceOut(s))
	}
	return out
}

func sourceOut(s Source) any {
	if s.path != "" {
		return s.path
	}
	return yaml.MapSlice{{Key: "sql", Value: s.Text}}
}

func paramsOut(params []Param) yaml.MapSlice {
	var out yaml.MapSlice
	for _, p := range params {
		item := yaml.MapItem{Key: p.Name, Value: p.Value}
		if n, err := strconv.ParseInt(p.Value, 10, 64); err == nil && !p.Quoted {
			item.Value = n
		}
		out = append(out, item)
	}
	return out
}

func loadOut(l Workload) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "mode", Value: string(l.Mode)}}
	if l.Clients > 0 && len(l.Lanes) == 0 {
		out = append(out, yaml.MapItem{Key: "clients", Value: l.Clients})
	}
	if l.Think.Max > 0 {
		out = append(out, yaml.MapItem{Key: "think", Value: l.Think.Min.String() + "-" + l.Think.Max.String()})
	}
	var lanes yaml.MapSlice
	for _, n := range l.Lanes {
		lanes = append(lanes, yaml.MapItem{Key: n.Actor, Value: n.Count})
	}
	if len(lanes) > 0 {
		out = append(out, yaml.MapItem{Key: "lanes", Value: lanes})
	}
	return out
}

func actorsOut(actors []Actor) []yaml.MapSlice {
	var out []yaml.MapSlice
	for _, a := range actors {
		m := yaml.MapSlice{{Key: "name", Value: a.Name}, {Key: "script", Value: a.Path}, {Key: "weight", Value: a.Weight}}
		if len(a.own) > 0 {
			m = append(m, yaml.MapItem{Key: "params", Value: paramsOut(a.own)})
		}
		var effects []yaml.MapSlice
		for _, e := range a.Effects {
			effects = append(effects, yaml.MapSlice{
				{Key: "table", Value: e.Table}, {Key: "key", Value: e.Key}, {Key: "column", Value: e.Column},
				{Key: "at", Value: e.AtText}, {Key: "add", Value: e.AddText},
			})
		}
		if len(effects) > 0 {
			m = append(m, yaml.MapItem{Key: "effects", Value: effects})
		}
		out = append(out, m)
	}
	return out
}

func invariantsOut(invariants []Invariant) []yaml.MapSlice {
	var out []yaml.MapSlice
	for _, v := range invariants {
		m := yaml.MapSlice{{Key: "name", Value: v.Name}}
		if v.SQL.path != "" {
			m = append(m, yaml.MapItem{Key: "file", Value: v.SQL.path})
		} else {
			m = append(m, yaml.MapItem{Key: "sql", Value: v.SQL.Text})
		}
		m = append(m, yaml.MapItem{Key: "when", Value: string(v.When)})
		if len(v.Fixes) > 0 {
			m = append(m, yaml.MapItem{Key: "fixes", Value: v.Fixes})
		}
		out = append(out, m)
	}
	return out
}
