// The application of the tests of explore --app: a shop with one bug for each
// value of BUG, and its fix with FIXED=1.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const schema = `
CREATE TABLE IF NOT EXISTS item (id int PRIMARY KEY, stock int NOT NULL, price int NOT NULL DEFAULT 5,
	pin text NOT NULL DEFAULT '4711', api_key text NOT NULL DEFAULT 'canary-key-1');
CREATE TABLE IF NOT EXISTS sale (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item_id int NOT NULL REFERENCES item, ref text UNIQUE,
	at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS tick (n int NOT NULL);
CREATE TABLE IF NOT EXISTS visit (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL DEFAULT gen_random_uuid());`

// pool lends connections, at most as many as it has places.
type pool chan *pgx.Conn

func newPool(size int) pool {
	p := make(pool, size)
	for range size {
		p <- nil // a connection that is opened when it is lent
	}
	return p
}

// lend calls f with a connection.
func (p pool) lend(ctx context.Context, f func(*pgx.Conn) error) error {
	select {
	case c := <-p:
		if c == nil || c.IsClosed() {
			var err error
			if c, err = pgx.Connect(ctx, os.Getenv("DATABASE_URL")); err != nil {
				p <- nil
				return err
			}
		}
		defer func() { p <- c }()
		return f(c)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p pool) exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = p.lend(ctx, func(c *pgx.Conn) error {
		tag, err := c.Exec(ctx, query, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

func (p pool) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = p.lend(ctx, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				return err
			}
			fmt.Sscan(fmt.Sprint(values[0]), &n)
		}
		return rows.Err()
	})
	return n, err
}

// tx calls f in a transaction, which is rolled back when f refuses or fails.
func (p pool) tx(ctx context.Context, o pgx.TxOptions, f func(pgx.Tx) (answer, error)) (a answer, err error) {
	err = p.lend(ctx, func(c *pgx.Conn) error {
		tx, err := c.BeginTx(ctx, o)
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx))
		if a, err = f(tx); err != nil || a.status >= 400 {
			return err
		}
		return tx.Commit(ctx)
	})
	return a, err
}

// answer is what a handler answers; an error is 500.
type answer struct {
	status int
	body   map[string]any
}

type shop struct {
	db    pool
	fixed bool

	mu    sync.Mutex
	cache map[int]int // price by item
	sold  int         // by ration
}

var soldOut = answer{http.StatusConflict, map[string]any{"error": "sold out"}}

func sold(id int64) answer { return answer{http.StatusCreated, map[string]any{"sale": id}} }

// buys are the ways to buy item 1, by BUG.
var buys = map[string]func(s *shop, r *http.Request) (answer, error){
	"lost": (*shop).lost, "auto": (*shop).auto, "pool": (*shop).pool, "pay": (*shop).pay,
	"retry": (*shop).retry, "cache": (*shop).setPrice, "both": (*shop).both, "idle": (*shop).lost,
	"secret": (*shop).secret, "visit": (*shop).visit, "ration": (*shop).ration, "lock": (*shop).locked,
}

func (s *shop) suffix() string {
	if s.fixed {
		return " FOR UPDATE"
	}
	return ""
}

// lost reads, decides and writes what it has read.
func (s *shop) lost(r *http.Request) (answer, error) {
	ctx := r.Context()
	return s.db.tx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (answer, error) {
		var stock int
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = 1"+s.suffix()).Scan(&stock); err != nil {
			return answer{}, err
		}
		if stock < 1 {
			return soldOut, nil
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = 1", stock-1)
		return sold(0), err
	})
}

// auto does the same without a transaction.
func (s *shop) auto(r *http.Request) (answer, error) {
	if s.fixed {
		n, err := s.db.exec(r.Context(), "UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0")
		if n == 0 {
			return soldOut, err
		}
		return sold(0), err
	}
	stock, err := s.db.number(r.Context(), "SELECT stock FROM item WHERE id = 1")
	if err != nil || stock < 1 {
		return soldOut, err
	}
	_, err = s.db.exec(r.Context(), "UPDATE item SET stock = $1 WHERE id = 1", stock-1)
	return sold(0), err
}

// ration counts in memory how often it may still be bought.
func (s *shop) ration(r *http.Request) (answer, error) {
	s.mu.Lock()
	s.sold++
	left := 3 - s.sold
	s.mu.Unlock()
	if left < 0 {
		return soldOut, nil
	}
	_, err := s.db.exec(r.Context(), "UPDATE item SET stock = stock - 1 WHERE id = 1")
	return sold(0), err
}

// locked does as auto under a lock of the session, which the pool lends to others;
// the fixed one keeps it in its transaction.
func (s *shop) locked(r *http.Request) (answer, error) {
	if s.fixed {
		ctx := r.Context()
		return s.db.tx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (answer, error) {
			var stock int
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
				return answer{}, err
			}
			if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = 1").Scan(&stock); err != nil || stock < 1 {
				return soldOut, err
			}
			_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = 1", stock-1)
			return sold(0), err
		})
	}
	got, err := s.db.number(r.Context(), "SELECT pg_try_advisory_lock(1)::int")
	if err != nil || got == 0 {
		return soldOut, err
	}
	defer s.db.number(r.Context(), "SELECT pg_advisory_unlock(1)::int")
	return s.auto(r)
}

// visit does as auto, for those who have come in.
func (s *shop) visit(r *http.Request) (answer, error) {
	n, err := s.db.number(r.Context(), "SELECT count(*) FROM visit WHERE key = $1", r.Header.Get("X-Key"))
	if err != nil || n == 0 {
		return answer{http.StatusForbidden, map[string]any{"error": "who are you"}}, err
	}
	return s.auto(r)
}

// enter lets somebody in.
func (s *shop) enter(r *http.Request) (a answer, err error) {
	err = s.db.lend(r.Context(), func(c *pgx.Conn) error {
		var key string
		err := c.QueryRow(r.Context(), "INSERT INTO visit DEFAULT VALUES RETURNING key").Scan(&key)
		a = answer{http.StatusOK, map[string]any{"html": "<a key='" + key + "'>"}}
		return err
	})
	return a, err
}

// secret does as auto, with secrets in its statements and its answer.
func (s *shop) secret(r *http.Request) (answer, error) {
	ctx := r.Context()
	stock, err := s.db.number(ctx, "SELECT stock, pin, api_key FROM item WHERE id = 1 AND pin = '4711'")
	if err != nil || stock < 1 {
		return soldOut, err
	}
	_, err = s.db.exec(ctx, "UPDATE item SET stock = $1, api_key = $2, pin = '1147' WHERE id = 1", stock-1, "canary-key-2")
	return answer{http.StatusCreated, map[string]any{"session": "canary-key-3"}}, err
}

// pool takes a second connection in a transaction.
func (s *shop) pool(r *http.Request) (answer, error) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	return s.db.tx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (answer, error) {
		var id int64
		if err := tx.QueryRow(ctx, "INSERT INTO sale (item_id) VALUES (1) RETURNING id").Scan(&id); err != nil {
			return answer{}, err
		}
		var price int
		var err error
		if s.fixed {
			err = tx.QueryRow(ctx, "SELECT price FROM item WHERE id = 1").Scan(&price)
		} else {
			price, err = s.db.number(ctx, "SELECT price FROM item WHERE id = 1")
		}
		return sold(id), err
	})
}

// pay asks a provider for the money before, or after, it knows that the
// reference is new.
func (s *shop) pay(r *http.Request) (answer, error) {
	ctx, ref := r.Context(), r.Header.Get("Idempotency-Key")
	known := answer{http.StatusOK, map[string]any{"known": true}}
	const insert = "INSERT INTO sale (item_id, ref) VALUES (1, $1)"
	if s.fixed {
		n, err := s.db.exec(ctx, insert+" ON CONFLICT (ref) DO NOTHING", ref)
		if err != nil || n == 0 {
			return known, err
		}
		return sold(0), charge(ref)
	}
	n, err := s.db.number(ctx, "SELECT count(*) FROM sale WHERE ref = $1", ref)
	if err != nil || n > 0 {
		return known, err
	}
	if err := charge(ref); err != nil {
		return answer{}, err
	}
	_, err = s.db.exec(ctx, insert, ref)
	var conflict *pgconn.PgError
	if errors.As(err, &conflict) && conflict.Code == "23505" {
		return known, nil
	}
	return sold(0), err
}

func charge(ref string) error {
	b, _ := json.Marshal(map[string]string{"ref": ref})
	res, err := http.Post(os.Getenv("PAY_URL")+"/charges", "application/json", bytes.NewReader(b))
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// retry is serializable; only the fixed one starts over.
func (s *shop) retry(r *http.Request) (answer, error) {
	for range 10 {
		a, err := s.serializable(r)
		var e *pgconn.PgError
		if s.fixed && errors.As(err, &e) && e.Code == "40001" {
			continue
		}
		return a, err
	}
	return answer{}, errors.New("too many tries")
}

func (s *shop) serializable(r *http.Request) (answer, error) {
	ctx := r.Context()
	return s.db.tx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) (answer, error) {
		var n int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM sale").Scan(&n); err != nil {
			return answer{}, err
		}
		if n >= 2 {
			return soldOut, nil
		}
		_, err := tx.Exec(ctx, "INSERT INTO sale (item_id) VALUES (1)")
		return sold(0), err
	})
}

// both runs its two queries at once, on two connections.
func (s *shop) both(r *http.Request) (answer, error) {
	ctx := r.Context()
	var stock int
	errs := make(chan error, 2)
	go func() {
		var err error
		stock, err = s.db.number(ctx, "SELECT stock FROM item WHERE id = 1")
		errs <- err
	}()
	go func() {
		_, err := s.db.number(ctx, "SELECT price FROM item WHERE id = 1")
		errs <- err
	}()
	if err := errors.Join(<-errs, <-errs); err != nil || stock < 1 {
		return soldOut, err
	}
	update := "UPDATE item SET stock = $1::int - 1 WHERE id = 1"
	if s.fixed {
		update = "UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0 AND $1::int > 0"
	}
	n, err := s.db.exec(ctx, update, stock)
	if n == 0 {
		return soldOut, err
	}
	return sold(0), err
}

// setPrice raises the price, and forgets what is cached before or after that
// can be seen.
func (s *shop) setPrice(r *http.Request) (answer, error) {
	_, err := s.db.exec(r.Context(), "UPDATE item SET price = 9 WHERE id = 1")
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cache, 1)
	return sold(0), err
}

// price reads through the cache; the fixed one reads the table.
func (s *shop) price(r *http.Request) (answer, error) {
	s.mu.Lock()
	price, known := s.cache[1]
	s.mu.Unlock()
	if !known || s.fixed {
		var err error
		if price, err = s.db.number(r.Context(), "SELECT price FROM item WHERE id = 1"); err != nil {
			return answer{}, err
		}
		s.mu.Lock()
		s.cache[1] = price
		s.mu.Unlock()
	}
	return answer{http.StatusOK, map[string]any{"price": price}}, nil
}

func reply(w http.ResponseWriter, a answer, err error) {
	if err != nil {
		log.Print(err)
		a = answer{http.StatusInternalServerError, map[string]any{"error": "internal"}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

func main() {
	bug := os.Getenv("BUG")
	size, err := strconv.Atoi(os.Getenv("POOL"))
	if err != nil {
		log.Fatal(err)
	}
	s := &shop{db: newPool(size), fixed: os.Getenv("FIXED") == "1", cache: map[int]int{}}
	if _, err := s.db.exec(context.Background(), schema); err != nil {
		log.Fatal(err)
	}
	if late, err := time.ParseDuration(os.Getenv("LATE")); err == nil {
		go s.join(late)
	}
	if bug == "idle" {
		go s.beat()
	}
	if every, err := time.ParseDuration(os.Getenv("EVERY")); err == nil {
		go work(every, strings.Split(os.Getenv("WORK"), "|"))
	}
	http.HandleFunc("POST /buy", func(w http.ResponseWriter, r *http.Request) {
		a, err := buys[bug](s, r)
		reply(w, a, err)
	})
	http.HandleFunc("POST /enter", func(w http.ResponseWriter, r *http.Request) {
		a, err := s.enter(r)
		reply(w, a, err)
	})
	http.HandleFunc("GET /price", func(w http.ResponseWriter, r *http.Request) {
		a, err := s.price(r)
		reply(w, a, err)
	})
	fmt.Println("the shop is open")
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// join is what a second process of the application does when it starts later than
// the first: it makes sure that the rows are there.
func (s *shop) join(late time.Duration) {
	time.Sleep(late)
	for range 20 {
		if _, err := s.db.exec(context.Background(), "INSERT INTO item VALUES (1, 2, 5) ON CONFLICT DO NOTHING"); err != nil {
			log.Print(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// beat is what applications do beside their requests: it asks the database for
// something of its own, all the time.
func (s *shop) beat() {
	for range time.Tick(time.Millisecond) {
		if _, err := s.db.number(context.Background(), "SELECT count(*) FROM tick"); err != nil {
			log.Print(err)
		}
	}
}

// work is a timer that writes, on a connection of its own.
func work(every time.Duration, statements []string) {
	c, err := pgx.Connect(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	for range time.Tick(every) {
		for _, sql := range statements {
			if _, err := c.Exec(context.Background(), sql); err != nil {
				log.Fatal(err)
			}
		}
	}
}
