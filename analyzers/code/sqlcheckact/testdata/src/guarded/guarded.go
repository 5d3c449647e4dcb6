// Package guarded has near-misses: every pair is guarded, or is none.
package guarded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Store struct {
	mu   sync.Mutex
	db   *sql.DB
	pool *pgxpool.Pool
	x    *sqlx.DB
	g    *gorm.DB
}

type Account struct {
	ID      int64
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
}

type User struct {
	ID    uint
	Mail  string
	Stock int
}

func (s *Store) exists(ctx context.Context, mail string) (bool, error) {
	var one int
	err := s.db.QueryRowContext(ctx, "SELECT 1 FROM users WHERE mail = $1", mail).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) insert(ctx context.Context, u User) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO users (mail) VALUES ($1)", u.Mail)
	return err
}

func (s *Store) withTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return fmt.Errorf("tx: %w", err)
	}
	return tx.Commit()
}

func (s *Store) S1(ctx context.Context, id, n int64) error {
	return s.withTx(ctx, func(tx *sql.Tx) error {
		var bal int64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&bal); err != nil {
			return err
		}
		if bal < n {
			return errors.New("low")
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id)
		return err
	})
}

func (s *Store) S2(ctx context.Context, mail string) error {
	ok, err := s.exists(ctx, mail)
	if err != nil || ok {
		return err
	}
	err = s.insert(ctx, User{Mail: mail})
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "23505" {
		return errors.New("taken")
	}
	return err
}

func (s *Store) S3(id uint, n int) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&u, id).Error; err != nil {
			return err
		}
		if u.Stock < n {
			return errors.New("out")
		}
		return tx.Model(&u).Update("stock", u.Stock-n).Error
	})
}

func (s *Store) S4(ctx context.Context, actor, target int64, name string) error {
	var role string
	if err := s.db.QueryRowContext(ctx, "SELECT role FROM users WHERE id = $1", actor).Scan(&role); err != nil {
		return err
	}
	if role != "admin" {
		return errors.New("forbidden")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE users SET name = $1 WHERE id = $2", name, target)
	return err
}

func (s *Store) S5(ctx context.Context, mail, pass string) error {
	var id int64
	var hash string
	if err := s.db.QueryRowContext(ctx, "SELECT id, hash FROM users WHERE mail = $1", mail).Scan(&id, &hash); err != nil {
		return err
	}
	if hash != pass {
		return errors.New("wrong")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE users SET last_login = now() WHERE id = $1", id)
	return err
}

func (s *Store) S6(ctx context.Context, parent int64, name string) error {
	var kind string
	if err := s.db.QueryRowContext(ctx, "SELECT kind FROM nodes WHERE id = $1", parent).Scan(&kind); err != nil {
		return err
	}
	if kind != "dir" {
		return errors.New("not a dir")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO nodes (parent, name) VALUES ($1, $2)", parent, name)
	return err
}

func (s *Store) S7(ctx context.Context, id int64, name string) error {
	var a Account
	if err := s.x.Get(&a, "SELECT id, owner FROM accounts WHERE id = $1", id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return errors.New("not found")
		}
		return err
	}
	_, err := s.x.Exec("UPDATE accounts SET owner = $1 WHERE id = $2", name, a.ID)
	return err
}

func (s *Store) S8(ctx context.Context, room int64, who string) error {
	return s.withTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE", room); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM stays WHERE room = $1", room).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errors.New("full")
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO stays (room, who) VALUES ($1, $2)", room, who)
		return err
	})
}

func (s *Store) S9(ctx context.Context, token string) (int64, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "DELETE FROM tokens WHERE token = $1 RETURNING user_id", token).Scan(&id)
	return id, err
}

func (s *Store) S10(ctx context.Context, w string) (int64, error) {
	var id int64
	err := s.pool.QueryRow(ctx, `UPDATE jobs SET status = 'running', worker = $1 WHERE id = (
		SELECT id FROM jobs WHERE status = 'pending' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`, w).Scan(&id)
	return id, err
}

func (s *Store) S11(ctx context.Context, k string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", k); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM kv WHERE k = $1", k).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
		_, err := tx.Exec(ctx, "INSERT INTO kv (k) VALUES ($1)", k)
		return err
	})
}

func (s *Store) S12(ctx context.Context, id int64, status string) error {
	var cur string
	if err := s.db.QueryRowContext(ctx, "SELECT status FROM orders WHERE id = $1", id).Scan(&cur); err != nil {
		return err
	}
	if cur != "new" {
		return errors.New("bad state")
	}
	res, err := s.db.ExecContext(ctx, "UPDATE orders SET status = $1 WHERE id = $2 AND status = $3", status, id, cur)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return errors.New("changed meanwhile")
	}
	return nil
}

func (s *Store) Conflict(ctx context.Context, mail string) error {
	var dup bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM people WHERE mail = $1)", mail).Scan(&dup); err != nil {
		return err
	}
	if dup {
		return errors.New("taken")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO people (mail) VALUES ($1) ON CONFLICT (mail) DO NOTHING", mail)
	return err
}

func (s *Store) Serial(ctx context.Context, room int64) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM beds WHERE room = $1", room).Scan(&n); err != nil {
			return err
		}
		if n > 3 {
			return errors.New("full")
		}
		_, err := tx.Exec(ctx, "INSERT INTO beds (room) VALUES ($1)", room)
		return err
	})
}

func (s *Store) Version(ctx context.Context, id int64) error {
	var points, version int64
	if err := s.db.QueryRowContext(ctx, "SELECT points, version FROM cards WHERE id = $1", id).Scan(&points, &version); err != nil {
		return err
	}
	res, err := s.db.ExecContext(ctx, "UPDATE cards SET points = $1, version = version + 1 WHERE id = $2 AND version = $3", points+1, id, version)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return errors.New("changed meanwhile")
	}
	return nil
}

func (s *Store) Mutex(ctx context.Context, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left int
	if err := s.db.QueryRowContext(ctx, "SELECT remaining FROM boxes WHERE id = $1", id).Scan(&left); err != nil {
		return err
	}
	if left == 0 {
		return errors.New("empty")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE boxes SET remaining = remaining - 1 WHERE id = $1", id)
	return err
}

func (s *Store) OwnRow(ctx context.Context, title string) error {
	var id, n int64
	if err := s.db.QueryRowContext(ctx, "INSERT INTO drafts (title) VALUES ($1) RETURNING id", title).Scan(&id); err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, "SELECT seq FROM drafts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE drafts SET seq = $1 WHERE id = $2", n+1, id)
	return err
}

// A job whose lease is over is claimed again, and only the last claim may store what
// came of it: each raises the number of attempts, and the write asks for its own.
func (s *Store) work(ctx context.Context, run func(string) string) error {
	var id, attempt int64
	var task string
	err := s.db.QueryRowContext(ctx, `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = now() + interval '1 minute'
		WHERE id = (SELECT id FROM jobs WHERE state = 'queued' OR (state = 'running' AND lease_until < now()) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, attempt, task`).Scan(&id, &attempt, &task)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE jobs SET state = 'done', result = $1 WHERE id = $2 AND attempt = $3`, run(task), id, attempt)
	return err
}

// The same by the name of the worker.
func (s *Store) workAs(ctx context.Context, me string, run func(string) string) error {
	var id int64
	var task string
	err := s.db.QueryRowContext(ctx, `UPDATE jobs SET state = 'running', worker = $1, lease_until = now() + interval '1 minute'
		WHERE id = (SELECT id FROM jobs WHERE state = 'queued' OR (state = 'running' AND lease_until < now()) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, task`, me).Scan(&id, &task)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE jobs SET state = 'done', result = $1 WHERE id = $2 AND worker = $3`, run(task), id, me)
	return err
}
