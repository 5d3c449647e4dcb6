package target

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const settingsSQL = `select name, setting from pg_settings where name in
	('default_transaction_isolation', 'default_transaction_read_only', 'deadlock_timeout', 'synchronous_commit', 'fsync', 'track_activities')
	union all select 'visibility', pg_has_role(current_user, 'pg_read_all_stats', 'usage')::text`

// checkSettings looks at what changes a verdict or a figure.
func (t *Target) checkSettings(ctx context.Context, conn *pgconn.PgConn, set Settings) ([]Check, error) {
	var values map[string]string
	err := readOnly(ctx, conn, func() error {
		list, err := rows(ctx, conn, settingsSQL)
		values = make(map[string]string, len(list))
		for _, r := range list {
			values[r[0]] = r[1]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []Check{
		checkIsolation(values["default_transaction_isolation"]),
		checkReadOnly(values["default_transaction_read_only"]),
		checkTimeouts(set),
		checkDeadlock(values["deadlock_timeout"], set),
		checkDurability(values["synchronous_commit"], values["fsync"]),
		checkActivities(values["track_activities"]),
		checkVisibility(values["visibility"]),
	}, nil
}

func checkIsolation(level string) Check {
	const name = "default isolation"
	if level != "read committed" {
		return Check{name, Warn, level + ": sessions that name no level run at this one", "run with --isolation of the application's own sessions"}
	}
	return Check{name, OK, level, ""}
}

func checkReadOnly(value string) Check {
	if value == "on" {
		return Check{"writes", Bad, "default_transaction_read_only is on for this role or database", "ALTER ROLE … RESET default_transaction_read_only, or use another role"}
	}
	return Check{"writes", OK, "allowed", ""}
}

func checkTimeouts(set Settings) Check {
	return Check{"time-outs", OK, fmt.Sprintf("of every session: statement %s, lock %s, idle in transaction %s", limit(set.Statement), limit(set.Lock), limit(set.IdleInTransaction)), ""}
}

// checkDeadlock: a lock time-out that comes first turns every deadlock into an
// error of another name.
func checkDeadlock(milliseconds string, set Settings) Check {
	const name = "deadlock_timeout"
	ms, err := strconv.Atoi(milliseconds)
	if err != nil {
		return Check{name, Warn, "not readable", ""}
	}
	d := time.Duration(ms) * time.Millisecond
	if set.Lock > 0 && d >= set.Lock {
		return Check{name, Warn, fmt.Sprintf("%s, not shorter than the lock_timeout of %s: deadlocks would be seen as lock time-outs (55P03)", d, set.Lock), "set deadlock_timeout to 1s, its default"}
	}
	return Check{name, OK, d.String(), ""}
}

func checkDurability(commit, fsync string) Check {
	const name = "durability"
	text := fmt.Sprintf("synchronous_commit %s, fsync %s", commit, fsync)
	if commit == "off" || fsync == "off" {
		return Check{name, Warn, text + ": commits are faster than in production, and so are the figures", "compare figures only with runs of the same settings"}
	}
	return Check{name, OK, text, ""}
}

func checkActivities(value string) Check {
	if value == "off" {
		return Check{"track_activities", Warn, "off: lock waits cannot be shown, and contention is harder to prove", "set track_activities = on"}
	}
	return Check{"track_activities", OK, value, ""}
}

func checkVisibility(member string) Check {
	const name = "pg_stat_activity"
	if member != "true" {
		return Check{name, OK, "shows what sessions of this role do; of others only that they are there", ""}
	}
	return Check{name, OK, "shows what all sessions do", ""}
}
