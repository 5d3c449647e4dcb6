package record_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/record/tape"
)

func TestPlayer(t *testing.T) {
	order := &tape.Request{N: 4, Method: "POST", Path: "/orders/{{answer 2 body.id}}?k={{secret key}}", Body: `{"t":"{{answer 2 body.token}}","b":"{{brace}}x}}"}`, Headers: []tape.Field{
		{Name: "Authorization", Value: "Bearer {{answer 2 body.token}}"}, {Name: "Content-Type", Value: "application/json"},
		{Name: "Cookie", Value: "sid={{cookie 2 sid}}"}, {Name: "Origin", Value: "http://127.0.0.1:9"},
	}}
	tp := &tape.Tape{Header: tape.Header{Listen: "http://127.0.0.1:9"}, Requests: []*tape.Request{
		{N: 1, Method: "GET", Path: "/"}, {N: 2, Method: "GET", Path: "/login"}, {N: 3, Method: "POST", Path: "/x", Unusable: "it was not answered"}, order,
		{N: 5, Method: "POST", Path: "/later"},
	}}
	p := record.NewPlayer(tp, "http://localhost:3", map[string]string{"key": "a&b"})
	var before []int
	for _, r := range p.Before(6, 4) {
		before = append(before, r.N)
	}
	if !cmp.Equal(before, []int{2, 5}) {
		t.Errorf("what leads to request 6 without 4 is %v", before)
	}
	_, err := p.Request(order)
	var missing *tape.MissingError
	if !errors.As(err, &missing) || missing.Error() != "it needs body.id of the answer to request 2, which did not come again" {
		t.Errorf("error %v", err)
	}
	p.Answered(2, web.Answer{Fields: []history.Var{{Name: "body.id", Value: history.Text("a/b")}, {Name: "body.token", Value: history.Text(`q"q`)}}})
	if _, err := p.Request(order); err == nil {
		t.Error("a cookie came from nowhere")
	}
	order.Headers[2].Value = "x=1"
	got, err := p.Request(order)
	if err != nil {
		t.Fatal(err)
	}
	want := &web.Request{Method: "POST", URL: "http://localhost:3/orders/a%2Fb?k=a%26b", Body: `{"t":"q\"q","b":"{{x}}"}`, Literal: true, Headers: []web.Field{
		{Name: "Authorization", Value: `Bearer q"q`}, {Name: "Content-Type", Value: "application/json"}, {Name: "Cookie", Value: "x=1"}, {Name: "Origin", Value: "http://localhost:3"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p.Rewind()
	if _, err := p.Request(order); err == nil {
		t.Error("the answer was not forgotten")
	}
}
