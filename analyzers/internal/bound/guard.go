package bound

import (
	"regexp"
	"slices"
	"strings"
)

// deepest bounds how many functions are gone up that each call the next.
const deepest = 3

// guards finds what must hold for the code at an offset to run, as far as it is a
// switch and no size: the conditions around it in its function and, where that
// function has a name, those around all its uses in the file.
func (j *script) guards(at, depth int) Switch {
	var all []Switch
	for level := at; level >= 0; {
		head, open := j.head(level)
		for _, cond := range governing(head) {
			all = append(all, j.terms(cond)...)
		}
		if open < 0 {
			break
		}
		all = append(all, j.early(open, level)...)
		outer, _ := j.head(open)
		if name := functionName(outer); name != "" && depth < deepest {
			if s := j.uses(name, open, depth); s.Cond != "" {
				all = append(all, s)
			}
		}
		level = open
	}
	return strongest(all)
}

// head is the text before an offset since the last statement or brace, and the
// brace that opens the block around it, -1 for none.
func (j *script) head(at int) (text string, open int) {
	from, depth := -1, 0
	for i := at - 1; i >= 0; i-- {
		switch c := j.code[i]; {
		case c == '}':
			depth++
		case c == '{' && depth > 0:
			depth--
		case c == '{':
			return j.code[max(from, i)+1 : at], i
		}
		if from < 0 && depth < 2 && strings.IndexByte("};", j.code[i]) >= 0 {
			from = i
		}
	}
	return j.code[from+1 : at], -1
}

// governing are the conditions in the text before a statement that decide whether
// it runs: that of an if without braces, those before && on its line, and that of
// the if in which it stands.
func governing(head string) []string {
	var out []string
	i := slices.Max([]int{strings.LastIndex(head, "if ("), strings.LastIndex(head, "if("), strings.LastIndex(head, "while (")})
	rest := head
	if i >= 0 {
		cond, after, closed := parenthesised(head[i:])
		switch {
		case !closed:
			return []string{cond} // the code is in the condition itself
		case strings.Count(strings.TrimLeft(after, " \t\r\n"), "\n") == 0:
			out, rest = append(out, cond), after
		default:
			rest = after
		}
	}
	line := rest[strings.LastIndexByte(rest, '\n')+1:]
	if k := strings.LastIndex(line, "&&"); k >= 0 {
		out = append(out, strings.TrimLeft(line[:k], " \t("))
	}
	return out
}

// parenthesised splits a text that begins with a word and ( after the ) that
// belongs to it.
func parenthesised(text string) (in, after string, closed bool) {
	from := strings.IndexByte(text, '(') + 1
	depth := 1
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[from:i], text[i+1:], true
			}
		}
	}
	return text[from:], "", false
}

var leaving = regexp.MustCompile(`\bif\s*\(\s*!\s*([\w.#]+)\s*\)\s*\{?\s*return\b`)

// early are the switches without which the block that opens at from is left before
// an offset.
func (j *script) early(from, to int) []Switch {
	var out []Switch
	for _, m := range leaving.FindAllStringSubmatch(j.code[from:to], -1) {
		out = append(out, j.terms(m[1])...)
	}
	return out
}

var (
	named    = regexp.MustCompile(`(?:\bfunction\s*\*?\s*|^\s*(?:(?:async|static|get|set)\s+)*|\n\s*(?:(?:async|static|get|set)\s+)*)(#?[A-Za-z_$][\w$]*)\s*\([^()]*\)\s*$`)
	assigned = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*[=:]\s*(?:async\s*)?(?:function\b[^()]*\([^()]*\)|\([^()]*\)\s*=>|[\w$]+\s*=>)\s*$`)
)

// functionName is the name of the function whose body follows, "" for other blocks.
func functionName(head string) string {
	for _, shape := range []*regexp.Regexp{assigned, named} {
		if m := shape.FindStringSubmatch(head); m != nil {
			if slices.Contains([]string{"if", "for", "while", "switch", "catch", "with", "constructor"}, m[1]) {
				return ""
			}
			return m[1]
		}
	}
	return ""
}

// uses is the switch that all uses of a function in the file have; the function's
// own head ends at a brace.
func (j *script) uses(name string, brace, depth int) Switch {
	shape := regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(name) + `\b`)
	var all []Switch
	for _, m := range shape.FindAllStringIndex(j.code, -1) {
		line := j.code[strings.LastIndexByte(j.code[:m[1]], '\n')+1 : m[1]]
		head := j.code[m[1]:max(brace, m[1])]
		if m[1] <= brace && strings.IndexByte(head, '{') < 0 && strings.Count(head, "\n") == 0 || exported.MatchString(line) {
			continue // its declaration
		}
		all = append(all, j.guards(m[1]-len(name), depth+1))
	}
	s := either(all)
	if s.Idle() {
		s.Through = name
	}
	return s
}

// exported are lines that name a function without running it.
var exported = regexp.MustCompile(`^\s*(?:module\.)?exports\b|^\s*export\b`)

var (
	asksEnv  = regexp.MustCompile(`^process\.env\.(\w+)(?:\s*={2,3}\s*[\w'"` + "`" + `]+)?$`)
	asksFlag = regexp.MustCompile(`^process\.argv\.(?:includes\s*\(['"` + "`" + `]*\)|indexOf\s*\(['"` + "`" + `]*\)\s*(?:>=?\s*-?\d|!==?\s*-\d))$`)
	path     = regexp.MustCompile(`^[A-Za-z_$#][\w$.#?]*$`)
)

// terms are the switches among the parts of a condition that all must hold.
func (j *script) terms(cond string) []Switch {
	if strings.Contains(cond, "||") {
		return nil // one of two is enough
	}
	var out []Switch
	for term := range strings.SplitSeq(cond, "&&") {
		term = strings.Trim(term, " \t\n()")
		if strings.Count(term, "(") > strings.Count(term, ")") {
			term += ")"
		}
		if s := j.term(term, true); s.Cond != "" {
			out = append(out, s)
		}
	}
	return out
}

// term reads one condition. Named says to look a name up where it is declared.
func (j *script) term(text string, look bool) Switch {
	not := strings.HasPrefix(text, "!")
	for strings.HasPrefix(text, "!!") {
		text, not = text[2:], strings.HasPrefix(text[2:], "!")
	}
	bare := strings.TrimSpace(strings.TrimPrefix(text, "!"))
	s := Switch{Cond: text, Not: not}
	env := asksEnv.FindStringSubmatch(bare)
	switch {
	case bare == "false" || bare == "0" || bare == "null" || bare == "undefined":
		s.State = Off
	case bare == "true" || bare == "1":
		s.State = Open
		if not {
			s.State = Off
		}
		return s
	case env != nil:
		s.Env, s.State = env[1], Unset
	case asksFlag.MatchString(bare):
		s.Flag, s.State = "--", Unset
	case look && path.MatchString(bare):
		return j.variable(s, bare)
	default:
		return Switch{}
	}
	if not {
		s.State = Open // on where nothing is set
	}
	return s
}

// variable reads a switch that asks a name. Only one that is given its value once
// says anything.
func (j *script) variable(s Switch, bare string) Switch {
	name := strings.TrimPrefix(bare[strings.LastIndexByte(bare, '.')+1:], "#")
	if name == "" || name == "size" || name == "length" {
		return Switch{}
	}
	given := regexp.MustCompile(`(?:^|[^\w$])#?` + regexp.QuoteMeta(name) + `\s*(?:[-+|&?*]{0,2}=|:)([^=\n;,}][^\n;,}]*)`)
	all := given.FindAllStringSubmatch(j.code, -1)
	if len(all) != 1 {
		return Switch{}
	}
	s.Name = name
	value := j.term(strings.TrimSpace(all[0][1]), false)
	switch {
	case s.Not && value.State == Open && value.Cond != "" && value.Env == "" && value.Flag == "":
		s.State = Off // it is true
	case !s.Not:
		s.State, s.Env, s.Flag = value.State, value.Env, value.Flag
	}
	return s
}
