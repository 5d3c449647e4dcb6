package renewal

import (
	"encoding/json"
	"time"
)

type record struct {
	Holder    string        `json:"holder"`
	Duration  time.Duration `json:"duration"`
	RenewTime time.Time     `json:"renewTime"`
}

type elector struct {
	id       string
	observed record
	at       time.Time
}

func (e *elector) free(raw []byte) bool {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return false
	}
	return r.Holder == "" || r.RenewTime.Add(r.Duration).Before(time.Now()) // want `whether a lease is over is told by the time that its holder wrote`
}

// The time at which this process saw the record change.
func (e *elector) freeObserved(r record) bool {
	now := time.Now()
	if r != e.observed {
		e.observed, e.at = r, now
	}
	return r.Holder == "" || e.at.Add(r.Duration).Before(now)
}

type shardLease struct {
	Owner       string    `db:"owner"`
	HeartbeatAt time.Time `db:"heartbeat_at"`
}

func stale(l *shardLease) bool {
	return time.Since(l.HeartbeatAt) > time.Minute // want `whether a lease is over is told by the time that its holder wrote`
}

// Who is online is shown, and nobody takes anything for it.
type presence struct {
	User        string    `json:"user"`
	HeartbeatAt time.Time `json:"heartbeat_at"`
}

func online(p presence) bool { return time.Since(p.HeartbeatAt) < time.Minute }

// A cache refreshes itself.
type cached struct {
	RefreshedAt time.Time
	owner       string
}

func (c *cached) old() bool { return time.Since(c.RefreshedAt) > time.Minute }
