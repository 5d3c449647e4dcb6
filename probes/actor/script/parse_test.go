package script_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/probes/actor/script"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestParseGolden writes what every script of testdata/parse and testdata/pgbench
// was understood to be.
func TestParseGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.sql")
	if err != nil || len(files) < 10 {
		t.Fatalf("found only %d scripts", len(files))
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := script.Parse("actor", filepath.Base(file), string(text))
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "golden", strings.TrimSuffix(filepath.Base(file), ".sql")+".txt")
			got := dump(s)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs, go test -update rewrites it (-want +got):\n%s", golden, diff)
			}
			again(t, s)
		})
	}
}

// dump is the script in its plain form, and its statements as they are recorded.
func dump(s *script.Script) string {
	var b strings.Builder
	b.WriteString(s.String())
	b.WriteString("\n---- statements\n")
	for _, st := range s.Stmts {
		fmt.Fprintf(&b, "line %d, %d parameters", st.Line, st.NumParams)
		if st.Outside {
			b.WriteString(", outside")
		}
		if st.On != "" {
			b.WriteString(", on " + st.On)
		}
		fmt.Fprintf(&b, ":\n%s\n", st.SQL)
	}
	return b.String()
}

// again parses the printed script: it must be the same.
func again(t testing.TB, s *script.Script) {
	t.Helper()
	second, err := script.Parse(s.Name, s.File, s.String())
	if err != nil {
		t.Fatalf("what was printed does not parse: %v\n%s", err, s)
	}
	if diff := cmp.Diff(s.String(), second.String()); diff != "" {
		t.Errorf("what was printed parses to something else (-first +second):\n%s", diff)
	}
	if len(s.Stmts) != len(second.Stmts) {
		t.Fatalf("%d statements became %d", len(s.Stmts), len(second.Stmts))
	}
	for i := range s.Stmts {
		if a, b := s.Stmts[i], second.Stmts[i]; a.SQL != b.SQL || a.NumParams != b.NumParams || a.Outside != b.Outside || a.On != b.On {
			t.Errorf("statement %+v became %+v", a, b)
		}
	}
}

// syntaxErrors have their whole line: the place, the words, the token, the mend.
var syntaxErrors = []struct{ text, want string }{
	{"", `f.sql:1:1: empty command list for script (write at least one statement or backslash command)`},
	{"-- @retry 40001", `f.sql:1:1: empty command list for script (write at least one statement or backslash command)`},
	{"select 1;\n\\set x 1 +", `f.sql:2:11: syntax error: the expression is not complete (expected a number, a :variable, a function or an opening parenthesis)`},
	{"\\set x 1 +\n", `f.sql:1:11: syntax error: the expression is not complete (expected a number, a :variable, a function or an opening parenthesis)`},
	{"\\set x 1 2\n", `f.sql:1:10: syntax error at "2" (expected an operator, or the end of the expression)`},
	{"\\set x (1 + :y :z)\n", `f.sql:1:16: syntax error at ":z" (expected ")")`},
	{"\\set x 1 < 2 < 3\n", `f.sql:1:14: syntax error at "<" (expected and, since comparisons do not chain: a < b and b < c)`},
	{"\\set x 'é' ; \n", `f.sql:1:8: unexpected character at "'" (an expression is made of numbers, :variables, functions and operators; text in quotes belongs into SQL)`},
	{"\\set é 1 é 2\n", `f.sql:1:10: syntax error at "é" (expected an operator, or the end of the expression)`},
	{"\\set x randm(1, 2)\n", `f.sql:1:8: unexpected function name at "randm" (did you mean random?)`},
	{"\\set x \\\n  ceil(1)\n", `f.sql:2:3: unexpected function name at "ceil" (the functions are abs, debug, double, exp, greatest, hash, hash_fnv1a, hash_murmur2, int, least, ln, mod, permute, pi, pow, power, random, random_exponential, random_gaussian, random_zipfian, sqrt)`},
	{"\\set x random(1)\n", `f.sql:1:8: unexpected number of arguments at "random" (random takes 2, not 1)`},
	{"\\set x permute(1)\n", `f.sql:1:8: unexpected number of arguments at "permute" (permute takes 2 or 3, not 1)`},
	{"\\set x 99999999999999999999\n", `f.sql:1:8: bigint constant overflow at "99999999999999999999" (a whole number is from -9223372036854775808 to 9223372036854775807)`},
	{"\\set 1x 1\n", `f.sql:1:6: invalid variable name at "1x" (a name is letters, digits and _, and does not begin with a digit)`},
	{"\\set x " + strings.Repeat("(", 3000), `f.sql:1:2008: expression is nested too deeply (maximum is 2000) at "(" (take it apart with some \set)`},
	{"select 1;\n  \\gste\n", `f.sql:2:3: invalid command at "\\gste" (did you mean \gset?)`},
	{"\\setrandom a 1 10", `f.sql:1:1: invalid command at "\\setrandom" (\setrandom is gone since PostgreSQL 9.6: write \set name random(low, high))`},
	{"\\frobnicate", `f.sql:1:1: invalid command at "\\frobnicate" (the commands are \set, \gset, \aset, \if, \elif, \else, \endif, \sleep, \shell, \setshell, \startpipeline, \syncpipeline, \endpipeline)`},
	{"\\gset", `f.sql:1:1: \gset must follow an SQL command at "\\gset" (end the statement with it in the place of the semicolon)`},
	{"select 1 \\gset a b", `f.sql:1:18: too many arguments in command "gset" at "b" (write \gset [prefix])`},
	{"\\startpipeline\nselect 1 \\aset\n\\endpipeline", `f.sql:2:10: \aset is not allowed in pipeline mode at "\\aset" (put \endpipeline before the statement whose answer is needed)`},
	{"select 1;\n\\if true\nselect 2;", `f.sql:2:1: \if without matching \endif at "\\if" (add \endif)`},
	{"\\if 1\n\\else\n\\else\n\\endif", `f.sql:3:1: \else after \else at "\\else" (one \if has one \else)`},
	{"\\else x", `f.sql:1:7: unexpected argument in command "else" at "x" (write \else)`},
	{"\\startpipeline\nselect 1;", `f.sql:1:1: end of script reached with pipeline open at "\\startpipeline" (add \endpipeline)`},
	{"\\sleep 5 weeks", `f.sql:1:10: unrecognized time unit, must be us, ms or s at "weeks" (write us, ms or s)`},
	{"\\sleep x5 s", `f.sql:1:8: invalid sleep time, must be an integer at "x5" (write \sleep 10 ms, or \sleep :variable ms)`},

	{"select 'it;\n", `f.sql:1:8: quoted string is not closed at "'" (add the other quote; a quote inside is written twice)`},
	{"select 1;\nselect E'it\\';\n", `f.sql:2:9: quoted string is not closed at "'" (add the other quote; a quote inside is written twice)`},
	{"select \"it;\n", `f.sql:1:8: quoted identifier is not closed at "\"" (add the other quote; a quote inside is written twice)`},
	{"do $x$ begin; $y$;\n", `f.sql:1:4: dollar-quoted string is not closed at "$x$" (end it with the same mark)`},
	{"select 1 /* a /* b */;\n", `f.sql:1:10: comment is not closed at "/*" (add */; comments nest)`},
	{"select (1 + (2);\nselect 3;\n", `f.sql:1:8: parenthesis is not closed at "(" (add the ) before the semicolon)`},
	{"create function f() returns int begin atomic select case when true then 1 end;\nselect 2;", `f.sql:1:33: body of the function is not closed by END at "begin" (add END; every CASE needs one of its own)`},
	{"select (1 \\gset\n", `f.sql:1:8: parenthesis is not closed at "(" (add the ) before the semicolon)`},

	{"-- @retri 40001\nselect 1;", `f.sql:1:4: unknown comment at "@retri" (did you mean -- @retry?)`},
	{"-- @todo rewrite\nselect 1;", `f.sql:1:4: unknown comment at "@todo" (a comment that begins with @ must be one of @retry, @refuse, @outside, @on, @decide, @rows)`},
	{"select 1; --\t@Outside\nselect 2;", `f.sql:1:14: unknown comment at "@Outside" (did you mean -- @outside?)`},
	{"-- @retry\nselect 1;", `f.sql:1:4: no SQLSTATE given at "@retry" (write -- @retry 40001 40P01, for example)`},
	{"-- @refuse 2350\nselect 1;", `f.sql:1:4: "2350" is not an SQLSTATE at "@refuse" (an SQLSTATE is five digits or capital letters, such as 40001 or 23P01)`},
	{"-- @retry 40p01\nselect 1;", `f.sql:1:4: "40p01" is not an SQLSTATE at "@retry" (an SQLSTATE is five digits or capital letters, such as 40001 or 23P01)`},
	{"select 1;\n-- @outside\n", `f.sql:2:4: no statement follows at "@outside" (put the statement below it, or take it out)`},
	{"-- @outside insert\nselect 1;", `f.sql:1:4: takes no argument; it must stand on a line of its own at "@outside" (put what follows on the next line)`},
	{"select 1 +\n-- @outside\n1;", `f.sql:2:4: must stand before the statement, not inside it at "@outside" (put it on the line above the statement)`},
	{"-- @outside\n-- @on replica\nselect 1;", `f.sql:2:4: contradicts @outside for the same statement at "@on" (one of them is right: take the other one out)`},
	{"-- @on standby\nselect 1;", `f.sql:1:4: unknown server "standby" at "@on" (write -- @on replica)`},
	{"select 1\n-- @decide true\n;", "f.sql:2:4: cannot stand inside a statement at \"@decide\" (end the statement before it with ; or \\gset)"},
	{"select 1;\n-- @decide :a >", `f.sql:2:16: syntax error: the expression is not complete (expected a number, a :variable, a function or an opening parenthesis)`},
	{"select 1;\n-- @decide :a > rndm(1)\nselect 1;", `f.sql:2:17: unexpected function name at "rndm" (did you mean random?)`},
	{"-- @rows n\nselect 1;", `f.sql:1:4: must follow an SQL command at "@rows" (put it behind the statement whose rows are counted)`},
	{"select 1;\n-- @rows\n", `f.sql:2:4: takes the name of one variable at "@rows" (write -- @rows n, for example, and :n after it)`},
	{"\\startpipeline\nselect 1;\n-- @rows n\n\\endpipeline", `f.sql:3:4: is not allowed in pipeline mode at "@rows" (put \endpipeline before the statement)`},
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range syntaxErrors {
		_, err := script.Parse("actor", "f.sql", c.text)
		var e *script.SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want a syntax error", c.text, err)
			continue
		}
		if e.Hint == "" {
			t.Errorf("%.80q: no hint for %s", c.text, e)
		}
		if e.Error() != c.want {
			t.Errorf("%.80q:\n got %s\nwant %s", c.text, e, c.want)
		}
	}
}

func TestComments(t *testing.T) {
	s, err := script.Parse("a", "a.sql", `
-- an ordinary comment, with an e-mail: a@b
--@retry 40001, 40P01
-- @retry	55P03
begin; -- @refuse 23505
-- @outside
insert into t values (1);
-- @on replica
select 1;
select 2;
commit;
`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"40001", "40P01", "55P03"}, s.Retry); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"23505"}, s.Refuse); diff != "" {
		t.Error(diff)
	}
	var places []string
	for _, st := range s.Stmts {
		places = append(places, fmt.Sprintf("%d %s %v %s", st.Line, st.SQL, st.Outside, st.On))
	}
	want := []string{"5 begin false ", "7 insert into t values (1) true ", "9 select 1 false replica", "10 select 2 false ", "11 commit false ", "0 ROLLBACK false "}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range syntaxErrors {
		f.Add(c.text)
	}
	files, _ := filepath.Glob("testdata/*/*.sql")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, c := range runCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("actor", "f.sql", text)
		if err != nil {
			var e *script.SyntaxError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Msg == "" {
				t.Fatalf("an error without a place: %#v", err)
			}
			return
		}
		again(t, s)
	})
}

// TestExpressionsPrintAndParse makes expressions at random; printed and parsed
// they are the same, with the same value.
func TestExpressionsPrintAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := expression(t, 4)
		first, err := script.ParseExpr("", text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		second, err := script.ParseExpr("", first.String())
		if err != nil {
			t.Fatalf("%s printed as %s: %v", text, first, err)
		}
		if first.String() != second.String() {
			t.Fatalf("%s printed as %s and then as %s", text, first, second)
		}
		if a, b := evaluated(t, first), evaluated(t, second); a != b {
			t.Fatalf("%s is %s, printed and parsed it is %s", text, a, b)
		}
	})
}

func evaluated(t *rapid.T, e *script.Expr) string {
	m, err := script.NewMachine(script.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Eval(e)
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), ": ")
		return "error: " + reason
	}
	return v.String()
}

func expression(t *rapid.T, depth int) string {
	sub := func() string { return expression(t, depth-1) }
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{
			"1", "0", "42", "9223372036854775807", "-9223372036854775808", "1.5", "2.0", "1e3", ".5", "true", "FALSE", "null", ":scale", ":client_id",
		}).Draw(t, "constant")
	}
	switch rapid.IntRange(0, 6).Draw(t, "shape") {
	case 0:
		return rapid.SampledFrom([]string{"-", "+", "~", "not "}).Draw(t, "prefix") + sub()
	case 1:
		return "(" + sub() + ") " + rapid.SampledFrom([]string{"is null", "is not null", "isnull", "notnull", "is true", "is not false"}).Draw(t, "test")
	case 2:
		return fmt.Sprintf("case when %s then %s else %s end", sub(), sub(), sub())
	case 3:
		name := rapid.SampledFrom([]string{"abs", "int", "double", "sqrt", "hash", "least", "exp"}).Draw(t, "function")
		return name + "(" + sub() + ")"
	case 4:
		name := rapid.SampledFrom([]string{"random", "pow", "mod", "greatest", "hash_fnv1a", "permute"}).Draw(t, "function")
		return name + "(" + sub() + ", " + sub() + ")"
	case 5:
		return "(" + sub() + ")"
	}
	operator := rapid.SampledFrom(strings.Fields("+ - * / % < <= > >= = <> != & | # << >> and or")).Draw(t, "operator")
	// Comparisons do not associate, so their sides are in parentheses.
	return "(" + sub() + ") " + operator + " (" + sub() + ")"
}
