package leader

import (
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/child"
	"github.com/ccheck/ccheck/probes/lease"
)

// take takes in a line of the process.
func (p *process) take(c *child.Child, line child.Line) error {
	s, err := hear(line.Text)
	if s == nil || err != nil {
		return err
	}
	p.mu.Lock()
	p.spoke = true
	p.mu.Unlock()
	switch s.what {
	case "leader":
		return p.elected(s.token, line.After)
	case "follower":
		return p.deposed(line.After)
	case "ask":
		return p.allow(c, s.tick)
	}
	return p.did(s, line.After)
}

func (p *process) elected(token string, after time.Time) error {
	h := p.d.Hold(lease.Grant{Name: job, Owner: p.name, Token: token, TTL: p.d.o.TTL})
	p.mu.Lock()
	p.leads, p.held, p.since = true, h, p.d.Elapsed()
	p.mu.Unlock()
	return p.d.Tell(p.index, lease.Told{Call: "acquire", Outcome: history.Accepted, After: after, Held: h})
}

// deposed takes in that it leads no more. One that did not is as before.
func (p *process) deposed(after time.Time) error {
	p.mu.Lock()
	led, h := p.leads, p.held
	p.leads = false
	p.mu.Unlock()
	if !led {
		return nil
	}
	return p.d.Tell(p.index, lease.Told{Call: "release", Outcome: history.Accepted, After: after, Held: h})
}

// leave is given to do a job.
type leave struct {
	asked time.Time
	given time.Time // or, when it was stopped meanwhile, let go on
}

// allow gives it leave to do the job, and stops it before that reaches it when it
// is to be paused.
func (p *process) allow(c *child.Child, tick int64) error {
	p.mu.Lock()
	p.d.asks.Store(true)
	stop := p.stop
	p.stop = nil
	p.pending[tick] = &leave{asked: time.Now(), given: time.Now()}
	if stop != nil {
		p.frozen = p.pending[tick]
	}
	p.mu.Unlock()
	if stop != nil {
		stop <- p.pause(c)
	}
	_ = c.Say("go " + strconv.FormatInt(tick, 10)) // one that is gone needs none
	return nil
}

// did takes in how a job ended.
func (p *process) did(s *said, after time.Time) error {
	p.mu.Lock()
	d := lease.Told{Call: "fire", Outcome: history.Refused, After: after, Held: p.held, Tick: s.tick}
	p.d.works.Store(true)
	if s.what == "done" {
		p.lastJob, d.Outcome = p.d.Elapsed(), history.Accepted
	}
	if l := p.pending[s.tick]; l != nil {
		d.After, d.Asked = l.given, l.asked
		delete(p.pending, s.tick)
		if l == p.frozen {
			close(p.settled)
			p.frozen = nil
		}
	}
	p.mu.Unlock()
	return p.d.Tell(p.index, d)
}
