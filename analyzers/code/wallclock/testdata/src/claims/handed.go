package claims

import (
	"errors"
	"time"
)

// Standard is a token whose methods are handed the time by its own check.
type Standard struct {
	NotBefore int64 `json:"nbf"`
	IssuedAt  int64 `json:"iat"`
	ExpiresAt int64 `json:"exp"`
}

func (c *Standard) VerifyIssuedAt(cmp int64) bool {
	return cmp >= c.IssuedAt // want `without leeway`
}

func (c *Standard) VerifyNotBefore(cmp int64) bool { return verifyBegin(c.NotBefore, cmp, false) }

func (c *Standard) VerifyExpiresAt(cmp int64) bool { return verifyEnd(c.ExpiresAt, cmp) }

func verifyBegin(begin, at int64, required bool) bool {
	if begin == 0 {
		return !required
	}
	return at >= begin // want `without leeway`
}

func verifyEnd(end, at int64) bool {
	return at <= end // want `without leeway`
}

func (c *Standard) Valid() error {
	t := time.Now().Unix()
	if !c.VerifyIssuedAt(t) || !c.VerifyNotBefore(t) || !c.VerifyExpiresAt(t) {
		return errors.New("token is not valid now")
	}
	return nil
}

// The time is one of the options of the check.

type options struct{ now time.Time }

type Grant struct{ NotBefore time.Time }

func (g *Grant) begun(o options) error {
	if o.now.Before(g.NotBefore) { // want `without leeway`
		return errors.New("not yet")
	}
	return nil
}

func (g *Grant) Check() error { return g.begun(options{now: time.Now()}) }

// Lenient allows for skew, where it compares or where it asks.
type Lenient struct {
	NotBefore int64 `json:"nbf"`
	IssuedAt  int64 `json:"iat"`
}

const slack = 60

func (c *Lenient) VerifyIssuedAt(cmp int64) bool { return cmp+slack >= c.IssuedAt }

func (c *Lenient) VerifyNotBefore(cmp int64) bool { return cmp >= c.NotBefore }

func (c *Lenient) Valid() error {
	if !c.VerifyIssuedAt(time.Now().Unix()) || !c.VerifyNotBefore(time.Now().Unix()+slack) {
		return errors.New("token is not valid now")
	}
	return nil
}

// Planned is asked about times that are not the present.
type Planned struct{ ValidFrom time.Time }

func (p *Planned) begun(at time.Time) bool { return !at.Before(p.ValidFrom) }

func (p *Planned) Open(day time.Time) bool { return p.begun(day) && p.begun(time.Now()) }
