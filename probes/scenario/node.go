package scenario

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// anchors finds every anchor below n.
func anchors(n ast.Node) map[string]ast.Node {
	found := anchorFinder{}
	ast.Walk(found, n)
	return found
}

type anchorFinder map[string]ast.Node

// Visit is part of ast.Visitor.
func (f anchorFinder) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok && a.Value != nil {
		f[nameOf(a.Name)] = a.Value
	}
	return f
}

// nameOf is the text of a key, an anchor or an alias.
func nameOf(n ast.Node) string {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value
	case nil:
		return ""
	}
	if t := tokenOf(n); t != nil {
		return t.Value
	}
	return ""
}

// tokenOf is the first token of n; a mapping begins with its first key, not
// with the colon after it.
func tokenOf(n ast.Node) *token.Token {
	switch v := n.(type) {
	case nil:
		return nil
	case *ast.MappingNode:
		if !v.IsFlowStyle && len(v.Values) > 0 {
			return tokenOf(v.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return tokenOf(v.Key)
	}
	return n.GetToken()
}

func place(t *token.Token) pos {
	if t == nil || t.Position == nil {
		return pos{1, 1}
	}
	return pos{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// kindOf names a node for people.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	}
	return "this"
}
