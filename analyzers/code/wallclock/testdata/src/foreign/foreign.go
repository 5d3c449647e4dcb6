// Package foreign has times that other machines sent.
package foreign

import (
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"time"
)

// A file and what the server keeps of it.

type entry struct {
	URL          string
	LastModified time.Time
}

type broker interface {
	Get(ctx context.Context, url string) (*entry, error)
	Put(ctx context.Context, url string, f io.Reader) error
}

func upload(ctx context.Context, b broker, url string, f *os.File) error {
	local, err := f.Stat()
	if err != nil {
		return err
	}
	remote, err := b.Get(ctx, url)
	if err != nil {
		return err
	}
	if !local.ModTime().After(remote.LastModified) { // want `two clocks decide which is newer`
		return nil
	}
	return b.Put(ctx, url, f)
}

func download(local fs.FileInfo, resp *http.Response) bool {
	at, err := http.ParseTime(resp.Header.Get("Last-Modified"))
	return err == nil && at.After(local.ModTime()) // want `two clocks decide which is newer`
}

const skew = 30 * time.Second

func tolerant(local fs.FileInfo, remote *entry) bool {
	return local.ModTime().Add(skew).After(remote.LastModified)
}

// Near misses: what a client got from this server; files of one machine.

func notModified(local fs.FileInfo, r *http.Request) bool {
	at, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !local.ModTime().After(at)
}

type indexed struct{ Modified time.Time }

type index interface {
	Find(ctx context.Context, name string) (indexed, error)
}

func scan(f fs.FileInfo) indexed { return indexed{Modified: f.ModTime()} }

func stale(ctx context.Context, ix index, f fs.FileInfo) bool {
	have, err := ix.Find(ctx, f.Name())
	return err != nil || f.ModTime().After(have.Modified)
}

type config struct{ loaded time.Time }

func (c *config) changed(f fs.FileInfo) bool { return f.ModTime().After(c.loaded) }

// How long a request was on its way.

type histogram interface{ Observe(seconds float64) }

func queued(h histogram, r *http.Request) {
	if ms, err := strconv.ParseInt(r.Header.Get("X-Request-Start"), 10, 64); err == nil {
		h.Observe(time.Since(time.UnixMilli(ms)).Seconds()) // want `elapsed time since a stored time`
	}
}

func queuedMillis(h histogram, r *http.Request) {
	if ms, err := strconv.ParseInt(r.Header.Get("X-Sent"), 10, 64); err == nil {
		h.Observe(float64(time.Now().UnixMilli() - ms)) // want `elapsed time measured with the wall clock`
	}
}

func bounded(h histogram, r *http.Request) {
	if ms, err := strconv.ParseInt(r.Header.Get("X-Request-Start"), 10, 64); err == nil {
		h.Observe(max(0, time.Since(time.UnixMilli(ms))).Seconds())
	}
}

func positive(h histogram, r *http.Request) {
	if ms, err := strconv.ParseInt(r.Header.Get("X-Request-Start"), 10, 64); err == nil {
		if d := time.Since(time.UnixMilli(ms)); d > 0 {
			h.Observe(d.Seconds())
		}
	}
}

// The time travels in the packet.

func packed(t time.Time) []byte { return binary.BigEndian.AppendUint64(nil, uint64(t.UnixNano())) }

func unpacked(b []byte) time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(b))) }

func ping(rw io.ReadWriter) (time.Duration, error) {
	if _, err := rw.Write(packed(time.Now())); err != nil {
		return 0, err
	}
	b := make([]byte, 8)
	if _, err := rw.Read(b); err != nil {
		return 0, err
	}
	return time.Since(unpacked(b)), nil // want `elapsed time since a stored time`
}

// Near misses: the time stays here; one that is only compared.

func pong(rw io.ReadWriter) (time.Duration, error) {
	sent := time.Now()
	if _, err := rw.Write(packed(sent)); err != nil {
		return 0, err
	}
	_, err := rw.Read(make([]byte, 8))
	return time.Since(sent), err
}

func old(b []byte) bool { return time.Since(unpacked(b)) > time.Hour }

// A deadline by the clock of the client, and a time that is left.

func deadline(r *http.Request) (context.Context, context.CancelFunc) {
	ms, _ := strconv.ParseInt(r.Header.Get("X-Deadline"), 10, 64)
	return context.WithDeadline(r.Context(), time.UnixMilli(ms)) // want `another machine chose by its clock`
}

func timeout(r *http.Request) (context.Context, context.CancelFunc) {
	ms, _ := strconv.ParseInt(r.Header.Get("X-Timeout"), 10, 64)
	return context.WithDeadline(r.Context(), time.Now().Add(time.Duration(ms)*time.Millisecond))
}
