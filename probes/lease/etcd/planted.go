package etcd

import (
	"context"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
)

// What is wrong.
const (
	given     = "LeaseGrant(ttl)\nIf CreateRevision(lock) = 0  Then Put(lock, owner, lease)      -- token: made by the owner"
	revive    = "LeaseGrant(ttl)\nPut(lock, owner, lease)"
	drop      = "Delete(lock)"
	bare      = "Put(data, value)"
	threefold = "Range(data/token)\n-- in the application: if token <= mine\nPut(data, value), Put(data/token, token)"
)

// wrong is a Client with one thing wrong.
type wrong struct {
	*Client
	planted lease.Planted
	counter *lease.Counter
}

// Close is also the owner's leave from the service that counts.
func (w *wrong) Close() {
	w.counter.Leave()
	w.Client.Close()
}

// told is what a call sends, for the story.
func told(call, text string, planted lease.Planted) string {
	other := map[lease.Planted]map[string]string{
		lease.Expiry: {"write": bare}, lease.Compare: {"write": threefold}, lease.Delete: {"release": drop}, lease.Revive: {"renew": revive},
		lease.Random: {"acquire": given}, lease.Clock: {"acquire": given}, lease.Restart: {"acquire": given},
	}
	if s, ok := other[planted][call]; ok {
		return s
	}
	return text
}

func (w *wrong) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	g, err := w.Client.Acquire(ctx, name, ttl)
	if err != nil {
		return g, err
	}
	switch w.planted {
	case lease.Random:
		g.Token = strconv.FormatUint(w.owner.Random()>>2, 10)
	case lease.Clock:
		g.Token = strconv.FormatInt(w.owner.Clock().UnixMilli(), 10)
	case lease.Restart:
		g.Token = strconv.FormatInt(w.counter.Next(), 10)
	}
	return g, nil
}

// Renew puts the key on a new lease, whoever holds it.
func (w *wrong) Renew(ctx context.Context, g lease.Grant) error {
	if w.planted != lease.Revive {
		return w.Client.Renew(ctx, g)
	}
	id, err := w.grant(ctx, g.TTL)
	if err != nil {
		return err
	}
	_, _, err = w.txn(ctx, nil, []op{put(w.lock(g.Name), g.Owner, id)}, nil)
	if gone(err) {
		return lease.ErrLost
	}
	return err
}

// Release of one that has made its token itself goes by the lease's number.
func (w *wrong) Release(ctx context.Context, g lease.Grant) error {
	switch w.planted {
	case lease.Delete:
		_, _, err := w.txn(ctx, nil, []op{del(w.lock(g.Name))}, nil)
		return err
	case lease.Random, lease.Clock, lease.Restart:
		err := w.revoke(ctx, g.ID)
		if gone(err) {
			return lease.ErrLost
		}
		return err
	}
	return w.Client.Release(ctx, g)
}

func (w *wrong) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	if w.planted != lease.Blind {
		return w.Client.Fire(ctx, tick, g)
	}
	_, _, err := w.txn(ctx, nil, []op{put(w.data("cron")+"/tick", padded(strconv.FormatInt(tick, 10)), "")}, nil)
	return err
}

func (w *wrong) Write(ctx context.Context, key, value string, g lease.Grant) error {
	data, fence := w.data(key), w.data(key)+"/token"
	switch w.planted {
	case lease.Compare:
		at, err := w.get(ctx, fence)
		if err != nil {
			return err
		}
		if at > padded(g.Token) {
			return lease.ErrFenced
		}
	case lease.Expiry:
	default:
		return w.Client.Write(ctx, key, value, g)
	}
	_, _, err := w.txn(ctx, nil, []op{put(data, value, ""), put(fence, padded(g.Token), "")}, nil)
	return err
}
