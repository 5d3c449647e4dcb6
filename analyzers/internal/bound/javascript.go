package bound

import (
	"fmt"
	"regexp"
	"strings"
)

// The shapes of a bound in JavaScript. NAME is the variable or property.
var (
	removal = `(?:#|\b)NAME\s*(?:\?\.|\.)\s*(?:delete|clear|shift|pop|splice)\s*\(|\bdelete\s+(?:[\w.]+\.)?#?NAME\b|` +
		`(?:#|\b)NAME\.length\s*=[^=]|(?:^|[^\w.$#])(?:this\.)?#?NAME\s*=\s*(?:\[\s*\]|new\s+(?:Map|Set|Array)\b|\{\s*\}|(?:this\.)?#?NAME\s*\.\s*(?:slice|filter)\b)`
	compared = `(?:#|\b)NAME\s*\.\s*(?:size|length)\s*(?:>=?|===?)\s*([\w$.#]+)|Object\.keys\(\s*(?:this\.)?#?NAME\s*\)\.length\s*(?:>=?|===?)\s*([\w$.#]+)`
	room     = `(?:if|while)\s*\(.*(?:#|\b)NAME\s*\.\s*(?:size|length)\s*<=?\s*([\w$.#]+)`
	oldest   = `(?:#|\b)NAME\s*\.\s*delete\s*\(\s*(?:[\w.]+\.)?#?NAME\s*\.\s*keys\(\)\s*\.next\(\)`
	wraps    = `(?:#|\b)NAME\s*\[[^\]]*%\s*([\w$.#]+)[^\]]*\]\s*=[^=]|%\s*((?:this\.)?#?NAME\.length)\b`
	declares = `\b(?:const|let|var)\s+NAME\b`
	counted  = regexp.MustCompile(`(?i)\b(?:this\.)?#?(?:_?size|_?count|_?length|\w*(?:Size|Count))\s*(?:>=?|===?)\s*([\w$.#]+)`)
	aged     = regexp.MustCompile(`(?i)ttl|expir|max_?age|stale|Date\.now|performance\.now|setTimeout|setInterval`)
)

// near is how many lines may lie between a removal and what it depends on.
const near = 4

// longest is the length of a line that somebody wrote; longer ones are minified
// and say nothing by their distance.
const longest = 400

// identifier is a name that a program can write with a dot before it.
var identifier = regexp.MustCompile(`^#?[A-Za-z_$][\w$]*$`)

// Identifier reports whether a name is one that JavaScript can look for.
func Identifier(name string) bool { return identifier.MatchString(name) }

// JavaScript looks for what bounds the variable or property name in a file.
// Without a bound, removes says whether anything is ever taken out of it.
func JavaScript(file, text, name string) (s Sign, ok, removes bool) {
	if !Identifier(name) {
		return Sign{}, false, false
	}
	find := func(shape string) *regexp.Regexp {
		return regexp.MustCompile(strings.ReplaceAll(shape, "NAME", regexp.QuoteMeta(strings.TrimPrefix(name, "#"))))
	}
	j := &script{file: file, name: name, lines: codeLines(text)}
	taken, declared, size, fits, first, ring := find(removal), find(declares), find(compared), find(room), find(oldest), find(wraps)
	goes := func(l string) bool { return taken.MatchString(l) && !declared.MatchString(l) }
	from := j.first(goes)
	if at := j.first(size.MatchString); from >= 0 && at >= 0 {
		return j.sign(at, size, "removes from %s when it has more than"), true, true
	}
	if at := j.first(fits.MatchString); at >= 0 {
		return j.sign(at, fits, "adds to %s only while it has less than"), true, from >= 0
	}
	if at := j.first(ring.MatchString); at >= 0 {
		return j.sign(at, ring, "writes to %s round and round, over"), true, true
	}
	if at := j.first(first.MatchString); at >= 0 {
		return Sign{file, at + 1, 0, "removes the oldest of " + name, false}, true, true
	}
	if from < 0 {
		return Sign{}, false, false
	}
	for i, l := range j.lines {
		if !goes(l) {
			continue
		}
		around := strings.Join(j.lines[max(i-near, 0):min(i+2, len(j.lines))], "\n")
		if m := counted.FindStringSubmatch(around); m != nil {
			return Sign{file, i + 1, j.value(m[1]), "removes from " + name + " by its size", true}, true, true
		}
		if aged.MatchString(around) {
			return Sign{file, i + 1, 0, "removes from " + name + " by age", false}, true, true
		}
	}
	return Sign{}, false, true
}

// script is a file without comments and strings, by line.
type script struct {
	file, name string
	lines      []string
}

func (j *script) first(is func(string) bool) int {
	for i, l := range j.lines {
		if is(l) {
			return i
		}
	}
	return -1
}

// sign tells the line that a shape matches, with what it compares with.
func (j *script) sign(at int, shape *regexp.Regexp, does string) Sign {
	text := ""
	for _, group := range shape.FindStringSubmatch(j.lines[at])[1:] {
		text += group
	}
	return Sign{j.file, at + 1, j.value(text), fmt.Sprintf(does, j.name) + " " + text, true}
}

// value is the number that an operand stands for, as far as the file says.
func (j *script) value(operand string) int64 {
	if n := number(operand); n > 0 {
		return n
	}
	name := operand[strings.LastIndexByte(operand, '.')+1:]
	given := regexp.MustCompile(`(?:^|[^\w$.])(?:this\.)?#?` + regexp.QuoteMeta(strings.TrimPrefix(name, "#")) + `\s*[:=]\s*(\d[\d_]*)\s*(?:[;,)}]|$)`)
	for _, l := range j.lines {
		if m := given.FindStringSubmatch(l); m != nil {
			return number(m[1])
		}
	}
	return 0
}

// codeLines blanks out comments and the insides of strings, which may say
// anything. It does not know regular expressions: a quote in one costs the rest
// of its line.
func codeLines(text string) []string {
	var out []string
	block := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > longest {
			out = append(out, "")
			continue
		}
		var code string
		code, block = codeOf(line, block)
		out = append(out, code)
	}
	return out
}

func codeOf(line string, block bool) (string, bool) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		next := line[i:min(i+2, len(line))]
		switch {
		case block:
			if next == "*/" {
				block = false
				i++
			}
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
				b.WriteByte(c)
			}
		case next == "//":
			return b.String(), false
		case next == "/*":
			block = true
			i++
		case c == '"' || c == '\'' || c == '`':
			quote = c
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), block
}
