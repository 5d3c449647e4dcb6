package target

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Settings are the limits of every session, so that no statement of ccheck can
// hold up anybody for long. A zero duration switches the limit off, as in
// PostgreSQL ("Client Connection Defaults" in its manual).
type Settings struct {
	Statement         time.Duration // statement_timeout
	Lock              time.Duration // lock_timeout
	IdleInTransaction time.Duration // idle_in_transaction_session_timeout
	Transaction       time.Duration // transaction_timeout, from PostgreSQL 17 on
	// SearchPath is set as written; empty means the sandbox schema of the run
	// and nothing else.
	SearchPath string
	// Params are further settings by name, such as default_transaction_isolation
	// or synchronous_commit. They win over the fields above.
	Params map[string]string
}

// DefaultSettings returns the limits of a session that does ordinary work.
func DefaultSettings() Settings {
	return Settings{
		Statement:         5 * time.Second,
		Lock:              2 * time.Second,
		IdleInTransaction: 10 * time.Second,
		Transaction:       30 * time.Second,
	}
}

// params are the settings as start-up parameters. A server refuses the start
// when it knows one of them not, so version decides about the newer ones.
func (s Settings) params(run Run, version int) map[string]string {
	p := map[string]string{
		"application_name":                    run.ApplicationName(),
		"client_encoding":                     "UTF8",
		"statement_timeout":                   milliseconds(s.Statement),
		"lock_timeout":                        milliseconds(s.Lock),
		"idle_in_transaction_session_timeout": milliseconds(s.IdleInTransaction),
		"search_path":                         s.searchPath(run),
	}
	if version >= 170000 {
		p["transaction_timeout"] = milliseconds(s.Transaction)
	}
	maps.Copy(p, s.Params)
	return p
}

func (s Settings) searchPath(run Run) string {
	if s.SearchPath != "" {
		return s.SearchPath
	}
	return run.Schema()
}

// milliseconds rounds up, since a rest of a millisecond must not become 0,
// which is "no limit".
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Millisecond-1)/time.Millisecond), 10)
}

// lines are the limits as a person reads them, for a plan.
func (s Settings) lines(run Run, version int) []string {
	list := []string{
		fmt.Sprintf("statement_timeout %s", limit(s.Statement)),
		fmt.Sprintf("lock_timeout %s", limit(s.Lock)),
		fmt.Sprintf("idle_in_transaction_session_timeout %s", limit(s.IdleInTransaction)),
	}
	if version >= 170000 {
		list = append(list, fmt.Sprintf("transaction_timeout %s", limit(s.Transaction)))
	}
	list = append(list, "search_path "+s.searchPath(run))
	for _, name := range sortedKeys(s.Params) {
		list = append(list, strings.TrimSpace(name+" "+s.Params[name]))
	}
	return list
}

func limit(d time.Duration) string {
	if d == 0 {
		return "off"
	}
	return d.String()
}
