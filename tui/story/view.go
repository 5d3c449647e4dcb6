package story

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// At says, one line a lane, how the world looks to each transaction after step
// i: whether it has begun, what it read last, what it wrote and whether that
// is committed.
func At(f report.Finding, i int, o Options) []Line {
	f = o.clean(f)
	var out []Line
	for l := range min(lanesOf(f), 8) {
		v := lookAt(f, i, l)
		segs := []Segment{seg(" "+lane(f, l).Name+" ", laneRole(l)), seg(v.state, v.role)}
		if v.read != "" {
			segs = append(segs, seg("  "+o.glyphs().read+v.read, Read))
		}
		if v.wrote != "" {
			segs = append(segs, seg("  "+o.glyphs().wrote+v.wrote, Wrote))
		}
		out = append(out, line(segs...))
	}
	return out
}

// view is what one lane knows at one step.
type view struct {
	state       string
	role        Role
	read, wrote string
}

// lookAt replays the steps of lane l up to step i.
func lookAt(f report.Finding, i, l int) view {
	v := view{state: "not begun", role: Muted}
	for k := 0; k <= i && k < len(f.Steps); k++ {
		s := f.Steps[k]
		if s.Lane != l {
			continue
		}
		v.state, v.role = "open", Warn
		if s.Read != "" {
			v.read = s.Read
		}
		if s.Wrote != "" {
			v.wrote = s.Wrote + " (not committed)"
		}
		if s.Wait != "" && k == i {
			v.state, v.role = "open, "+s.Wait, Wait
		}
		v.end(s)
	}
	return v
}

// end notes how a transaction ended. A failed statement leaves the
// transaction aborted; only COMMIT makes a write visible.
func (v *view) end(s report.Step) {
	result := strings.ToUpper(s.Result + " " + s.Text)
	switch {
	case resultRole(s.Result) == Bad:
		v.state, v.role, v.wrote = "failed", Bad, ""
	case strings.HasPrefix(result, "ROLLBACK"):
		v.state, v.role, v.wrote = "rolled back", Muted, ""
	case strings.Contains(result, "COMMIT"):
		v.state, v.role = "committed", Good
		v.wrote = strings.TrimSuffix(v.wrote, " (not committed)")
	}
}
