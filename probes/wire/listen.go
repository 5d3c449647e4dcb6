package wire

import (
	"fmt"
	"slices"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/wire/value"
)

// listen takes a message of the client into the batch, and reports whether the
// batch is complete.
func (c *Conn) listen(f frame) (end bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &fields{b: f.body}
	switch f.kind {
	case 'Q':
		c.add(step{kind: 'Q', op: c.newOp(Query, clip(r.text()))})
		c.next.sync, end = true, true
	case 'P':
		c.hearParse(r)
	case 'B':
		c.hearBind(r)
	case 'D':
		c.hearDescribe(r)
	case 'E':
		c.hearExecute(r)
	case 'C':
		if kind, name := r.byte(), string(r.text()); kind == 'S' {
			delete(c.prepared, name)
		} else {
			delete(c.portals, name)
		}
		c.add(step{kind: 'C'})
	case 'S':
		c.add(step{kind: 'S'})
		c.next.sync, end = true, true
	case 'H':
		end = true
	case 'F':
		c.add(step{kind: 'F', op: c.newOp(Call, fmt.Sprintf("/* function call */ %d", r.int32()))})
		c.next.sync, end = true, true
	case 'd':
		c.next.copies = true
	case 'c', 'f':
		c.add(step{kind: 'c'})
		c.next.hidden, end = true, true
	default:
		return false, fmt.Errorf("invalid frontend message type %d", f.kind)
	}
	return end, nil
}

func (c *Conn) add(s step) {
	s.batch = c.next.owner()
	c.next.copies = false
	c.next.steps = append(c.next.steps, s)
}

func (c *Conn) hearParse(r *fields) {
	name := string(r.text())
	p := &prepared{sql: clip(r.text())}
	for range r.int16() {
		if t := r.int32(); !r.short {
			p.params = append(p.params, uint32(t))
		}
	}
	c.add(step{kind: 'P', stmt: p, name: name, before: c.prepared[name]})
	c.prepared[name] = p
}

func (c *Conn) hearBind(r *fields) {
	name := string(r.text())
	p := &portal{stmt: c.named(string(r.text()))}
	c.portals[name] = p
	c.add(step{kind: 'B', portal: p})
	formats := r.formats()
	for i := range r.int16() {
		size := r.int32()
		switch {
		case r.short:
			return
		case size < 0:
			p.args = append(p.args, history.Null)
		default:
			p.args = append(p.args, r.value(size, p.stmt.param(i), formatOf(formats, i)))
		}
	}
	p.formats = r.formats()
}

func (c *Conn) hearDescribe(r *fields) {
	kind, name := r.byte(), string(r.text())
	s := step{kind: 'D'}
	if kind == 'S' {
		s.stmt = c.named(name)
	} else {
		s.portal = c.bound(name)
	}
	c.add(s)
}

func (c *Conn) hearExecute(r *fields) {
	p := c.bound(string(r.text()))
	o := c.newOp(Execute, p.stmt.sql)
	o.portal = p
	if p.ran {
		o.kind, o.fetch = Fetch, true
	}
	p.ran = true
	c.add(step{kind: 'E', op: o})
}

// named returns the prepared statement of a name. One that is not known, since
// the server made it in another way, has a text that says so.
func (c *Conn) named(name string) *prepared {
	if p := c.prepared[name]; p != nil {
		return p
	}
	return &prepared{sql: fmt.Sprintf("/* prepared statement %q, whose text is not known */", name)}
}

// bound returns the portal of a name. A cursor that DECLARE made is one too.
func (c *Conn) bound(name string) *portal {
	if p := c.portals[name]; p != nil {
		return p
	}
	return &portal{stmt: &prepared{sql: fmt.Sprintf("/* portal %q, whose statement is not known */", name)}}
}

// undo takes back the names of statements that the server did not parse.
func (c *Conn) undo(steps []step) {
	for _, s := range slices.Backward(steps) {
		if s.kind != 'P' || c.prepared[s.name] != s.stmt {
			continue
		}
		if s.before == nil {
			delete(c.prepared, s.name)
		} else {
			c.prepared[s.name] = s.before
		}
	}
}

// param is the type of a parameter, 0 when nobody has named it.
func (p *prepared) param(i int) uint32 {
	if i < len(p.params) {
		return p.params[i]
	}
	return 0
}

// formats reads the format codes of Bind: none is all text, one is for all.
func (r *fields) formats() []int {
	n := r.int16()
	if n <= 0 || n*2 > len(r.b) {
		return nil
	}
	formats := make([]int, n)
	for i := range formats {
		formats[i] = r.int16()
	}
	return formats
}

func formatOf(formats []int, i int) int { return (&portal{formats: formats}).format(i) }

// maxCut leaves room for the words behind a value that was cut, so that the
// history does not cut it again.
const maxCut = history.MaxValue - 40

// value reads a value of that many bytes. One that was cut with its frame says
// how much is missing.
func (r *fields) value(size int, typ uint32, format int) history.Value {
	if size <= len(r.b) {
		return history.Text(value.Text(typ, format, r.take(size)))
	}
	part := r.b[:min(len(r.b), maxCut)]
	r.b, r.short = nil, true
	return history.Text(fmt.Sprintf("%s… +%d bytes", value.Text(0, format, part), size-len(part)))
}

// clip bounds the text of a statement.
func clip(sql []byte) string {
	if len(sql) > maxSQL {
		return fmt.Sprintf("%s /* +%d bytes */", sql[:maxSQL], len(sql)-maxSQL)
	}
	return string(sql)
}
