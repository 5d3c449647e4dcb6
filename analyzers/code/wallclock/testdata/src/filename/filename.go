package filename

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type logger struct {
	name string
	dir  string
	id   string
}

func backupName(name string) string {
	return name + "-" + time.Now().UTC().Format("2006-01-02T15-04-05.000") // want `the clock alone tells the name of this file`
}

func (l *logger) rotate() error { return os.Rename(l.name, backupName(l.name)) }

func (l *logger) snapshot(b []byte) error {
	file := filepath.Join(l.dir, fmt.Sprintf("snapshot-%d.json", time.Now().Unix())) // want `the clock alone tells the name of this file`
	return os.WriteFile(file, b, 0o600)
}

func create(path string) (*os.File, error) { return os.Create(path) }

func (l *logger) dump() (*os.File, error) {
	return create(l.dir + "/dump-" + time.Now().Format("150405")) // want `the clock alone tells the name of this file`
}

// Near misses: one file a day, a name that nobody has, one that is looked for, names
// that differ by more than the time, a list of times.

func (l *logger) daily(b []byte) error {
	return os.WriteFile(l.dir+"/report-"+time.Now().Format("2006-01-02")+".html", b, 0o600)
}

func (l *logger) open() (*os.File, error) {
	return os.OpenFile(l.dir+"/app-"+time.Now().Format("20060102-150405")+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

func (l *logger) exclusive() (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("%s/%d", l.dir, time.Now().UnixNano()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

func (l *logger) temp() (*os.File, error) {
	return os.CreateTemp(l.dir, time.Now().Format("20060102-150405")+"-*")
}

func (l *logger) looked(b []byte) error {
	file := fmt.Sprintf("%s/%d", l.dir, time.Now().Unix())
	if _, err := os.Stat(file); err == nil {
		return os.ErrExist
	}
	return os.WriteFile(file, b, 0o600)
}

func (l *logger) own(b []byte) error {
	return os.WriteFile(fmt.Sprintf("%s/%s-%d", l.dir, l.id, time.Now().Unix()), b, 0o600)
}

func (l *logger) process() (*os.File, error) {
	return os.Create(fmt.Sprintf("%s/%d-%d", l.dir, os.Getpid(), time.Now().Unix()))
}

func (l *logger) content() error {
	return os.WriteFile(filepath.Join(l.dir, "last"), []byte(time.Now().Format(time.RFC3339)), 0o600)
}

// Near miss: one after the other, and no two nanoseconds are the same.
func (l *logger) locked(mu *sync.Mutex, b []byte) error {
	mu.Lock()
	defer mu.Unlock()
	return os.WriteFile(fmt.Sprintf("%s/%d", l.dir, time.Now().UnixNano()), b, 0o600)
}

// Objects of a store.

type bucket interface {
	PutObject(ctx context.Context, key string, b []byte) error
}

func archive(ctx context.Context, s bucket, b []byte) error {
	key := "archive/" + time.Now().UTC().Format("20060102150405") + ".gz" // want `the clock alone tells the name of this file`
	return s.PutObject(ctx, key, b)
}

func hashed(ctx context.Context, s bucket, b []byte) error {
	sum := sha256.Sum256(b)
	return s.PutObject(ctx, time.Now().Format("150405-")+hex.EncodeToString(sum[:]), b)
}
