// Package ent has the shape of what entgo.io/ent generates for a schema.
package ent

import (
	"context"

	"entgo.io/ent"
	"example.com/shop/ent/wallet"
)

type Query = ent.Query

type Wallet struct {
	ID      int
	Balance int64
}

func (w *Wallet) Update() *WalletUpdateOne { return nil }

type Client struct{ Wallet *WalletClient }

func (c *Client) Tx(ctx context.Context) (*Tx, error) { return nil, nil }

type Tx struct{ Wallet *WalletClient }

func (t *Tx) Commit() error   { return nil }
func (t *Tx) Rollback() error { return nil }

type WalletClient struct{}

func (c *WalletClient) Query() *WalletQuery                              { return nil }
func (c *WalletClient) Create() *WalletCreate                            { return nil }
func (c *WalletClient) Update() *WalletUpdate                            { return nil }
func (c *WalletClient) UpdateOneID(id int) *WalletUpdateOne              { return nil }
func (c *WalletClient) Get(ctx context.Context, id int) (*Wallet, error) { return nil, nil }

type WalletQuery struct{}

func (q *WalletQuery) Where(p ...wallet.Predicate) *WalletQuery  { return q }
func (q *WalletQuery) ForUpdate(opts ...any) *WalletQuery        { return q }
func (q *WalletQuery) Only(ctx context.Context) (*Wallet, error) { return nil, nil }
func (q *WalletQuery) Exist(ctx context.Context) (bool, error)   { return false, nil }

type WalletCreate struct{}

func (c *WalletCreate) SetOwner(s string) *WalletCreate           { return c }
func (c *WalletCreate) Save(ctx context.Context) (*Wallet, error) { return nil, nil }

type WalletUpdate struct{}

func (u *WalletUpdate) Where(p ...wallet.Predicate) *WalletUpdate { return u }
func (u *WalletUpdate) AddBalance(n int64) *WalletUpdate          { return u }
func (u *WalletUpdate) Save(ctx context.Context) (int, error)     { return 0, nil }

type WalletUpdateOne struct{}

func (u *WalletUpdateOne) Where(p ...wallet.Predicate) *WalletUpdateOne { return u }
func (u *WalletUpdateOne) SetBalance(n int64) *WalletUpdateOne          { return u }
func (u *WalletUpdateOne) AddBalance(n int64) *WalletUpdateOne          { return u }
func (u *WalletUpdateOne) Exec(ctx context.Context) error               { return nil }
