package startup

import "slices"

// Program answers for all packages together.
type Program struct {
	funcs []Func
	once  map[string]bool
	alone map[string]bool
}

// New joins the packages of a program. Without a main function among them the
// answer is always no.
func New(pkgs []*Package) *Program {
	p := &Program{}
	taken := map[string]bool{}
	for _, pkg := range pkgs {
		p.funcs = append(p.funcs, pkg.Funcs...)
		for _, t := range pkg.Taken {
			taken[t] = true
		}
	}
	if !slices.ContainsFunc(p.funcs, func(f Func) bool { return f.Root && f.Name != "" && hasMain(f.Name) }) {
		return p
	}
	p.once = p.reach(taken, func(c Call) bool { return !c.Go })
	p.alone = p.reach(taken, func(c Call) bool { return !c.Go || !c.Loop })
	return p
}

func hasMain(name string) bool { return len(name) > 5 && name[len(name)-5:] == ".main" }

// reach is the largest set of functions that only functions of the set call, by
// calls that count, with main and initialisation in it.
func (p *Program) reach(taken map[string]bool, counts func(Call) bool) map[string]bool {
	in := map[string]bool{}
	callers := map[string][]string{}
	spoiled := map[string]bool{}
	for _, f := range p.funcs {
		in[f.Name] = f.Root || !taken[f.Name]
		for _, c := range f.Calls {
			callers[c.Name] = append(callers[c.Name], f.Name)
			spoiled[c.Name] = spoiled[c.Name] || !counts(c)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			if f.Root || !in[f.Name] {
				continue
			}
			from := callers[f.Name]
			outside := slices.ContainsFunc(from, func(c string) bool { return c != f.Name && !in[c] })
			if len(from) == 0 || outside || spoiled[f.Name] {
				in[f.Name], changed = false, true
			}
		}
	}
	return in
}

// Before reports whether the code at a line runs before there can be a second
// goroutine that does the same: only main and initialisation call it.
func (p *Program) Before(file string, line int) bool { return p.at(p.once, file, line) }

// Single reports whether the code at a line runs in one goroutine of the process,
// which may be one that was started for it.
func (p *Program) Single(file string, line int) bool { return p.at(p.alone, file, line) }

// at looks up the innermost function around a line.
func (p *Program) at(set map[string]bool, file string, line int) bool {
	if len(set) == 0 {
		return false
	}
	best := -1
	for i, f := range p.funcs {
		if f.File == file && f.First <= line && line <= f.Last && (best < 0 || f.First >= p.funcs[best].First) {
			best = i
		}
	}
	return best >= 0 && set[p.funcs[best].Name]
}
