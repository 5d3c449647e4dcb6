package wallclock

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// scriptReads and scriptWrites are the commands of a script that runs in Redis.
	scriptReads  = regexp.MustCompile(`(?i)redis\.p?call\(\s*['"]h?m?get(all)?['"]`)
	scriptWrites = regexp.MustCompile(`(?i)redis\.p?call\(\s*['"](h?m?set|setex|psetex)['"]`)
	// locals is a declaration in a script: its names, and what they are given.
	locals = regexp.MustCompile(`(?m)\blocal\s+([\w\s,]+?)\s*=([^\n;]*)`)
	// clampedLua bounds a distance from below.
	clampedLua = regexp.MustCompile(`math\.max\s*\(\s*0\b|math\.max\s*\(.*,\s*0\s*\)`)
)

// bucket finds a script that measures from a stamp which it keeps to the reading that
// the caller hands over: the callers have different clocks.
func (j *judge) bucket(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok || len(c.Call.Args) == 0 {
			return
		}
		script := scriptOf(c)
		if !scriptReads.MatchString(script) || !scriptWrites.MatchString(script) || clampedLua.MatchString(script) {
			return
		}
		i := slices.IndexFunc(place.Variadic(c.Call.Args[len(c.Call.Args)-1]), j.reads)
		if i < 0 || !measures(script, i+1) {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"a script that all instances share measures time with the clock of whoever calls it",
			"  instance A, whose clock is 10 s ahead, takes a token and leaves 12:00:10",
			"  instance B calls at 12:00:00 by its clock: -10 s have passed, and the tokens of 10 s are taken away; A's next call brings them twice",
			"fix: ask the server for the time in the script, redis.call('TIME')",
		), nil)
	})
}

// scriptOf is the text of the script that a call hands over, or was made of; "" when
// there is none.
func scriptOf(c *ssa.Call) string {
	for _, a := range c.Call.Args {
		if g, ok := loaded(a).(*ssa.Global); ok {
			a = initial(g)
		}
		if made, ok := a.(*ssa.Call); ok && strings.HasSuffix(place.CalleeName(made.Common()), ".NewScript") {
			a = made.Call.Args[len(made.Call.Args)-1]
		}
		if s, ok := text(a); ok && strings.Contains(s, "ARGV") {
			return s
		}
	}
	return ""
}

// initial is what the declaration of a variable gives it, nil when that is not known.
func initial(g *ssa.Global) (v ssa.Value) {
	cfg.Each(g.Pkg.Func("init"), func(in ssa.Instruction) {
		if st, ok := in.(*ssa.Store); ok && st.Addr == g {
			v = st.Val
		}
	})
	return v
}

// measures tells whether a script takes something that it did not get as an argument
// from its n-th one, which has its own name or that of a variable.
func measures(script string, n int) bool {
	names := variables(script, `ARGV\[`+strconv.Itoa(n)+`\]`)
	arguments := variables(script, `ARGV\[`)
	less := regexp.MustCompile(`(?:` + strings.Join(names, "|") + `)\s*-\s*([A-Za-z_]\w*)`)
	return slices.ContainsFunc(less.FindAllStringSubmatch(script, -1), func(m []string) bool {
		return m[1] != "ARGV" && !slices.Contains(arguments, `\b`+m[1]+`\b`)
	})
}

// variables lists patterns for what a script calls an argument.
func variables(script, argument string) []string {
	given := regexp.MustCompile(argument)
	names := []string{`tonumber\(\s*` + argument + `\s*\)`, argument}
	for _, m := range locals.FindAllStringSubmatch(script, -1) {
		left, right := strings.Split(m[1], ","), expressions(m[2])
		for i, e := range right {
			if i < len(left) && given.MatchString(e) {
				names = append(names, `\b`+strings.TrimSpace(left[i])+`\b`)
			}
		}
	}
	return names
}

// expressions splits a list of expressions at the commas outside parentheses.
func expressions(list string) (all []string) {
	depth, from := 0, 0
	for i, r := range list {
		switch {
		case r == '(' || r == '{' || r == '[':
			depth++
		case r == ')' || r == '}' || r == ']':
			depth--
		case r == ',' && depth == 0:
			all, from = append(all, list[from:i]), i+1
		}
	}
	return append(all, list[from:])
}
