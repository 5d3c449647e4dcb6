package a

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type gateway interface {
	Charge(ctx context.Context, cents int) (string, error)
}

type payments struct {
	rdb *redis.Client
	gw  gateway
	db  *sql.DB
}

// charge keeps what the gateway has answered under the key of the request: two
// requests with one key both pay.
func (p *payments) charge(ctx context.Context, idempotencyKey string, cents int) (string, error) {
	ref, err := p.rdb.Get(ctx, idempotencyKey).Result()
	if err == nil {
		return ref, nil
	}
	if ref, err = p.gw.Charge(ctx, cents); err != nil {
		return "", err
	}
	return ref, p.rdb.Set(ctx, idempotencyKey, ref, time.Hour).Err() // want "check then act on a key: GET decides, and SET follows"
}

// quoted is a cache of what the gateway says: everybody stores the same.
func (p *payments) quoted(ctx context.Context, key string, cents int) (string, error) {
	ref, err := p.rdb.Get(ctx, key).Result()
	if err == nil {
		return ref, nil
	}
	if ref, err = p.gw.Charge(ctx, cents); err != nil {
		return "", err
	}
	return ref, p.rdb.Set(ctx, key, ref, time.Hour).Err()
}

// booked lets the database find the second one; the key only saves the way.
func (p *payments) booked(ctx context.Context, idempotencyKey string, cents int) (id string, err error) {
	if id, err = p.rdb.Get(ctx, idempotencyKey).Result(); err == nil {
		return id, nil
	}
	if err = p.db.QueryRowContext(ctx, `INSERT INTO charges (key, cents) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id`, idempotencyKey, cents).Scan(&id); err != nil {
		return "", err
	}
	return id, p.rdb.Set(ctx, idempotencyKey, id, time.Hour).Err()
}

var errBusy = errors.New("busy")

// reserved takes another key first, which stays for a minute.
func (p *payments) reserved(ctx context.Context, idempotencyKey string, cents int) (string, error) {
	ref, err := p.rdb.Get(ctx, idempotencyKey).Result()
	if err == nil {
		return ref, nil
	}
	first, err := p.rdb.SetNX(ctx, "busy:"+idempotencyKey, 1, time.Minute).Result()
	if err != nil {
		return "", err
	}
	if !first {
		return "", errBusy
	}
	if ref, err = p.gw.Charge(ctx, cents); err != nil {
		return "", err
	}
	return ref, p.rdb.Set(ctx, idempotencyKey, ref, time.Hour).Err()
}

type recorder struct {
	http.ResponseWriter
	status int
}

// once runs the handlers and then says that it has.
func (p *payments) once(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := "delivery:" + r.Header.Get("X-Delivery")
		n, err := p.rdb.Exists(r.Context(), key).Result()
		if err != nil || n > 0 {
			http.Error(w, "seen", http.StatusConflict)
			return
		}
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		p.rdb.Set(r.Context(), key, rec.status, time.Hour) // want "check then act on a key: EXISTS decides, and SET follows"
	})
}

// pages keeps what the handlers have written, for who asks for the same page.
func (p *payments) pages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := "page:" + r.URL.Path
		if s, err := p.rdb.Get(r.Context(), key).Result(); err == nil {
			w.Write([]byte(s))
			return
		}
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		p.rdb.Set(r.Context(), key, rec.status, time.Minute)
	})
}

// rates are got from another server, and are the same for everybody.
func (p *payments) rates(ctx context.Context, url string) error {
	n, err := p.rdb.Exists(ctx, "rates").Result()
	if err != nil || n > 0 {
		return err
	}
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var all map[string]float64
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		return err
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.rdb.Set(ctx, "rates", b, time.Hour).Err()
}

// used says whether the token has been seen.
func (p *payments) used(ctx context.Context, token string) bool {
	_, err := p.rdb.Get(ctx, "token:"+token).Result()
	return err == nil
}

// accept takes a token once, it thinks.
func (p *payments) accept(ctx context.Context, token string) error {
	if p.used(ctx, token) {
		return errBusy
	}
	return p.rdb.Set(ctx, "token:"+token, "1", time.Hour).Err() // want "check then act on a key: GET decides, and SET follows"
}

// prolong sets only what is there.
func (p *payments) prolong(ctx context.Context, token string) error {
	if !p.used(ctx, token) {
		return errBusy
	}
	return p.rdb.Set(ctx, "token:"+token, "1", time.Hour).Err()
}
