package target

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// explainAnswer tells an error that the server sent, by its SQLSTATE
// ("PostgreSQL Error Codes" in the manual). Texts of the server are quoted only
// where the code alone does not tell the reason, since they may be in any
// language. It also returns the rank among several errors: no_entry says least,
// because a try with TLS and one without both get it and the other may tell more.
func (t *Target) explainAnswer(h host, code string, err error) (*Error, int) {
	e := t.answer(h, code, serverText(err))
	e.err = t.safeCause(err)
	if e.Kind == NoEntry {
		return e, 5
	}
	return e, 6
}

// serverText is the primary message of the server.
func serverText(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Message
	}
	return err.Error()
}

// safeCause keeps a copy of the server's own error, without the secret, and
// drops what is around it: a ConnectError holds the whole configuration.
func (t *Target) safeCause(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return nil
	}
	clean := *pg
	for _, text := range []*string{&clean.Message, &clean.Detail, &clean.Hint, &clean.Where, &clean.InternalQuery} {
		*text = t.scrub(*text)
	}
	return &clean
}

func (t *Target) answer(h host, code, text string) *Error {
	at, user, db := h.address(), t.User(), t.Database()
	switch code {
	case "28P01":
		return failed(Password, fmt.Sprintf("%s refuses the password of user %q", at, user), t.passwordHint())
	case "28000":
		return t.noEntry(at, text)
	case "3D000":
		return failed(NoDatabase, fmt.Sprintf("there is no database %q at %s", db, at), "create it (createdb "+db+"), or correct its name")
	case "42501":
		return failed(Rights, fmt.Sprintf("user %q has no right to do this in database %q at %s: %s", user, db, at, t.scrub(text)), "GRANT what is missing, or use another role")
	case "53300":
		return failed(Full, at+" has no free connection: "+t.scrub(text), "close other clients, use fewer lanes (--clients), or raise max_connections")
	case "57P03":
		return failed(Starting, at+" takes no connections yet: "+t.scrub(text), "wait until it has started or recovered")
	case "57P01", "57P02", "57P05":
		return failed(Lost, at+" ended the session: "+t.scrub(text), "was the server stopped or the session terminated? Its log says by whom")
	case "53100":
		return failed(Disk, at+" has no room left on its disk", "make room on the server and run again")
	case "25006":
		return failed(Replica, at+" takes no writes: "+t.scrub(text), "name the primary, and look at default_transaction_read_only")
	}
	return t.otherAnswer(at, code, text)
}

func (t *Target) otherAnswer(at, code, text string) *Error {
	switch {
	case strings.Contains(text, "unsupported startup parameter"):
		return pooler(at)
	case code == "0A000" && strings.Contains(text, "protocol"):
		return failed(TooOld, at+" does not speak the protocol that was asked for", "leave min_protocol_version and max_protocol_version out")
	}
	return failed(Server, fmt.Sprintf("%s answers: %s (SQLSTATE %s)", at, t.scrub(text), code), "")
}

func (t *Target) passwordHint() string {
	if t.password.Reveal() == "" {
		return "no password was given: set PGPASSWORD, write it to ~/.pgpass, or use --dsn-file"
	}
	return "correct it where it comes from: the connection string, PGPASSWORD, ~/.pgpass or the service file"
}

// noEntry is 28000: pg_hba.conf has no line for us, or the role cannot log in.
// The server's words tell which, and whether TLS was in play.
func (t *Target) noEntry(at, text string) *Error {
	hint := "add a line for this user, database and address to pg_hba.conf, and reload"
	switch {
	case strings.Contains(text, "no encryption") || strings.Contains(text, "SSL off"):
		hint = "the server may want TLS: use sslmode=require; otherwise add a line to pg_hba.conf"
	case strings.Contains(text, "does not exist"):
		hint = "create the role (CREATE ROLE … LOGIN), or correct the user's name"
	case strings.Contains(text, "not permitted to log in"):
		hint = "ALTER ROLE … LOGIN, or use another role"
	case strings.Contains(text, "eer authentication"):
		hint = "peer authentication wants the system user of the same name: give host=localhost and a password"
	}
	return failed(NoEntry, fmt.Sprintf("%s does not let user %q in: %s", at, t.User(), t.scrub(text)), hint)
}
