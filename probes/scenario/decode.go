package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Limits of a manifest. Real ones have some kilobytes and five levels; the
// limits keep one that was written in malice from costing memory or time, in
// the parser (quadratic in nesting) and in the expansion of aliases.
const (
	maxBytes   = 256 << 10
	maxNesting = 100
	maxNodes   = 20_000
)

// pos is a place in the manifest; line 0 means that nothing was written.
type pos struct{ line, column int }

func (p pos) given() bool { return p.line > 0 }

// node is a YAML node behind its anchors, aliases and tags.
type node struct {
	ast.Node
	pos
}

// decodable is a part of the manifest that reads itself from a node and
// reports to the decoder what is wrong with it.
type decodable interface {
	decode(d *decoder, at node)
}

// decoder reads the parts of one manifest and collects every fault.
type decoder struct {
	file    string
	lines   []string
	anchors map[string]ast.Node
	nodes   int
	depth   int
	key     string // whose value is read, "" for the manifest itself
	unread  bool   // a part of the manifest, under a key that is unknown
	errs    []*Error
}

// under reads the value of a key.
func (d *decoder) under(key string, read func()) {
	outer := d.key
	d.key = key
	read()
	d.key = outer
}

// about begins a message about a value with the key that it is of.
func (d *decoder) about() string {
	if d.key == "" {
		return ""
	}
	return d.key + ": "
}

func (d *decoder) fail(at pos, hint, format string, args ...any) {
	d.errs = append(d.errs, &Error{
		File: d.file, Line: at.line, Column: at.column,
		Msg: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// document reads text into m.
func (d *decoder) document(text string, m *manifest) {
	d.lines = strings.Split(text, "\n")
	body, err := parse(text)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		d.fail(place(syntax.Token), "", "not valid YAML: %s", syntax.Message)
	case err != nil:
		d.fail(pos{1, 1}, "", "not valid YAML: %v", err)
	case body == nil:
		d.fail(pos{1, 1}, `begin with "version: 1"`, "the manifest is empty")
	default:
		d.anchors = anchors(body)
		d.into(body, func(at node) { d.object(at, m) })
	}
}

// indent is how far a line of the manifest is indented.
func (d *decoder) indent(line int) int {
	if line > len(d.lines) {
		return 0
	}
	return len(d.lines[line-1]) - len(strings.TrimLeft(d.lines[line-1], " "))
}

// parse returns the body of the one document in text.
func parse(text string) (body ast.Node, err error) {
	// The parser has panicked on malformed input before; a manifest is input.
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fmt.Errorf("the parser gave up: %v", p)
		}
	}()
	if len(text) > maxBytes {
		return nil, fmt.Errorf("longer than %d KiB", maxBytes>>10)
	}
	if nested(text) {
		return nil, fmt.Errorf("nested more than %d deep", maxNesting)
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if _, comment := doc.Body.(*ast.CommentGroupNode); doc.Body == nil || comment {
			continue
		}
		if body != nil {
			return nil, errors.New("more than one document (---)")
		}
		body = doc.Body
	}
	return body, nil
}

// nested reports whether text may be nested deeper than a manifest can be. It
// counts brackets without knowing strings, so its limit is far above.
func nested(text string) bool {
	open := 0
	for line := range strings.Lines(text) {
		if strings.Count(line, "- ") > maxNesting && strings.HasPrefix(strings.TrimLeft(line, " "), "- - ") {
			return true
		}
		open += strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
		if open > 10*maxNesting {
			return true
		}
	}
	return false
}

// into calls read with what n stands for, unless that costs too much.
func (d *decoder) into(n ast.Node, read func(node)) {
	at := node{pos: place(tokenOf(n))}
	if d.nodes++; d.nodes > maxNodes || d.depth > maxNesting {
		if d.nodes <= maxNodes+1 || d.depth > maxNesting {
			d.fail(at.pos, "write the repeated parts in files of their own", "too much behind one alias")
		}
		d.nodes = max(d.nodes, maxNodes+2)
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	for range maxNesting {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.AliasNode:
			target, ok := d.anchors[nameOf(v.Value)]
			if !ok {
				d.fail(at.pos, "", "no anchor &%s for this alias", nameOf(v.Value))
				return
			}
			n = target
		default:
			at.Node = n
			read(at)
			return
		}
	}
	d.fail(at.pos, "", "an alias that stands for itself")
}

// object reads a mapping into the struct that into points to.
func (d *decoder) object(at node, into any) {
	fields := fieldsOf(into)
	seen := d.pairs(at, func(key string, keyAt pos, value ast.Node) {
		f, ok := fields[key]
		if !ok {
			d.fail(keyAt, oneOf(key, keysOf(into), ""), "unknown key %q", key)
			d.unread = d.unread || d.key == ""
			return
		}
		d.under(key, func() { d.into(value, func(n node) { d.field(f, n) }) })
	})
	if seen == nil {
		return
	}
	for _, key := range keysOf(into) {
		if need := fields[key].tag.Get("need"); need != "" && !seen[key] {
			d.fail(at.pos, fmt.Sprintf("add %q", key+": "+need), "%s is missing", key)
		}
	}
}

// field reads one value and holds it against the tags.
func (d *decoder) field(f field, at node) {
	before := len(d.errs)
	f.value.decode(d, at)
	if b, ok := f.value.(bounded); ok && len(d.errs) == before {
		b.check(d, f.tag)
	}
}

// pairs calls each with the pairs of a mapping, those of a merge key (<<)
// included, and returns the keys; nil when it is none.
func (d *decoder) pairs(at node, each func(key string, keyAt pos, value ast.Node)) map[string]bool {
	m, ok := at.Node.(ast.MapNode)
	if !ok {
		d.expected("keys and values", at)
		return nil
	}
	seen := map[string]bool{}
	var merged []ast.Node
	for it := m.MapRange(); it.Next(); {
		key, keyAt := nameOf(it.Key()), place(tokenOf(it.Key()))
		switch {
		case it.Key().IsMergeKey():
			merged = append(merged, it.Value())
		case seen[key]:
			d.fail(keyAt, "", "%q is here twice", key)
		default:
			seen[key] = true
			each(key, keyAt, it.Value())
		}
	}
	for _, n := range merged {
		d.into(n, func(from node) {
			d.pairs(from, func(key string, keyAt pos, value ast.Node) {
				if !seen[key] {
					seen[key] = true
					each(key, keyAt, value)
				}
			})
		})
	}
	return seen
}

// field is a key that an object has.
type field struct {
	value decodable
	tag   reflect.StructTag
}

// fieldsOf returns the keys of the struct that into points to.
func fieldsOf(into any) map[string]field {
	v := reflect.ValueOf(into).Elem()
	fields := map[string]field{}
	for i := range v.NumField() {
		if key, ok := v.Type().Field(i).Tag.Lookup("yaml"); ok {
			fields[key] = field{v.Field(i).Addr().Interface().(decodable), v.Type().Field(i).Tag}
		}
	}
	return fields
}

// keysOf returns the keys of fieldsOf in the order of the struct.
func keysOf(into any) []string {
	t := reflect.TypeOf(into).Elem()
	var keys []string
	for i := range t.NumField() {
		if key, ok := t.Field(i).Tag.Lookup("yaml"); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// known reports whether word is in a comma-separated list.
func known(word, list string) bool { return slices.Contains(strings.Split(list, ","), word) }
