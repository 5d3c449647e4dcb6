// Package builders writes its statements with ent, goqu and xorm.
package builders

import (
	"context"
	"errors"

	"example.com/shop/ent"
	"example.com/shop/ent/wallet"
)

var errShort = errors.New("short")

func entSpend(ctx context.Context, c *ent.Client, owner string, n int64) error {
	w, err := c.Wallet.Query().Where(wallet.OwnerEQ(owner)).Only(ctx)
	if err != nil {
		return err
	}
	if w.Balance < n {
		return errShort
	}
	return w.Update().SetBalance(w.Balance - n).Exec(ctx) // want `(?s)balance of wallets is set to a value computed from an earlier read.*SELECT \* FROM wallets WHERE owner = \? LIMIT 1`
}

func entGuarded(ctx context.Context, c *ent.Client, owner string, n int64) error {
	w, err := c.Wallet.Query().Where(wallet.OwnerEQ(owner)).Only(ctx)
	if err != nil {
		return err
	}
	if w.Balance < n {
		return errShort
	}
	return w.Update().Where(wallet.BalanceGTE(n)).AddBalance(-n).Exec(ctx)
}

func entLocked(ctx context.Context, c *ent.Client, id int, owner string, n int64) error {
	tx, err := c.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w, err := tx.Wallet.Query().Where(wallet.Owner(owner)).ForUpdate().Only(ctx)
	if err != nil {
		return err
	}
	if w.Balance < n {
		return errShort
	}
	if err := tx.Wallet.UpdateOneID(w.ID).SetBalance(w.Balance - n).Exec(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

func entUnlocked(ctx context.Context, c *ent.Client, id int, n int64) error {
	tx, err := c.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w, err := tx.Wallet.Get(ctx, id)
	if err != nil {
		return err
	}
	if w.Balance < n {
		return errShort
	}
	if err := tx.Wallet.UpdateOneID(id).AddBalance(-n).Exec(ctx); err != nil { // want `balance of wallets is written because of what was read`
		return err
	}
	return tx.Commit()
}

func entOpen(ctx context.Context, c *ent.Client, owner string) error {
	there, err := c.Wallet.Query().Where(wallet.Owner(owner)).Exist(ctx)
	if err != nil {
		return err
	}
	if there {
		return errors.New("there is one")
	}
	_, err = c.Wallet.Create().SetOwner(owner).Save(ctx) // want `a row of wallets is inserted because none was found`
	return err
}

func entCounted(ctx context.Context, c *ent.Client, owner string, n int64) error {
	changed, err := c.Wallet.Update().Where(wallet.Owner(owner), wallet.BalanceGTE(n)).AddBalance(-n).Save(ctx)
	if err == nil && changed == 0 {
		err = errShort
	}
	return err
}
