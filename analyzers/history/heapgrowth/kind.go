package heapgrowth

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// kind is a way in which programs keep what they no longer need.
type kind struct {
	name  string
	fixes []report.Fix
}

// The kinds of leaks. The signs by which they are known are in kindOf.
var (
	listener = kind{"listener never removed", []report.Fix{
		{Kind: report.Release, Title: "Remove the listener when its owner is done", Note: "removeListener, removeEventListener or off with the same function; or once(), or addEventListener(…, {signal})"},
		{Kind: report.Bound, Title: "Register one listener for all, outside of the request"},
	}}
	abort = kind{"listener on an AbortSignal that outlives the request", []report.Fix{
		{Kind: report.Release, Title: "Remove the listener when the request has ended", Note: "signal.removeEventListener in a finally; {once: true} removes it only when the signal fires"},
		{Kind: report.Bound, Title: "Give each request a signal of its own", Note: "AbortSignal.any([request, shutdown]) holds its sources weakly"},
	}}
	timer = kind{"timer never cleared", []report.Fix{
		{Kind: report.Release, Title: "Clear the timer when the work is done", Note: "clearInterval or clearTimeout in a finally; what the callback refers to lives as long as the timer"},
	}}
	promise = kind{"promise that never settles", []report.Fix{
		{Kind: report.Release, Title: "Settle it or give it a time limit", Note: "every then() on a pending promise is kept by it; Promise.race with a long-lived promise adds two for each call"},
	}}
	stream = kind{"stream or socket never closed", []report.Fix{
		{Kind: report.Release, Title: "Close it on every path", Note: "stream.pipeline() or destroy() in a finally; a stream that nobody reads never ends by itself, and a port or channel with a listener stays until close()"},
	}}
	mapping = kind{"unbounded map", []report.Fix{
		{Kind: report.Bound, Title: "Give it a bound", Note: "an LRU with a size or a time to live; a key with a time stamp, an id or a query string in it never comes again"},
		{Kind: report.Release, Title: "Delete the entry when its owner is gone", Note: "or a WeakMap (Node), a weak.Pointer (Go), where the key is an object"},
	}}
	array = kind{"array that only grows", []report.Fix{
		{Kind: report.Bound, Title: "Keep the last N, or hand the entries on", Note: "a ring, or write to a log and forget"},
	}}
	closure = kind{"closure that keeps its scope", []report.Fix{
		{Kind: report.Release, Title: "Drop the function when it is no longer needed", Note: "a function keeps the variables of every scope that it or a sibling uses"},
	}}
	chain = kind{"list that only grows", []report.Fix{
		{Kind: report.Bound, Title: "Cut the list: keep no reference to what was before", Note: "a chain of previous values or of promises keeps all of them"},
	}}
	blocked = kind{"goroutine blocked for ever", []report.Fix{
		{Kind: report.Release, Title: "Give it a way out", Note: "select with <-ctx.Done(), or a channel with room for the answer: a send that nobody receives never ends"},
		{Kind: report.Bound, Title: "Wait for it before the request ends", Note: "errgroup or a WaitGroup shows the leak where it is made"},
	}}
	looping = kind{"goroutine that never stops", []report.Fix{
		{Kind: report.Release, Title: "Stop it when its owner is done", Note: "return on <-ctx.Done(); one for each request is one too many"},
	}}
	ticker = kind{"ticker never stopped", []report.Fix{
		{Kind: report.Release, Title: "defer ticker.Stop(), and end the loop that reads it", Note: "since Go 1.23 the ticker itself is collected; the goroutine that ranges over its channel is not"},
	}}
	body = kind{"connection or response never closed", []report.Fix{
		{Kind: report.Release, Title: "defer resp.Body.Close() on every path", Note: "an open body keeps its connection with two goroutines"},
	}}
	cancel = kind{"context never cancelled", []report.Fix{
		{Kind: report.Release, Title: "defer cancel() right after the context is made", Note: "a child stays in its parent until it is cancelled or its time is over; a parent that lives as long as the process keeps all of them"},
		{Kind: report.Bound, Title: "Make it of the request's context, not of one that lives on", Note: "r.Context() ends with the request, and its children with it"},
	}}
	piece = kind{"slice of a large array", []report.Fix{
		{Kind: report.Release, Title: "Copy what is kept: bytes.Clone, strings.Clone, slices.Clone", Note: "a small slice keeps the whole array that it is of"},
		{Kind: report.Bound, Title: "Bound what it is put into"},
	}}
	query = kind{"transaction, rows or handle of database/sql never closed", []report.Fix{
		{Kind: report.Release, Title: "Close it on every path", Note: "defer tx.Rollback() right after Begin, defer rows.Close() right after Query; a return before Commit keeps the connection and its goroutine"},
		{Kind: report.Bound, Title: "Bound what can be open: db.SetMaxOpenConns, and one *sql.DB for the process", Note: "then the leak shows as requests that wait"},
	}}
	retained = kind{"memory that is kept", []report.Fix{
		{Kind: report.Bound, Title: "Bound what the stack puts it into", Note: "a map or slice that outlives the request; the stack that allocates is not always to blame"},
		{Kind: report.Release, Title: "Copy what is needed of a large buffer", Note: "a small slice keeps the whole array: bytes.Clone, strings.Clone, slices.Clone"},
	}}
)

// kindOf names the kind of a V8 leak by its paths.
// List says that most of the objects hang on others of their class.
func kindOf(g *report.Growth, paths [][]report.Held, list bool) string {
	return classify(g, paths, list).name
}

func classify(g *report.Growth, paths [][]report.Held, list bool) kind {
	var names, classes, all []string
	for _, p := range paths {
		for _, s := range p {
			all = append(all, s.Class)
		}
		for _, s := range p[near(p):] {
			names, classes = append(names, s.Name), append(classes, s.Class)
		}
	}
	has := func(list []string, parts ...string) bool {
		for _, text := range list {
			for _, p := range parts {
				if strings.Contains(text, p) {
					return true
				}
			}
		}
		return false
	}
	mine := append([]string{g.Name}, g.With...)
	owner := ownerStep(paths)
	switch {
	case has(all, "AbortSignal", "AbortController") && has(mine, "Listener"):
		return abort
	case has(mine, "Timeout", "Immediate") || has(classes, "TimersList", "PriorityQueue"):
		return timer
	case exact(mine[:1], "MessagePort", "BroadcastChannel", "Worker"):
		return stream
	case has(names, "_events", "kEvents") || has(mine, "Listener") || has(classes, "EventEmitter", "EventTarget"):
		return listener
	case exact(mine, "Promise", "PromiseReaction") || strings.HasPrefix(owner.Class, "Promise"):
		return promise
	case has(mine, "ReadStream", "WriteStream", "Readable", "Writable", "Duplex", "Socket", "TCP", "FSReqCallback", "IncomingMessage", "FileHandle"):
		return stream
	case list || folded(paths):
		return chain
	case owner.Class == "Map" || owner.Class == "Set" || owner.Class == "Object" && !strings.Contains(g.Name, "closure"):
		return mapping
	case owner.Class == "Array":
		return array
	case strings.HasPrefix(g.Name, "closure"):
		return closure
	}
	return mapping
}

// near is the first step of a path that says what kind of leak it is: that
// before the owner. Every object of a server is reached through its listeners.
func near(path []report.Held) int {
	for i, s := range path {
		if s.Owner {
			return max(i-1, 0)
		}
	}
	return max(len(path)-3, 0)
}

func exact(list []string, words ...string) bool {
	for _, text := range list {
		for _, w := range words {
			if text == w {
				return true
			}
		}
	}
	return false
}

// ownerStep is the step in which the objects gather.
func ownerStep(paths [][]report.Held) report.Held {
	for _, p := range paths {
		for _, s := range p {
			if s.Owner {
				return s
			}
		}
	}
	return report.Held{}
}

// folded reports whether a path is as long as a list.
func folded(paths [][]report.Held) bool {
	for _, p := range paths {
		for _, s := range p {
			if strings.HasPrefix(s.Name, "… ") || strings.Contains(s.Class, " ×") {
				return true
			}
		}
	}
	return false
}

// fixesOf are the mends of a kind.
func fixesOf(name string) []report.Fix {
	for _, k := range []kind{listener, abort, timer, promise, stream, mapping, array, closure, chain, blocked, looping, ticker, body, query, cancel, piece, retained} {
		if k.name == name {
			return k.fixes
		}
	}
	return nil
}
