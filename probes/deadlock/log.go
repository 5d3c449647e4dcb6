package deadlock

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// logfile is the server's log from a place on; without a name it cannot be read.
type logfile struct {
	name string
	from string // bytes
}

// openLog notes where the log ends now. A role without the right to read files
// (pg_read_server_files), or a server that logs to its standard error, has none.
func openLog(ctx context.Context, conn *pgconn.PgConn) logfile {
	rows, err := ask(ctx, conn, "select pg_current_logfile(), (pg_stat_file(pg_current_logfile())).size")
	if err != nil || len(rows) != 1 || rows[0][0] == "" {
		return logfile{}
	}
	return logfile{rows[0][0], rows[0][1]}
}

// maxLog bounds what is read of the log.
const maxLog = 4 << 20

// deadlocks are what the log has said of deadlocks since.
func (l logfile) deadlocks(ctx context.Context, conn *pgconn.PgConn) []string {
	if l.name == "" {
		return nil
	}
	rows, err := ask(ctx, conn, fmt.Sprintf("select pg_read_file('%s', %s, %d)", strings.ReplaceAll(l.name, "'", "''"), l.from, maxLog))
	if err != nil || len(rows) != 1 {
		return nil
	}
	return deadlocksIn(rows[0][0])
}

// deadlocksIn picks the reports of deadlocks out of a log: for each the lines
// that say who waits for whom, and with which statement.
func deadlocksIn(text string) []string {
	const mark, most = "deadlock detected", 40
	var list []string
	for {
		at := strings.Index(text, mark)
		if at < 0 {
			return list
		}
		text = text[at+len(mark):]
		var kept []string
		for n, line := range strings.Split(text, "\n") {
			if n > most || n > 0 && strings.Contains(line, mark) {
				break
			}
			if i := strings.Index(line, "Process "); i >= 0 {
				kept = append(kept, strings.TrimSpace(line[i:]))
			}
		}
		list = append(list, strings.Join(kept, "\n"))
	}
}
