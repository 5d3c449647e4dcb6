package sharedglobal

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/served"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// changing are the types whose documentation does not allow concurrent use,
// with the methods that only read.
var changing = map[string][]string{
	"math/rand.Rand": nil, "math/rand/v2.Rand": nil, "bytes.Buffer": {"Len", "Cap", "Bytes", "String", "Available"}, "strings.Builder": {"Len", "Cap", "String"},
	"bufio.Writer": {"Size", "Buffered", "Available"}, "bufio.Reader": {"Size", "Buffered"}, "bufio.Scanner": nil, "encoding/json.Encoder": nil, "encoding/json.Decoder": nil, "encoding/csv.Writer": nil,
	"hash.Hash": {"Size", "BlockSize"}, "hash.Hash32": {"Size", "BlockSize"}, "hash.Hash64": {"Size", "BlockSize"}, "crypto/cipher.Stream": nil, "crypto/cipher.BlockMode": {"BlockSize"},
	"container/list.List": {"Len", "Front", "Back"}, "container/ring.Ring": {"Len"}, "net/http.Header": {"Get", "Values", "Clone", "Write"}, "net/url.Values": {"Get", "Has", "Encode"},
	"encoding/gob.Encoder": nil, "encoding/gob.Decoder": nil, "encoding/xml.Encoder": nil, "text/tabwriter.Writer": nil, "compress/gzip.Writer": nil,
	"golang.org/x/text/cases.Caser": nil, "golang.org/x/text/collate.Collator": nil, "github.com/golang/groupcache/lru.Cache": {"Len"},
	"github.com/hashicorp/golang-lru/simplelru.LRU": {"Len", "Contains", "Peek", "Keys"}, "github.com/hashicorp/golang-lru/v2/simplelru.LRU": {"Len", "Contains", "Peek", "Keys", "Values"},
}

// process are functions that set what the process has but one of.
var process = map[string]bool{
	"os.Setenv": true, "os.Unsetenv": true, "os.Chdir": true, "log.SetPrefix": true, "log.SetOutput": true, "log.SetFlags": true, "log/slog.SetDefault": true,
	"flag.Set": true, "syscall.Umask": true, "math/rand.Seed": true,
}

// varies tells whether a call has an argument that is no constant.
func varies(c *ssa.CallCommon) bool {
	return slices.ContainsFunc(c.Args, func(v ssa.Value) bool { _, constant := v.(*ssa.Const); return !constant })
}

// instruction judges what the summaries do not show: calls on types that are
// not made for many goroutines, elements, and what a sync.Map gave out.
func (j *judge) instruction(c *served.Context, in ssa.Instruction) {
	switch in := in.(type) {
	case ssa.CallInstruction:
		if name := place.CalleeName(in.Common()); process[name] && varies(in.Common()) {
			j.at(in.Pos(), c, "what the whole process has one of ("+name+")", "  both set it: A goes on with what B has set")
		}
		if v := filled(in.Common()); v != nil && c.Shared(v) && !j.anyLock(c) {
			j.at(in.Pos(), c, "what a decoder fills", "  both fill it: A goes on with what B has sent, or with a mix of the two")
		}
		if list := reordered(in.Common()); list != nil && c.Shared(list) && !j.anyLock(c) {
			j.at(in.Pos(), c, "the order of a shared list", "  both move its elements: some are there twice, and others are lost")
		}
		if recv, name := method(in.Common()); recv != nil && c.Shared(recv) && !j.anyLock(c) {
			j.at(in.Pos(), c, name, "  both change it at once: it is not made for two goroutines, its state breaks or the process panics")
		}
	case *ssa.Store:
		if (element(in.Addr) || c.Virtual && ofReceiver(in.Addr)) && c.Shared(in.Addr) && !j.anyLock(c) {
			j.at(in.Pos(), c, stored(in.Addr), "  both write it: one write is lost, and A can go on with what B stored")
		}
	case *ssa.MapUpdate:
		if c.Virtual && c.Shared(in.Map) && !j.anyLock(c) {
			j.at(in.Pos(), c, "a map that all requests share", "  both write the map: the runtime ends the process, fatal error: concurrent map writes")
		}
	}
}

// reorders are functions that move the elements of the list that they get.
var reorders = regexp.MustCompile(`^(sort\.(Slice|SliceStable|Strings|Ints|Float64s)|slices\.(Sort|SortFunc|SortStableFunc|Reverse))$`)

// reordered is the list whose elements a call moves, nil when it moves none.
func reordered(c *ssa.CallCommon) ssa.Value {
	if !reorders.MatchString(place.CalleeName(c)) {
		return nil
	}
	if mi, ok := c.Args[0].(*ssa.MakeInterface); ok {
		return mi.X
	}
	return c.Args[0]
}

// method is the receiver of a call that changes it, with the name of its type.
func method(c *ssa.CallCommon) (ssa.Value, string) {
	recv, callee := receiver(c)
	if recv == nil {
		return nil, ""
	}
	full := libs.Path(recv.Type()) + "." + libs.TypeName(recv.Type())
	reads, known := changing[full]
	if !known || callee == "" || slices.Contains(reads, callee[strings.LastIndexByte(callee, '.')+1:]) {
		return nil, ""
	}
	return recv, "a shared " + full[strings.LastIndexByte(full, '/')+1:]
}

// receiver is the value whose method is called, with the method's name.
func receiver(c *ssa.CallCommon) (ssa.Value, string) {
	if c.IsInvoke() {
		return c.Value, c.Method.Name()
	}
	if c.Signature().Recv() == nil || len(c.Args) == 0 {
		return nil, ""
	}
	return c.Args[0], place.CalleeName(c)
}

// element tells whether an address is that of an element, or of a field of
// something that a sync.Map holds: the summaries name neither.
func element(addr ssa.Value) bool {
	if _, ok := addr.(*ssa.IndexAddr); ok {
		return true
	}
	fa, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	ta, ok := fa.X.(*ssa.TypeAssert)
	if !ok {
		return false
	}
	_, pointer := ta.AssertedType.Underlying().(*types.Pointer)
	return pointer
}

// ofReceiver tells whether an address is that of a field behind a pointer.
func ofReceiver(addr ssa.Value) bool {
	fa, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	_, made := fa.X.(*ssa.Alloc)
	return !made
}

// stored names what a store changes.
func stored(addr ssa.Value) string {
	if fa, ok := addr.(*ssa.FieldAddr); ok && !element(addr) {
		return "the field " + place.FieldOf(fa.X.Type(), fa.Field).Name()
	}
	return "an element of what all requests share"
}

// anyLock tells whether a function on the way from the handler takes a lock.
func (j *judge) anyLock(c *served.Context) bool {
	for ; c != nil; c = c.Up {
		if j.locks(c.Fn) {
			return true
		}
	}
	return false
}

func (j *judge) at(pos token.Pos, c *served.Context, what, harm string) {
	p := j.pass.Fset.Position(pos)
	key := p.Filename + c.Fn.String() + what
	if j.said[key] {
		return
	}
	j.said[key] = true
	flow.Found{At: flow.Pos{File: p.Filename, Line: p.Line, Col: p.Column}, Severity: "high", Message: tell.Story(
		what+" is changed by "+c.Kind+" handler "+c.Handler.Name()+" without a lock",
		"  request A and request B run at the same time, each in its own goroutine",
		harm, fix)}.Report(j.pass, "sharedglobal")
}
