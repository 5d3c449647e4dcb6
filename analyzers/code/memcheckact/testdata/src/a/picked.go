package a

import "sync"

type coin struct {
	spent bool
	value int
}

// purse chooses coins under the lock, and marks them when it was taken again.
type purse struct {
	mu    sync.Mutex
	coins map[string]*coin
}

func (p *purse) pick(min int) (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, c := range p.coins {
		if c.spent {
			continue
		}
		if ids, min = append(ids, id), min-c.value; min <= 0 {
			return ids
		}
	}
	return nil
}

func (p *purse) mark(ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		p.coins[id].spent = true
	}
}

func (p *purse) Pay(min int) bool {
	ids := p.pick(min)
	if ids == nil {
		return false
	}
	p.mark(ids) // want `check`
	return true
}

// PayAtOnce holds the lock over both.
func (p *purse) PayAtOnce(min int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.coins {
		if !c.spent && c.value >= min {
			c.spent = true
			return true
		}
	}
	return false
}
