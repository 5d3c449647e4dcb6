package service

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Script is SQL for the application's database.
type Script struct{ Name, Text string }

// ScriptError is an error in a seed script.
type ScriptError struct {
	Name string
	Err  error
}

func (e *ScriptError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }
func (e *ScriptError) Unwrap() error { return e.Err }

// extension is a statement that many extensions need a superuser for. In
// production an administrator has run it.
var extension = regexp.MustCompile(`(?im)^[ \t]*create[ \t]+extension\b[^;]*;`)

// Run runs the script as the application, whose tables it makes, and before it
// what makes extensions as the superuser.
func (s Script) Run(ctx context.Context, super, login *pgconn.Config) error {
	first := strings.Join(extension.FindAllString(s.Text, -1), "\n")
	if first != "" {
		if err := s.run(ctx, super, first); err != nil {
			return err
		}
	}
	rest := extension.ReplaceAllStringFunc(s.Text, func(sql string) string { return strings.Repeat("\n", strings.Count(sql, "\n")) })
	return s.run(ctx, login, rest)
}

func (s Script) run(ctx context.Context, cfg *pgconn.Config, text string) error {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connecting to run %s: %w", s.Name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, text).ReadAll(); err != nil {
		return &ScriptError{Name: s.Name, Err: err}
	}
	return nil
}
