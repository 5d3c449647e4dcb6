package pairing_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// sold is a tape of a shop.
func sold(database string) *tape.Tape {
	t := &tape.Tape{Header: tape.Header{Database: database}}
	n := 0
	add := func(method, path string, status int, statements ...tape.Statement) {
		r := &tape.Request{N: len(t.Requests) + 1, Method: method, Path: path, Status: status}
		t.Requests = append(t.Requests, r)
		for _, s := range statements {
			n++
			s.N, s.Of = n, []int{r.N}
			t.Statements = append(t.Statements, &s)
		}
	}
	st := func(sql string, args ...string) tape.Statement {
		s := tape.Statement{SQL: sql}
		for _, a := range args {
			s.Args = append(s.Args, history.Text(a))
		}
		return s
	}
	buy := func(item string) []tape.Statement {
		return []tape.Statement{st("SELECT stock FROM item WHERE id = $1", item), st("UPDATE item SET stock = $2 WHERE id = $1", item, "4")}
	}
	add("GET", "/items/1", 200, st("SELECT stock FROM item WHERE id = $1", "1"))
	add("POST", "/items/7/buy", 201, buy("7")...)
	add("POST", "/items/1/buy", 201, buy("1")...)
	add("POST", "/items/1/buy", 409, buy("1")[0])
	add("POST", "/items/1/restock", 200, st("UPDATE item SET stock = stock + 5 WHERE id = $1", "1"))
	add("POST", "/news", 200, st("INSERT INTO reader (mail) VALUES ($1)", "{{secret}}"))
	return t
}

func TestPairs(t *testing.T) {
	tp := sold("localhost:5432/shop")
	kinds := pairing.Kinds(tp)
	var names []string
	for _, k := range kinds {
		names = append(names, fmt.Sprintf("%s %s %d %s", k.Name, k.Route, k.All, k.Why))
	}
	want := []string{
		"items GET /items/* 1 ", "items-buy POST /items/*/buy 2 ", "items-buy2 POST /items/*/buy 1 it was answered 409",
		"items-restock POST /items/*/restock 1 ", "news POST /news 1 ",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	var pairs []string
	for _, p := range pairing.Pairs(tp, kinds) {
		pairs = append(pairs, fmt.Sprintf("%s(%d) %s(%d) %s %s", p.A.Name, p.First.N, p.B.Name, p.Second.N, p.Risk, p.Where))
	}
	want = []string{
		"items-buy(2) items-buy(2) high item.stock", "items-buy(3) items-restock(5) high item.stock",
		"items-restock(5) items-restock(5) low item.stock", "news(6) news(6) low reader",
		"items(1) items-buy(3) low item.stock", "items(1) items-restock(5) low item.stock",
		"items-buy(2) news(6) none ", "items-restock(5) news(6) none ", "items(1) news(6) none ",
	}
	if diff := cmp.Diff(want, pairs); diff != "" {
		t.Error(diff)
	}
}

// Two requests that were open at the same time are of the kind of the one that
// was alone, whose statements are surely its own.
func TestUnsureKinds(t *testing.T) {
	tp := sold("localhost:5432/shop")
	for n := range 2 {
		tp.Requests = append(tp.Requests, &tape.Request{N: 7 + n, Method: "POST", Path: "/items/1/buy", Status: 201})
	}
	tp.Statements = append(tp.Statements, &tape.Statement{N: 99, Of: []int{7, 8}, SQL: "UPDATE item SET stock = 3 WHERE id = 1"})
	kinds := pairing.Kinds(tp)
	if len(kinds) != 5 || kinds[1].All != 4 {
		t.Errorf("%d kinds, %d of %s", len(kinds), kinds[1].All, kinds[1].Route)
	}
	if p := pairing.Pairs(tp, kinds)[0]; p.Risk.String() != "high" || p.First.N != 2 {
		t.Errorf("%s of request %d", p.Risk, p.First.N)
	}
}

// Where no statement is known, what names the same thing comes first, and what
// names different things last.
func TestPairsWithoutStatements(t *testing.T) {
	tp := sold("")
	tp.Statements = nil
	for _, r := range []tape.Request{
		{Method: "POST", Path: "/carts", Status: 201, Body: `{"item_id": 7, "qty": 1}`},
		{Method: "POST", Path: "/gifts?item=9", Status: 201, Body: "qty=2&note=0b7c4a2e&key={{secret key}}"},
		{Method: "PUT", Path: "/notes/0b7c4a2e", Status: 200, Body: `[true, null, "{{secret key}}"]`},
	} {
		r.N = len(tp.Requests) + 1
		tp.Requests = append(tp.Requests, &r)
	}
	var pairs []string
	for _, p := range pairing.Pairs(tp, pairing.Kinds(tp)) {
		pairs = append(pairs, fmt.Sprintf("%s(%d) %s(%d) %s %s", p.A.Name, p.First.N, p.B.Name, p.Second.N, p.Risk, p.Where))
	}
	want := []string{
		"items-buy(3) items-restock(5) medium item 1", "items-buy(2) carts(7) medium item 7", "gifts(8) notes(9) medium note 0b7c4a2e",
		"items-buy(2) items-buy(2) medium ", "items-buy(2) news(6) medium ", "items-restock(5) items-restock(5) medium ",
		"items-restock(5) news(6) medium ", "news(6) news(6) medium ", "news(6) carts(7) medium ", "news(6) gifts(8) medium ", "news(6) notes(9) medium ",
		"carts(7) carts(7) medium ", "gifts(8) gifts(8) medium ", "notes(9) notes(9) medium ",
		"items(1) items-buy(3) medium item 1", "items(1) items-restock(5) medium item 1", "items(1) news(6) medium ",
		"items-buy(2) gifts(8) low ", "items-buy(2) notes(9) low ", "items-restock(5) carts(7) low ", "items-restock(5) gifts(8) low ",
		"items-restock(5) notes(9) low ", "carts(7) gifts(8) low ", "carts(7) notes(9) low ",
		"items(1) carts(7) low ", "items(1) gifts(8) low ", "items(1) notes(9) low ",
	}
	if diff := cmp.Diff(want, pairs); diff != "" {
		t.Error(diff)
	}
}

func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"/": "request", "/jobs/7/complete": "jobs-complete", "/a/b/c/d?x=1": "b-c-d", "/x/{{answer 1 body.id}}": "x",
		"/o/0b7c4a2e-1f0d-4c55-9a53-2f7e4d3a9c11/pay": "o-pay", "/füße/2x": "f-e",
	} {
		if got := pairing.Name(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
