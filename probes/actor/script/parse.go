package script

import (
	"slices"
	"strconv"
	"strings"
)

// maxParams is how many variables pgbench allows in a statement.
const maxParams = 255

// Parse reads a script. name is the actor's, file stands in messages. Errors are
// *SyntaxError. What pgbench finds only while it runs, but is wrong in every run
// (text that is not closed, \gset in a pipeline), is found here.
func Parse(name, file, text string) (*Script, error) {
	b := &builder{script: &Script{Name: name, File: file, Text: text}}
	b.scan = scanner{source: &source{file: file, text: text}, comment: b.comment}
	if err := b.run(); err != nil {
		return nil, hinted(err)
	}
	s := b.script
	s.Rollback = s.newStmt(&command{}, "ROLLBACK", 0)
	s.Stmts = append(s.Stmts, s.Rollback)
	return s, nil
}

// builder makes a Script of what the scanner finds.
type builder struct {
	script *Script
	scan   scanner
	number int // of the last command, as pgbench counts

	place   place // what "-- @outside" or "-- @on replica" said of the next statement
	placeAt int
	mark    string // the comment itself
	rows    string // what "-- @rows" said inside the statement at hand
	lastSQL int    // index of the last command of pgbench's if that is a statement, else -1

	blocks []block // \if that are open
	pipe   pipe
}

func (b *builder) run() error {
	b.lastSQL = -1
	for {
		st := &statement{}
		ended, err := b.scan.next(st)
		if err != nil {
			return err
		}
		if !st.empty() || ended == endSemicolon {
			if err := b.addSQL(st); err != nil {
				return err
			}
		}
		switch ended {
		case endBackslash:
			if err := b.backslash(); err != nil {
				return err
			}
		case endText:
			return b.finish()
		}
	}
}

// finish checks what can be said at the end only.
func (b *builder) finish() error {
	src := b.scan.source
	switch {
	case b.place != placeMain:
		return src.errorAt(b.placeAt, b.mark, "no statement follows")
	case len(b.blocks) > 0:
		return src.errorAt(b.blocks[len(b.blocks)-1].at, `\if`, `\if without matching \endif`)
	case b.pipe.state == pipeOpen:
		e := src.errorAt(b.pipe.at, `\startpipeline`, "end of script reached with pipeline open")
		e.Hint = `add \endpipeline`
		return e
	case b.number == 0:
		return src.errorAt(0, "", "empty command list for script")
	}
	return nil
}

// add appends a command; counts says that pgbench counts it too.
func (b *builder) add(c command, counts bool) {
	if counts {
		b.number++
		b.lastSQL = -1
	}
	c.number = b.number
	b.script.commands = append(b.script.commands, c)
}

func (b *builder) addSQL(st *statement) error {
	src := b.scan.source
	c := command{verb: verbSQL, line: src.line(st.at), place: b.place, rows: b.rows}
	c.pieces = trimPieces(append(st.pieces, st.text.String()))
	c.source = strings.TrimRight(st.source.String(), cSpace)
	c.commits = len(st.words) > 0 && (st.words[0] == "commit" || st.words[0] == "end")
	sql, n := numbered(c.pieces)
	if n > maxParams {
		return src.errorAt(st.at, firstWord(c.source), "statement has too many arguments (maximum is %d)", maxParams)
	}
	if b.rows != "" && b.pipe.state == pipeOpen {
		return src.errorAt(st.at, firstWord(c.source), "-- @rows is not allowed in pipeline mode")
	}
	c.stmt = b.script.newStmt(&c, sql, n)
	b.script.Stmts = append(b.script.Stmts, c.stmt)
	b.add(c, true)
	b.lastSQL = len(b.script.commands) - 1
	b.place, b.rows = placeMain, ""
	return nil
}

// trimPieces cuts blanks off the end.
func trimPieces(pieces []string) []string {
	last := len(pieces) - 1
	pieces[last] = strings.TrimRight(pieces[last], cSpace)
	return pieces
}

// numbered puts $1, $2 … in the places of the variables.
func numbered(pieces []string) (sql string, params int) {
	var b strings.Builder
	for i, p := range pieces {
		if i%2 == 0 {
			b.WriteString(p)
			continue
		}
		params++
		b.WriteString("$" + strconv.Itoa(params))
	}
	return b.String(), params
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ";"
}

// block is an \if that is not closed.
type block struct {
	at       int
	test     int         // index of the last \if or \elif, -1 after \else
	ends     []int       // \elif and \else, where a branch that was taken leaves
	before   pipe        // the pipeline when the \if was reached
	branches []pipeState // and at the end of the branches so far
}

// pipe is what is known of the pipeline at the place that is being read.
type pipe struct {
	state pipeState
	at    int // of \startpipeline
}

type pipeState uint8

const (
	pipeClosed pipeState = iota
	pipeOpen
	pipeEither // one branch of an \if opened or closed it, another did not
)

// join gives the state after an \if: known if all branches agree.
func (b *builder) join(k *block) {
	if k.test >= 0 {
		k.branches = append(k.branches, k.before.state) // no \else: it may be skipped whole
	}
	if slices.ContainsFunc(k.branches, func(p pipeState) bool { return p != k.branches[0] }) {
		b.pipe.state = pipeEither
	}
}
