package directive

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const source = `package a

//ccheck:ignore growth bounded by the warehouses
var a = map[int]int{}

var b = 1 //ccheck:ignore growth,kvcheckact   two  reasons

//ccheck:ignore growth first
//ccheck:ignore wallclock second
var c = 1

//ccheck:ignore
//ccheck:ignore growth
//ccheck:ignored growth another word
//  ccheck:ignore growth a sentence
var d = 1

var e = f( //ccheck:ignore growth inside of a call
	1)

func f(int) int { return 1 }

var g = 1 //nolint:govet,errcheck // on purpose
//nolint:bodyclose
var h = 1
var i = 1 //nolint
var j = 1 //nolint:errcheck
var k = 1 //nolinting
`

func TestIn(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range In(fset, f) {
		got = append(got, fmt.Sprintf("%d %v %s: %s%s", d.Line, d.Alone, strings.Join(d.Rules, ","), d.Reason, d.Wrong()))
	}
	want := []string{
		"3 true growth: bounded by the warehouses",
		"6 false growth,kvcheckact: two reasons",
		"9 true growth: first",
		"9 true wallclock: second",
		"13 true : names no rule and gives no reason",
		"13 true growth: gives no reason",
		"18 false growth: inside of a call",
		"23 false atomic,copylocks,lostcancel,sqlrowserr,waitgroup: ",
		"24 true unclosed: ",
		"26 false atomic,copylocks,lostcancel,sqlrowserr,waitgroup,unclosed: ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCovers(t *testing.T) {
	alone := Directive{Line: 9, Alone: true, Rules: []string{"growth"}, Reason: "x"}
	beside := Directive{Line: 9, Rules: []string{"growth", "wallclock"}, Reason: "x"}
	tests := []struct {
		d    Directive
		rule string
		line int
		want bool
	}{
		{alone, "growth", 10, true},
		{alone, "growth", 11, false},
		{alone, "growth", 8, false},
		{alone, "wallclock", 10, false},
		{beside, "wallclock", 9, true},
		{beside, "wallclock", 10, false},
		{Directive{Line: 9, Rules: []string{"growth"}}, "growth", 9, false},
	}
	for _, tt := range tests {
		if got := tt.d.Covers(tt.rule, tt.line); got != tt.want {
			t.Errorf("%+v covers %s at %d: %v", tt.d, tt.rule, tt.line, got)
		}
	}
}
