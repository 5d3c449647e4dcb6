package isolation

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Parse reads a spec file. The name is used in errors, which are of type
// *Error; all of them are about the first mistake.
func Parse(file string, src []byte) (*Spec, error) {
	p := &parser{scanner: scanner{file: file, rest: string(src), pos: Pos{1, 1}}, spec: &Spec{File: file}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.file(); err != nil {
		return nil, err
	}
	return p.spec, nil
}

// Test is the name by which isolationtester's suite calls the spec: the file's
// without folder and extension. Specs find their own sessions by it, in
// pg_stat_activity.
func (s *Spec) Test() string {
	return strings.TrimSuffix(filepath.Base(s.File), ".spec")
}

// parser is recursive descent over one token.
type parser struct {
	scanner
	token
	spec *Spec
}

func (p *parser) advance() (err error) {
	p.token, err = p.next()
	return err
}

func (p *parser) at(k kind, text string) bool { return p.token.kind == k && p.text == text }

// expected is the error that something else stands here.
func (p *parser) expected(what string) error {
	hint := ""
	if p.token.kind == keyword {
		hint = "; a keyword needs double quotes to be a name"
	}
	return p.fault(p.token.pos, "expected %s, found %v%s", what, p.token, hint)
}

// word takes a token of a kind.
func (p *parser) word(k kind, what string) (token, error) {
	t := p.token
	if t.kind != k {
		return t, p.expected(what)
	}
	return t, p.advance()
}

// file is the whole: setups, teardown, sessions, permutations, in this order.
func (p *parser) file() error {
	for p.at(keyword, "setup") {
		b, err := p.optional("setup")
		if err != nil {
			return err
		}
		p.spec.Setup = append(p.spec.Setup, *b)
	}
	teardown, err := p.optional("teardown")
	if err != nil {
		return err
	}
	p.spec.Teardown = teardown
	if err := p.sessions(); err != nil {
		return err
	}
	return p.permutations()
}

// optional reads a keyword with its block when the keyword stands here.
func (p *parser) optional(word string) (*Block, error) {
	if !p.at(keyword, word) {
		return nil, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	t, err := p.word(block, "an SQL block in braces after "+word)
	return &Block{t.pos, t.text}, err
}

func (p *parser) sessions() error {
	for p.at(keyword, "session") {
		s, err := p.session()
		if err != nil {
			return err
		}
		p.spec.Sessions = append(p.spec.Sessions, s)
	}
	if len(p.spec.Sessions) == 0 {
		return p.fault(p.token.pos, "expected a session, found %v; the order is setup, teardown, sessions, permutations", p.token)
	}
	return p.steps()
}

func (p *parser) session() (*Session, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	t, err := p.word(name, "a name after session")
	if err != nil {
		return nil, err
	}
	s := &Session{Pos: t.pos, Name: t.text}
	if s.Setup, err = p.optional("setup"); err != nil {
		return nil, err
	}
	if !p.at(keyword, "step") {
		return nil, p.fault(p.token.pos, "expected a step of session %s, found %v; a session has at most one setup, then one or more steps", s.Name, p.token)
	}
	for p.at(keyword, "step") {
		step, err := p.step()
		if err != nil {
			return nil, err
		}
		step.Session = len(p.spec.Sessions)
		s.Steps = append(s.Steps, step)
	}
	s.Teardown, err = p.optional("teardown")
	return s, err
}

func (p *parser) step() (*Step, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	t, err := p.word(name, "a name after step")
	if err != nil {
		return nil, err
	}
	sql, err := p.word(block, "an SQL block in braces after step "+t.text)
	return &Step{Pos: t.pos, Name: t.text, SQL: sql.text}, err
}

func (p *parser) permutations() error {
	for p.at(keyword, "permutation") {
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.permutation(); err != nil {
			return err
		}
	}
	if p.token.kind != end {
		return p.fault(p.token.pos, "expected a permutation or the end of the file, found %v; the order is setup, teardown, sessions, permutations", p.token)
	}
	return nil
}

// permutation reads the names and markers, then ties them to steps: a marker
// may name a step that comes later in the permutation.
func (p *parser) permutation() error {
	var launches []named
	for p.token.kind == name {
		l, err := p.launch()
		if err != nil {
			return err
		}
		launches = append(launches, l)
	}
	if len(launches) == 0 {
		return p.expected("the name of a step after permutation")
	}
	permutation, err := p.link(launches)
	p.spec.Permutations = append(p.spec.Permutations, permutation)
	return err
}

// named is a launch or a marker whose step is still a name.
type named struct {
	token
	once    bool
	notices int
	markers []named
}

func (p *parser) launch() (named, error) {
	l := named{token: p.token}
	if err := p.advance(); err != nil || !p.at(mark, "(") {
		return l, err
	}
	for more := true; more; more = p.at(mark, ",") {
		if err := p.advance(); err != nil {
			return l, err
		}
		m, err := p.marker()
		if err != nil {
			return l, err
		}
		l.markers = append(l.markers, m)
	}
	if !p.at(mark, ")") {
		return l, p.expected("a comma or ) after a marker of step " + l.text)
	}
	return l, p.advance()
}

// marker reads *, a name, or a name with a number of notices.
func (p *parser) marker() (named, error) {
	m := named{token: p.token, once: p.at(mark, "*")}
	if !m.once && p.token.kind != name {
		return m, p.expected("a marker: * or the name of a step")
	}
	if err := p.advance(); err != nil || m.once || !p.at(keyword, "notices") {
		return m, err
	}
	if err := p.advance(); err != nil {
		return m, err
	}
	n, err := p.word(number, "a number after notices")
	if err != nil {
		return m, err
	}
	m.notices, err = strconv.Atoi(n.text)
	if err != nil || m.notices == 0 || m.notices > 1<<30 {
		return m, p.fault(n.pos, "%s is no number of notices to wait for; give one from 1 on", n.text)
	}
	return m, nil
}
