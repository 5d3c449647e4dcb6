// Package directive reads the comments with which a person silences a rule:
//
//	//ccheck:ignore RULE[,RULE…] reason
//
// at the end of the line that is reported, or on the line above it. It reads
// golangci-lint's //nolint as well, where a linter there looks for the same. It
// silences nothing by itself.
package directive

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Prefix is what such a comment begins with.
const Prefix = "//ccheck:ignore"

// Directive is one comment. Without rules or without a reason it silences
// nothing: whoever reads the code next must learn why.
type Directive struct {
	Pos    token.Pos
	File   string
	Line   int // of the comment
	Column int
	Alone  bool // the line holds nothing else, so it is about the next one
	Rules  []string
	Reason string
	// Foreign: it is one of golangci-lint's, which needs no reason and may be
	// about something else.
	Foreign bool
}

// Wrong says what is missing, "" when nothing is.
func (d Directive) Wrong() string {
	switch {
	case d.Foreign:
		return ""
	case len(d.Rules) == 0:
		return "names no rule and gives no reason"
	case d.Reason == "":
		return "gives no reason"
	}
	return ""
}

// Covers reports whether the directive silences a rule at a line of its file.
func (d Directive) Covers(rule string, line int) bool {
	at := line == d.Line || d.Alone && line == d.Line+1
	return at && d.Wrong() == "" && slices.Contains(d.Rules, rule)
}

// In returns the directives of a file. Of several in a row above a line, each is
// about that line.
func In(fset *token.FileSet, f *ast.File) []Directive {
	var all []Directive
	var code map[int]bool
	for _, group := range f.Comments {
		for _, c := range group.List {
			rest, ours := strings.CutPrefix(c.Text, Prefix)
			ours = ours && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
			theirs := nolint(c.Text)
			if !ours && theirs == nil {
				continue
			}
			if code == nil {
				code = lines(fset, f)
			}
			pos := fset.Position(c.Pos())
			d := Directive{Pos: c.Pos(), File: pos.Filename, Line: pos.Line, Column: pos.Column, Alone: !code[pos.Line]}
			if d.Rules, d.Reason = split(rest); !ours {
				d.Rules, d.Reason, d.Foreign = theirs, "", true
			}
			all = append(all, d)
		}
	}
	stack(all)
	return all
}

// split takes the words behind the prefix apart. What another comment adds
// ("// want …" in tests) is no reason.
func split(text string) (rules []string, reason string) {
	text, _, _ = strings.Cut(text, "//")
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, ""
	}
	for rule := range strings.SplitSeq(fields[0], ",") {
		if rule != "" {
			rules = append(rules, rule)
		}
	}
	return rules, strings.Join(fields[1:], " ")
}

// stack moves directives that stand alone, one below the other, to the last of
// them, so that all cover the line that follows.
func stack(all []Directive) {
	for i := len(all) - 2; i >= 0; i-- {
		if all[i].Alone && all[i+1].Alone && all[i+1].File == all[i].File && all[i].Line+1 >= all[i+1].Line && all[i].Line < all[i+1].Line {
			all[i].Line = all[i+1].Line
		}
	}
}

// lines are the lines of the file on which something other than a comment
// begins or ends.
func lines(fset *token.FileSet, f *ast.File) map[int]bool {
	code := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
			return n != nil
		}
		code[fset.Position(n.Pos()).Line] = true
		code[fset.Position(n.End()).Line] = true
		return true
	})
	return code
}
