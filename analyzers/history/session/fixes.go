package session

import (
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// fixes are the mends in their order, with what was seen of each in this run.
func (j *judgement) fixes(k kind) []report.Fix {
	var all []report.Fix
	if k == money {
		all = append(all, report.Fix{
			Kind: report.Atomic, Title: "Decide in the statement that writes, on the primary",
			SQL:  "UPDATE account SET balance = balance - $2 WHERE key = $1 AND balance >= $2",
			Note: "look at the row count: no row is the refusal. What a replica showed is for display",
		}, report.Fix{
			Kind: report.Constraint, Title: "Let the table refuse what must not be",
			SQL:  "ALTER TABLE account ADD CONSTRAINT account_not_overdrawn CHECK (balance >= 0)",
			Note: "SQLSTATE 23514 is then the refusal",
		})
	}
	return append(all, j.routes()...)
}

// routes are the ways to read that show the session what it knows.
func (j *judgement) routes() []report.Fix {
	primary := report.Fix{
		Kind: report.Route, Title: "Read from the primary after a write",
		Note:     "for longer than the lag can be, and also where a message or another page told of the write",
		Verified: j.verified("primary"),
	}
	if worst := j.worst(); worst != "" {
		primary.Note = "for longer than the lag can be (" + worst + " here), and also where a message or another page told of the write"
	}
	if j.header.Target.Kind == "http" {
		return []report.Fix{primary, {
			Kind: report.Route, Title: "Keep the log position of the last write with the session, and choose the server by it",
			Note: "a cookie or a header that carries pg_current_wal_insert_lsn() of after COMMIT; the replica serves when pg_last_wal_replay_lsn() has come so far",
		}}
	}
	return []report.Fix{primary, {
		Kind: report.Await, Title: "Wait on the replica until it has replayed what the session knows",
		SQL: `SELECT pg_current_wal_insert_lsn();
SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn;`,
		Note:     "the first on the primary after COMMIT, the second on the replica until it is true, then the read; with a limit, after which the primary is asked: a replica that is cut off never comes so far. Where the server has a statement that waits for the log itself (pg_wal_replay_wait, WAIT FOR LSN), that is the second",
		Verified: j.verified("wait"),
	}, {
		Kind: report.Route, Title: "Keep the log position with the session, and take the replica only when it is there",
		SQL:      `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn;`,
		Note:     "false: read from the primary. The position goes with a message to another session, too",
		Verified: j.verified("token"),
	}}
}

// verified tells what was seen of a policy beside the one that is judged.
func (j *judgement) verified(policy string) string {
	x := j.r.reader(policy, false)
	if x.Reads == 0 || policy == j.policy {
		return ""
	}
	text := fmt.Sprintf("tried in this run: %d of %d reads stale", x.Stale, x.Reads)
	if x.Behind > 0 {
		text += fmt.Sprintf(", %d of them made while the replica was behind", x.Behind)
	}
	if policy == "wait" {
		text += fmt.Sprintf("; a read waited %s (p50), %s (p99)", ms(x.P50), ms(x.P99))
	}
	if policy == "token" {
		text += fmt.Sprintf("; the primary answered %d", x.Primary)
	}
	return text
}

// worst is the greatest lag that was seen.
func (j *judgement) worst() string {
	var most time.Duration
	for _, s := range j.r.sights {
		if s.visible > 0 && !j.r.held(s) {
			most = max(most, s.lag())
		}
	}
	if most == 0 {
		return ""
	}
	return ms(most)
}
