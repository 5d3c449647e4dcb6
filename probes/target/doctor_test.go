package target_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/target"
)

// find returns the text of a check, with its state in front.
func find(t *testing.T, list []target.Check, name string) string {
	t.Helper()
	var found []string
	for _, c := range list {
		if c.State != target.OK && c.Mend == "" && name != "connection" && c.Name == name {
			t.Errorf("%s is %s and has no mend", c.Name, c.State)
		}
		if c.Name == name {
			found = append(found, fmt.Sprintf("%s: %s | %s", c.State, c.Text, c.Mend))
		}
	}
	if len(found) == 0 {
		t.Fatalf("no check %q in %+v", name, list)
	}
	return strings.Join(found, "\n")
}

func TestDoctor(t *testing.T) {
	tg, dsn := fresh(t)
	list := target.Doctor(t.Context(), tg, run(), settings)
	silent(t, list, tg.Config(run(), settings).Password)
	for name, want := range map[string]string{
		"server binaries": "ok: PostgreSQL ", "connection": "ok: " + tg.String(), "version": "ok: PostgreSQL ", "safety rails": "ok: ",
		"rights": "ok: ", "connections": "ok: ", "role": "warn: ", "default isolation": "ok: read committed", "writes": "ok: ",
		"deadlock_timeout": "ok: 1s", "durability": "warn: synchronous_commit off, fsync off", "track_activities": "ok: on",
		"pg_stat_activity": "ok: ", "time-outs": "ok: of every session: statement 5s, lock 2s", "leftovers": "ok: none",
	} {
		if got := find(t, list, name); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if left := schemas(t, plain(t, dsn)); left != "" {
		t.Errorf("the doctor wrote: %s", left)
	}
}

// TestDoctorFindsFaults has a database in which much is wrong.
func TestDoctorFindsFaults(t *testing.T) {
	_, dsn := fresh(t)
	admin := plain(t, dsn)
	db := query(t, admin, "select current_database()")[0][0]
	for _, setting := range []string{"default_transaction_isolation = 'serializable'", "default_transaction_read_only = on", "deadlock_timeout = '3s'", "track_activities = off"} {
		query(t, admin, "alter database "+db+" set "+setting)
	}
	query(t, admin, "create schema ccheck_left; comment on schema ccheck_left is 'ccheck run=left host=h pid=1 started=2026-01-02T03:04:05Z'")
	app := parse(t, role(t, admin, dsn, "connection limit 2"))
	list := target.Doctor(t.Context(), app, run(), settings)
	silent(t, list, canary)
	for name, want := range map[string]string{
		"connection": "can be seen by everybody", "rights": "bad: user", "connections": "bad: 1 may be used", "role": `ok: "app_`,
		"default isolation": "warn: serializable", "writes": "bad: default_transaction_read_only", "deadlock_timeout": "warn: 3s, not shorter than the lock_timeout of 2s",
		"track_activities": "warn: off", "pg_stat_activity": "of others only", "leftovers": "warn: earlier runs left ccheck_left",
	} {
		if got := find(t, list, name); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestDoctorWithoutServer(t *testing.T) {
	_, dsn := fresh(t)
	wrong := parse(t, change(t, dsn, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), canary) }))
	list := target.Doctor(t.Context(), wrong, run(), settings)
	silent(t, list, canary)
	if got := find(t, list, "connection"); !strings.HasPrefix(got, "bad: ") || !strings.Contains(got, "refuses the password") {
		t.Errorf("got %q", got)
	}
	if list := target.Doctor(t.Context(), nil, run(), settings); len(list) != 1 {
		t.Errorf("without a target: %+v", list)
	}
}

// A name that says production is no reason on loopback, and is told all the same.
func TestDoctorWarnsOfANameOnLoopback(t *testing.T) {
	_, dsn := fresh(t)
	admin := plain(t, dsn)
	query(t, admin, "create database shop_production")
	defer query(t, admin, "drop database shop_production")
	named := parse(t, change(t, dsn, func(u *url.URL) { u.Path = "/shop_production" }))
	got := find(t, target.Doctor(t.Context(), named, run(), settings), "safety rails")
	if !strings.HasPrefix(got, "warn: ") || !strings.Contains(got, `the database shop_production says "production"`) {
		t.Errorf("got %q", got)
	}
}

func TestDoctorNamesTheRails(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	query(t, admin, "select pg_create_physical_replication_slot('doctor_test', true)")
	defer query(t, admin, "select pg_drop_replication_slot('doctor_test')")
	if got := find(t, target.Doctor(t.Context(), tg, run(), settings), "safety rails"); !strings.HasPrefix(got, "bad: ") || !strings.Contains(got, "replication slot") {
		t.Errorf("got %q", got)
	}
}
