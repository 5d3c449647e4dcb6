package a

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

type series struct{ method, url string }

type begun struct {
	verifier string
	at       time.Time
}

type oidc struct {
	mu        sync.Mutex
	verifiers map[string]string
	swept     map[string]begun
	counts    map[series]int
	stmts     map[string]*sql.Stmt
	fixed     map[string]*sql.Stmt
	clients   map[string]net.Conn
	upstream  map[string]net.Conn
	db        *sql.DB
}

// Who begins a login and does not come back stays.
func (o *oidc) login(w http.ResponseWriter, r *http.Request) {
	state := rand.Text()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.verifiers[state] = rand.Text() // want `the field verifiers only grows with what is begun and never finished`
	http.Redirect(w, r, "/auth?state="+state, http.StatusFound)
}

func (o *oidc) callback(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.verifiers, r.FormValue("state"))
}

// What is old is swept here.
func (o *oidc) loginSwept(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for k, b := range o.swept {
		if time.Since(b.at) > time.Minute {
			delete(o.swept, k)
		}
	}
	o.swept[rand.Text()] = begun{rand.Text(), time.Now()}
}

func (o *oidc) callbackSwept(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.swept, r.FormValue("state"))
}

// Each path that somebody asks for is a series.
func (o *oidc) count(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.counts[series{r.Method, r.URL.Path}]++ // want `the field counts only grows: HTTP handlers add to it`
	o.mu.Unlock()
}

func (o *oidc) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if st := o.stmts[query]; st != nil {
		return st, nil
	}
	st, err := o.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	o.stmts[query] = st // want `the field stmts only grows: callers of this package add to it`
	return st, nil
}

func (o *oidc) Events(ctx context.Context, device int) (*sql.Stmt, error) {
	return o.prepare(ctx, fmt.Sprintf(`SELECT count(*) FROM events WHERE device = %d`, device))
}

func (o *oidc) known(ctx context.Context, query string) (*sql.Stmt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if st := o.fixed[query]; st != nil {
		return st, nil
	}
	st, err := o.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	o.fixed[query] = st
	return st, nil
}

func (o *oidc) Users(ctx context.Context) (*sql.Stmt, error) {
	return o.known(ctx, `SELECT count(*) FROM users`)
}

func (o *oidc) chat(c net.Conn) {
	defer c.Close()
	o.mu.Lock()
	o.clients[c.RemoteAddr().String()] = c // want `the field clients only grows: an entry for each Conn that comes`
	o.mu.Unlock()
}

// It begins anew with a connection that nobody is seen to accept.
func (o *oidc) Again(c net.Conn) {
	o.mu.Lock()
	o.upstream[c.RemoteAddr().String()] = c
	o.mu.Unlock()
	o.Again(c)
}

func (o *oidc) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go o.chat(c)
	}
}

// A pool has as many as there are servers.
func (o *oidc) Dial(addr string) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.upstream[addr] = c
	o.mu.Unlock()
	return c, nil
}

func oidcRoutes() {
	o := &oidc{}
	http.HandleFunc("/login", o.login)
	http.HandleFunc("/callback", o.callback)
	http.HandleFunc("/swept", o.loginSwept)
	http.HandleFunc("/back", o.callbackSwept)
	http.HandleFunc("/", o.count)
}

// sessions says by its name alone what is kept in it.
type sessions struct {
	mu   sync.Mutex
	byID map[string]string
}

func (s *sessions) begin(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[rand.Text()] = r.FormValue("user") // want `the field byID only grows`
}

// products are kept for good.
type products struct {
	mu   sync.Mutex
	byID map[string]string
}

func (p *products) add(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID[rand.Text()] = r.FormValue("name")
}

func keptRoutes(s *sessions, p *products) {
	http.HandleFunc("/begin", s.begin)
	http.HandleFunc("/add", p.add)
}
