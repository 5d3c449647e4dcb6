package target

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Run identifies one run of ccheck, on the server as well as in files.
type Run struct {
	ID      string // lower-case letters and digits; the suffix of the schema
	Version string // of ccheck: "v0.1.0"
	Host    string // the machine that ccheck runs on
	PID     int
	Started time.Time
}

const (
	schemaPrefix = "ccheck_"
	// identifier is NAMEDATALEN - 1: the server cuts names and application_name
	// there without an error.
	identifier = 63
)

var runID = regexp.MustCompile(`^[a-z0-9]{1,40}$`)

// NewRun makes a run with a random ID for this process.
func NewRun(version string, now time.Time) Run {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	// Twelve characters of base32 are 60 bits.
	id := strings.ToLower(rand.Text()[:12])
	return Run{ID: id, Version: version, Host: name, PID: os.Getpid(), Started: now}
}

// Schema is the name of the sandbox. It needs no quotes in SQL.
func (r Run) Schema() string { return schemaPrefix + r.ID }

// ApplicationName is ccheck/<version> run=<id>, what a DBA sees in
// pg_stat_activity and in the log. A version that is too long loses its end,
// never the ID: sessions are found by it.
func (r Run) ApplicationName() string {
	tail := " run=" + r.ID
	head := "ccheck/" + r.Version
	return head[:min(len(head), max(0, identifier-len(tail)))] + tail
}

// marker is the comment of the sandbox schema, by which ccheck knows its own.
func (r Run) marker() string {
	return fmt.Sprintf("ccheck run=%s host=%s pid=%d started=%s",
		r.ID, word(r.Host), r.PID, r.Started.UTC().Format(time.RFC3339))
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// word makes a text safe as one field of the marker and inside quotes.
func word(s string) string {
	if s = notWord.ReplaceAllString(s, "_"); s == "" {
		return "unknown"
	}
	return s
}

// parseMarker reads a comment that marker wrote. A comment that differs in any
// way is not ours.
func parseMarker(comment string) (Run, bool) {
	f := strings.Fields(comment)
	if len(f) != 5 || f[0] != "ccheck" {
		return Run{}, false
	}
	var r Run
	for i, key := range []string{"run=", "host=", "pid=", "started="} {
		value, ok := strings.CutPrefix(f[i+1], key)
		if !ok || !r.set(key, value) {
			return Run{}, false
		}
	}
	return r, r.marker() == comment
}

func (r *Run) set(key, value string) bool {
	var err error
	switch key {
	case "run=":
		r.ID = value
		return runID.MatchString(value)
	case "host=":
		r.Host = value
	case "pid=":
		r.PID, err = strconv.Atoi(value)
	case "started=":
		r.Started, err = time.Parse(time.RFC3339, value)
	}
	return err == nil
}
