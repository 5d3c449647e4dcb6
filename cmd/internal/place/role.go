package place

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Role is the login of an application.
type Role struct{ User, Password string }

const (
	// owner is the role of the application.
	owner = "app"
	// loader owns what Copy makes, until the application's role does.
	loader = "ccheck_loader"
)

// Owner makes a role that owns the database and what is in it, and is no
// superuser: in production row-level security and missing rights stop an
// application, and here they are to do the same. It comes after Copy.
func (p *Place) Owner(ctx context.Context) error {
	conn, err := pgconn.ConnectConfig(ctx, p.Target.Config(NewRun(), p.Limits))
	if err != nil {
		return fmt.Errorf("making the role of the application: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	r := Role{User: owner, Password: rand.Text()}
	for _, sql := range []string{
		fmt.Sprintf("create role %s login password '%s'", r.User, r.Password),
		fmt.Sprintf("do $$ begin execute format('alter database %%I owner to %s', current_database()); end $$", r.User),
		"alter schema public owner to " + r.User,
		fmt.Sprintf("do $$ begin if to_regrole('%s') is not null then reassign owned by %[1]s to %s; end if; end $$", loader, r.User),
	} {
		if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("making the role of the application: %w", err)
		}
	}
	p.Role = r
	return nil
}

// lend makes the role that owns what is loaded.
func (p *Place) lend(ctx context.Context) error {
	conn, err := pgconn.ConnectConfig(ctx, p.Target.Config(NewRun(), p.Limits))
	if err != nil {
		return fmt.Errorf("making a role that loads the copy: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "create role "+loader+" superuser").ReadAll(); err != nil {
		return fmt.Errorf("making a role that loads the copy: %w", err)
	}
	return nil
}
