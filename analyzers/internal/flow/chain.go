package flow

import "github.com/ccheck/ccheck/analyzers/internal/libs"

// built gives an event the statement that a builder has collected.
func (m *maker) built(s *site, row *libs.Row, e *Event) {}
