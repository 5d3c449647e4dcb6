// Package faulty has a check-then-act on rows in every function.
package faulty

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

type Store struct {
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

func (s *Store) B1(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var bal int64
	if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&bal); err != nil {
		return err
	}
	if bal < n {
		return errors.New("low")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id); err != nil { // want "two callers|update is lost"
		return err
	}
	return tx.Commit()
}

func (s *Store) B2(ctx context.Context, id, n int64) error {
	var a Account
	if err := s.x.Get(&a, "SELECT * FROM accounts WHERE id = ?", id); err != nil {
		return err
	}
	if a.Balance-n < 0 {
		return errors.New("low")
	}
	_, err := s.x.Exec("UPDATE accounts SET balance = ? WHERE id = ?", a.Balance-n, a.ID) // want "two callers|update is lost"
	return err
}

func (s *Store) B3(ctx context.Context, mail string) error {
	var n int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM users WHERE mail = $1", mail).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errors.New("taken")
	}
	_, err := s.pool.Exec(ctx, "INSERT INTO users (mail, created) VALUES ($1, now())", mail) // want "two callers|update is lost"
	return err
}

type User struct {
	ID    uint
	Mail  string
	Stock int
}

func (s *Store) B4(mail string) error {
	var n int64
	s.g.Model(&User{}).Where("mail = ?", mail).Count(&n)
	if n != 0 {
		return errors.New("taken")
	}
	return s.g.Create(&User{Mail: mail}).Error // want "two callers|update is lost"
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

func (s *Store) B5(ctx context.Context, mail string) error {
	ok, err := s.exists(ctx, mail)
	if err != nil {
		return err
	}
	if ok {
		return errors.New("taken")
	}
	return s.insert(ctx, User{Mail: mail}) // want "two callers|update is lost"
}

func (s *Store) validate(ctx context.Context, code string) error {
	var used bool
	var exp time.Time
	if err := s.db.QueryRowContext(ctx, "SELECT used, expires FROM codes WHERE code = $1", code).Scan(&used, &exp); err != nil {
		return err
	}
	if used {
		return errors.New("used")
	}
	if time.Now().After(exp) {
		return errors.New("expired")
	}
	return nil
}

func (s *Store) B6(ctx context.Context, code string) error {
	if err := s.validate(ctx, code); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE codes SET used = true WHERE code = $1", code) // want "two callers|update is lost"
	return err
}

func (s *Store) B7(ctx context.Context, order int64) error {
	var max sql.NullInt64
	if err := s.db.QueryRowContext(ctx, "SELECT max(seq) FROM lines WHERE order_id = $1", order).Scan(&max); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO lines (order_id, seq) VALUES ($1, $2)", order, max.Int64+1) // want "two callers|update is lost"
	return err
}

func (s *Store) B8(id uint, n int) error {
	var u User
	if err := s.g.First(&u, id).Error; err != nil {
		return err
	}
	u.Stock -= n
	return s.g.Save(&u).Error // want "two callers|update is lost"
}

func (s *Store) B9(id uint, n int) error {
	u := User{}
	if err := s.g.First(&u, "id = ?", id).Error; err != nil {
		return err
	}
	if u.Stock < n {
		return errors.New("sold out")
	}
	return s.g.Model(&u).Updates(map[string]any{"stock": u.Stock - n}).Error // want "two callers|update is lost"
}

func (s *Store) B10(ctx context.Context, k string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var v int
		err := tx.QueryRow(ctx, "SELECT v FROM kv WHERE k = $1 FOR UPDATE", k).Scan(&v)
		if errors.Is(err, pgx.ErrNoRows) {
			_, err = tx.Exec(ctx, "INSERT INTO kv (k, v) VALUES ($1, 1)", k) // want "two callers|update is lost"
			return err
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE kv SET v = $2 WHERE k = $1", k, v+1)
		return err
	})
}

func (s *Store) B11(ctx context.Context, id, n int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	var bal int64
	if err := tx.QueryRow(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&bal); err != nil {
		return err
	}
	if bal < n {
		return errors.New("low")
	}
	if _, err := tx.Exec(ctx, "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id); err != nil { // want "two callers|update is lost"
		return err
	}
	return tx.Commit(ctx)
}

func (s *Store) B14(ctx context.Context, w string) (int64, error) {
	var id int64
	err := s.pool.QueryRow(ctx, "SELECT id FROM jobs WHERE status = 'pending' ORDER BY id LIMIT 1").Scan(&id)
	if err != nil {
		return 0, err
	}
	_, err = s.pool.Exec(ctx, "UPDATE jobs SET status = 'running', worker = $1 WHERE id = $2", w, id) // want "two callers|update is lost"
	return id, err
}

func (s *Store) B15(ctx context.Context, id, n int64) error {
	rows, err := s.pool.Query(ctx, "SELECT id, owner, balance FROM accounts WHERE id = $1", id)
	if err != nil {
		return err
	}
	a, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[Account])
	if err != nil {
		return err
	}
	if a.Balance < n {
		return errors.New("low")
	}
	_, err = s.pool.Exec(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", a.Balance-n, id) // want "two callers|update is lost"
	return err
}

func (s *Store) B18(ctx context.Context, id int64, tag string) error {
	var raw []byte
	if err := s.db.QueryRowContext(ctx, "SELECT doc FROM docs WHERE id = $1", id).Scan(&raw); err != nil {
		return err
	}
	var tags []string
	if err := json.Unmarshal(raw, &tags); err != nil {
		return err
	}
	tags = append(tags, tag)
	raw, err := json.Marshal(tags)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE docs SET doc = $1 WHERE id = $2", raw, id) // want "two callers|update is lost"
	return err
}

func (s *Store) B19(ctx context.Context, k string, v int) error {
	res, err := s.db.ExecContext(ctx, "UPDATE kv SET v = $2 WHERE k = $1", k, v)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = s.db.ExecContext(ctx, "INSERT INTO kv (k, v) VALUES ($1, $2)", k, v) // want "two callers|update is lost"
	}
	return err
}

func (s *Store) B21(ctx context.Context, room int64, who string, max int) error {
	rows, err := s.db.QueryContext(ctx, "SELECT guests FROM stays WHERE room = $1", room)
	if err != nil {
		return err
	}
	defer rows.Close()
	sum := 0
	for rows.Next() {
		var g int
		if err := rows.Scan(&g); err != nil {
			return err
		}
		sum += g
	}
	if sum >= max {
		return errors.New("full")
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO stays (room, who, guests) VALUES ($1, $2, 1)", room, who) // want "two callers|update is lost"
	return err
}

func (s *Store) B26(id uint, n int) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.Set("gorm:query_option", "FOR UPDATE").First(&u, id).Error; err != nil {
			return err
		}
		if u.Stock < n {
			return errors.New("out")
		}
		return tx.Model(&u).Update("stock", u.Stock-n).Error // want "two callers|update is lost"
	})
}

func (a *Account) Spendable() bool { return a.Balance > 0 }

func (s *Store) B30(ctx context.Context, id int64) error {
	a := new(Account)
	if err := s.x.GetContext(ctx, a, `SELECT id, balance FROM accounts WHERE id = $1`, id); err != nil {
		return err
	}
	if !a.Spendable() {
		return errors.New("no")
	}
	_, err := s.x.ExecContext(ctx, `UPDATE accounts SET balance = 0 WHERE id = $1`, id) // want "two callers|update is lost"
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

func (s *Store) B32(ctx context.Context, id, n int64) error {
	return s.withTx(ctx, func(tx *sql.Tx) error {
		var bal int64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&bal); err != nil {
			return err
		}
		if bal < n {
			return errors.New("low")
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id) // want "two callers|update is lost"
		return err
	})
}

// ---- safe
