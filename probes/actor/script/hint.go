package script

import (
	"errors"
	"strings"
)

// usages are the forms of the backslash commands.
var usages = map[string]string{
	"set": `\set name expression`, "setshell": `\setshell name command [argument …]`, "shell": `\shell command [argument …]`,
	"sleep": `\sleep number [us|ms|s]`, "gset": `\gset [prefix]`, "aset": `\aset [prefix]`,
	"if": `\if expression`, "elif": `\elif expression`, "else": `\else`, "endif": `\endif`,
	"startpipeline": `\startpipeline`, "syncpipeline": `\syncpipeline`, "endpipeline": `\endpipeline`,
}

// mends are hints for what the place of a mistake alone does not explain, by
// how the message begins.
var mends = []struct{ begins, hint string }{
	{"double constant overflow", "a number has at most 1.7976931348623157e308"},
	{"bigint constant overflow", "a whole number is from -9223372036854775808 to 9223372036854775807"},
	{"unexpected character", "an expression is made of numbers, :variables, functions and operators; text in quotes belongs into SQL"},
	{"expression is nested too deeply", `take it apart with some \set`},
	{"too many function arguments", `take it apart with some \set`},
	{"at least one argument expected", "put the arguments between the parentheses"},
	{`\gset must follow`, "end the statement with it in the place of the semicolon"},
	{`\aset must follow`, "end the statement with it in the place of the semicolon"},
	{`\gset is not allowed`, `put \endpipeline before the statement whose answer is needed`},
	{`\aset is not allowed`, `put \endpipeline before the statement whose answer is needed`},
	{`\if without`, `add \endif`},
	{`\elif without`, `put \if before it`},
	{`\else without`, `put \if before it`},
	{`\endif without`, `put \if before it, or take it out`},
	{`\elif after`, `\else is the last branch: put \elif before it`},
	{`\else after`, `one \if has one \else`},
	{"already in pipeline mode", `put \endpipeline before it`},
	{"not in pipeline mode", `put \startpipeline before it`},
	{"empty command list", "write at least one statement or backslash command"},
	{"statement has too many arguments", "put fewer :variables into one statement"},
	{"-- @rows is not allowed", `put \endpipeline before the statement`},
	{"is not allowed in pipeline mode", `put \endpipeline before the statement`},
	{"must follow an SQL command", "put it behind the statement whose rows are counted"},
	{"takes no argument", "put what follows on the next line"},
	{"must stand before the statement", "put it on the line above the statement"},
	{"contradicts", "one of them is right: take the other one out"},
	{"no statement follows", "put the statement below it, or take it out"},
	{"quoted string is not closed", "add the other quote; a quote inside is written twice"},
	{"quoted identifier is not closed", "add the other quote; a quote inside is written twice"},
	{"dollar-quoted string is not closed", "end it with the same mark"},
	{"comment is not closed", "add */; comments nest"},
	{"parenthesis is not closed", "add the ) before the semicolon"},
	{"body of the function is not closed", "add END; every CASE needs one of its own"},
	{"invalid sleep time", "write " + `\sleep 10 ms, or \sleep :variable ms`},
	{"unrecognized time unit", "write us, ms or s"},
}

// hinted gives the error a hint where it has none: the mend of its message, or
// the form of its command.
func hinted(err error) error {
	var e *SyntaxError
	if !errors.As(err, &e) || e.Hint != "" {
		return err
	}
	for _, m := range mends {
		if strings.HasPrefix(e.Msg, m.begins) {
			e.Hint = m.hint
			return err
		}
	}
	name := strings.TrimPrefix(e.Token, `\`)
	if _, rest, ok := strings.Cut(e.Msg, `command "`); ok {
		name = strings.TrimSuffix(rest, `"`)
	}
	if form := usages[strings.ToLower(name)]; form != "" {
		e.Hint = "write " + form
	}
	return err
}
