package explore

import "github.com/ccheck/ccheck/cmd/internal/flags"

// openApp takes the application of the scenario that was named, when it has
// one. A scenario that cannot be read is told by whoever needs it.
func (o *Options) openApp() error {
	if o.Name == "" {
		return nil
	}
	if sc, err := flags.AnyScenario(o.Name); err == nil && sc.App != nil {
		return o.App.Fill(sc, o.Name, verb)
	}
	return nil
}
