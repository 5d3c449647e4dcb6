package story

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Growth tells what grew in a heap: the counts, what it keeps alive, who holds it
// and how that is reached.
func Growth(g report.Growth, o Options) []Line {
	var out []Line
	for _, x := range growthFacts(g, o) {
		out = append(out, o.fact(x[0], x[1], Body)...)
	}
	for i, p := range g.Paths {
		name := "path"
		if i > 0 {
			name = "or"
		}
		out = append(out, o.fact(name, Path(p), Code)...)
	}
	return out
}

func growthFacts(g report.Growth, o Options) [][2]string {
	return [][2]string{
		{"count", Trend(g.Counts, o) + " " + Counted(g) + rate(g)},
		{"keeps", kept(g)},
		{"certainty", g.Confidence},
		{"owner", g.Owner},
		{"with", strings.Join(g.With, ", ")},
		{"allocated", strings.Join(g.Allocated, ", from ")},
	}
}

// GrowthTable is what grew as a table with a row for each fact, for pages.
func GrowthTable(g report.Growth) report.Table {
	t := report.Table{Title: "what grows", Columns: []string{"class or function", g.Name}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	each := func(v float64) string {
		if v == 0 {
			return ""
		}
		return amount(g, v)
	}
	add("count", strings.TrimSpace(Trend(g.Counts, Options{})+" "+Counted(g))+" "+g.Unit)
	add("each snapshot", amount(g, g.Slope))
	add("a minute", each(g.PerMinute))
	add("a request", each(g.PerRequest))
	add("keeps", kept(g))
	add("confidence", g.Confidence)
	add("owner", g.Owner)
	add("grows with it", strings.Join(g.With, ", "))
	add("allocated", strings.Join(g.Allocated, ", from "))
	for i, p := range g.Paths {
		name := "path"
		if i > 0 {
			name = "or by"
		}
		add(name, Path(p))
	}
	return t
}

// amount writes a rate in the unit of what grows.
func amount(g report.Growth, v float64) string {
	if g.Unit == "samples" || g.Unit == "bytes" {
		return "+" + Bytes(int64(v))
	}
	return fmt.Sprintf("%+.4g", v)
}

// Counted is the first and the last count of a growth.
func Counted(g report.Growth) string {
	if len(g.Counts) == 0 {
		return ""
	}
	return fmt.Sprintf("%d → %d", g.Counts[0], g.Counts[len(g.Counts)-1])
}

// rate is how fast it grows, by what is known.
func rate(g report.Growth) string {
	say := func(v float64) string { return amount(g, v) }
	text := fmt.Sprintf(" %s, %s each snapshot", g.Unit, say(g.Slope))
	if g.PerMinute != 0 {
		text += ", " + say(g.PerMinute) + " a minute"
	}
	if g.PerRequest != 0 {
		text += ", " + say(g.PerRequest) + " a request"
	}
	return text
}

// kept is what the growth keeps alive.
func kept(g report.Growth) string {
	if g.Bytes == 0 {
		return ""
	}
	text := "+" + Bytes(g.Bytes)
	if g.BytesError > 0 {
		text += " ± " + Bytes(g.BytesError)
	}
	if g.Each > 0 {
		text += ", " + Bytes(g.Each) + " each"
	}
	switch {
	case g.Share > 0 && g.Unit == "goroutines":
		text += fmt.Sprintf(", most of it stacks, which are beside the heap; the rest is %.0f %% of the growth of the heap", 100*g.Share)
	case g.Share > 0:
		text += fmt.Sprintf(", %.0f %% of the growth of the heap", 100*g.Share)
	}
	return text
}

// Path writes a path of references in one line, from the outside in.
func Path(steps []report.Held) string {
	var said []string
	for _, s := range steps {
		text := strings.TrimSpace(s.Name + " " + s.Class)
		if s.Name == s.Class {
			text = s.Class
		}
		if s.Where != "" {
			text += " (" + s.Where + ")"
		}
		if s.Owner {
			text += " [" + Bytes(s.Bytes) + "]"
		}
		said = append(said, text)
	}
	return strings.Join(said, " → ")
}

// Trend draws counts in one cell each.
func Trend(counts []int64, o Options) string {
	ramp := []rune("▁▂▃▄▅▆▇█")
	if o.ASCII {
		ramp = []rune("_.-=+*#@")
	}
	if o.Plain || len(counts) == 0 {
		return ""
	}
	most := counts[0]
	for _, c := range counts {
		most = max(most, c)
	}
	var b strings.Builder
	for _, c := range counts {
		at := 0
		if most > 0 {
			at = int(max(c, 0) * int64(len(ramp)-1) / most)
		}
		b.WriteRune(ramp[at])
	}
	return b.String()
}

// Bytes writes a number of bytes with its unit, in powers of ten.
func Bytes(n int64) string {
	v := float64(n)
	for _, unit := range []string{"B", "kB", "MB"} {
		if v < 1000 && v > -1000 {
			return short(v) + " " + unit
		}
		v /= 1000
	}
	return short(v) + " GB"
}

// GrowthWord is the verdict on one growth as a person reads it, with its role.
func GrowthWord(v report.GrowthVerdict) (string, Role) {
	switch v {
	case report.Leak:
		return "LEAK", Bad
	case report.Growing:
		return "growing", Warn
	case report.Bounded:
		return "bounded", Good
	}
	return "noise", Muted
}
