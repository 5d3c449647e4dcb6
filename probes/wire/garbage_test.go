package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/history"
)

// message is one frame.
func message(kind byte, body string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(b, body...)
}

// seeds are sessions that mean something, for the fuzzer to spoil.
func seeds(f *testing.F) [][2][]byte {
	f.Helper()
	encode := func(all ...interface{ Encode([]byte) ([]byte, error) }) []byte {
		var b []byte
		for _, m := range all {
			next, err := m.Encode(b)
			if err != nil {
				f.Fatal(err)
			}
			b = next
		}
		return b
	}
	row := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("a"), DataTypeOID: 1700, Format: 1}}}
	ready := &pgproto3.ReadyForQuery{TxStatus: 'I'}
	return [][2][]byte{
		{encode(&pgproto3.Query{String: "select 'a', 1"}, &pgproto3.Terminate{}),
			encode(row, &pgproto3.DataRow{Values: [][]byte{{0, 1, 0, 0, 0, 0, 0, 0, 0, 1}}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, ready)},
		{encode(&pgproto3.Parse{Name: "s", Query: "select $1", ParameterOIDs: []uint32{23}}, &pgproto3.Describe{ObjectType: 'S', Name: "s"},
			&pgproto3.Bind{PreparedStatement: "s", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{{0, 0, 0, 1}}, ResultFormatCodes: []int16{1}},
			&pgproto3.Execute{MaxRows: 1}, &pgproto3.Execute{}, &pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{}),
			encode(&pgproto3.ParseComplete{}, &pgproto3.ParameterDescription{ParameterOIDs: []uint32{23}}, row, &pgproto3.BindComplete{},
				&pgproto3.DataRow{Values: [][]byte{nil}}, &pgproto3.PortalSuspended{}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.CloseComplete{}, ready)},
		{encode(&pgproto3.Parse{Query: "copy t from stdin"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{}, &pgproto3.CopyData{Data: []byte("1\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{}),
			encode(&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, &pgproto3.CopyInResponse{}, &pgproto3.ErrorResponse{Severity: "ERROR", Code: "22P02", Message: "no"}, ready)},
		{encode(&pgproto3.FunctionCall{Function: 1}, &pgproto3.Flush{}, &pgproto3.Query{String: "commit"}),
			encode(&pgproto3.FunctionCallResponse{Result: []byte("x")}, ready, &pgproto3.NotificationResponse{}, &pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P01"})},
		{[]byte("GET / HTTP/1.1\r\n\r\n"), []byte("HTTP/1.1 400 Bad Request\r\n\r\n")},
		{message('Q', string(make([]byte, 9000))), message('D', "\xff\xff\xff\xff")},
	}
}

// whatever stands in for one side: what it says is given, what it hears is kept.
type whatever struct {
	net.Conn
	says  *bytes.Reader
	heard bytes.Buffer
}

func (w *whatever) Read(b []byte) (int, error)  { return w.says.Read(b) }
func (w *whatever) Write(b []byte) (int, error) { return w.heard.Write(b) }
func (w *whatever) Close() error                { return nil }
func (w *whatever) SetDeadline(time.Time) error { return nil }
func (w *whatever) CloseWrite() error           { return nil }
func (w *whatever) RemoteAddr() net.Addr        { return &net.TCPAddr{} }

// FuzzSession feeds a session with what both sides might send, in any order. It
// must not panic, must forward to the server nothing that the client did not
// send and the other way round, and must leave a history that can be read.
func FuzzSession(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s[0], s[1], true)
		f.Add(s[1], s[0], false)
	}
	// A message that is too large to be held, and never comes to its end.
	f.Add(append([]byte("D\x08\x00\x00\x00"), make([]byte, headSize)...), []byte("D\x08\x00\x00\x00\xff\xff\xff\xff"), true)
	// Copy data that nobody asked for.
	f.Add(append([]byte("d\x08\x00\x00\x00"), make([]byte, headSize)...), []byte(nil), true)
	f.Fuzz(func(t *testing.T, client, server []byte, clientFirst bool) {
		w, err := history.Create(filepath.Join(t.TempDir(), "h.jsonl"), history.Header{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		g := &counting{t: t, open: map[*Conn]int{}}
		cfg := Config{History: w}
		if clientFirst {
			cfg.Gate = g
		}
		p := &Proxy{cfg: cfg.withDefaults(), tape: newTape(w, 0), conns: map[*Conn]struct{}{}}
		p.ctx, p.cancel = context.WithCancelCause(t.Context())
		front := &whatever{says: bytes.NewReader(client)}
		back := &whatever{says: bytes.NewReader(server)}
		c := newConn(p, front)
		c.server = c.side(back, maxRow)
		c.tx = 'I'
		c.begin()
		steps := []func() error{c.front, c.back}
		if !clientFirst {
			steps[0], steps[1] = steps[1], steps[0]
		}
		for _, step := range steps {
			if err := step(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errFrame) && c.ctx.Err() != nil {
				t.Error(err)
			}
		}
		c.lose()
		if !bytes.HasPrefix(client, back.heard.Bytes()) {
			t.Errorf("the server got %.100q of %.100q", back.heard.Bytes(), client)
		}
		got := front.heard.Bytes()
		if n := min(len(got), len(server)); !bytes.Equal(got[:n], server[:n]) && !bytes.Contains(got, []byte("08P01")) {
			t.Errorf("the client got %.100q of %.100q", got, server)
		}
		readable(t, w)
		if g.open[c] != 0 {
			t.Errorf("%d batches have no answer", g.open[c])
		}
	})
}

// counting is a gate that lets everything through and wants an answer to each batch.
type counting struct {
	t    *testing.T
	open map[*Conn]int
}

func (g *counting) Opened(*Conn) error { return nil }

func (g *counting) Arrive(_ context.Context, c *Conn, _ Batch) error {
	g.open[c]++
	return nil
}

func (g *counting) Answered(c *Conn, _ Result) {
	if g.open[c]--; g.open[c] < 0 {
		g.t.Error("an answer without a batch")
	}
}

func (g *counting) Closed(*Conn) {}

func readable(t *testing.T, w *history.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := history.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	open := map[int64]int{}
	for o, err := range h.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		if o.Scope != history.ScopeQuery {
			continue
		}
		if o.Kind == history.Invoke {
			open[o.Txn]++
		} else if open[o.Txn]--; open[o.Txn] < 0 {
			t.Errorf("transaction %d ended a statement that it did not begin", o.Txn)
		}
	}
	for txn, n := range open {
		if n != 0 {
			t.Errorf("transaction %d has %d statements without an end", txn, n)
		}
	}
}

// FuzzHello reads what may come first.
func FuzzHello(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x10\x00\x03\x00\x00user\x00me\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x08\x04\xd2\x16\x2f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		packet, err := readPacket(bytes.NewReader(b))
		if err != nil {
			return
		}
		h, err := readHello(packet, binary.BigEndian.Uint32(packet[4:]))
		if err == nil && len(h.user) > len(b) {
			t.Error("a user longer than the packet")
		}
		withoutPlus(b)
		suspects(b)
		readError(&fields{b: b})
	})
}
