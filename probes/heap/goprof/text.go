package goprof

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// parseText reads what ?debug=1 and ?debug=2 answer: records that begin with
// counts and an @, each with its frames as comments; or a dump of goroutines.
func parseText(data []byte) (*Profile, error) {
	lines := strings.Split(string(data), "\n")
	head := lines[0]
	switch {
	case strings.HasPrefix(head, "heap profile:"):
		return parseRecords(Heap, head, lines[1:])
	case strings.Contains(head, " profile: total"):
		return parseRecords(Goroutines, head, lines[1:])
	case bytes.HasPrefix(data, []byte("goroutine ")) && strings.HasSuffix(head, ":"):
		return parseDump(lines)
	}
	return nil, ErrForeign
}

func parseRecords(kind Kind, head string, lines []string) (*Profile, error) {
	p := &Profile{Kind: kind, Rows: map[string]*Row{}, Period: period(head)}
	leaked := strings.HasPrefix(head, "goroutineleak")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "# runtime.MemStats") {
			p.Mem = parseMemStats(lines[i+1:])
			break
		}
		counts, _, ok := strings.Cut(lines[i], " @")
		if !ok {
			continue
		}
		cell, err := parseCounts(kind, counts, p.Period)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %w", i+2, ErrForeign, err)
		}
		var stack []series.Frame
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "#\t") {
			i++
			if f, ok := parseFrame(lines[i]); ok {
				stack = append(stack, f)
			}
		}
		p.merge(stack, state(stack), leaked, cell)
	}
	return p, nil
}

// period is the rate in the head of a text profile, which says twice of it.
func period(head string) int64 {
	_, after, ok := strings.Cut(head, "@ heap/")
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(after), 10, 64)
	return n / 2
}

// parseCounts reads "3: 1488 [14: 2126192]" of a heap, "900" of goroutines. The
// numbers of a heap are those of the samples and not yet scaled.
func parseCounts(kind Kind, text string, period int64) (c series.Cell, err error) {
	if kind == Goroutines {
		_, err = fmt.Sscanf(text, "%d", &c.Count)
		return c, err
	}
	var n, size, all, allSize int64
	if _, err = fmt.Sscanf(text, "%d: %d [%d: %d]", &n, &size, &all, &allSize); err != nil {
		return c, err
	}
	c.Count, c.Freed = n, all-n
	c.Bytes, c.Var = scaled(n, size, period)
	c.Added, c.AddedVar = scaled(all, allSize, period)
	return c, nil
}

// scaled estimates the bytes that n samples of size bytes stand for.
func scaled(n, size, period int64) (bytes, variance float64) {
	if n <= 0 || size <= 0 {
		return 0, 0
	}
	z := float64(size) / float64(n)
	objects := float64(n) / chance(z, period)
	_, bytes, variance = estimate(objects, objects*z, period)
	return bytes, variance
}

// parseFrame reads "#	0x49985b	sync.(*Pool).pinSlow+0x17b	/src/pool.go:241".
func parseFrame(line string) (series.Frame, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return series.Frame{}, false
	}
	name := fields[2]
	if i := strings.LastIndex(name, "+0x"); i > 0 {
		name = name[:i]
	}
	return place(name, strings.Join(fields[3:], " ")), true
}

// place takes file:line apart.
func place(name, where string) series.Frame {
	f := series.Frame{Func: name, File: where}
	if i := strings.LastIndexByte(where, ':'); i > 0 {
		f.File = where[:i]
		f.Line, _ = strconv.Atoi(where[i+1:])
	}
	return f
}

func (p *Profile) merge(stack []series.Frame, state string, leaked bool, c series.Cell) {
	var key strings.Builder
	for _, f := range stack {
		if ofProfiler(f.Func) {
			return
		}
		fmt.Fprintf(&key, "%s:%d\n", f.Func, f.Line)
	}
	key.WriteString(state)
	row := p.Rows[key.String()]
	if row == nil {
		row = &Row{Stack: stack, State: state, Leaked: leaked}
		p.Rows[key.String()] = row
	}
	row.Count += c.Count
	row.Freed += c.Freed
	row.Bytes += c.Bytes
	row.Var += c.Var
	row.Added += c.Added
	row.AddedVar += c.AddedVar
}

// parseDump reads a dump of all goroutines as a panic or ?debug=2 writes it.
func parseDump(lines []string) (*Profile, error) {
	p := &Profile{Kind: Goroutines, Rows: map[string]*Row{}}
	for i := 0; i < len(lines); i++ {
		head, ok := strings.CutPrefix(lines[i], "goroutine ")
		open, end := strings.IndexByte(head, '['), strings.IndexByte(head, ']')
		if !ok || open < 0 || end < open {
			continue
		}
		state, _, _ := strings.Cut(head[open+1:end], ",")
		var stack []series.Frame
		for i+1 < len(lines) && lines[i+1] != "" && !strings.HasPrefix(lines[i+1], "goroutine ") {
			i++
			if where, ok := strings.CutPrefix(lines[i], "\t"); ok && len(stack) > 0 {
				where, _, _ = strings.Cut(where, " +0x")
				f := place(stack[len(stack)-1].Func, where)
				stack[len(stack)-1] = f
				continue
			}
			stack = append(stack, series.Frame{Func: called(lines[i])})
		}
		p.merge(stack, state, strings.Contains(head[:end], "leaked"), series.Cell{Count: 1})
	}
	if len(p.Rows) == 0 {
		return nil, ErrForeign
	}
	return p, nil
}

// called is the function of a line of a dump, without the values of its
// arguments: they differ from goroutine to goroutine.
func called(line string) string {
	if name, ok := strings.CutPrefix(line, "created by "); ok {
		name, _, _ = strings.Cut(name, " in goroutine")
		return name
	}
	dir, base := path.Split(line)
	if i := strings.LastIndexByte(base, '('); i > 0 {
		base = base[:i]
	}
	return dir + base
}
