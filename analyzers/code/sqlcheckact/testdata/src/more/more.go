// Package more has further shapes of check-then-act, and near-misses.
package more

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

var db *sql.DB

type H struct {
	*pgxpool.Pool
	b *bun.DB
	g *gorm.DB
	x *sqlx.DB
}

func (h *H) B40(w http.ResponseWriter, r *http.Request) {
	var at sql.NullTime
	if err := db.QueryRow("SELECT redeemed_at FROM gifts WHERE code = $1", r.FormValue("code")).Scan(&at); err != nil {
		http.Error(w, "no", 404)
		return
	}
	if at.Valid {
		http.Error(w, "used", 409)
		return
	}
	if _, err := db.Exec("UPDATE gifts SET redeemed_at = now() WHERE code = $1", r.FormValue("code")); err != nil { // want "two callers|update is lost"
		http.Error(w, "err", 500)
	}
}

func (h *H) B41(ctx context.Context, code string) error {
	var n int
	err := h.QueryRow(ctx, "SELECT uses_left FROM passes WHERE code = @code", pgx.NamedArgs{"code": code}).Scan(&n)
	if err != nil {
		return err
	}
	switch {
	case n <= 0:
		return errors.New("none")
	}
	_, err = h.Exec(ctx, "UPDATE passes SET uses_left = uses_left - 1 WHERE code = @code", pgx.NamedArgs{"code": code}) // want "two callers|update is lost"
	return err
}

func gen() string { return "x" }

func (h *H) B42(ctx context.Context) (string, error) {
	code := gen()
	for {
		var n int
		if err := h.QueryRow(ctx, "SELECT count(*) FROM links WHERE code = $1", code).Scan(&n); err != nil {
			return "", err
		}
		if n == 0 {
			break
		}
		code = gen()
	}
	_, err := h.Exec(ctx, "INSERT INTO links (code) VALUES ($1)", code) // want "two callers|update is lost"
	return code, err
}

func (h *H) B43(ctx context.Context, room int64, from, to time.Time) error {
	rows, err := h.Query(ctx, "SELECT from_at, to_at FROM bookings WHERE room = $1", room)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var f, t time.Time
		if err := rows.Scan(&f, &t); err != nil {
			return err
		}
		if f.Before(to) && from.Before(t) {
			return errors.New("busy")
		}
	}
	_, err = h.Exec(ctx, "INSERT INTO bookings (room, from_at, to_at) VALUES ($1, $2, $3)", room, from, to) // want "two callers|update is lost"
	return err
}

type Coupon struct {
	ID   int64 `bun:",pk"`
	Code string
	Left int
}

func (h *H) B44(ctx context.Context, code string) error {
	c := new(Coupon)
	if err := h.b.NewSelect().Model(c).Where("code = ?", code).Scan(ctx); err != nil {
		return err
	}
	if c.Left == 0 {
		return errors.New("none")
	}
	_, err := h.b.NewUpdate().Model(c).Set("left = left - 1").WherePK().Exec(ctx) // want "two callers|update is lost"
	return err
}

func (h *H) B45(ctx context.Context, code string) error {
	ok, err := h.b.NewSelect().Model((*Coupon)(nil)).Where("code = ?", code).Exists(ctx)
	if err != nil {
		return err
	}
	if !ok {
		_, err = h.b.NewInsert().Model(&Coupon{Code: code}).Exec(ctx) // want "two callers|update is lost"
	}
	return err
}

func (h *H) B46(code string) error {
	var c Coupon
	res := h.g.Where("code = ?", code).Limit(1).Find(&c)
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return h.g.Create(&Coupon{Code: code}).Error // want "two callers|update is lost"
	}
	return nil
}

func (h *H) B47(code string) (*Coupon, error) {
	var c Coupon
	err := h.g.Where(Coupon{Code: code}).FirstOrCreate(&c).Error // want "two callers|update is lost"
	return &c, err
}

func (h *H) B48(ctx context.Context, tx *sqlx.Tx, id int64, n int) error {
	var left int
	if err := tx.GetContext(ctx, &left, "SELECT stock FROM items WHERE id = $1", id); err != nil {
		return err
	}
	if left < n {
		return errors.New("low")
	}
	_, err := tx.ExecContext(ctx, "UPDATE items SET stock = $1 WHERE id = $2", left-n, id) // who calls it may guard it: only the whole module can tell
	return err
}

func (h *H) stock(ctx context.Context, tx pgx.Tx, id int64) (n int, err error) {
	err = tx.QueryRow(ctx, "SELECT stock FROM items WHERE id = $1", id).Scan(&n)
	return
}

func (h *H) setStock(ctx context.Context, tx pgx.Tx, id int64, n int) error {
	_, err := tx.Exec(ctx, "UPDATE items SET stock = $1 WHERE id = $2", n, id)
	return err
}

func (h *H) B49(ctx context.Context, id int64, n int) error {
	tx, err := h.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	have, err := h.stock(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := h.setStock(ctx, tx, id, have-n); err != nil { // want "two callers|update is lost"
		return err
	}
	return tx.Commit(ctx)
}

func (h *H) B50(ctx context.Context, user int64) error {
	rows, err := h.Query(ctx, "SELECT badge FROM badges WHERE user_id = $1", user)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for rows.Next() {
		var b string
		if err := rows.Scan(&b); err != nil {
			return err
		}
		have[b] = true
	}
	if have["gold"] {
		return nil
	}
	_, err = h.Exec(ctx, "INSERT INTO badges (user_id, badge) VALUES ($1, 'gold')", user) // want "two callers|update is lost"
	return err
}

func (h *H) B51(user int64) error {
	tx := h.g.Begin()
	defer tx.Rollback()
	var c Coupon
	if err := tx.Raw("SELECT * FROM coupons WHERE id = ?", user).Scan(&c).Error; err != nil {
		return err
	}
	if c.Left < 1 {
		return errors.New("none")
	}
	if err := tx.Exec("UPDATE coupons SET left = ? WHERE id = ?", c.Left-1, user).Error; err != nil { // want "two callers|update is lost"
		return err
	}
	return tx.Commit().Error
}

func (h *H) B52(token string) (int64, error) {
	var user int64
	var exp time.Time
	if err := db.QueryRow("SELECT user_id, expires FROM reset_tokens WHERE token = $1", token).Scan(&user, &exp); err != nil {
		return 0, err
	}
	if time.Now().After(exp) {
		return 0, errors.New("expired")
	}
	if _, err := db.Exec("DELETE FROM reset_tokens WHERE token = $1", token); err != nil { // want "two callers|update is lost"
		return 0, err
	}
	return user, nil
}

func (h *H) S40(code string) (*Coupon, error) {
	var c Coupon
	err := h.g.Clauses(clause.OnConflict{DoNothing: true}).Create(&Coupon{Code: code}).Error
	if err != nil {
		return nil, err
	}
	err = h.g.Where("code = ?", code).First(&c).Error
	return &c, err
}

func (h *H) S41(ctx context.Context, id int64, n int) error {
	return pgx.BeginFunc(ctx, h.Pool, func(tx pgx.Tx) error {
		var have int
		if err := tx.QueryRow(ctx, "SELECT stock FROM items WHERE id = $1 FOR UPDATE", id).Scan(&have); err != nil {
			return err
		}
		if have < n {
			return errors.New("low")
		}
		return h.setStock(ctx, tx, id, have-n)
	})
}

func (h *H) S42(ctx context.Context, mail string) error {
	_, err := h.Exec(ctx, "INSERT INTO people (mail) VALUES ($1)", mail)
	if err != nil && strings.Contains(err.Error(), "duplicate key") {
		return errors.New("taken")
	}
	return err
}

func (h *H) S43(ctx context.Context, id int64) (string, error) {
	var s string
	err := h.QueryRow(ctx, "SELECT v FROM cfg WHERE id = $1", id).Scan(&s)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, err = h.Exec(ctx, "INSERT INTO reads (cfg) VALUES ($1)", id)
	return s, err
}

func (h *H) S44(ctx context.Context, code string) error {
	var exp time.Time
	if err := db.QueryRow("SELECT expires FROM sessions_tokens WHERE token = $1", code).Scan(&exp); err != nil {
		return err
	}
	if time.Now().After(exp) {
		_, err := db.Exec("DELETE FROM sessions_tokens WHERE token = $1", code)
		return err
	}
	return nil
}

func (h *H) S45(ctx context.Context, old, pass string, id int64) error {
	var hash string
	if err := h.x.Get(&hash, "SELECT hash FROM users WHERE id = $1", id); err != nil {
		return err
	}
	if hash != old {
		return errors.New("wrong password")
	}
	_, err := h.x.Exec("UPDATE users SET hash = $1 WHERE id = $2", pass, id)
	return err
}

// --- tx retry
