package script

import "strings"

// verbs are the backslash commands that stand for themselves; \gset and \aset
// belong to the statement before them.
var verbs = map[string]verb{
	"set": verbSet, "if": verbIf, "elif": verbElif, "else": verbElse, "endif": verbEndif,
	"sleep": verbSleep, "shell": verbShell, "setshell": verbSetShell,
	"startpipeline": verbStartPipeline, "syncpipeline": verbSyncPipeline, "endpipeline": verbEndPipeline,
}

var verbNames = []string{
	"set", "gset", "aset", "if", "elif", "else", "endif", "sleep", "shell", "setshell",
	"startpipeline", "syncpipeline", "endpipeline",
}

// backslash reads a backslash command; the source stands at its backslash.
func (b *builder) backslash() error {
	src := b.scan.source
	at := src.pos
	src.pos++
	name, ok := src.nextWord()
	if !ok {
		return nil // a backslash alone on its line is nothing, as in pgbench
	}
	m := &metaCommand{builder: b, at: at, name: name.text}
	word := strings.ToLower(name.text)
	if word == "gset" || word == "aset" {
		return m.fetch(word == "aset")
	}
	v, ok := verbs[word]
	if !ok {
		return m.unknown(word)
	}
	m.c = command{verb: v, line: src.line(at)}
	if err := m.parse(); err != nil {
		return err
	}
	b.add(m.c, true)
	return nil
}

// metaCommand is a backslash command under way.
type metaCommand struct {
	*builder
	at   int
	name string // as written
	c    command
	args []word
}

func (m *metaCommand) errorf(format string, args ...any) *SyntaxError {
	return m.scan.errorAt(m.at, `\`+m.name, format, args...)
}

func (m *metaCommand) errorAtWord(w word, format string, args ...any) *SyntaxError {
	return m.scan.errorAt(w.at, w.text, format, args...)
}

func (m *metaCommand) unknown(word string) error {
	e := m.errorf("invalid command")
	if word == "setrandom" {
		e.Hint = `\setrandom is gone since PostgreSQL 9.6: write \set name random(low, high)`
	} else if n := nearest(word, verbNames); n != "" {
		e.Hint = `did you mean \` + n + "?"
	} else {
		e.Hint = `the commands are \` + strings.Join(verbNames, `, \`)
	}
	return e
}

func (m *metaCommand) parse() error {
	switch m.c.verb {
	case verbSet:
		return m.set()
	case verbIf, verbElif:
		if err := m.expression(); err != nil {
			return err
		}
		return m.condition()
	}
	m.words()
	switch m.c.verb {
	case verbSleep:
		return m.sleep()
	case verbShell:
		if len(m.args) == 0 {
			return m.errorf("missing command")
		}
		m.keepArgs(m.args)
	case verbSetShell:
		if len(m.args) < 2 {
			return m.errorf("missing argument")
		}
		m.c.name = m.args[0].text
		m.keepArgs(m.args[1:])
	default:
		if len(m.args) > 0 {
			return m.errorAtWord(m.args[0], `unexpected argument in command "%s"`, m.name)
		}
		return m.condition()
	}
	return m.checkName()
}

// words collects the rest of the line.
func (m *metaCommand) words() {
	for {
		w, ok := m.scan.nextWord()
		if !ok {
			return
		}
		m.args = append(m.args, w)
	}
}

func (m *metaCommand) keepArgs(args []word) {
	for _, a := range args {
		m.c.args = append(m.c.args, a.text)
	}
}

func (m *metaCommand) set() error {
	w, ok := m.scan.nextWord()
	if !ok {
		return m.errorf("missing argument")
	}
	m.c.name = w.text
	m.args = []word{w}
	if err := m.checkName(); err != nil {
		return err
	}
	return m.expression()
}

// checkName refuses a name that no variable can have; pgbench does so when the
// command runs.
func (m *metaCommand) checkName() error {
	if m.c.name == "" || validName(m.c.name) {
		return nil
	}
	e := m.errorAtWord(m.args[0], "invalid variable name")
	e.Hint = "a name is letters, digits and _, and does not begin with a digit"
	return e
}

func (m *metaCommand) expression() error {
	src := m.scan.source
	start, end := src.pos, src.endOfLine()
	root, err := parseExpr(src, end)
	if err != nil {
		return err
	}
	m.c.expr = &Expr{root: root, origin: strings.TrimSpace(src.text[start:end])}
	return nil
}

func (m *metaCommand) sleep() error {
	if len(m.args) == 0 {
		return m.errorf("missing argument")
	}
	if len(m.args) > 2 {
		return m.errorAtWord(m.args[2], `too many arguments in command "%s"`, m.name)
	}
	if n := m.args[0]; n.text[0] != ':' {
		number := len(n.text) - len(afterNumber(n.text))
		switch {
		case number == 0, number < len(n.text) && len(m.args) == 2:
			return m.errorAtWord(n, "invalid sleep time, must be an integer")
		case number < len(n.text):
			m.args = []word{{n.text[:number], n.at}, {n.text[number:], n.at + number}} // 10ms
		}
	}
	if len(m.args) == 2 {
		if u := strings.ToLower(m.args[1].text); u != "us" && u != "ms" && u != "s" {
			return m.errorAtWord(m.args[1], "unrecognized time unit, must be us, ms or s")
		}
	}
	m.keepArgs(m.args)
	return nil
}

// afterNumber returns what follows the integer that s begins with: all of s when
// there is none.
func afterNumber(s string) string {
	after := s
	if s[0] == '+' || s[0] == '-' {
		after = s[1:]
	}
	if after == "" || !isDigit(after[0]) {
		return s
	}
	return strings.TrimLeft(after, "0123456789")
}

// fetch reads \gset and \aset, which belong to the statement before.
func (m *metaCommand) fetch(all bool) error {
	m.words()
	if m.lastSQL < 0 || m.script.commands[m.lastSQL].fetch != fetchNone {
		return m.errorf(`\gset must follow an SQL command`)
	}
	if len(m.args) > 1 {
		return m.errorAtWord(m.args[1], `too many arguments in command "%s"`, m.name)
	}
	if m.pipe.state == pipeOpen {
		return m.errorf(`\%s is not allowed in pipeline mode`, strings.ToLower(m.name))
	}
	c := &m.script.commands[m.lastSQL]
	c.fetch = fetchOne
	if all {
		c.fetch = fetchLast
	}
	if len(m.args) == 1 {
		c.prefix = m.args[0].text
	}
	return nil
}

// condition keeps the blocks of \if and follows the pipeline.
func (m *metaCommand) condition() error {
	switch m.c.verb {
	case verbIf:
		m.blocks = append(m.blocks, block{at: m.at, test: len(m.script.commands), before: m.pipe})
		return nil
	case verbStartPipeline, verbSyncPipeline, verbEndPipeline:
		return m.pipeline()
	}
	if len(m.blocks) == 0 {
		return m.errorf(`\%s without matching \if`, strings.ToLower(m.name))
	}
	k := &m.blocks[len(m.blocks)-1]
	if m.c.verb != verbEndif && k.test < 0 {
		return m.errorf(`\%s after \else`, strings.ToLower(m.name))
	}
	m.closeBranch(k)
	return nil
}

// closeBranch ends a branch at \elif, \else and \endif and sets where the
// commands before it go.
func (m *metaCommand) closeBranch(k *block) {
	commands, here := m.script.commands, len(m.script.commands)
	k.branches = append(k.branches, m.pipe.state)
	switch m.c.verb {
	case verbElif:
		// A false condition goes to the next condition, and evaluates it.
		commands[k.test].next = here
		k.ends, k.test = append(k.ends, here), here
		m.pipe = k.before
	case verbElse:
		commands[k.test].next = here + 1
		k.ends = append(k.ends, here)
		k.test = -1
		m.pipe = k.before
	case verbEndif:
		if k.test >= 0 {
			commands[k.test].next = here
		}
		for _, i := range k.ends {
			commands[i].leave = here
		}
		m.join(k)
		m.blocks = m.blocks[:len(m.blocks)-1]
	}
}

func (m *metaCommand) pipeline() error {
	opens := m.c.verb == verbStartPipeline
	switch {
	case opens && m.pipe.state == pipeOpen:
		return m.errorf("already in pipeline mode")
	case !opens && m.pipe.state == pipeClosed:
		return m.errorf("not in pipeline mode")
	case opens:
		m.pipe = pipe{pipeOpen, m.at}
	case m.c.verb == verbEndPipeline:
		m.pipe.state = pipeClosed
	}
	return nil
}
