// Package historytest builds histories out of a few readable lines, so that a
// test of a judge shows the interleaving that it is about. It is for tests.
//
// A line is one event; each takes a millisecond.
//
//	level REPEATABLE READ
//	param mode rounds
//	table purse: id integer key, cents bigint
//	unique member: CREATE UNIQUE INDEX member_mail ON member (lower(mail))
//	constraint card: FOREIGN KEY (board_id) REFERENCES board(id)
//	claim conserved: SELECT …            a query that must return no row
//	ledger books                         a claim of the ledger
//	actor pay retry 40001 effect purse.id.cents
//	A calls pay                          lanes are A, B, C …
//	A: BEGIN
//	A: SELECT cents FROM purse WHERE id = $1 | 1 => cents: 100
//	A: UPDATE purse SET cents = $2 WHERE id = $1 | 1, 70 => UPDATE 1
//	B< UPDATE purse SET cents = 0        sent
//	B waits for A
//	B waits for the pool                 of the application
//	B is paused                          a note of the lane
//	B> UPDATE 1                          answered
//	B> ERROR 40001 could not serialize access
//	A~ INSERT INTO charge VALUES (1) => INSERT 0 1     outside of the transaction
//	A ends accepted key=1 add=-30
//	B ends failed 40001 could not serialize access
//	check conserved => purse, cents: 1, 70; 2, 30
//	state purse before => id, cents: 1, 100; 2, 100
//	reset
//
// Columns and rows of an answer are "a, b: 1, 2; 3, NULL"; without rows it is
// the command tag.
package historytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Read builds the history that the lines describe.
func Read(t testing.TB, lines string) *history.File {
	t.Helper()
	b := &builder{t: t, stmts: map[string]int{}, lanes: map[int]*lane{}}
	b.header = history.Header{Schema: history.Schema, Run: "test", Probe: "stress", Version: "test", Scenario: "test", Seed: 7,
		Start: time.Unix(0, 0).UTC(), Target: history.Target{Kind: "postgresql", Version: "15", Isolation: "read committed"}}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			b.line(line)
		}
	}
	head, err := json.Marshal(b.header)
	if err != nil {
		t.Fatal(err)
	}
	f, err := history.Read("test", append(append(head, '\n'), b.body.Bytes()...))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type builder struct {
	t      testing.TB
	header history.Header
	body   bytes.Buffer
	stmts  map[string]int
	lanes  map[int]*lane
	index  int64
	calls  int64
	txns   int64
}

// lane is what one process has open.
type lane struct {
	call    int64
	txn     int64 // 0 between transactions
	begun   bool  // with BEGIN
	failed  bool
	pending int // statement without an answer, 0 when there is none
	control string
}

func (b *builder) line(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "level":
		b.header.Target.Isolation = rest
	case "param":
		name, value, _ := strings.Cut(rest, " ")
		b.header.Params = append(b.header.Params, history.Parameter{Name: name, Value: value})
	case "table", "unique", "constraint":
		b.table(verb, rest)
	case "claim":
		name, sql, _ := strings.Cut(rest, ": ")
		b.header.Claims = append(b.header.Claims, history.Claim{Name: name, Kind: history.Invariant, SQL: sql, Where: "ccheck.yaml:9"})
	case "ledger":
		b.header.Claims = append(b.header.Claims, history.Claim{Name: rest, Kind: history.Ledger, When: "end"})
	case "actor":
		b.actor(rest)
	case "check":
		name, answer, _ := strings.Cut(rest, " => ")
		if answer == "" {
			name = strings.TrimSuffix(name, " =>")
		}
		b.emit(event{"e": "check.ok", "p": history.Checker, "d": name}, answer)
	case "state":
		name, answer, _ := strings.Cut(rest, " => ")
		table, phase, _ := strings.Cut(name, " ")
		b.emit(event{"e": "state.ok", "p": history.Checker, "d": table, "f": phase}, answer)
	case "reset":
		b.emit(event{"e": "note.ok", "p": history.Checker, "d": "reset"}, "")
	default:
		b.laneLine(verb, rest)
	}
}

func (b *builder) table(verb, rest string) {
	name, text, _ := strings.Cut(rest, ": ")
	i := 0
	for i < len(b.header.Tables) && b.header.Tables[i].Name != name {
		i++
	}
	if i == len(b.header.Tables) {
		b.header.Tables = append(b.header.Tables, history.Table{Name: name})
	}
	t := &b.header.Tables[i]
	switch verb {
	case "unique":
		t.Unique = append(t.Unique, text)
		return
	case "constraint":
		t.Constraints = append(t.Constraints, text)
		return
	}
	for column := range strings.SplitSeq(text, ", ") {
		column, key := strings.CutSuffix(column, " key")
		name, typ, _ := strings.Cut(column, " ")
		t.Columns, t.Types = append(t.Columns, name), append(t.Types, typ)
		if key {
			t.Key = append(t.Key, name)
		}
	}
}

// actor reads "name [retry STATE] [refuse STATE] [effect table.key.column]";
// the variables of an effect are key and add, key2 and add2 …
func (b *builder) actor(rest string) {
	words := strings.Fields(rest)
	a := history.Actor{Name: words[0]}
	for i := 1; i+1 < len(words); i += 2 {
		switch words[i] {
		case "retry":
			a.Retry = append(a.Retry, words[i+1])
		case "refuse":
			a.Refuse = append(a.Refuse, words[i+1])
		case "effect":
			p := strings.Split(words[i+1], ".")
			n := ""
			if len(a.Effects) > 0 {
				n = fmt.Sprint(len(a.Effects) + 1)
			}
			a.Effects = append(a.Effects, history.Effect{Table: p[0], Key: p[1], Column: p[2], KeyVar: "key" + n, AddVar: "add" + n})
		}
	}
	b.header.Actors = append(b.header.Actors, a)
}

// laneLine reads a line that begins with the name of a lane.
func (b *builder) laneLine(verb, rest string) {
	name, mark := verb, byte(' ')
	if n := len(verb) - 1; n > 0 && strings.IndexByte(":<>~", verb[n]) >= 0 {
		name, mark = verb[:n], verb[n]
	}
	if len(name) != 1 || name[0] < 'A' || name[0] > 'Z' {
		b.t.Fatalf("historytest: cannot read %q", verb+" "+rest)
	}
	p := int(name[0] - 'A')
	l := b.lanes[p]
	if l == nil {
		l = &lane{}
		b.lanes[p] = l
	}
	switch mark {
	case ':':
		call, answer, _ := strings.Cut(rest, " => ")
		b.send(p, l, call, false)
		b.answer(p, l, answer)
	case '<':
		b.send(p, l, rest, false)
	case '>':
		b.answer(p, l, rest)
	case '~':
		call, answer, _ := strings.Cut(rest, " => ")
		inner := &lane{call: l.call}
		b.send(p, inner, call, true)
		b.answer(p, inner, answer)
	default:
		b.call(p, l, rest)
	}
}

func (b *builder) call(p int, l *lane, rest string) {
	verb, rest, _ := strings.Cut(rest, " ")
	switch verb {
	case "calls":
		b.calls++
		l.call, l.txn, l.failed = b.calls, 0, false
		b.emit(event{"e": "call.invoke", "p": p, "c": l.call, "n": rest}, "")
	case "waits":
		other := strings.TrimPrefix(rest, "for ")
		if other == "the pool" {
			b.emit(event{"e": "wait.ok", "p": p, "d": "pool"}, "")
			return
		}
		b.emit(event{"e": "wait.ok", "p": p, "d": "transactionid", "a": []string{fmt.Sprint(int(other[0] - 'A'))}}, "")
	case "ends":
		b.end(p, l, rest)
	case "is":
		b.emit(event{"e": "note.ok", "p": p, "d": rest}, "")
	default:
		b.t.Fatalf("historytest: cannot read %q of lane %d", verb, p)
	}
}

func (b *builder) end(p int, l *lane, rest string) {
	outcome, rest, _ := strings.Cut(rest, " ")
	kinds := map[string]string{"accepted": "call.ok", "refused": "call.fail", "failed": "call.fail", "unknown": "call.info"}
	e := event{"e": kinds[outcome], "p": p, "c": l.call, "o": outcome, "y": 1}
	vars := map[string]string{}
	var words []string
	for word := range strings.FieldsSeq(rest) {
		name, value, ok := strings.Cut(word, "=")
		switch {
		case ok && name == "tries":
			e["y"] = json.RawMessage(value)
		case ok:
			vars[name] = value
		default:
			words = append(words, word)
		}
	}
	if len(words) > 0 {
		e["z"], e["w"] = words[0], strings.Join(words[1:], " ")
	}
	e["v"] = vars
	b.emit(e, "")
	l.call = 0
}

func (b *builder) send(p int, l *lane, text string, outside bool) {
	sql, args, _ := strings.Cut(text, " | ")
	key := fmt.Sprint(sql, outside)
	id := b.stmts[key]
	if id == 0 {
		id = len(b.stmts) + 1
		b.stmts[key] = id
		b.write(history.Stmt{ID: id, SQL: sql, Outside: outside})
	}
	l.control = strings.Fields(sql)[0]
	if l.txn == 0 {
		b.txns++
		l.txn = b.txns
	}
	l.pending = id
	e := event{"e": "query.invoke", "p": p, "c": l.call, "x": l.txn, "q": id}
	if args != "" {
		e["a"] = values(args)
	}
	b.emit(e, "")
}

func (b *builder) answer(p int, l *lane, answer string) {
	e := event{"e": "query.ok", "p": p, "c": l.call, "x": l.txn, "q": l.pending}
	rest, failed := strings.CutPrefix(answer, "ERROR ")
	l.begun = l.begun || l.control == "BEGIN"
	switch {
	case answer == "LOST":
		e["e"] = "query.info"
	case failed:
		state, text, _ := strings.Cut(rest, " ")
		e["e"], e["z"], e["w"] = "query.fail", state, text
		l.failed = true
	case answer == "":
		e["g"] = l.control
	}
	if l.control == "COMMIT" && l.failed && !failed {
		e["g"] = "ROLLBACK"
	}
	switch {
	case l.control == "COMMIT", l.control == "ROLLBACK", !l.begun:
		e["s"] = "I"
		l.txn, l.begun, l.failed = 0, false, false
	case l.failed:
		e["s"] = "E"
	default:
		e["s"] = "T"
	}
	if failed || answer == "LOST" {
		answer = ""
	}
	b.emit(e, answer)
}

// event is a line of the history by its keys.
type event map[string]any

// emit writes an event with the answer "a, b: 1, 2; 3, 4" or a command tag.
func (b *builder) emit(e event, answer string) {
	b.index++
	e["i"], e["t"] = b.index, b.index*int64(time.Millisecond)
	columns, rows, ok := strings.Cut(answer, ": ")
	switch {
	case ok:
		e["h"] = strings.Split(columns, ", ")
		var all [][]any
		for row := range strings.SplitSeq(rows, "; ") {
			all = append(all, values(row))
		}
		e["r"] = all
		if _, query := e["q"]; query {
			e["g"] = fmt.Sprintf("SELECT %d", len(all))
		}
	case answer != "":
		e["g"] = answer
	}
	b.write(e)
}

func values(text string) []any {
	var vs []any
	for v := range strings.SplitSeq(text, ", ") {
		if v == "NULL" {
			vs = append(vs, nil)
			continue
		}
		vs = append(vs, v)
	}
	return vs
}

func (b *builder) write(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		b.t.Fatal(err)
	}
	b.body.Write(append(line, '\n'))
}
