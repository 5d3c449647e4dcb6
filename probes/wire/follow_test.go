package wire

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/history"
)

// feed is an end of a connection that reads what it is given, and takes all.
type feed struct {
	net.Conn
	b []byte
}

func (f *feed) Read(b []byte) (int, error) {
	if len(f.b) == 0 {
		return 0, errAgain
	}
	n := copy(b, f.b)
	f.b = f.b[n:]
	return n, nil
}

func (f *feed) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkFollow is what it takes to follow a statement and its answer beside
// the system calls.
func BenchmarkFollow(b *testing.B) {
	row := encode(b, &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("abalance"), DataTypeOID: 23, DataTypeSize: 4}}},
		&pgproto3.DataRow{Values: [][]byte{[]byte("-2345")}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	done := encode(b, &pgproto3.CommandComplete{CommandTag: []byte("UPDATE 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	sel := encode(b, &pgproto3.Query{String: "SELECT abalance FROM pgbench_accounts WHERE aid = 748213;"})
	update := encode(b, &pgproto3.Query{String: "UPDATE pgbench_accounts SET abalance = abalance + -2345 WHERE aid = 748213;"})
	parse := encode(b, &pgproto3.Parse{Name: "p", Query: "SELECT abalance FROM pgbench_accounts WHERE aid = $1;"}, &pgproto3.Sync{})
	parsed := encode(b, &pgproto3.ParseComplete{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	bind := encode(b, &pgproto3.Bind{PreparedStatement: "p", Parameters: [][]byte{[]byte("748213")}, ResultFormatCodes: []int16{0}},
		&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{})
	bound := append(encode(b, &pgproto3.BindComplete{}), row...)
	for _, c := range []struct {
		name             string
		recorded         bool
		question, answer []byte
	}{
		{"select/followed", false, sel, row},
		{"select/recorded", true, sel, row},
		{"update/recorded", true, update, done},
		{"prepared/recorded", true, bind, bound},
	} {
		b.Run(c.name, func(b *testing.B) {
			var cfg Config
			if c.recorded {
				cfg.History = created(b)
			}
			conn, client, server := fed(b, cfg)
			turn := func(question, answer []byte) {
				client.b, server.b = question, answer
				if front, back := conn.front(), conn.back(); front != errAgain || back != errAgain {
					b.Fatal(front, back)
				}
			}
			turn(parse, parsed)
			b.ReportAllocs()
			for b.Loop() {
				turn(c.question, c.answer)
			}
		})
	}
}

func encode(t testing.TB, messages ...pgproto3.Message) []byte {
	t.Helper()
	var out []byte
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func created(t testing.TB) *history.Writer {
	t.Helper()
	w, err := history.Create(filepath.Join(t.TempDir(), "h.jsonl"), history.Header{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// fed is a connection in the middle of a session.
func fed(t testing.TB, cfg Config) (c *Conn, client, server *feed) {
	t.Helper()
	p := &Proxy{cfg: cfg.withDefaults(), tape: newTape(cfg.History, 0), ctx: t.Context()}
	client, server = &feed{}, &feed{}
	c = newConn(p, client)
	c.server = c.side(server, maxRow)
	c.begin()
	return c, client, server
}

// FuzzReuse follows a session twice, with a gate that only looks and without
// one. Without a gate, commands and batches are used again, which must not show
// in the history.
func FuzzReuse(f *testing.F) {
	for _, s := range append(seeds(f), mixed(f), broken(f)) {
		for ahead := range uint8(3) {
			f.Add(append(s[0], s[0]...), append(s[1], s[1]...), ahead)
		}
	}
	f.Fuzz(func(t *testing.T, asked, answered []byte, ahead uint8) {
		var told [2][]history.Op
		for i, gate := range []Gate{nil, &counting{t: t, open: map[*Conn]int{}}} {
			cfg := Config{History: created(t), Gate: gate}
			c, client, server := fed(t, cfg)
			follow(c, client, server, bytes.Clone(asked), bytes.Clone(answered), ahead)
			told[i] = recorded(t, cfg.History)
		}
		if diff := cmp.Diff(told[1], told[0]); diff != "" {
			t.Errorf("with a gate (-) and without (+) the history differs:\n%s", diff)
		}
	})
}

// mixed has statements with and without rows, of one shape and another, one that
// fails, several in one message, and some that run before the ones in front of
// them are answered.
func mixed(t testing.TB) [2][]byte {
	one := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("a"), DataTypeOID: 23}}}
	two := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("b"), DataTypeOID: 25}, {Name: []byte("c"), DataTypeOID: 25}}}
	row := func(values ...string) *pgproto3.DataRow {
		r := &pgproto3.DataRow{}
		for _, v := range values {
			r.Values = append(r.Values, []byte(v))
		}
		return r
	}
	tag := func(s string) *pgproto3.CommandComplete { return &pgproto3.CommandComplete{CommandTag: []byte(s)} }
	idle, open := &pgproto3.ReadyForQuery{TxStatus: 'I'}, &pgproto3.ReadyForQuery{TxStatus: 'T'}
	return [2][]byte{
		encode(t, &pgproto3.Query{String: "select a from t where a = 1"}, &pgproto3.Query{String: "select b, c from u where b in ('x', 'y')"},
			&pgproto3.Query{String: "begin; select 1; select b, c from u"}, &pgproto3.Query{String: "update t set a = 1"}, &pgproto3.Query{String: "commit"},
			&pgproto3.Parse{Query: "select $1"}, &pgproto3.Bind{Parameters: [][]byte{[]byte("9")}}, &pgproto3.Execute{}, &pgproto3.Flush{},
			&pgproto3.Bind{Parameters: [][]byte{nil}}, &pgproto3.Execute{}, &pgproto3.Sync{}),
		encode(t, one, row("1"), row("2"), tag("SELECT 2"), idle, two, row("x", "long enough to be a text of its own"), tag("SELECT 1"), idle,
			tag("BEGIN"), one, row("1"), tag("SELECT 1"), two, row("p", "q"), row("r", "s"), tag("SELECT 2"), open,
			&pgproto3.ErrorResponse{Severity: "ERROR", Code: "40001", Message: "no"}, open, tag("ROLLBACK"), idle,
			&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, row("9"), tag("SELECT 1"), &pgproto3.BindComplete{}, row("10"), tag("SELECT 1"), idle),
	}
}

// broken has pipelines that end before their time: one whose second statement is
// cancelled, one that cannot commit, one whose client copies instead, and one that
// the server ends in the middle.
func broken(t testing.TB) [2][]byte {
	bind := func(v string) []pgproto3.Message {
		return []pgproto3.Message{&pgproto3.Bind{PreparedStatement: "p", Parameters: [][]byte{[]byte(v)}}, &pgproto3.Execute{}}
	}
	asked := []pgproto3.Message{&pgproto3.Parse{Name: "p", Query: "select $1"}}
	for _, v := range []string{"1", "2", "3"} {
		asked = append(asked, bind(v)...)
	}
	asked = append(asked, &pgproto3.Sync{})
	asked = append(append(append(asked, bind("4")...), &pgproto3.Flush{}), append(bind("5"), &pgproto3.Sync{})...)
	asked = append(asked, &pgproto3.Query{String: "copy t from stdin"}, &pgproto3.CopyData{Data: []byte("7\n")}, &pgproto3.CopyFail{Message: "no"})
	asked = append(append(asked, bind("8")...), bind("9")...)
	asked = append(asked, &pgproto3.Sync{}, &pgproto3.Query{String: "select 'never answered', 10"})
	row := func(v string) []pgproto3.Message {
		return []pgproto3.Message{&pgproto3.BindComplete{}, &pgproto3.DataRow{Values: [][]byte{[]byte(v)}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}}
	}
	fault := func(severity, code string) pgproto3.Message {
		return &pgproto3.ErrorResponse{Severity: severity, SeverityUnlocalized: severity, Code: code, Message: "no " + code}
	}
	idle := &pgproto3.ReadyForQuery{TxStatus: 'I'}
	answered := append([]pgproto3.Message{&pgproto3.ParseComplete{}}, row("1")...)
	answered = append(answered, &pgproto3.BindComplete{}, fault("ERROR", "57014"), idle)
	answered = append(append(append(answered, row("4")...), row("5")...), fault("ERROR", "40001"), idle)
	answered = append(answered, &pgproto3.CopyInResponse{}, fault("ERROR", "57014"), idle)
	answered = append(append(answered, row("8")...), fault("FATAL", "57P01"))
	return [2][]byte{encode(t, asked...), encode(t, answered...)}
}

// follow has both sides speak in turn, the client ahead by so many turns.
func follow(c *Conn, client, server *feed, asked, answered []byte, ahead uint8) {
	defer c.lose()
	for len(asked)+len(answered) > 0 {
		client.b = speak(&asked, "QSF")
		if ahead > 0 {
			ahead--
		} else {
			server.b = speak(&answered, "Z")
		}
		if c.front() != errAgain || c.back() != errAgain {
			return
		}
	}
}

// speak takes messages from the front, up to one of the last kinds.
func speak(all *[]byte, last string) []byte {
	whole, n := *all, 0
	for n < len(whole) {
		f, ok, _ := (&stream{buf: whole[n:], end: len(whole) - n}).frame()
		if !ok {
			n = len(whole)
			break
		}
		n = min(n+f.size+5, len(whole))
		if strings.IndexByte(last, f.kind) >= 0 {
			break
		}
	}
	*all = whole[n:]
	return whole[:n]
}

// recorded is the history, without the times.
func recorded(t *testing.T, w *history.Writer) []history.Op {
	t.Helper()
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	h, err := history.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	var ops []history.Op
	for o, err := range h.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		o.Time, o.Start = 0, 0
		ops = append(ops, *o)
	}
	return ops
}
