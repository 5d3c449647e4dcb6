// Package lease knows the events that take, and give back, locks which end by
// themselves: keys with a time to live, etcd sessions.
//
// It judges nothing; fencing and kvcheckact do.
package lease

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

var (
	releaseName = regexp.MustCompile(`(?i)release|unlock|free|giveup|give_up|yield|abandon|resign`)
	renewName   = regexp.MustCompile(`(?i)renew|extend|refresh|keep_?alive|heartbeat|prolong|touch|keep$|renewal`)
	lockName    = regexp.MustCompile(`(?i)lock|lease|mutex|leader|semaphore|guard|owner`)
)

// Claims are the keys that a package takes as locks.
type Claims struct {
	keys   map[string]bool // classes of fields that hold such a key
	fields map[string]bool // names of fields that such a key is stored in
	parts  map[string]bool // constant parts of such keys: "lock:"
	takers map[string]bool // types that are called locks, and take one by a key that they are given
	any    bool
}

// Of collects the claims of a package. A key without a time to live is no
// lease: it stays until its owner deletes it.
func Of(own []*flow.Summary) *Claims {
	c := &Claims{keys: map[string]bool{}, fields: map[string]bool{}, parts: map[string]bool{}, takers: map[string]bool{}}
	for _, s := range own {
		for i := range s.Events {
			e := &s.Events[i]
			if e.Op != libs.KVClaim || endless(s, e) {
				continue
			}
			c.any = true
			if e.Key.Class != "" {
				c.keys[e.Key.Class] = true
			}
			for _, a := range append(e.Key.Args[:len(e.Key.Args):len(e.Key.Args)], e.Key.Desc) {
				if a.Root == flow.Const && len(a.Name) > 2 {
					c.parts[a.Name] = true
				}
			}
			if typ := receiver(s); e.Key.Root == flow.Param && e.Key.Path == "" && lockName.MatchString(typ) {
				c.takers[typ] = true
			}
			c.kept(s, e)
		}
	}
	return c
}

// endless tells whether a claim stays until it is deleted: it has no time to live,
// or nothing in the function ties it to a lease of etcd.
func endless(s *flow.Summary, e *flow.Event) bool {
	if strings.Contains(e.Call, "etcd") {
		return !slices.ContainsFunc(s.Events, func(o flow.Event) bool { return o.Op == libs.KVLease })
	}
	return len(e.Args) > 0 && e.Args[0].Root == flow.Const && e.Args[0].Name == "0"
}

// receiver is the type that a function is a method of, without its path.
func receiver(s *flow.Summary) string {
	typ, _, method := strings.Cut(s.Name[strings.LastIndexByte(s.Name, '/')+1:], ").")
	if !method {
		return ""
	}
	return typ[strings.IndexByte(typ, '.')+1:]
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
	e := &s.Events[i]
	for k := range s.Events {
		if o := &s.Events[k]; o.Op == libs.KVClaim && !endless(s, o) && o.Key.String() == e.Key.String() && o.Key.Root != flow.Unknown {
			return true
		}
	}
	if !c.any {
		return false
	}
	for _, a := range append(e.Key.Args[:len(e.Key.Args):len(e.Key.Args)], e.Key.Desc) {
		if a.Root == flow.Const && c.parts[a.Name] {
			return true
		}
	}
	last := e.Key.Path[strings.LastIndexByte(e.Key.Path, '.')+1:]
	if e.Key.Root == flow.Param && e.Key.Path == "" && c.takers[receiver(s)] {
		return true
	}
	return c.keys[e.Key.Class] || e.Key.Path != "" && c.fields["."+last] || releaseName.MatchString(s.Name[strings.LastIndexByte(s.Name, '.')+1:])
}

// Releases tells from names whether event i, which deletes a key, gives back a
// lock: the function says so, or the key does.
func Releases(s *flow.Summary, i int) bool {
	return releaseName.MatchString(s.Name[strings.LastIndexByte(s.Name, '.')+1:]) || lockName.MatchString(s.Events[i].Key.Desc.String())
}

// Renews tells from the name of the function whether event i, which sets a time
// to live, prolongs a lock.
func Renews(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	return e.Op == libs.KVExpire && renewName.MatchString(e.In[strings.LastIndexByte(e.In, '.')+1:])
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

// row is a statement that takes a row over when the time of its holder is up.
var (
	holderSet = regexp.MustCompile(`(?is)\bset\b.*\b\w*(owner|holder|locked_by|leased_by|claimed_by|lease_id|worker(_id)?)\s*=`)
	timeUp    = regexp.MustCompile(`(?i)\b\w*(expir\w*|until|_end|deadline|heartbeat\w*|locked_at|leased_at|claimed_at)(_at)?\s*<=?\s*(now|current_timestamp|clock_timestamp|\$|\?|:|@)`)
)

// Row tells whether an event takes a row as a lock with a lease: the statement
// writes who holds it, where the time of the last holder is up.
func Row(e *flow.Event) bool {
	return (e.Op == libs.Exec || e.Op == libs.Query) && holderSet.MatchString(e.SQL) && timeUp.MatchString(e.SQL)
}

// Takes tells whether event l takes a lock that protects what follows: a
// leadership, or a key that is claimed, asked about, and given back, or whose
// name says that it is a lock.
func Takes(s *flow.Summary, l int) bool {
	e := &s.Events[l]
	if e.Op == libs.KVLead || Row(e) {
		return true
	}
	if e.Op != libs.KVClaim || endless(s, e) {
		return false
	}
	if lockName.MatchString(e.Key.Desc.String()) || lockName.MatchString(e.In) {
		return true
	}
	for k := range s.Events {
		o := &s.Events[k]
		if (o.Op == libs.KVDelete || o.Op == libs.KVAtomic) && s.After(l, k) && o.Key.String() == e.Key.String() {
			return true
		}
	}
	return false
}
