// An application of the tests of stress --app that does what applications
// should not, by MODE: "dies" under load, has a "limit" of requests that it
// keeps in memory, takes "few" connections, speaks "two" versions of HTTP, or acts
// "early", before it has read the request. Its counter is right.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// take takes one of what is left.
func take(ctx context.Context) (bool, error) {
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tag, err := conn.Exec(ctx, "UPDATE seat SET free = free - 1 WHERE id = 1 AND free > 0")
	return tag.RowsAffected() == 1, err
}

// few is a listener that drops what comes while it has so many connections.
type few struct {
	net.Listener
	open atomic.Int32
	most int32
}

func (l *few) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.open.Add(1) <= l.most {
			return &counted{Conn: c, of: l}, err
		}
		l.open.Add(-1)
		c.Close()
	}
}

type counted struct {
	net.Conn
	of   *few
	done atomic.Bool
}

func (c *counted) Close() error {
	if !c.done.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.Conn.Close()
}

func main() {
	mode := os.Getenv("MODE")
	var asked atomic.Int32
	http.HandleFunc("POST /take", func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if mode != "early" {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		switch {
		case mode == "dies" && n > 40:
			fmt.Println("out of luck")
			os.Exit(7)
		case mode == "limit" && n > 40:
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		ok, err := take(r.Context())
		switch {
		case err != nil:
			log.Print(err)
			http.Error(w, "internal", http.StatusInternalServerError)
		case !ok:
			http.Error(w, "nothing left", http.StatusConflict)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	if mode == "few" {
		l = &few{Listener: l, most: 4}
	}
	server := &http.Server{Protocols: &http.Protocols{}}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(mode == "two")
	log.Fatal(server.Serve(l))
}
