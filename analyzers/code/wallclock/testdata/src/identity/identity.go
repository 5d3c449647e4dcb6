package identity

import (
	"crypto/md5"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand"
	"strconv"
	"time"
)

type Order struct {
	ID      string
	Version int64
	Created int64
}

func New() *Order {
	return &Order{
		ID:      fmt.Sprintf("ord-%d", time.Now().UnixNano()), // want `the clock alone makes the field ID`
		Created: time.Now().Unix(),
	}
}

func (o *Order) Touch() {
	o.Version = time.Now().UnixMilli() // want `the clock alone makes the field Version`
}

func newToken() string {
	return strconv.FormatInt(time.Now().UnixNano(), 36) // want `the clock alone makes what newToken returns`
}

// Near misses: a random part, a seed, a file name.

func Random(o *Order) { o.ID = fmt.Sprintf("%d-%d", time.Now().UnixNano(), rand.Int63()) }

func Seed() *rand.Rand { return rand.New(rand.NewSource(time.Now().UnixNano())) }

func File() string { return "backup-" + time.Now().Format("20060102") + ".tar" }

var _ = newToken

func Insert(db *sql.DB, name string) error {
	_, err := db.Exec("INSERT INTO orders (id, name) VALUES ($1, $2)", time.Now().UnixNano(), name) // want `the clock alone makes the id of a new row`
	return err
}

func Key(m map[string]*Order, o *Order) {
	m[strconv.FormatInt(time.Now().Unix(), 10)] = o // want `the clock alone makes the key of a map`
}

func Ping(db *sql.DB) error {
	_, err := db.Exec("INSERT INTO pings (id, at) VALUES (1, $1)", time.Now().Unix())
	return err
}

func invoiceNumber() string {
	return fmt.Sprintf("INV-%d", time.Now().UnixMilli()) // want `the clock alone makes what invoiceNumber returns`
}

// What is computed from the clock alone is no more than the clock.

type Session struct{ Token, Number string }

func digest() Session {
	sum := md5.Sum([]byte(time.Now().String())) // want `the clock alone makes the field Token`
	return Session{Token: hex.EncodeToString(sum[:])}
}

func written(s *Session) {
	h := sha256.New()
	io.WriteString(h, strconv.FormatInt(time.Now().Unix(), 10)) // want `the clock alone makes the field Token`
	s.Token = fmt.Sprintf("%x", h.Sum(nil))
}

func salted(s *Session, salt []byte) {
	h := sha256.New()
	h.Write(salt)
	io.WriteString(h, strconv.FormatInt(time.Now().Unix(), 10))
	s.Token = fmt.Sprintf("%x", h.Sum(nil))
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func randomCode(n int) string {
	r := rand.New(rand.NewSource(time.Now().UnixNano())) // want `the clock alone makes what randomCode returns`
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.Intn(len(letters))]
	}
	return string(b)
}

var shared = rand.New(rand.NewSource(time.Now().UnixNano()))

func sharedCode() int { return shared.Intn(1000) }

func millis() int64 { return time.Now().UnixNano() / int64(time.Millisecond) }

func numbered(s *Session) {
	s.Number = fmt.Sprintf("R-%d", millis()) // want `the clock alone makes the field Number`
}

// What is made once, when the program starts, is one of a kind.
var build Session

func init() { prepare() }

func prepare() { build.Number = fmt.Sprintf("B-%d", time.Now().Unix()) }
