// Command app is an application with one request, POST /pay, which takes 1 from a
// balance and calls a provider. WAY says how: naive, blind, retried, idempotent.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const schema = `CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE IF NOT EXISTS payment (key text PRIMARY KEY, account int NOT NULL);`

type app struct {
	provider string
	way      string
}

func main() {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec(ctx, schema); err != nil {
		log.Fatal(err)
	}
	_ = db.Close(ctx)
	a := &app{provider: os.Getenv("PROVIDER_URL"), way: os.Getenv("WAY")}
	http.HandleFunc("POST /pay", a.pay)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func (a *app) pay(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	tries := 1
	if a.way != "naive" {
		tries = 5
	}
	db, err := pgx.Connect(r.Context(), os.Getenv("DATABASE_URL"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer func() { _ = db.Close(context.WithoutCancel(r.Context())) }()
	for range tries {
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error { return a.try(r.Context(), tx, key) })
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "40001" && e.Code != "40P01" {
			break
		}
	}
	if err == nil && a.way != "early" {
		err = a.charge(key)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, `{"paid": true}`)
}

// try is the transaction.
func (a *app) try(ctx context.Context, tx pgx.Tx, key string) error {
	if a.way == "idempotent" {
		tag, err := tx.Exec(ctx, "INSERT INTO payment VALUES ($1, 1) ON CONFLICT DO NOTHING", key)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
	}
	var balance int
	if err := tx.QueryRow(ctx, "SELECT balance FROM account WHERE id = 1 FOR NO KEY UPDATE").Scan(&balance); err != nil {
		return err
	}
	if a.way == "early" {
		if err := a.charge(key); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "UPDATE account SET balance = $1 WHERE id = 1", balance-1)
	return err
}

// charge calls the provider, which knows a key again.
func (a *app) charge(key string) error {
	res, err := http.Post(a.provider+"/charge", "application/json", strings.NewReader(fmt.Sprintf("{%q: %q}", "ref", key)))
	if err != nil {
		return err
	}
	return res.Body.Close()
}
