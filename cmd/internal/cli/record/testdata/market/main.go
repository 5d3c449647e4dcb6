// The application of the tests of record: a market with logins, orders with
// random ids, and a wallet that can be spent twice, unless FIXED=1.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

const schema = `
CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, password text NOT NULL, balance int NOT NULL);
CREATE TABLE IF NOT EXISTS session (token text PRIMARY KEY, account_id int NOT NULL REFERENCES account);
CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, account_id int NOT NULL REFERENCES account, price int NOT NULL, paid boolean NOT NULL DEFAULT false);
CREATE TABLE IF NOT EXISTS news (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);`

// market answers requests, each on a connection of its own.
type market struct{ fixed bool }

func (m *market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := pgx.Connect(r.Context(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Print(err)
		http.Error(w, "no database", http.StatusInternalServerError)
		return
	}
	defer conn.Close(context.WithoutCancel(r.Context()))
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	status, answer, err := m.route(r, conn, body)
	if err != nil {
		log.Print(err)
		status, answer = http.StatusInternalServerError, map[string]any{"error": "internal"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (m *market) route(r *http.Request, c *pgx.Conn, body map[string]any) (int, any, error) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/login":
		return login(r.Context(), c, body)
	case r.URL.Path == "/news":
		_, err := c.Exec(r.Context(), "INSERT INTO news (text) VALUES ($1)", fmt.Sprint(body["text"]))
		return http.StatusCreated, map[string]any{}, err
	}
	var account int
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if err := c.QueryRow(r.Context(), "SELECT account_id FROM session WHERE token = $1", token).Scan(&account); err != nil {
		return http.StatusUnauthorized, map[string]any{"error": "who are you?"}, nil
	}
	if len(parts) == 3 && parts[2] == "pay" {
		return m.pay(r.Context(), c, account, parts[1])
	}
	id := strings.ToLower(rand.Text())
	_, err := c.Exec(r.Context(), "INSERT INTO orders (id, account_id, price) VALUES ($1, $2, 60)", id, account)
	return http.StatusCreated, map[string]any{"id": id}, err
}

func login(ctx context.Context, c *pgx.Conn, body map[string]any) (int, any, error) {
	var account int
	err := c.QueryRow(ctx, "SELECT id FROM account WHERE password = $1", body["password"]).Scan(&account)
	if err != nil {
		return http.StatusUnauthorized, map[string]any{"error": "wrong password"}, nil
	}
	token := rand.Text()
	_, err = c.Exec(ctx, "INSERT INTO session VALUES ($1, $2)", token, account)
	return http.StatusOK, map[string]any{"token": token}, err
}

// pay takes the money of an order from the account, if it is there.
func (m *market) pay(ctx context.Context, c *pgx.Conn, account int, order string) (int, any, error) {
	tx, err := c.Begin(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	lock := ""
	if m.fixed {
		lock = " FOR UPDATE"
	}
	var balance, price int
	var paid bool
	if err := tx.QueryRow(ctx, "SELECT balance FROM account WHERE id = $1"+lock, account).Scan(&balance); err != nil {
		return 0, nil, err
	}
	if err := tx.QueryRow(ctx, "SELECT price, paid FROM orders WHERE id = $1"+lock, order).Scan(&price, &paid); err != nil || paid || balance < price {
		return http.StatusConflict, map[string]any{"error": "not now"}, nil
	}
	if _, err := tx.Exec(ctx, "UPDATE account SET balance = $2 WHERE id = $1", account, balance-price); err != nil {
		return 0, nil, err
	}
	if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", order); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]any{"left": balance - price}, tx.Commit(ctx)
}

func main() {
	conn, err := pgx.Connect(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), schema); err != nil {
		log.Fatal(err)
	}
	conn.Close(context.Background())
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), &market{fixed: os.Getenv("FIXED") == "1"}))
}
