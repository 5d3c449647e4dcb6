package target

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ConnectReplica opens a session with the settings on a replica of the primary,
// on which a session is at hand. It refuses a server that is no replica, and one
// of another cluster. Errors are *Error.
func (t *Target) ConnectReplica(ctx context.Context, run Run, set Settings, primary *pgconn.PgConn) (*pgconn.PgConn, error) {
	conn, h, err := t.dial(ctx, run, set)
	if err != nil {
		return nil, err
	}
	if err := t.verifyReplica(ctx, conn, primary); err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	t.mu.Lock()
	t.hosts, t.version = []host{h}, versionNum(conn.ParameterStatus("server_version"))
	t.mu.Unlock()
	return conn, nil
}

func (t *Target) verifyReplica(ctx context.Context, conn, primary *pgconn.PgConn) error {
	if err := t.verifyProduct(conn); err != nil {
		return err
	}
	got, err := row(ctx, conn, "select pg_is_in_recovery()")
	if err != nil {
		return t.explainReplica(err)
	}
	if got[0] != "t" {
		return failed(Replica, t.Address()+" is no replica: it is not in recovery, as a primary or a server that was promoted is not", "name a hot standby; pg_stat_replication on the primary lists those that are attached")
	}
	ours, err1 := systemIdentifier(ctx, primary)
	theirs, err2 := systemIdentifier(ctx, conn)
	if err := errors.Join(err1, err2); err != nil {
		return t.Explain(err)
	}
	if ours != theirs && ours != "" && theirs != "" {
		return failed(Replica, fmt.Sprintf("%s is a replica of another cluster: its system identifier is %s, and that of the primary is %s", t.Address(), theirs, ours),
			"name a replica of this primary; pg_stat_replication on the primary lists those that are attached")
	}
	return nil
}

// explainReplica adds what only a replica says.
func (t *Target) explainReplica(err error) *Error {
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == "0A000" {
		return failed(Replica, fmt.Sprintf("%s refuses SERIALIZABLE, which is not possible on a hot standby (SQLSTATE 0A000)", t.Address()),
			"read there at REPEATABLE READ: take default_transaction_isolation out of the connection string, or out of the settings of the role and the database")
	}
	return t.Explain(err)
}

// systemIdentifier names the cluster; "" where the role may not ask.
func systemIdentifier(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	got, err := row(ctx, conn, "select system_identifier from pg_control_system()")
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == "42501" { // insufficient_privilege
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return got[0], nil
}

// Attached are the replicas that stream from the server, as it knows them:
// application_name at address. Another role sees that there are some and no more.
func Attached(ctx context.Context, conn *pgconn.PgConn) ([]string, error) {
	list, err := rows(ctx, conn, `select concat_ws(' at ', coalesce(nullif(application_name, ''), 'a replica'), host(client_addr)) from pg_stat_replication order by 1`)
	if err != nil {
		return nil, fmt.Errorf("asking for the replicas: %w", err)
	}
	var all []string
	for _, r := range list {
		all = append(all, strings.TrimSpace(r[0]))
	}
	return all, nil
}
