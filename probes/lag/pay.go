package lag

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// price is what is paid, and what is put in: enough for one payment of two.
const price = 100

// spend makes deposits and payments under the policy for the span.
func (d *driver) spend(ctx context.Context, p Policy, length span) error {
	c, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close(ctx)
	for i := 0; length.open(i); i++ {
		replica := c.replicas[i%len(c.replicas)]
		s := d.session(c, p, 3, "P")
		if err := s.deposit(ctx, string(p)); err != nil {
			return err
		}
		if err := s.shown(ctx, string(p), replica, length.latest); err != nil {
			return err
		}
		for range 2 {
			if err := s.pay(ctx, string(p), replica); err != nil {
				return err
			}
		}
		if err := sleep(ctx, 2*d.o.Every); err != nil {
			return err
		}
	}
	return nil
}

// deposit makes the balance enough for one payment.
func (s *session) deposit(ctx context.Context, account string) error {
	return s.call("deposit", func() (vars, error) {
		balance, err := s.book(ctx, account, strconv.Itoa(price))
		return text("account", account, "policy", string(s.policy)).number("balance", balance), err
	})
}

// shown waits until the replica shows the deposit, as a person does before the
// money is spent.
func (s *session) shown(ctx context.Context, account string, replica *conn, until time.Time) error {
	began := time.Now()
	for time.Now().Before(until) {
		balance, _, err := replica.version(ctx, "account", account)
		if err != nil || balance == price {
			return err
		}
		if err := sleep(ctx, backOff(time.Since(began))); err != nil {
			return err
		}
	}
	return nil
}

// pay reads the balance by the policy, decides, and pays on the primary.
func (s *session) pay(ctx context.Context, account string, replica *conn) error {
	return s.call("pay", func() (vars, error) {
		v := text("account", account, "policy", string(s.policy)).number("amount", price).number("version", s.version)
		from, waited, err := s.route(ctx, replica)
		v = append(v, text("asked", replica.name, "from", from.name)...).number("waited_us", waited.Microseconds())
		if err != nil {
			return v, err
		}
		seen, _, err := from.version(ctx, "account", account)
		v = v.number("seen", seen)
		if err != nil || seen < price {
			return v, err
		}
		after, err := s.book(ctx, account, fmt.Sprintf("balance - %d", price))
		return v.number("after", after), err
	})
}

// book sets the balance on the primary, and has the watchers look for it.
func (s *session) book(ctx context.Context, account, value string) (balance int64, err error) {
	version, balance, at, err := s.primary.change(ctx, fmt.Sprintf("update account set balance = %s, version = version + 1 where key = '%s' returning version, balance", value, account))
	if err == nil {
		s.knows = max(s.knows, at)
		s.version = version
		s.wrote("account/"+account, version, at)
	}
	return balance, err
}
