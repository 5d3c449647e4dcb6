// Package stamps has locks that tell nobody apart, tokens that are stored and not
// compared, and what is made under a lock and stored in a part of a key.
package stamps

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	errBusy = errors.New("busy")
	unlock  = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	keep    = redis.NewScript(`if ARGV[2] ~= redis.call("GET", KEYS[1]) then return 0 end return redis.call("PEXPIRE", KEYS[1], ARGV[1])`)
	obtain  = redis.NewScript(`if redis.call("GET", KEYS[1]) then return 0 end redis.call("SET", KEYS[1], ARGV[1], "EX", 30) return 1`)
	page    = redis.NewScript(`local v = redis.call("GET", KEYS[1]) if v then return v end redis.call("SET", KEYS[1], ARGV[1], "EX", 30) return ARGV[1]`)
)

type store struct {
	rdb *redis.Client
	db  *sql.DB
}

// Everybody stores the same.

func (s *store) take(ctx context.Context, room string) (bool, error) {
	return s.rdb.SetNX(ctx, "lock:room:"+room, "1", time.Minute).Result()
}

func (s *store) give(ctx context.Context, room string) error {
	return unlock.Run(ctx, s.rdb, []string{"lock:room:" + room}, "1").Err() // want `all owners of a lock store the same value`
}

func (s *store) keep(ctx context.Context, room string) error {
	return keep.Run(ctx, s.rdb, []string{"lock:room:" + room}, 60000, room).Err() // want `all owners of a lock store the same value`
}

func (s *store) giveMine(ctx context.Context, room, me string) error {
	return unlock.Run(ctx, s.rdb, []string{"lock:room:" + room}, me).Err()
}

// What a request has beside the name of the lock is not the name.
func (s *store) giveByRequest(r *http.Request) error {
	return unlock.Run(r.Context(), s.rdb, []string{"lock:room:" + r.PathValue("room")}, r.FormValue("token")).Err()
}

func (s *store) giveByForm(r *http.Request) error {
	return unlock.Run(r.Context(), s.rdb, []string{"lock:room:" + r.FormValue("room")}, r.FormValue("token")).Err()
}

func (s *store) giveByNameAgain(r *http.Request) error {
	room := r.PathValue("room")
	return unlock.Run(r.Context(), s.rdb, []string{"lock:room:" + room}, "owner of "+strings.ToLower(room)).Err() // want `all owners of a lock store the same value`
}

// A word that is no lock is compared with a constant.
func (s *store) forget(ctx context.Context, user string) error {
	return unlock.Run(ctx, s.rdb, []string{"mood:" + user}, "sad").Err()
}

// A token is stored with the data; only a comparison refuses the older one.

func (s *store) lock(ctx context.Context, id string, token int64) error {
	return obtain.Run(ctx, s.rdb, []string{"lock:doc:" + id}, token).Err()
}

func (s *store) stamp(ctx context.Context, id, body string, token int64) error {
	if err := s.lock(ctx, id, token); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE docs SET body = $1, fence = $2 WHERE id = $3`, body, token, id) // want `a write under a lock with a lease carries no token`
	return err
}

func (s *store) compare(ctx context.Context, id, body string, token int64) error {
	if err := s.lock(ctx, id, token); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE docs SET body = $1, fence = $2 WHERE id = $3 AND fence < $2`, body, token, id)
	return err
}

// A cache answers with what is there.

func (s *store) cached(ctx context.Context, id, body string) error {
	return page.Run(ctx, s.rdb, []string{"page:" + id}, body).Err()
}

func (s *store) drop(ctx context.Context, id string) error { return s.rdb.Del(ctx, "page:"+id).Err() }

// Scores and fields are written over, members are added.

func (s *store) under(ctx context.Context, work func() error) error {
	me := uuid.NewString()
	if ok, err := s.rdb.SetNX(ctx, "lock:board", me, time.Minute).Result(); err != nil || !ok {
		return errBusy
	}
	defer unlock.Run(ctx, s.rdb, []string{"lock:board"}, me)
	return work()
}

func (s *store) scores(ctx context.Context, names []string, score func(string) float64) error {
	return s.under(ctx, func() error {
		var all []redis.Z
		for _, n := range names {
			all = append(all, redis.Z{Score: score(n), Member: n})
		}
		return s.rdb.ZAdd(ctx, "board", all...).Err() // want `a write under a lock with a lease carries no token`
	})
}

func (s *store) jobs(ctx context.Context, names []string, submit func(string) string) error {
	return s.under(ctx, func() error {
		var all []redis.Z
		for _, n := range names {
			all = append(all, redis.Z{Score: 1, Member: submit(n)})
		}
		return s.rdb.ZAdd(ctx, "jobs", all...).Err()
	})
}

func (s *store) price(ctx context.Context, sku string, ask func(string) float64) error {
	return s.under(ctx, func() error {
		return s.rdb.HSet(ctx, "prices", sku, ask(sku)).Err() // want `a write under a lock with a lease carries no token`
	})
}

func (s *store) copied(ctx context.Context, sku string, ask func(string) float64) error {
	return s.under(ctx, func() error {
		if err := s.rdb.HSet(ctx, "price:"+sku, "price", ask(sku)).Err(); err != nil {
			return err
		}
		return s.rdb.Expire(ctx, "price:"+sku, time.Minute).Err()
	})
}
