package lease

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Words of the scripts that Redis runs.
var (
	scriptGet    = regexp.MustCompile(`(?i)call\(\s*['"]h?m?get`)
	scriptDel    = regexp.MustCompile(`(?i)call\(\s*['"](?:del|unlink)['"]\s*,?\s*([^,)]*)`)
	scriptExpire = regexp.MustCompile(`(?i)call\(\s*['"]p?expire['"]`)
	scriptClaim  = regexp.MustCompile(`(?i)call\(\s*['"](setnx['"]|set['"][^)]*['"]nx['"])`)
	// scriptMany are the commands of lists, sets, sorted sets, hashes and streams.
	scriptMany   = regexp.MustCompile(`(?i)call\(\s*['"](?:[zhx]\w+|l(?:index|insert|len|pop|pos|push|range|rem|trim)|r(?:pop|push)\w*|s(?:add|card|ismember|members|pop|randmember|rem|scan))['"]\s*,\s*([^,)]+)`)
	scriptAsks   = regexp.MustCompile(`(?i)call\(\s*['"](exists['"]|get['"][^)]*\)\s+then\s+return\s+(0|-1|nil|false)\b)`)
	scriptLeases = regexp.MustCompile(`(?i)call\(\s*['"](psetex['"]|setex['"]|set['"][^)]*['"](px|ex)['"])`)
	scriptSame   = regexp.MustCompile(`[=~]=\s*ARGV\[(\d+)\]|ARGV\[(\d+)\]\s*[=~]=`)
	scriptLarger = regexp.MustCompile(`(?i)tonumber\s*\(`)
	scriptOrder  = regexp.MustCompile(`[<>]`)
)

// Does is the operation of an event. A script that asks nothing does what its
// command does.
func Does(e *flow.Event) libs.Op {
	script, ok := Script(e)
	switch {
	case !ok:
		return e.Op
	case scriptClaim.MatchString(script), leases(script):
		return libs.KVClaim
	case scriptGet.MatchString(script):
		return e.Op
	case scriptDel.MatchString(script) && !many(script):
		return libs.KVDelete
	case scriptExpire.MatchString(script):
		return libs.KVExpire
	}
	return e.Op
}

// many tells whether what a script deletes is a collection that it has read or
// written: the queue that it moves, and no lock, which is a plain string.
func many(script string) bool {
	kept := map[string]bool{}
	for _, m := range scriptMany.FindAllStringSubmatch(script, -1) {
		kept[strings.TrimSpace(m[1])] = true
	}
	for _, m := range scriptDel.FindAllStringSubmatch(script, -1) {
		if kept[strings.TrimSpace(m[1])] {
			return true
		}
	}
	return false
}

// leases tells whether a script asks whether a key is there, and stores it with a time
// to live. One that compares what is there with what it is given prolongs it, and one
// that answers with what is there is a cache.
func leases(script string) bool {
	return scriptAsks.MatchString(script) && scriptLeases.MatchString(script) && !scriptSame.MatchString(script)
}

// Proof is the value by which a script that gives back or prolongs a lock knows its
// owner; false when event i does nothing of the kind.
func Proof(e *flow.Event) (flow.Value, bool) {
	script, _ := Script(e)
	if !scriptGet.MatchString(script) || !scriptDel.MatchString(script) && !scriptExpire.MatchString(script) {
		return flow.Value{}, false
	}
	m := scriptSame.FindStringSubmatch(script)
	if m == nil {
		return flow.Value{}, false
	}
	n, _ := strconv.Atoi(m[1] + m[2]) // digits, by the expression
	if n < 1 || n > len(e.Args) {
		return flow.Value{}, false
	}
	return e.Args[n-1], true
}

// Script is the text of the script that an event runs.
func Script(e *flow.Event) (string, bool) {
	if e.Op == libs.KVAtomic && e.On.Root == flow.Const && e.On.Path == "" {
		return e.On.Name, true
	}
	return "", false
}

// Larger tells whether an event runs a script that lets the larger of two numbers
// win.
func Larger(e *flow.Event) bool {
	script, ok := Script(e)
	return ok && scriptGet.MatchString(script) && scriptLarger.MatchString(script) && scriptOrder.MatchString(script)
}
