package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ReplicaOptions say how a replica follows its primary.
type ReplicaOptions struct {
	// ApplyDelay holds every commit back for this long on the replica
	// (recovery_min_apply_delay).
	ApplyDelay time.Duration
	// Settings are lines of postgresql.conf over those of the primary.
	Settings map[string]string
}

// AddReplica makes a hot standby that streams from the server and returns when
// it answers queries. It copies the running server, whose sessions are not
// disturbed. A replication slot keeps the log for a replica that is paused.
// The replica is stopped with its primary, if not before.
func (s *Server) AddReplica(ctx context.Context, o ReplicaOptions) (*Server, error) {
	if s.primary != nil {
		return nil, errors.New("adding a replica to a replica is not supported: add it to the primary")
	}
	s.life.Lock()
	defer s.life.Unlock()
	if s.PID() == 0 {
		return nil, errors.New("adding a replica: the primary does not run")
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	h, err := newHome(s.home.install, filepath.Dir(s.home.dir))
	if err != nil {
		return nil, err
	}
	r := &Server{home: h, primary: s, slot: "replica_" + strings.ToLower(rand.Text())}
	if err := r.clone(ctx, o); err != nil {
		return nil, joinStop(fmt.Errorf("adding a replica to %s: %w", s.Address(), err), r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas = append(s.replicas, r)
	return r, nil
}

func (s *Server) clone(ctx context.Context, o ReplicaOptions) error {
	from := s.primary.Config()
	if err := exec(ctx, from, "SELECT pg_create_physical_replication_slot('"+s.slot+"', true)"); err != nil {
		return fmt.Errorf("creating a replication slot: %w", err)
	}
	if err := s.copyPrimary(ctx); err != nil {
		return err
	}
	// libpq reads the password from a file, so that it stands in no setting.
	secret, err := s.home.secret("pass", "*:*:*:"+User+":"+from.Password+"\n")
	if err != nil {
		return err
	}
	settings := map[string]string{
		"unix_socket_directories": s.home.socket,
		"primary_slot_name":       s.slot,
		"primary_conninfo": fmt.Sprintf("host=%s port=%d user=%s sslmode=disable application_name=%s passfile=%s",
			from.Host, from.Port, User, s.slot, quoteConninfo(secret)),
		"recovery_min_apply_delay": fmt.Sprintf("%dms", o.ApplyDelay.Milliseconds()),
	}
	for name, value := range o.Settings {
		settings[name] = value
	}
	if err := s.home.configure(settings); err != nil {
		return err
	}
	return s.start(ctx, from.Password, Database)
}

// quoteConninfo quotes a value in a libpq connection string.
func quoteConninfo(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(value) + "'"
}

// copyPrimary takes a base backup by the low-level API (Continuous Archiving,
// "Making a Base Backup Using the Low Level API"). That is what pg_basebackup
// does, which not every package of the server brings; between start and stop
// the server writes full pages even with full_page_writes off.
func (s *Server) copyPrimary(ctx context.Context) error {
	conn, err := pgconn.ConnectConfig(ctx, s.primary.Config())
	if err != nil {
		return fmt.Errorf("connecting for a base backup: %w", err)
	}
	defer closeQuietly(conn)
	begin, end := "SELECT pg_backup_start('ccheck', true)", "SELECT labelfile FROM pg_backup_stop(false)"
	if s.home.install.Major < 15 {
		begin, end = "SELECT pg_start_backup('ccheck', true, false)", "SELECT labelfile FROM pg_stop_backup(false, false)"
	}
	if _, err := conn.Exec(ctx, begin).ReadAll(); err != nil {
		return fmt.Errorf("starting a base backup: %w", err)
	}
	if err := s.home.copyCluster(ctx, s.primary.home.data()); err != nil {
		return fmt.Errorf("copying the primary: %w", err)
	}
	label, err := conn.Exec(ctx, end).ReadAll()
	if err != nil {
		return fmt.Errorf("ending a base backup: %w", err)
	}
	return errors.Join(
		s.home.write("data/backup_label", label[0].Rows[0][0]),
		s.home.write("data/standby.signal", nil),
	)
}

// forget takes a stopped replica off the primary's list and drops its slot,
// for the primary would keep its log for ever. A primary that is stopping
// itself needs neither.
func (s *Server) forget(ctx context.Context, r *Server) error {
	s.mu.Lock()
	idle := s.stopped || s.frozen != nil || s.process == nil || s.process.ended()
	s.replicas = slices.DeleteFunc(s.replicas, func(x *Server) bool { return x == r })
	s.mu.Unlock()
	if idle {
		return nil
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := exec(ctx, s.Config(), "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '"+r.slot+"'")
		var answer *pgconn.PgError
		if !errors.As(err, &answer) || answer.Code != "55006" { // object_in_use: the sender has not noticed yet
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("dropping the slot of a replica: %w", err)
		case <-tick.C:
		}
	}
}

func (h *home) write(name string, text []byte) error {
	if err := os.WriteFile(h.path(name), text, 0o600); err != nil {
		return err
	}
	return h.account.Give(h.path(name))
}
