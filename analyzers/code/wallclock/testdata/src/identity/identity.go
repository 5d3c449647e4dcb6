package identity

import (
	"fmt"
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
