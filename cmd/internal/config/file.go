package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// The keys of a file beside those that are commands.
const (
	version = "version"
	Every   = "flags" // of every command that has the flag
)

// setting is one flag in a file.
type setting struct {
	command string   // such as "stress" or "scenario list"; "" for every command
	flag    string   // "" where none stands below the command
	empty   bool     // which is said there
	values  []string // one, or those of a list
	key     Origin   // of the flag's name
	origin  Origin   // of the value
	section Origin   // of the command's name
}

// fault is something wrong at a place of a file.
type fault struct {
	at  Origin
	err error
}

// reader reads one file and collects its faults.
type reader struct {
	file     string
	layer    Layer
	settings []setting
	faults   []fault
}

// parse reads the text of a file. Which commands and flags there are is not
// looked at here.
func parse(file string, layer Layer, text string) ([]setting, []fault) {
	r := &reader{file: file, layer: layer}
	body, err := document(text)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		r.fail(r.at(syntax.Token), "not valid YAML: %s", syntax.Message).WithHint("`ccheck config show` prints the form of the file")
	case err != nil:
		r.fail(Origin{Layer: layer, File: file, Line: 1, Column: 1}, "not valid YAML: %v", err).WithHint("`ccheck config show` prints the form of the file")
	case body != nil:
		r.top(body)
	}
	return r.settings, r.faults
}

func (r *reader) fail(at Origin, format string, args ...any) *exit.Error {
	err := exit.Usagef("%s: %s", at, fmt.Sprintf(format, args...))
	r.faults = append(r.faults, fault{at, err})
	return err
}

func (r *reader) at(t *token.Token) Origin {
	o := Origin{Layer: r.layer, File: r.file, Line: 1, Column: 1}
	if t != nil && t.Position != nil {
		o.Line, o.Column = max(t.Position.Line, 1), max(t.Position.Column, 1)
	}
	return o
}

// maxNesting is far above the three levels of a file: the parser's time grows
// with the square of it.
const maxNesting = 50

// document is the body of the one document in text, nil when there is none.
func document(text string) (body ast.Node, err error) {
	// The parser has panicked on malformed input before.
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fmt.Errorf("the parser gave up: %v", p)
		}
	}()
	for line := range strings.Lines(text) {
		if strings.Count(line, "[")+strings.Count(line, "{")+strings.Count(line, "- ")+strings.Count(line, "? ") > maxNesting {
			return nil, fmt.Errorf("nested more than %d deep", maxNesting)
		}
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

// top reads the outermost keys.
func (r *reader) top(body ast.Node) {
	versioned := false
	r.pairs("the file", body, func(key string, at Origin, value ast.Node) {
		switch key {
		case version:
			versioned = true
			if t := value.GetToken(); t.Value != "1" {
				r.fail(r.at(t), "%s is %s, and this ccheck reads 1", version, text(value)).WithHint("write version: 1, or update ccheck")
			}
		case Every:
			r.section("", at, value)
		default:
			r.section(key, at, value)
		}
	})
	if !versioned && len(r.faults) == 0 {
		r.fail(Origin{Layer: r.layer, File: r.file, Line: 1, Column: 1}, "%s is missing", version).WithHint("begin the file with version: 1")
	}
}

// section reads the flags of one command, or of all.
func (r *reader) section(command string, at Origin, body ast.Node) {
	name := command
	if command == "" {
		name = Every
	}
	m, ok := body.(ast.MapNode)
	if !ok || !m.MapRange().Next() {
		r.settings = append(r.settings, setting{command: command, empty: ok, section: at, origin: r.at(body.GetToken())})
		return
	}
	r.pairs(name, body, func(flag string, key Origin, value ast.Node) {
		s := setting{command: command, flag: flag, key: key, origin: r.at(value.GetToken()), section: at}
		items := []ast.Node{value}
		if list, ok := value.(*ast.SequenceNode); ok {
			items = list.Values
		}
		for _, item := range items {
			if !isScalar(item) {
				r.fail(r.at(item.GetToken()), "%s: expected a value, not %s", flag, kindOf(item)).WithHint("write what --%s takes on the command line", flag)
				return
			}
			s.values = append(s.values, text(item))
		}
		r.settings = append(r.settings, s)
	})
}

// pairs calls each with the keys and values of a mapping that is named so.
func (r *reader) pairs(name string, n ast.Node, each func(key string, at Origin, value ast.Node)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.fail(r.at(n.GetToken()), "%s: expected keys and values, not %s", name, kindOf(n)).WithHint("begin with version: 1")
		return
	}
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		key, at := text(it.Key()), r.at(it.Key().GetToken())
		if seen[key] {
			r.fail(at, "%q is here twice", key).WithHint("leave one of them out")
			continue
		}
		seen[key] = true
		each(key, at, it.Value())
	}
}

func isScalar(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	}
	return false
}

// text is a scalar as it was written, without its quotes.
func text(n ast.Node) string {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return v.Value.Value
	}
	return n.GetToken().Value
}

// kindOf names a node for people.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case ast.MapNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or alias, which this file does without"
	case *ast.TagNode:
		return "a tag, which this file does without"
	}
	return "a single value"
}
