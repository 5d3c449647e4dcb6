package txretry

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

func unretriedStory(e *flow.Event, level string) flow.Found {
	return flow.Found{At: e.Site[0], Severity: "medium", Message: strings.Join([]string{
		fmt.Sprintf("nobody runs this transaction again when the server refuses it: at %s an ordinary conflict ends in 40001, which reaches the caller", level),
		"A: BEGIN … COMMIT",
		"B: BEGIN … ERROR 40001 could not serialize access due to concurrent update",
		`Fix: run the whole transaction again, from BEGIN, while errors.As finds 40001 or 40P01, a few times and with a pause; or a guarded statement at READ COMMITTED`,
	}, "\n")}
}

// beganStory names the statement that sets the level, where the Begin does not.
func beganStory(all []stmt.Stmt, e *flow.Event, begin int) flow.Found {
	f := unretriedStory(e, level(all, e, begin))
	if w := levelSetter(all, begin); w != nil {
		f.Related = []flow.Note{{At: w.Site[len(w.Site)-1], Text: "its level is set here"}}
	}
	return f
}

func handedStory(e *flow.Event, c flow.Context) flow.Found {
	asked := &c.Events[c.Index]
	level := stmt.Level(asked)
	f := unretriedStory(e, level)
	f.Related = []flow.Note{{At: asked.Site[0], Text: "a caller asks for " + level + " here"}}
	return f
}

func unaskedStory(e *flow.Event) flow.Found {
	return flow.Found{At: e.Site[0], Severity: "medium", Message: strings.Join([]string{
		"nobody runs this transaction again when a statement of it is refused: the retry looks at the commit alone",
		"A: BEGIN … COMMIT",
		"B: UPDATE …   -- ERROR 40001 could not serialize access due to concurrent update, and the function returns",
		"Fix: ask every error of the transaction for 40001 and 40P01, and begin again",
	}, "\n")}
}

func hiddenStory(a flow.Ask) flow.Found {
	return flow.Found{At: a.Pos, Severity: "medium", Message: strings.Join([]string{
		"this error loses its SQLSTATE here, and the caller that runs the transaction again after 40001 never sees one: %v writes the words down, only %w keeps the error inside",
		"A: COMMIT",
		"B: ERROR 40001   -- becomes a text; errors.As finds no *PgError, and nobody tries again",
		"Fix: fmt.Errorf with %w",
	}, "\n")}
}

func uncommittedStory(e *flow.Event) flow.Found {
	return flow.Found{At: e.Site[0], Severity: "medium", Message: strings.Join([]string{
		"nobody runs this transaction again when its COMMIT is refused: the retry looks at the statements, and a serializable transaction can meet its conflict at the end",
		"A: COMMIT",
		"B: COMMIT   -- ERROR 40001 could not serialize access due to read/write dependencies among transactions",
		"Fix: put the commit into the part that is retried",
	}, "\n")}
}

func swallowedStory(e *flow.Event) flow.Found {
	return flow.Found{At: e.Site[0], Severity: "medium", Message: strings.Join([]string{
		"the error of this COMMIT is replaced by another one: the code of a conflict is lost on the way to the caller that would try again",
		"A: COMMIT",
		"B: COMMIT   -- ERROR 40001; the caller sees another error, and gives up",
		`Fix: return fmt.Errorf("commit: %w", err)`,
	}, "\n")}
}

func abortedStory(at flow.Pos, what string) flow.Found {
	return flow.Found{At: at, Severity: "medium", Message: strings.Join([]string{
		"the retry is inside of the transaction that failed: after 40001 or 40P01 it is aborted, and every further statement answers 25P02",
		"1st try: " + what + "   -- ERROR 40001",
		"2nd try: " + what + "   -- ERROR 25P02 current transaction is aborted",
		"Fix: roll back, and run the whole transaction again from BEGIN",
	}, "\n")}
}

func deafStory(a flow.Ask) flow.Found {
	return flow.Found{At: a.Pos, Severity: "medium", Message: strings.Join([]string{
		"this function says whether to run the transaction again, and does not know 40001: a conflict at the level of the transaction is given up on",
		"A: COMMIT",
		"B: UPDATE …   -- ERROR 40001 could not serialize access due to concurrent update, which is none of the errors asked for",
		`Fix: var pe *pgconn.PgError; errors.As(err, &pe) && (pe.Code == "40001" || pe.Code == "40P01")`,
	}, "\n")}
}

func assertedStory(a flow.Ask) flow.Found {
	if a.Text == "prefix" {
		return flow.Found{At: a.Pos, Severity: "medium", Message: strings.Join([]string{
			"the message of a wrapped error begins with other words: the conflict is not recognised and not retried",
			`fmt.Errorf("…: %w", err) around the driver's error is enough for that`,
			`Fix: var pe *pgconn.PgError; errors.As(err, &pe) && pe.Code == "40001"`,
		}, "\n")}
	}
	typ := strings.TrimPrefix(a.Text, "assert ")
	short := "*" + typ[strings.LastIndexByte(typ, '/')+1:]
	return flow.Found{At: a.Pos, Severity: "medium", Message: strings.Join([]string{
		fmt.Sprintf("a type assertion to %s does not look inside of a wrapped error: the conflict is not recognised and not retried", short),
		`fmt.Errorf("…: %w", err) around the driver's error is enough for that`,
		fmt.Sprintf("Fix: var pe %s; errors.As(err, &pe)", short),
	}, "\n")}
}

func foreignStory(a flow.Ask) flow.Found {
	_, typ, _ := strings.Cut(a.Text, "*")
	short := "*" + typ[strings.LastIndexByte(typ, '/')+1:]
	return flow.Found{At: a.Pos, Severity: "medium", Message: strings.Join([]string{
		fmt.Sprintf("pgx answers with no %s: no conflict is recognised, and none is retried", short),
		"A: COMMIT   -- ERROR 40001, a *pgconn.PgError of " + pgx,
		fmt.Sprintf("B: errors.As(err, &pe) with a %s of another package is false, and the caller gets the error", short),
		`Fix: import "` + pgx + `/pgconn"; var pe *pgconn.PgError; errors.As(err, &pe)`,
	}, "\n")}
}
