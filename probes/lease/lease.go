package lease

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// The refusals. They are answers of a store or a resource that works; any other
// error means that the outcome of the call is not known.
var (
	ErrHeld   = errors.New("somebody else holds it")
	ErrLost   = errors.New("it is not held any more")
	ErrFenced = errors.New("a later owner was here")
)

// Grant is a lease that was given.
type Grant struct {
	Name  string // of what is leased
	Owner string
	// Token is the fencing token: a whole number that is greater for each owner.
	Token string
	TTL   time.Duration
	// ID is the store's own name of the lease where the token is none.
	ID string
}

// Client is one owner's way to a store of leases and to the resource that they
// protect. It is used by one goroutine at a time.
type Client interface {
	// Acquire takes the lease for at most ttl, or says ErrHeld.
	Acquire(ctx context.Context, name string, ttl time.Duration) (Grant, error)
	// Renew makes the lease last Grant.TTL from now, or says ErrLost.
	Renew(ctx context.Context, g Grant) error
	// Release gives the lease back, or says ErrLost.
	Release(ctx context.Context, g Grant) error
	// Write sets the key of the resource under the lease, or says ErrFenced.
	Write(ctx context.Context, key, value string, g Grant) error
	// Read returns what the key holds, "" before the first write.
	Read(ctx context.Context, key string) (string, error)
	Close()
}

// Pauser is a Client whose process can be stopped and continued.
type Pauser interface {
	Pause() error
	Resume() error
}

// Firer is a Client with a job that must be done once for each tick of a clock,
// by whoever leads then.
type Firer interface {
	// Fire does the job of a tick under the lease, or says ErrFenced: it is done,
	// or a later leader was here.
	Fire(ctx context.Context, tick int64, g Grant) error
}

// Owner is who opens a Client.
type Owner struct {
	Name string
	// Clock is the wall clock of the owner's machine, which may be wrong. What
	// is right never asks it.
	Clock func() time.Time
	// Random is for what draws lots.
	Random func() uint64
	// Line is the owner's network, nil for the plain one.
	Line *Line
}

// Dial connects over the owner's network.
func (o Owner) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if o.Line != nil {
		return o.Line.Dial(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Backend is a store with its resource.
type Backend struct {
	Target history.Target
	// Calls are acquire, renew, release and write with what they send, for the
	// story and for who wants to copy it.
	Calls []history.Actor
	// Session says that a lease lasts as long as its connection.
	Session bool
	// MinTTL is the shortest lease that the store grants, 0 for none.
	MinTTL time.Duration
	Open   func(ctx context.Context, o Owner) (Client, error)
}

// SessionTTL stands for the time to live of a lease that ends with its session.
const SessionTTL = -time.Millisecond

// Planted names a way to do it wrong, so that one can see that it is caught.
type Planted string

// The planted failures. None is the reference.
const (
	None    Planted = ""
	Expiry  Planted = "expiry"  // writes carry no token: the owner trusts the expiry of its lease
	Random  Planted = "random"  // the token is a random number, as of a UUID
	Clock   Planted = "clock"   // the token is the time on the owner's clock
	Compare Planted = "compare" // the application reads the token, compares, and writes: three steps
	Delete  Planted = "delete"  // release deletes the lease whoever holds it
	Revive  Planted = "revive"  // renew sets the lease again, whoever holds it now
	Restart Planted = "restart" // tokens are counted in the process, and start over with it
	Skew    Planted = "skew"    // whether a lease has expired is judged by the owner's clock
	// Of a leader.
	Blind Planted = "blind" // the job is done without a look at the token and the tick
	Pool  Planted = "pool"  // the advisory lock is taken through a pool of connections
)

// Plants are all planted failures with what each does.
var Plants = []struct {
	Name Planted
	Does string
}{
	{Expiry, "writes carry no token: the owner trusts the expiry of its lease"},
	{Random, "the token is a random number, such as that of a UUID"},
	{Clock, "the token is the time on the owner's clock"},
	{Compare, "the application reads the token, compares, and writes, in three steps"},
	{Delete, "release deletes the lease, whoever holds it"},
	{Revive, "renew sets the lease again, whoever holds it by now"},
	{Restart, "tokens are counted in the process and start over with it"},
	{Skew, "whether a lease has expired is judged by the owner's clock"},
}

// SetupError says why a store cannot be used, in one sentence, and the mend.
type SetupError struct {
	Msg, Hint string
	Err       error
}

func (e *SetupError) Error() string { return e.Msg }

func (e *SetupError) Unwrap() error { return e.Err }
