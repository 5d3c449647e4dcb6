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
// Without a bound, removes says whether anything is ever taken out of it. A bound
// that a switch keeps from taking effect is told only where there is no other.
func JavaScript(file, text, name string) (s Sign, ok, removes bool) {
	if !Identifier(name) {
		return Sign{}, false, false
	}
	lines := codeLines(text)
	j := &script{file: file, name: name, lines: lines, code: strings.Join(lines, "\n")}
	taken, declared := j.find(removal), j.find(declares)
	var gone []int // offsets at which something is taken out
	for _, m := range taken.FindAllStringIndex(j.code, -1) {
		at := m[1] - len(strings.TrimLeft(j.code[m[0]:m[1]], " \t\n"))
		if !declared.MatchString(j.lines[j.lineOf(at)]) && !j.constructing(at) {
			gone = append(gone, at)
		}
	}
	all := j.signs(gone)
	s, ok = first(all)
	return s, ok, len(gone) > 0 || j.find(wraps).MatchString(j.code)
}

func (j *script) find(shape string) *regexp.Regexp {
	return regexp.MustCompile("(?m)" + strings.ReplaceAll(shape, "NAME", regexp.QuoteMeta(strings.TrimPrefix(j.name, "#"))))
}

// signs are the bounds in the order in which they say most. Gone is where something
// is taken out.
func (j *script) signs(gone []int) []Sign {
	var all []Sign
	for _, of := range []struct {
		shape, does string
		takes       bool // it takes effect where something is taken out
	}{
		{compared, "removes from %s when it has more than", true},
		{room, "adds to %s only while it has less than", false},
		{wraps, "writes to %s round and round, over", false},
	} {
		if of.takes && len(gone) == 0 {
			continue
		}
		shape := j.find(of.shape)
		for _, m := range shape.FindAllStringSubmatchIndex(j.code, -1) {
			s, ok := j.sign(m, of.does)
			if !ok {
				continue
			}
			s.Switch = j.guards(m[0], 0)
			if all := j.anyOf(gone); of.takes && all.Idle() && !s.Switch.Idle() {
				s.Switch = all
			}
			all = append(all, s)
		}
	}
	if m := j.find(oldest).FindStringIndex(j.code); m != nil {
		all = append(all, Sign{File: j.file, Line: j.lineOf(m[0]) + 1, Does: "removes the oldest of " + j.name, Switch: j.guards(m[0], 0)})
	}
	for _, at := range gone {
		aged, ok := j.beside(at)
		if ok && aged.Size {
			all = append(all, aged)
		}
		if s, is := j.governed(at); is {
			all = append(all, s)
		}
		if ok && !aged.Size {
			all = append(all, aged)
		}
	}
	return all
}

// constructing reports whether the code at an offset is of a constructor, which
// empties nothing.
func (j *script) constructing(at int) bool {
	_, open := j.head(at)
	if open < 0 {
		return false
	}
	head, _ := j.head(open)
	return constructor.MatchString(head)
}

var constructor = regexp.MustCompile(`\bconstructor\s*\([^()]*\)\s*$`)

// anyOf is the switch of what is taken out at several places.
func (j *script) anyOf(gone []int) Switch {
	var all []Switch
	for _, at := range gone {
		all = append(all, j.guards(at, 0))
	}
	return either(all)
}

// beside is the bound that the lines around a removal tell: a count or an age.
func (j *script) beside(at int) (Sign, bool) {
	i := j.lineOf(at)
	around := strings.Join(j.lines[max(i-near, 0):min(i+2, len(j.lines))], "\n")
	if m := counted.FindStringSubmatch(around); m != nil && !trivial(m[1]) {
		return Sign{File: j.file, Line: i + 1, Limit: j.value(m[1]), Does: "removes from " + j.name + " by its size", Size: true, Switch: j.guards(at, 0)}, true
	}
	if aged.MatchString(around) {
		return Sign{File: j.file, Line: i + 1, Does: "removes from " + j.name + " by age", Age: j.age(i), Lazy: !j.sweeps(at, 0), Switch: j.guards(at, 0)}, true
	}
	return Sign{}, false
}

// script is a file without comments and strings, by line and in one piece.
type script struct {
	file, name string
	lines      []string
	code       string
}

// lineOf is the number of the line of an offset, from 0.
func (j *script) lineOf(at int) int { return strings.Count(j.code[:at], "\n") }

// sign tells the place that a shape matches, with what it compares with; ok is false
// where that is whether there is any.
func (j *script) sign(m []int, does string) (s Sign, ok bool) {
	text := ""
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			text += j.code[m[g]:m[g+1]]
		}
	}
	s = Sign{File: j.file, Line: j.lineOf(m[0]) + 1, Limit: j.value(text), Does: fmt.Sprintf(does, j.name) + " " + text, Size: true}
	return s, !trivial(text)
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
