package fault

// Set puts other faults in the place of those of the plan, and counts anew: for
// who cannot say beforehand which statement is the one. The rate stays that of
// New.
func (p *Plan) Set(faults ...Fault) error {
	for _, f := range faults {
		if err := f.check(); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.seen = faults, make([]int, len(faults))
	return nil
}
