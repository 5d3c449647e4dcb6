// Package etcd has keys that a transaction creates, with and without a lease.
package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

type term struct {
	cli clientv3.KV
	key string
	rev int64
}

func (t *term) campaign(ctx context.Context, me string, lease clientv3.LeaseID) (bool, error) {
	r, err := t.cli.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(t.key), "=", 0)).
		Then(clientv3.OpPut(t.key, me, clientv3.WithLease(lease))).
		Commit()
	if err != nil {
		return false, err
	}
	return r.Succeeded, nil
}

func (t *term) stepDown(ctx context.Context) error {
	_, err := t.cli.Delete(ctx, t.key) // want `released without asking whose it is`
	return err
}

func (t *term) stepDownMine(ctx context.Context) error {
	_, err := t.cli.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(t.key), "=", t.rev)).
		Then(clientv3.OpDelete(t.key)).
		Commit()
	return err
}

// names are made once, and stay until somebody deletes them: no lease, no lock.
type names struct {
	cli clientv3.KV
	dir string
}

func (n *names) Create(ctx context.Context, name string) (bool, error) {
	r, err := n.cli.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision("/names/"+name), "=", 0)).
		Then(clientv3.OpPut("/names/"+name, n.dir)).
		Commit()
	return err == nil && r.Succeeded, err
}

func (n *names) Delete(ctx context.Context, name string) error {
	_, err := n.cli.Delete(ctx, "/names/"+name)
	return err
}
