package bound

import (
	"regexp"
)

// counting is a comparison of how many there are, or of what was just counted, with
// something: what push returns, ++n, used. Rounds is n % 500 === 0.
var (
	counting = regexp.MustCompile(`(?:\.\s*(?:size|length)|\.\s*(?:push|unshift)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)|\+\+\s*[\w$.#]+|[\w$.#]+\s*\+\+|` +
		`(?:^|[^\w$])(?:[\w$.#]*\.)?#?_?(?:n|size|count|total|used|len|length|\w*(?:Size|Count|Length))\)?)\s*(?:>=?|===?)\s*([\w$.#]+)`)
	rounds = regexp.MustCompile(`%\s*([\w$.#]+)\)?\s*===?\s*0\b`)
)

// governed is the bound of a removal that happens only where a comparison of a number
// holds, in its own function or around a call of it in the file, as in
// if (++this.n > this.capacity) this.drop().
func (j *script) governed(at int) (Sign, bool) {
	operand, where, ok := j.counts(at, 0)
	if !ok {
		return Sign{}, false
	}
	return Sign{
		File: j.file, Line: j.lineOf(where) + 1, Limit: j.value(operand), Does: "removes from " + j.name + " when there are " + operand, Size: true,
		Switch: j.guards(at, 0),
	}, true
}

// counts looks for the comparison in the conditions for the code at an offset, and in
// those for the calls of the function that it is in. It returns what is compared with,
// and the offset of the code for which the condition was written.
func (j *script) counts(at, depth int) (operand string, where int, ok bool) {
	for level := at; level >= 0; {
		head, open := j.head(level)
		for _, cond := range governing(head) {
			for _, shape := range []*regexp.Regexp{rounds, counting} {
				if m := shape.FindStringSubmatch(cond); m != nil && !trivial(m[1]) {
					return m[1], level, true
				}
			}
		}
		if open < 0 {
			return "", 0, false
		}
		outer, _ := j.head(open)
		if name := functionName(outer); name != "" {
			return j.calls(name, depth)
		}
		level = open
	}
	return "", 0, false
}

// calls looks for the comparison around the calls of a function.
func (j *script) calls(name string, depth int) (operand string, where int, ok bool) {
	if depth == deepest {
		return "", 0, false
	}
	call := regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(name) + `\s*\(`)
	for _, m := range call.FindAllStringIndex(j.code, -1) {
		if declared.MatchString(j.code[m[1]-1:]) {
			continue
		}
		if operand, where, ok = j.counts(m[1]-1, depth+1); ok {
			return operand, where, true
		}
	}
	return "", 0, false
}

// trivial reports whether a comparison with this says no more than that there is any.
func trivial(operand string) bool {
	return operand == "0" || operand == "1" || operand == "null" || operand == "undefined" || operand == "true" || operand == "false"
}

// sweeping begins what runs for every entry, or from time to time.
var sweeping = regexp.MustCompile(`\b(?:for|while)\s*(?:await\s*)?\(|\.\s*(?:forEach|filter|map|some|every|once)\s*\(|\bset(?:Timeout|Interval)\s*\(`)

// sweeps reports whether the code at an offset goes over all entries, or runs by
// itself, and not only for an entry that somebody asks for: there is a loop or a timer
// around it, or around a use of its function. What belongs to no function runs by
// itself, a callback that is handed to something else does not.
func (j *script) sweeps(at, depth int) bool {
	handed := false
	for level := at; ; {
		head, open := j.head(level)
		switch {
		case sweeping.MatchString(head):
			return true
		case open < 0:
			return !handed && !anonymous.MatchString(head)
		}
		outer, _ := j.head(open)
		handed = handed || anonymous.MatchString(outer)
		if name := functionName(outer); name != "" {
			return sweeping.MatchString(outer) || depth < deepest && j.swept(name, depth)
		}
		level = open
	}
}

// anonymous is the head of a function without a name, or of an arrow function with
// what it returns begun.
var anonymous = regexp.MustCompile(`=>|\bfunction\s*\*?\s*\([^()]*\)\s*$`)

// swept reports whether a function is called by what sweeps, or handed to a timer.
func (j *script) swept(name string, depth int) bool {
	use := regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(name) + `\b`)
	for _, m := range use.FindAllStringIndex(j.code, -1) {
		at := m[1] - len(name)
		head, _ := j.head(at)
		called := invoked.MatchString(j.code[m[1]:]) && !declared.MatchString(j.code[m[1]:])
		if sweeping.MatchString(head) || called && j.sweeps(at, depth+1) {
			return true
		}
	}
	return false
}

// What follows the name of a function where it is called, and where it is declared.
var (
	invoked  = regexp.MustCompile(`^\s*(?:\?\.)?\(`)
	declared = regexp.MustCompile(`^\s*\([^()]*\)\s*\{`)
)
