package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Changes are the lines that differ from a revision, by absolute path. A file
// that git does not know is new as a whole.
type Changes struct {
	dir   string
	lines map[string][]span
}

// span is a range of lines, both ends in it.
type span struct{ from, to int }

// whole is every line of a file.
var whole = span{0, 1 << 40}

// Since asks git what has changed in the working tree since the revision. dir
// is the folder to which the paths of findings are relative.
func Since(ctx context.Context, dir, rev string) (*Changes, error) {
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, refused(ctx, dir, rev, err)
	}
	up, err := git(ctx, dir, "rev-parse", "--show-cdup")
	if err != nil {
		return nil, refused(ctx, dir, rev, err)
	}
	top := filepath.Join(dir, strings.TrimSpace(up))
	diff, err := git(ctx, dir, "-c", "core.quotePath=off", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--unified=0", "--src-prefix=a/", "--dst-prefix=b/", strings.TrimSpace(commit), "--", ":/")
	if err != nil {
		return nil, refused(ctx, dir, rev, err)
	}
	others, err := git(ctx, dir, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/")
	if err != nil {
		return nil, refused(ctx, dir, rev, err)
	}
	c := &Changes{dir: dir, lines: map[string][]span{}}
	for name, spans := range changed(diff) {
		c.lines[filepath.Join(top, name)] = spans
	}
	for name := range strings.SplitSeq(others, "\x00") {
		if name != "" {
			c.lines[filepath.Join(top, name)] = []span{whole}
		}
	}
	return c, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

// refused tells why git does not answer.
func refused(ctx context.Context, dir, rev string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return exit.Failedf("--new-from-rev needs git, which is not in the PATH").WithHint("install git, or use --baseline FILE")
	}
	if _, inside := git(ctx, dir, "rev-parse", "--git-dir"); inside != nil {
		return exit.Failedf("--new-from-rev needs a git repository, and %s is in none", dir).WithHint("use --baseline FILE")
	}
	if strings.HasPrefix(err.Error(), "git rev-parse") {
		return exit.Usagef("--new-from-rev %q is no revision of this repository", rev).
			WithHint("a shallow clone has few of them: fetch it with `git fetch --depth=1 origin REV`, or check out with fetch-depth: 0")
	}
	return exit.Failedf("git cannot tell what has changed since %s: %w", rev, err)
}

// Touch reports whether a finding has to do with a changed line: its own place,
// or that of a step that leads there, since a new check can make an old write
// wrong. A finding without any place counts as new.
func (c *Changes) Touch(f report.Finding) bool {
	places := []report.Location{f.Where}
	for _, s := range f.Steps {
		places = append(places, s.Where)
	}
	somewhere := false
	for _, at := range places {
		if at.File == "" {
			continue
		}
		somewhere = true
		if c.has(at) {
			return true
		}
	}
	return !somewhere
}

func (c *Changes) has(at report.Location) bool {
	name := filepath.FromSlash(at.File)
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.dir, name)
	}
	for _, s := range c.lines[name] {
		if at.Line <= s.to && max(at.Line, at.EndLine) >= s.from {
			return true
		}
	}
	return false
}

// changed reads a unified diff without context and returns the new lines of each
// file. A place where lines were only removed counts with the lines around it.
func changed(diff string) map[string][]span {
	all := map[string][]span{}
	name := ""
	skip := 0 // lines that are left of the hunk: they may look like headers
	for line := range strings.SplitSeq(diff, "\n") {
		if skip > 0 && line != "" && strings.ContainsRune("+- ", rune(line[0])) {
			skip--
			continue
		}
		switch {
		case strings.HasPrefix(line, "+++ "):
			name = newName(strings.TrimPrefix(line, "+++ "))
		case strings.HasPrefix(line, "@@ -"):
			from, lines, removed, ok := hunk(line)
			if !ok || name == "" {
				continue
			}
			skip = lines + removed
			if lines == 0 {
				all[name] = append(all[name], span{from, from + 1})
			} else {
				all[name] = append(all[name], span{from, from + lines - 1})
			}
		case strings.HasPrefix(line, "diff --git "):
			name, skip = "", 0
		}
	}
	return all
}

// newName is the path behind "+++ ", "" for a file that is gone. Git quotes names
// with control characters and puts a tab behind those with blanks.
func newName(text string) string {
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	name, ok := strings.CutPrefix(strings.TrimSuffix(text, "\t"), "b/")
	if !ok {
		return ""
	}
	return name
}

// hunk reads "@@ -12,3 +14,2 @@ …": the first new line, how many there are, and
// how many were removed.
func hunk(line string) (from, lines, removed int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return 0, 0, 0, false
	}
	_, removed, okOld := numbers(strings.TrimPrefix(fields[1], "-"))
	from, lines, okNew := numbers(strings.TrimPrefix(fields[2], "+"))
	return from, lines, removed, okOld && okNew
}

// numbers reads "12,3", or "12" for one line.
func numbers(text string) (from, lines int, ok bool) {
	first, rest, more := strings.Cut(text, ",")
	from, err := strconv.Atoi(first)
	if err != nil || from < 0 {
		return 0, 0, false
	}
	if !more {
		return from, 1, true
	}
	lines, err = strconv.Atoi(rest)
	return from, lines, err == nil && lines >= 0
}
