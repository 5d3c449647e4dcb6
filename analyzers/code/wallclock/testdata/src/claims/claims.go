package claims

import (
	"errors"
	"time"
)

type Claims struct {
	IssuedAt  int64 `json:"iat"`
	ExpiresAt int64 `json:"exp"`
}

func (c Claims) Valid() error {
	now := time.Now().Unix()
	if c.IssuedAt > now { // want `compared to the local clock without leeway`
		return errors.New("issued in the future")
	}
	if c.ExpiresAt < now {
		return errors.New("expired")
	}
	return nil
}

type Lease struct {
	Holder    string
	ExpiresAt time.Time
}

func clock() time.Time { return time.Now() }

func (l *Lease) Free() bool {
	return l.ExpiresAt.Before(clock()) // want `compared to the local clock without leeway`
}

func Map(m map[string]any) bool {
	return m["nbf"].(float64) <= float64(time.Now().Unix()) // want `compared to the local clock without leeway`
}

func given(l *Lease, now time.Time) bool {
	return now.After(l.ExpiresAt) // want `compared to the local clock without leeway`
}

func Given(l *Lease) bool { return given(l, time.Now()) }

// Near misses: leeway on either side, an entry of this process.

const leeway = time.Minute

func (c Claims) Lenient() bool {
	return c.IssuedAt <= time.Now().Add(leeway).Unix() && c.ExpiresAt+60 > time.Now().Unix()
}

type entry struct {
	value   string
	expires time.Time
}

func (e *entry) fresh() bool { return time.Now().Before(e.expires) }

type deviceToken struct{ Expiry time.Time }

// Near miss: the service that made it keeps it and tests it.
func expired(t deviceToken) bool { return time.Now().After(t.Expiry) }

// License is read from a file that another machine wrote.
type License struct {
	NotBefore time.Time
	Serial    string
}

func (l License) Check(now time.Time) error {
	if now.Before(l.NotBefore) { // want `compared to the local clock without leeway`
		return errors.New("not valid yet")
	}
	return nil
}

func (l License) check(now time.Time) bool { return now.Before(l.NotBefore) }

// Lenient gives its callee a clock that is shifted already.
func (l License) Lenient() bool { return !l.check(time.Now().Add(time.Minute)) }

// What stands in no structure: by what it is called beside the other one.

func window(created, expires int64) error {
	now := time.Now().Unix()
	if now < created { // want `compared to the local clock without leeway`
		return errors.New("not valid yet")
	}
	if now > expires {
		return errors.New("expired")
	}
	return nil
}

func tolerant(created, expires int64) error {
	now := time.Now().Unix()
	if now+5 < created || now-5 > expires {
		return errors.New("not valid")
	}
	return nil
}

type signature struct{ Created, Expires time.Time }

func (s signature) check() error {
	if s.Created.After(time.Now()) { // want `compared to the local clock without leeway`
		return errors.New("created in the future")
	}
	return nil
}

// Near misses: a day of birth, a beginning to come, what is shown from now on.

type form struct{ Birth, Starts, Created time.Time }

func (f form) check() error {
	if f.Birth.After(time.Now()) || f.Starts.Before(time.Now()) {
		return errors.New("no such day")
	}
	return nil
}

func visible(fs []form) (out []form) {
	for _, f := range fs {
		if !f.Created.After(time.Now()) {
			out = append(out, f)
		}
	}
	return out
}
