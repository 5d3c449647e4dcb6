// Package lease knows the events that take, prolong and give back locks which end
// by themselves: keys with a time to live, etcd sessions, rows with an expiry.
//
// It judges nothing; fencing and kvcheckact do.
package lease

import (
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

var (
	releaseName = regexp.MustCompile(`(?i)release|unlock|free|giveup|give_up|yield|abandon($|[^e])|resign`)
	renewName   = regexp.MustCompile(`(?i)renew|extend|refresh|keep_?alive|heartbeat|prolong|touch|keep$|renewal`)
	lockName    = regexp.MustCompile(`(?i)(^|[^bc])lock|lease|mutex|leader|semaphore|guard|owner`)
	// otherName: a key with a time to live that is claimed, and is no lock: a session,
	// an entry of a cache, the sign of life of an instance.
	otherName = regexp.MustCompile(`(?i)session|cache|otp|online|presence|service|regist|member|instance|nonce|limit`)
)

// Claims are the keys that a package takes as locks.
type Claims struct {
	keys   map[string]bool // classes of fields that hold such a key
	fields map[string]bool // names of fields that such a key is stored in
	parts  map[string]bool // constant parts of such keys: "lock:"
	takers map[string]bool // types that are called locks, and take one by a key that they are given
	rows   map[string]Table
	flags  map[string]bool // fields in which it is kept that the lock was taken
	// holders are the columns that say who holds a row, stated the places of statements.
	holders, stated map[string]bool
	any             bool
}

// Of collects the claims of a package. A key without a time to live is no
// lease: it stays until its owner deletes it.
func Of(own []*flow.Summary) *Claims {
	c := &Claims{keys: map[string]bool{}, fields: map[string]bool{}, parts: map[string]bool{}, takers: map[string]bool{}, flags: map[string]bool{}}
	for _, s := range own {
		for i := range s.Events {
			if e := &s.Events[i]; claims(e) {
				c.claim(s, e)
			}
			if Takes(s, i) {
				c.any = true
				c.remembered(s, i)
			}
		}
	}
	c.holders, c.stated = holders(own), statements(own)
	c.rows = c.tables(own)
	return c
}

func claims(e *flow.Event) bool {
	return Does(e) == libs.KVClaim && !endless(e) && (!otherName.MatchString(words(e)) || lockName.MatchString(words(e)))
}

// words are what the source calls a key.
func words(e *flow.Event) string {
	return e.Key.Class[strings.LastIndexByte(e.Key.Class, '/')+1:] + " " + spoken(e.Key.Desc)
}

func spoken(d flow.Desc) string {
	text := d.Path
	if d.Root == flow.Const {
		text = d.Name
	}
	for _, a := range d.Args {
		text += " " + spoken(a)
	}
	return text
}

func (c *Claims) claim(s *flow.Summary, e *flow.Event) {
	c.any = true
	if e.Key.Class != "" {
		c.keys[e.Key.Class] = true
	}
	for _, a := range keyParts(e) {
		if a.Root == flow.Const && len(a.Name) > 2 {
			c.parts[a.Name] = true
		}
	}
	if e.Key.Root == flow.Param && e.Key.Path == "" && lockName.MatchString(short(receiver(s.Name))) {
		c.takers[receiver(s.Name)] = true
	}
	c.kept(s, e)
}

func keyParts(e *flow.Event) []flow.Desc {
	return append(e.Key.Args[:len(e.Key.Args):len(e.Key.Args)], e.Key.Desc)
}

// receiver is "(*path.Type)" of a method, the package of a function.
func receiver(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// short is the name of a function without package and receiver.
func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func endless(e *flow.Event) bool {
	return len(e.Args) > 0 && e.Args[0].Root == flow.Const && e.Args[0].Name == "0"
}

// kept notes the fields of the result that the key is stored in.
func (c *Claims) kept(s *flow.Summary, e *flow.Event) {
	for _, r := range s.Results {
		for _, p := range r {
			if p.Path != "" && p.Event < 0 && e.Key.Root == flow.Param && p.Param == e.Key.N && p.Source.Path == e.Key.Path {
				c.fields[p.Path] = true
			}
		}
	}
}

// Covers tells whether event i, which deletes a key, gives back such a lock.
func (c *Claims) Covers(s *flow.Summary, i int) bool {
	return c.Names(s, i) || c.any && releaseName.MatchString(short(s.Name))
}

// Prolongs tells whether event i gives such a lock more time: by the key, or
// because the type that takes a key it is given has a method that says so.
func (c *Claims) Prolongs(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	given := e.Key.Root == flow.Param && e.Key.Path == "" && c.takers[receiver(s.Name)]
	switch Does(e) {
	case libs.KVExpire:
		watched := e.Async && len(e.Loop) > 0 // a goroutine that prolongs what was taken
		return renewName.MatchString(short(e.In)) && (c.Names(s, i) || given) || watched && c.Names(s, i)
	case libs.KVWrite:
		return renewName.MatchString(short(e.In)) && c.Names(s, i) && lockName.MatchString(words(e)+" "+s.Name)
	}
	return false
}

// Names tells whether the key of event i is that of such a lock.
func (c *Claims) Names(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	for k := range s.Events {
		if o := &s.Events[k]; claims(o) && o.Key.String() == e.Key.String() && o.Key.Root != flow.Unknown {
			return true
		}
	}
	for _, a := range keyParts(e) {
		if a.Root == flow.Const && c.parts[a.Name] {
			return true
		}
	}
	return c.keys[e.Key.Class] || e.Key.Path != "" && c.fields["."+short(e.Key.Path)]
}

// Releases tells from names whether event i, which deletes a key, gives back a
// lock: the function says so, or the key does.
func Releases(s *flow.Summary, i int) bool {
	return releaseName.MatchString(short(s.Name)) || lockName.MatchString(s.Events[i].Key.Desc.String())
}

// Compared is the event that read the key which event i deletes because of a
// comparison of its value, -1 when there is none.
func Compared(s *flow.Summary, i int) int {
	for _, c := range s.Events[i].Conds {
		if c.Event < 0 || c.Test != flow.Decides || strings.HasSuffix(c.Path, ".err") {
			continue
		}
		if r := &s.Events[c.Event]; r.Op == libs.KVRead && r.Key.String() == s.Events[i].Key.String() {
			return c.Event
		}
	}
	return -1
}

// Takes tells whether event l takes a lock that protects what follows: a
// leadership, or a key that is claimed, asked about, and given back, or whose
// name says that it is a lock.
func Takes(s *flow.Summary, l int) bool {
	e := &s.Events[l]
	if e.Op == libs.KVLead || Row(e) {
		return true
	}
	if !claims(e) {
		return false
	}
	if strings.Contains(e.Call, "etcd") || lockName.MatchString(e.Key.Desc.String()) || lockName.MatchString(e.In) {
		return true
	}
	for k := range s.Events {
		if s.After(l, k) && returns(e, &s.Events[k]) {
			return true
		}
	}
	return false
}

// returns tells whether an event gives back the lock on a key.
func returns(lock, e *flow.Event) bool {
	return (e.Op == libs.KVDelete || e.Op == libs.KVAtomic) && e.Key.String() == lock.Key.String()
}

// Returned tells whether the lock that event l takes is given back by the same
// function, or has an owner who knows it: others are to be kept out while the work
// is done. One that is left to end limits how often it is done.
func Returned(s *flow.Summary, l int) bool {
	lock := &s.Events[l]
	if lock.Op == libs.KVLead || Row(lock) || strings.Contains(lock.Call, "etcd") {
		return true
	}
	for k := range s.Events {
		if s.After(l, k) && returns(lock, &s.Events[k]) {
			return true
		}
	}
	return false
}
