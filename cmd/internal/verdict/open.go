package verdict

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
)

// IsReport reports whether files of the schema hold findings and no history.
func IsReport(schema string) bool { return strings.HasPrefix(schema, "ccheck/") }

// Open opens a history that the user named. What is wrong with the file is
// told together with what it is instead.
func Open(path string) (*history.File, error) {
	schema, err := Schema(path)
	if err != nil {
		return nil, err
	}
	if err := judgeable(path, schema); err != nil {
		return nil, err
	}
	f, err := history.Open(path)
	if err != nil {
		// The first words of the header are right, so the rest of it is missing.
		return nil, (&exit.Error{Code: exit.Unknown, Msg: path + ":1: the history ends in its header; nothing of it can be judged", Err: err}).
			WithHint("make the run again: it ended before it recorded anything")
	}
	return f, nil
}

// judgeable is the refusal of what holds no history that this ccheck reads.
func judgeable(path, schema string) error {
	switch {
	case IsReport(schema):
		return exit.Usagef("%s is a report and no history: it holds findings, and no statements to judge", named(path)).
			WithHint("`ccheck show %s` shows it; the history it was made from is named in it", path)
	case schema != history.Schema:
		return exit.Usagef("%s has the format %q, and this ccheck reads %q", named(path), schema, history.Schema).
			WithHint("a newer ccheck wrote it: update this one")
	}
	return nil
}

// Newest is the path of the history that was recorded last, told to the user.
func Newest(s *stdio.Streams) (string, error) {
	path, ok := state.Newest(s.Env)
	if !ok {
		return "", exit.Usagef("there is no history in %s yet", state.Folder(s.Env)).
			WithHint("`ccheck stress` records one; a history that lies elsewhere is named as the argument")
	}
	s.Sayf("the newest history is %s", path)
	return path, nil
}

// Schema is the name of the format of a file, which is the first key of all
// that ccheck writes.
func Schema(path string) (string, error) {
	f, err := input.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", unreadable(path, err)
	}
	switch {
	case info.IsDir():
		return "", exit.Usagef("%s is a folder", path).WithHint("name a file in it")
	case info.Size() == 0:
		return "", exit.Usagef("%s is empty", path).WithHint("make the run again: it ended before it recorded anything")
	}
	return schemaOf(path, f)
}

func schemaOf(path string, r io.Reader) (string, error) {
	schema, ok := firstKey(json.NewDecoder(bufio.NewReader(r)))
	if !ok || !strings.HasPrefix(schema, "ccheck") {
		return "", exit.Usagef("%s is neither a history nor a report of ccheck", named(path)).
			WithHint("`ccheck stress --history FILE` writes a history, `--format json:FILE` a report")
	}
	return schema, nil
}

// firstKey is the value of "schema" when that is the first key of an object.
func firstKey(d *json.Decoder) (string, bool) {
	want := []json.Token{json.Delim('{'), "schema"}
	for _, w := range want {
		if t, err := d.Token(); err != nil || t != w {
			return "", false
		}
	}
	t, err := d.Token()
	schema, ok := t.(string)
	return schema, ok && err == nil
}

// unreadable tells why a file cannot be opened. The name may be a connection
// string in the wrong place.
func unreadable(path string, err error) error {
	var own *exit.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, fs.ErrNotExist):
		return exit.Usagef("there is no file %s", flags.Shown(path)).WithHint("without a file the newest history is taken")
	case errors.Is(err, fs.ErrPermission):
		return exit.Failedf("%s cannot be read: permission denied", flags.Shown(path)).WithHint("ask its owner, or run ccheck as the user who made the run")
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return exit.Failedf("%s cannot be read: %w", flags.Shown(path), err)
}
