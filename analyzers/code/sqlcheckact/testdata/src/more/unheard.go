package more

import (
	"context"
	"errors"
	"log"

	"gorm.io/gorm"
)

// Call is one that a partner makes, perhaps twice.
type Call struct {
	Key   string `gorm:"primaryKey"`
	Cents int64
}

type till struct {
	g      *gorm.DB
	credit func(cents int64) error
	mailer teller
}

type teller interface{ SendReceipt(key string) error }

func (t *till) known(key string) (bool, error) {
	var n int64
	err := t.g.Model(&Call{}).Where("key = ?", key).Count(&n).Error
	return n > 0, err
}

// The key refuses the second row, and the money is given twice.
func (t *till) take(c *Call) error {
	known, err := t.known(c.Key)
	if err != nil || known {
		return err
	}
	if err := t.g.Create(c).Error; err != nil { // want "a row of calls is inserted because none was found, and nobody stops when it is refused"
		log.Println(err)
	}
	return t.credit(c.Cents)
}

// The error stops the second.
func (t *till) takeOnce(c *Call) error {
	known, err := t.known(c.Key)
	if err != nil || known {
		return err
	}
	if err := t.g.Create(c).Error; err != nil {
		return err
	}
	return t.credit(c.Cents)
}

// So it does when it is kept for a while.
func (t *till) takeGood(c *Call) error {
	known, err := t.known(c.Key)
	if err != nil || known {
		return err
	}
	err = t.g.Create(c).Error
	if err == nil {
		err = t.credit(c.Cents)
	}
	return err
}

// A mail goes out before anybody looks at the error.
func (t *till) takeAndTell(c *Call) error {
	var old Call
	err := t.g.Where("key = ?", c.Key).First(&old).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	err = t.g.Create(c).Error // want "nobody stops when it is refused"
	return errors.Join(err, t.mailer.SendReceipt(c.Key))
}

// What follows does not hang on the row.
func (t *till) note(c *Call) error {
	known, err := t.known(c.Key)
	if err != nil {
		return err
	}
	if !known {
		if err := t.g.Create(c).Error; err != nil {
			log.Println(err)
		}
	}
	return t.credit(c.Cents)
}

// A second row elsewhere, with the first one's error lost.
func deposit(ctx context.Context, g *gorm.DB, c *Call) error {
	var n int64
	if err := g.Model(&Call{}).Where("key = ?", c.Key).Count(&n).Error; err != nil || n > 0 {
		return err
	}
	_ = g.Create(c).Error // want "nobody stops when it is refused"
	_, err := db.ExecContext(ctx, "UPDATE accounts SET cents = cents + $1", c.Cents)
	return err
}

// A failed statement ends the transaction, and all that follows in it.
func depositAtOnce(g *gorm.DB, c *Call) error {
	return g.Transaction(func(tx *gorm.DB) error {
		var n int64
		if err := tx.Model(&Call{}).Where("key = ?", c.Key).Count(&n).Error; err != nil || n > 0 {
			return err
		}
		_ = tx.Create(c).Error
		return tx.Exec("UPDATE accounts SET cents = cents + ?", c.Cents).Error
	})
}
