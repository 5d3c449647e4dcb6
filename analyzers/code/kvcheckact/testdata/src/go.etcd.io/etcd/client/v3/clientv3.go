// Package clientv3 has the part of the library's interface that the tests use.
package clientv3

import "context"

type KeyValue struct{ Key, Value []byte }

type GetResponse struct{ Kvs []*KeyValue }

type PutResponse struct{}

type KV interface {
	Get(ctx context.Context, key string, opts ...OpOption) (*GetResponse, error)
	Put(ctx context.Context, key, val string) (*PutResponse, error)
	Txn(ctx context.Context) Txn
}

type TxnResponse struct{ Succeeded bool }

type Cmp struct{}

type Op struct{}

type OpOption func(*Op)

type Txn interface {
	If(...Cmp) Txn
	Then(...Op) Txn
	Commit() (*TxnResponse, error)
}

type Client struct{ KV }

func Compare(c Cmp, op string, v any) Cmp { return c }
func CreateRevision(key string) Cmp       { return Cmp{} }
func OpPut(key, val string) Op            { return Op{} }
func WithPrefix() OpOption                { return nil }
