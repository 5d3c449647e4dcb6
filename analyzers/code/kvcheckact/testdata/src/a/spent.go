package a

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

type links struct{ rdb *redis.Client }

func (l *links) find(ctx context.Context, link string) (string, error) {
	return l.rdb.Get(ctx, "link:"+link).Result()
}

func (l *links) forget(ctx context.Context, link string) error {
	return l.rdb.Del(ctx, "link:"+link).Err()
}

// Open uses what a link of one use leads to, when it has deleted the link.
func (l *links) Open(w http.ResponseWriter, r *http.Request) {
	file, err := l.find(r.Context(), r.PathValue("link"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if err := l.forget(r.Context(), r.PathValue("link")); err != nil { // want `GET decides, and DEL follows`
		http.Error(w, "later", http.StatusInternalServerError)
		return
	}
	http.ServeFile(w, r, file)
}

// Close deletes what is there, and uses nothing of it.
func (l *links) Close(w http.ResponseWriter, r *http.Request) {
	if _, err := l.find(r.Context(), r.PathValue("link")); err != nil {
		http.NotFound(w, r)
		return
	}
	if err := l.forget(r.Context(), r.PathValue("link")); err != nil {
		http.Error(w, "later", http.StatusInternalServerError)
		return
	}
	http.ServeFile(w, r, "closed.html")
}

var errHeld = errors.New("held")

// TakeOver writes over a lock that was left behind, when the claim was refused.
func TakeOver(ctx context.Context, rdb *redis.Client, name string, until int64) error {
	ok, err := rdb.SetNX(ctx, name, until, 0).Result()
	if err != nil || ok {
		return err
	}
	held, err := rdb.Get(ctx, name).Int64()
	if err != nil {
		return err
	}
	if time.Now().Unix() < held {
		return errHeld
	}
	return rdb.Set(ctx, name, until, 0).Err() // want `check then act on a key`
}

// Inside is what the owner of a claim does.
func Inside(ctx context.Context, rdb *redis.Client, name string, until int64) error {
	ok, err := rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errHeld
	}
	held, err := rdb.Get(ctx, name).Int64()
	if err != nil {
		return err
	}
	if time.Now().Unix() < held {
		return errHeld
	}
	return rdb.Set(ctx, name, until, 0).Err()
}

// Free takes the first name that a list does not have.
func Free(ctx context.Context, c *clientv3.Client, names []string) error {
	all, err := c.Get(ctx, "taken/", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, kv := range all.Kvs {
		taken[string(kv.Key)] = true
	}
	for _, name := range names {
		if taken["taken/"+name] {
			continue
		}
		_, err := c.Put(ctx, "taken/"+name, "") // want `check then act on a key`
		return err
	}
	return errHeld
}

// Note writes whatever the list has.
func Note(ctx context.Context, c *clientv3.Client, names []string) error {
	all, err := c.Get(ctx, "taken/", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	if known[""] {
		return errHeld
	}
	_, err = c.Put(ctx, "taken/last", names[len(all.Kvs)-1])
	return err
}
