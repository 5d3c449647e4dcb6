package wallclock

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// changedName is when a record was changed, by the clock of whoever keeps it.
	changedName = regexp.MustCompile(`(?i)modified|updated|changed|mtime|mod_?time`)
	// sentHeader is the header of a request that says when it was sent.
	sentHeader = regexp.MustCompile(`(?i)start|sent|time|date|^ts$`)
	// signedHeader is one that says when it was signed.
	signedHeader = regexp.MustCompile(`(?i)time-?stamp`)
)

// fresher finds files that are compared with what a server keeps by the times at
// which both say that they were changed.
func (j *judge) fresher(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, x, y := ordered(in)
		if v == nil {
			return
		}
		if !modTime(x) {
			x, y = y, x
		}
		if !modTime(x) || modTime(y) || !j.served(y) {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"the time of a local file is compared with the one that a server gave: two clocks decide which is newer",
			"  the server, whose clock is 30 s ahead, stores the last version: 12:00:30",
			"  the file is changed at 12:00:10 by this clock: older, and the change is never sent",
			"fix: compare the contents, or a version that the server gives (ETag); or allow for the distance of the clocks, t.Add(skew)",
		), nil)
	})
}

// modTime tells whether a value is the time at which a file was changed.
func modTime(v ssa.Value) bool {
	c, ok := plain(v).(*ssa.Call)
	return ok && strings.HasSuffix(place.CalleeName(c.Common()), "FileInfo).ModTime")
}

// served tells whether a value is the time of change in the answer of a server: the
// header of a response, or the field of what a call with a context gave. A field that
// the package gives times of files came from a file.
func (j *judge) served(v ssa.Value) bool {
	if name, response := header(v); response {
		return strings.EqualFold(name, "Last-Modified")
	}
	f, _ := fieldRead(plain(v))
	if f == nil || !changedName.MatchString(f.Name()) {
		return false
	}
	for _, fa := range place.Addresses(j.fns, f) {
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && modTime(st.Val) {
				return false
			}
		}
	}
	c := maker(owner(plain(v)))
	return c != nil && slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return libs.IsContext(a.Type()) })
}

// maker is the call that answered with a record.
func maker(v ssa.Value) *ssa.Call {
	for range 6 {
		switch w := v.(type) {
		case nil:
			return nil
		case *ssa.Call:
			return w
		case *ssa.Alloc:
			v = place.Assigned(w)
		default:
			v = place.Base(v)
		}
	}
	return nil
}

// header is the name of the header that a time was parsed from, and whether a server
// sent it.
func header(v ssa.Value) (name string, response bool) {
	for range 8 {
		switch w := plain(v).(type) {
		case *ssa.Extract:
			v = w.Tuple
		case *ssa.Call:
			args := w.Call.Args
			switch callee := place.CalleeName(w.Common()); {
			case callee == "(net/http.Header).Get" && len(args) == 2:
				name, _ = text(args[1])
				fa, ok := loaded(args[0]).(*ssa.FieldAddr)
				return name, ok && libs.TypeName(fa.X.Type()) == "Response"
			case callee == "time.Parse", callee == "time.ParseInLocation" && len(args) > 1:
				v = args[1]
			case strings.HasPrefix(callee, "strconv.") || callee == "net/http.ParseTime" || strings.HasPrefix(callee, "strings."):
				v = args[0]
			default:
				return "", false
			}
		default:
			return "", false
		}
	}
	return "", false
}

// deadlines finds the end of a request that the machine which sent it chose by its
// own clock.
func (j *judge) deadlines(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok || place.CalleeName(c.Common()) != "context.WithDeadline" {
			return
		}
		name, response := header(c.Call.Args[1])
		if response || name == "" && !j.unpacked(c.Call.Args[1], 0) {
			return
		}
		j.Found(c.Pos(), tell.Story(
			"a deadline that another machine chose by its clock ends this request by the local one",
			"  the client, whose clock is 5 s behind, allows 3 s: until 12:00:03",
			"  the server gets the request at 12:00:05 by its clock: over already",
			"fix: send what is left, a duration, and use context.WithTimeout",
		), nil)
	})
}

// sentName is the field of a message that says when it was sent.
var sentName = regexp.MustCompile(`(?i)^(get)?(sent|enqueued|queued|produced|emitted)_?(at|on|time)$`)

// sent tells whether a time was parsed from the header of a request, or is that of a
// message, that says when it was sent.
func sent(v ssa.Value) bool {
	if c, ok := plain(v).(*ssa.Call); ok && strings.HasSuffix(place.CalleeName(c.Common()), ".AsTime") && len(c.Call.Args) == 1 {
		if get, ok := c.Call.Args[0].(*ssa.Call); ok {
			name := place.CalleeName(get.Common())
			return sentName.MatchString(name[strings.LastIndexByte(name, '.')+1:])
		}
		f, _ := fieldRead(c.Call.Args[0])
		return f != nil && sentName.MatchString(f.Name())
	}
	name, response := header(v)
	return !response && name != "" && sentHeader.MatchString(name)
}

// unpacked tells whether a time was read out of bytes that came from elsewhere, here
// or by a function of the package.
func (j *judge) unpacked(v ssa.Value, depth int) bool {
	c, ok := plain(v).(*ssa.Call)
	if !ok || depth > 4 {
		return false
	}
	name := place.CalleeName(c.Common())
	if strings.HasPrefix(name, "(encoding/binary.") || strings.HasPrefix(name, "encoding/binary.") {
		return strings.Contains(name, "Uint") || strings.Contains(name, "arint")
	}
	targets := j.calls.Targets(c.Common())
	if !timely(c.Type()) || len(targets) != 1 {
		return false
	}
	return slices.ContainsFunc(results(targets[0]), func(r ssa.Value) bool { return j.unpacked(r, depth+1) })
}

// echoName is the field of a message that says when it was sent.
var echoName = regexp.MustCompile(`(?i)^(ts|t|time|time_?stamp|(sent|ping|echo)\w*)$`)

// echoed tells whether a number is a reading that this package sent away and got back
// in a message.
func (j *judge) echoed(v ssa.Value) bool {
	f, tag := fieldRead(v)
	if f == nil || !tagName.MatchString(tag) || !echoName.MatchString(f.Name()) {
		return false
	}
	r := j.clock.fields[f]
	return r.ok && r.number && !r.shifted && j.decoded(element(recordOf(v)))
}
