package scenario_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stub"
)

// redeem loads a manifest of an application with a seed file beside it.
func redeem(text string) (*scenario.Scenario, error) {
	return scenario.Load(fstest.MapFS{
		"redeem/" + scenario.File: {Data: []byte("version: 1\n" + text)}, "redeem/seed.sql": {Data: []byte("INSERT INTO code VALUES (:n)")},
	}, "redeem")
}

func TestApp(t *testing.T) {
	s, err := redeem(`
params: {n: 3}
app: {command: npm start, dir: .., port: 3000, ready: "http://localhost:3000/up", env: {A: 1, B: x}, seed: seed.sql, reset: redis-cli flushall}
actors:
  - {name: redeem, http: {url: "${APP}/redeem", json: {user: "{{lane}}", n: [1, true, null]}, refused: [409, 410]}}
  - name: form
    before: [{url: "${APP}/login", form: {user: "{{lane}}"}}]
    http: {method: put, url: "http://localhost:9/f", form: {a b: "x y{{uuid}}&"}, headers: {X-Id: "{{answer id}}"}}
stubs:
  - {name: pay, key: "header:Key", status: 202, body: "ok", delay: 5ms}
invariants:
  - {name: few, sql: "SELECT 1 WHERE false"}
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Actors) != 0 || len(s.Invariants) != 1 {
		t.Errorf("%d scripts, %d invariants", len(s.Actors), len(s.Invariants))
	}
	got := *s.App
	if len(got.Seed) != 1 || got.Seed[0].Text != "INSERT INTO code VALUES (:n)" {
		t.Errorf("seed %+v", got.Seed)
	}
	got.Seed = nil
	want := scenario.App{
		Command: "npm start", Dir: "..", Port: 3000, Ready: "http://localhost:3000/up", Reset: "redis-cli flushall", Env: []string{"A=1", "B=x"},
		Actors: []*web.Actor{
			{Name: "redeem", Requests: []*web.Request{{
				URL: "${APP}/redeem", Body: `{"n":[1,true,null],"user":"{{lane}}"}`, Headers: []web.Field{{Name: "Content-Type", Value: "application/json"}},
				Classes: web.Classes{Refused: []string{"409", "410"}},
			}}},
			{Name: "form", Requests: []*web.Request{{
				URL: "${APP}/login", Body: "user={{urlencode lane}}", Headers: []web.Field{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}},
			}, {
				Method: "PUT", URL: "http://localhost:9/f", Body: "a+b=x+y{{urlencode uuid}}%26",
				Headers: []web.Field{{Name: "X-Id", Value: "{{answer id}}"}, {Name: "Content-Type", Value: "application/x-www-form-urlencoded"}},
			}}},
		},
		Stubs: []stub.Options{{Name: "pay", Key: "header:Key", Status: 202, Body: "ok", Delay: 5 * time.Millisecond}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAppFaults(t *testing.T) {
	request := "actors: [{name: a, http: {url: \"${APP}/\"}}]\n"
	tests := []struct{ name, text, want string }{
		{"neither", "actors: [{name: a}]\n", "script is missing"},
		{"both", "actors: [{name: a, script: seed.sql, http: {url: \"${APP}/\"}}]\n", "a script, a request or a command, and no two of them"},
		{"command and request", "actors: [{name: a, command: \"true\", http: {url: \"${APP}/\"}}]\n", "and no two of them"},
		{"template of a command", "actors: [{name: a, command: \"echo {{nosuch}}\"}]\n", "template {{nosuch"},
		{"empty command", "actors: [{name: a, command: \" \"}]\n", "the command is empty"},
		{"before nothing", "actors: [{name: a, command: \"true\", before: [{url: \"${APP}/\"}]}]\n", "before has requests that come before one, and there is none"},
		{"before without a URL", "actors: [{name: a, before: [{method: post}], http: {url: \"${APP}/\"}}]\n", "url is missing"},
		{"exit code", "actors: [{name: a, command: \"true\", refused: [0]}]\n", "exit code 0 is none of a refusal"},
		{"codes of a request", "actors: [{name: a, refused: 3, http: {url: \"${APP}/\"}}]\n", "exit codes of a command, and there is none"},
		{"loop", request + "load: {mode: loop}\n", "an application is driven in rounds"},
		{"think", request + "load: {think: 5ms}\n", "an application thinks for itself"},
		{"lanes", request + "load: {lanes: {b: 2}}\n", `no actor is called "b"`},
		{"mixed", "actors: [{name: a, http: {url: \"${APP}/\"}}, {name: b, script: seed.sql}]\n", "this actor has no request"},
		{"template", "actors: [{name: a, http: {url: \"${APP}/{{nosuch}}\"}}]\n", "template {{nosuch"},
		{"no URL", "actors: [{name: a, http: {url: orders}}]\n", `"orders" is no URL`},
		{"class", "actors: [{name: a, http: {url: \"${APP}/\", refused: [9xx]}}]\n", "9xx"},
		{"two bodies", "actors: [{name: a, http: {url: \"${APP}/\", body: x, json: {}}}]\n", "all are the body"},
		{"stub", request + "stubs: [{name: p, key: cookie:x}]\n", "is none of header:NAME"},
		{"two stubs", request + "stubs: [{name: p}, {name: p}]\n", `two stubs are called "p"`},
		{"setup", request + "setup: seed.sql\n", "has no setup, isolation and variants"},
		{"port", request + "app: {port: 70000}\n", "must be at most 65535"},
		{"unknown key", request + "app: {cmd: x}\n", `unknown key "cmd"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := redeem(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestAppCommands(t *testing.T) {
	s, err := redeem(`
load: {lanes: {payout: 3, buy: 1}}
actors:
  - {name: payout, command: "node payout.mjs {{lane}}", refused: [2, 3]}
  - {name: buy, http: {url: "${APP}/buy"}}
invariants:
  - {name: paid once, when: end, sql: "SELECT 1 WHERE :ok_payout > 1 OR :refused_buy < 0"}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []*command.Actor{{Name: "payout", Command: "node payout.mjs {{lane}}", Refused: []int{2, 3}}}
	if diff := cmp.Diff(want, s.App.Commands); diff != "" {
		t.Error(diff)
	}
	load := scenario.Workload{Mode: scenario.Rounds, Clients: 4, Lanes: []scenario.Lane{{Actor: "payout", Count: 3}, {Actor: "buy", Count: 1}}}
	if diff := cmp.Diff(load, s.Load); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"buy", "payout"}, s.Names()); diff != "" {
		t.Error(diff)
	}
}
