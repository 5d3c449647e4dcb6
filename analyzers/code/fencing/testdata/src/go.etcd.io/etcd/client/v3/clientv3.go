// Package clientv3 has the part of the library's interface that the tests use.
package clientv3

import "context"

type KeyValue struct{ Value []byte }

type GetResponse struct{ Kvs []*KeyValue }

type PutResponse struct{}

type KV interface {
	Get(ctx context.Context, key string) (*GetResponse, error)
	Put(ctx context.Context, key, val string) (*PutResponse, error)
	Delete(ctx context.Context, key string) (*PutResponse, error)
	Txn(ctx context.Context) Txn
}

type TxnResponse struct{ Succeeded bool }

type Cmp struct{}

type Op struct{}

type Txn interface {
	If(...Cmp) Txn
	Then(...Op) Txn
	Commit() (*TxnResponse, error)
}

type Client struct{ KV }

func Compare(c Cmp, op string, v any) Cmp { return c }
func CreateRevision(key string) Cmp       { return Cmp{} }
func ModRevision(key string) Cmp          { return Cmp{} }
func OpDelete(key string) Op              { return Op{} }

type LeaseID int64

type OpOption func(*Op)

func WithLease(id LeaseID) OpOption { return nil }

func OpPut(key, val string, opts ...OpOption) Op { return Op{} }
