package flow

import "strings"

// route gives a statement that runs through an interface the name of the handle
// that the type behind it chooses.
func (l *linker) route(e *Event, choice int) {
	if via := l.routed(e, choice); via != "" {
		e.On.Via = via
	}
}

// routed names the handle on which a type behind an interface runs a statement,
// when the type has more than one: a router, which sends writes to the primary
// and reads to replicas. It is "" for everything else.
func (l *linker) routed(e *Event, choice int) string {
	impls := l.impls[e.Iface]
	if e.Iface == "" || !runsSQL(e.Op) || len(impls) == 0 {
		return ""
	}
	funcs := impls[choice%len(impls)]
	name := l.handleOf(funcs[e.Method])
	for _, fn := range funcs {
		if other := l.handleOf(fn); name != "" && other != "" && other != name {
			return name
		}
	}
	return ""
}

// handleOf is what a function calls the handle on which it runs a statement: the
// method that gives it, or its field.
func (l *linker) handleOf(fn string) string {
	s := l.funcs[fn]
	if s == nil {
		return ""
	}
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case !runsSQL(e.Op):
		case e.On.Via != "":
			return e.On.Via
		case e.On.Given != "":
			return e.On.Given
		default:
			path := strings.TrimRight(e.On.Path, "[]")
			return path[strings.LastIndexByte(path, '.')+1:]
		}
	}
	return ""
}
