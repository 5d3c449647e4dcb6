package bound

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// operandOf is the last part of this.#max.
func operandOf(text string) string {
	return strings.TrimPrefix(text[strings.LastIndexByte(text, '.')+1:], "#")
}

// product reads 1000 and 60 * 60 * 1000, 0 for what is neither.
func product(text string) int64 {
	all := int64(1)
	for part := range strings.SplitSeq(text, "*") {
		n := number(strings.TrimSpace(part))
		if n == 0 || all > 1<<40/n {
			return 0
		}
		all *= n
	}
	return all
}

// value is the number that an operand stands for, as far as the file says: one that
// is written there, that a name is given, or that a function is called with.
func (j *script) value(operand string) int64 {
	if n := product(operand); n > 0 {
		return n
	}
	name := operandOf(operand)
	if name == "" {
		return 0
	}
	given := regexp.MustCompile(`(?m)(?:^|[^\w$.])(?:this\.)?#?` + regexp.QuoteMeta(name) + `\s*[:=]\s*([\w$]+(?:\s*\*\s*\w+)*)\s*(?:[;,)}]|$)`)
	most := j.argument(name)
	all := given.FindAllStringSubmatch(j.code, -1)
	for _, m := range all {
		most = max(most, product(m[1]), j.argument(m[1]))
	}
	if set := regexp.MustCompile(`(?:^|[^\w$])#?` + regexp.QuoteMeta(name) + `\s*(?::|=)[^=>]`); len(set.FindAllString(j.code, -1)) > len(all) {
		return 0 // it is given what cannot be read
	}
	return most
}

var heads = regexp.MustCompile(`(?:\bclass\s+([\w$]+)|\bfunction\s+([\w$]+)\s*\(([^()]*)\)|\bconstructor\s*\(([^()]*)\)|\b([\w$]+)\s*=\s*(?:async\s*)?\(([^()]*)\)\s*=>)`)

// argument is the largest number that a parameter of that name is given where its
// function or class is used in the file.
func (j *script) argument(param string) int64 {
	class := ""
	for _, m := range heads.FindAllStringSubmatch(j.code, -1) {
		if m[1] != "" {
			class = m[1]
			continue
		}
		name, params := m[2]+m[5], m[3]+m[4]+m[6]
		if name == "" {
			name = class // a constructor
		}
		i := slices.IndexFunc(strings.Split(params, ","), func(p string) bool {
			p, _, _ = strings.Cut(p, "=")
			return strings.TrimSpace(p) == param
		})
		if i < 0 || name == "" {
			continue
		}
		return j.given(name, i)
	}
	return 0
}

// given is the largest number that a function is called with as its argument i.
func (j *script) given(function string, i int) int64 {
	most := int64(0)
	for _, m := range regexp.MustCompile(`(?:^|[^\w$])`+regexp.QuoteMeta(function)+`\s*\(([^()]*)\)`).FindAllStringSubmatch(j.code, -1) {
		if args := strings.Split(m[1], ","); i < len(args) {
			most = max(most, product(strings.TrimSpace(args[i])))
		}
	}
	return most
}

// The places of a time in milliseconds: beside the clock, and as the last argument
// of a timer.
var (
	clocked = regexp.MustCompile(`(?:Date|performance)\.now\(\)\s*[-+][^;,)]*?(?:[<>]=?\s*)?([\w$.#]+(?:\s*\*\s*\d[\d_]*)*)\s*[)},;\n]`)
	timed   = regexp.MustCompile(`(?s)\bset(?:Timeout|Interval)\s*\(.*?,\s*([\w$.#]+(?:\s*\*\s*\d[\d_]*)*)\s*\)`)
)

// age is how long an entry stays, by the lines around line i, where it goes, and
// everything that is said of the clock in the file: the longest of the times that
// are read there, 0 where none is.
func (j *script) age(i int) time.Duration {
	around, longest := strings.Join(j.lines[max(i-near, 0):min(i+2*near, len(j.lines))], "\n"), int64(0)
	for _, m := range slices.Concat(clocked.FindAllStringSubmatch(j.code, -1), timed.FindAllStringSubmatch(around, -1)) {
		longest = max(longest, j.value(m[1]))
	}
	return time.Duration(longest) * time.Millisecond
}
