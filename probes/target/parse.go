package target

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// parse has pgconn read the text and then looks at what it made of it. pgconn's
// errors are told in our own words: its redaction is best effort, by its own
// account.
func parse(g given) (*Target, error) {
	if err := checkForm(g); err != nil {
		return nil, err
	}
	cfg, err := pgconn.ParseConfigWithOptions(g.text, pgconn.ParseConfigOptions{ConnStringAllowedKeys: allowedKeys()})
	if err != nil {
		return nil, parseError(g, err)
	}
	if err := checkParams(g, cfg); err != nil {
		return nil, err
	}
	ignored := dropIgnored(cfg)
	t := newTarget(cfg)
	if err := t.checkNames(g); err != nil {
		return nil, err
	}
	if len(ignored) > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s of %s has no effect here", strings.Join(ignored, ", "), g.name))
	}
	return t, nil
}

// isURL is how libpq tells the two forms apart.
func isURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

func checkForm(g given) error {
	scheme, _, hasScheme := strings.Cut(g.text, "://")
	switch {
	case g.text == "" || isURL(g.text):
		return nil
	case hasScheme && !strings.ContainsAny(scheme, " ='"):
		return usage(g.name+" is a URL, but not one of PostgreSQL", "it must begin with postgres:// or postgresql://, without a driver's name")
	case !strings.Contains(g.text, "="):
		return usage(g.name+" is neither a URL nor keyword=value pairs", "write postgres://user@host:5432/database or 'host=… port=5432 dbname=… user=…'")
	}
	return nil
}

// checkParams refuses what would be sent to the server as a setting although
// it is none: a misspelt password from a service file would land in its log.
func checkParams(g given, cfg *pgconn.Config) error {
	known := allowedKeys()
	for _, key := range sortedKeys(cfg.RuntimeParams) {
		if why, bad := unsupported[key]; bad {
			return usage(fmt.Sprintf("%s sets %s, which ccheck does not support", g.name, key), why)
		}
		if !slices.Contains(known, key) {
			return unknownKey(g, key)
		}
	}
	if cfg.RuntimeParams["gssencmode"] == "require" {
		return usage(g.name+" sets gssencmode=require, which ccheck does not support", "use sslmode=verify-full for an encrypted connection")
	}
	return nil
}

// dropIgnored removes the keys that another client understands and that the
// server does not, and returns their names.
func dropIgnored(cfg *pgconn.Config) []string {
	var names []string
	for _, key := range sortedKeys(cfg.RuntimeParams) {
		silent, ok := ignored[key]
		if !ok {
			continue
		}
		delete(cfg.RuntimeParams, key)
		if !silent {
			names = append(names, key)
		}
	}
	return names
}

// checkNames finds a password that broke a URL into the wrong parts. In
// postgres://u:pa@ss@h/db the host is "ss@h", in postgres://u/pa:ss@h/db the
// database is "pa:ss@h"; both would be shown as such.
func (t *Target) checkNames(g given) error {
	const mend = "percent-encode the special characters of a password in a URL (@ is %40, : is %3A, / is %2F, ? is %3F, # is %23, % is %25)"
	for _, h := range t.hosts {
		if !h.unix() && !plainHost(h.name) {
			return usage(g.name+" has a host that is no host name or address", mend)
		}
	}
	if isURL(g.text) && strings.ContainsAny(t.config.Database, "@:") {
		return usage(g.name+" has a database name with @ or : in it", mend)
	}
	for _, s := range []string{t.config.User, t.config.Database} {
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return usage(g.name+" has a control character in the name of the user or the database", "is the connection string one line?")
		}
	}
	return nil
}

// plainHost accepts names and addresses, with the zone of an IPv6 address.
func plainHost(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f
		return !letter && !strings.ContainsRune("-._:%", r)
	})
}

// faults are the ends of pgconn's messages that can be told without quoting
// anything, with the mend.
var faults = []struct{ pgconn, msg, hint string }{
	{"invalid port", "has a port that is no number from 1 to 65535", "in a URL, percent-encode : / ? # @ and % inside the password"},
	{"port numbers to", "has a different number of hosts and ports", "give one port for all hosts, or one for each"},
	{"invalid keyword/value", "is not made of keyword=value pairs", "put values with spaces in single quotes: password='…'"},
	{"in connection info string", "is not made of keyword=value pairs", "put values with spaces in single quotes, and escape ' and \\ inside with a backslash"},
	{"NUL byte", "holds a NUL byte", "is the right file or variable read?"},
	{"percent-encoded", "has a % or a space that is not percent-encoded", "write % as %25 and a space as %20"},
	{"use percent-encoded spaces", "has a space that is not percent-encoded", "write a space as %20"},
	{"in URI query parameter", "has a parameter after ? that is not key=value", "percent-encode = & and ? inside a value"},
	{"in URI", "is a URL that cannot be read", "write postgres://user@host:5432/database, and an IPv6 address in [ ]"},
	{"invalid connect_timeout", "has a connect_timeout that is no number of seconds", "write connect_timeout=10"},
	{"target_session_attrs value", "has an unknown target_session_attrs", "use any, read-write, read-only, primary, standby or prefer-standby"},
	{"sslmode is invalid", "has an unknown sslmode", "use disable, allow, prefer, require, verify-ca or verify-full"},
	{"sslcertmode", "has an unknown sslcertmode", "use disable, allow or require"},
	{"protocol_version", "has an unknown protocol version", "use 3.0, 3.2 or latest"},
	{"channel_binding value", "has an unknown channel_binding", "use disable, prefer or require"},
	{"invalid require_auth", "has an unknown require_auth", "use password, md5, scram-sha-256, gss, sspi or none"},
	{"failed to read service file", "names a service, but the service file cannot be read", "look at PGSERVICEFILE or ~/.pg_service.conf"},
	{"unable to find service", "names a service that is not in the service file", "look at PGSERVICEFILE or ~/.pg_service.conf"},
	{`"sslcert" and "sslkey"`, "has only one of sslcert and sslkey", "give both"},
	{"CA", "has an sslrootcert that cannot be read", "give the path of a PEM file, or sslrootcert=system"},
	{"failed to configure TLS", "has a client certificate or key that cannot be read", "look at sslcert, sslkey and sslpassword"},
}

// parseError never touches the text of err except to look for known words.
func parseError(g given, err error) error {
	text := afterQuote(err)
	if key, ok := strings.CutSuffix(text, " is not in ConnStringAllowedKeys"); ok {
		_, key, _ = strings.Cut(key, "key ")
		return unknownKey(g, strings.Trim(key, `"`))
	}
	for _, f := range faults {
		if strings.Contains(text, f.pgconn) {
			return usage(g.name+" "+f.msg, f.hint)
		}
	}
	return usage(g.name+" cannot be read as a connection string", "write postgres://user@host:5432/database or 'host=… port=5432 dbname=… user=…'")
}

// afterQuote is pgconn's message after the connection string that it quotes.
func afterQuote(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "`: "); i >= 0 {
		text = text[i+len("`: "):]
	}
	if inner := errors.Unwrap(err); inner != nil {
		text += " " + inner.Error()
	}
	return text
}

// holdsPassword reports whether the text itself sets a password: it stops being
// readable when passwords are not allowed in it.
func holdsPassword(text string) bool {
	for _, secret := range []string{"password", "sslpassword"} {
		keys := slices.DeleteFunc(allowedKeys(), func(k string) bool { return k == secret })
		_, err := pgconn.ParseConfigWithOptions(text, pgconn.ParseConfigOptions{ConnStringAllowedKeys: keys})
		if err != nil {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
