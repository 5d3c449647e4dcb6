package sketch_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/sketch"
)

var update = flag.Bool("update", false, "write the golden files")

// redeem is a draft with a bit of everything.
func redeem() *sketch.Sketch {
	return &sketch.Sketch{
		Name: "redeem-coupon", Title: `used of "coupons" is read first`, From: "shop.go:3 and shop.go:9", Tx: true,
		Params: []sketch.Param{{Name: "code", Table: "coupons", Column: "code"}, {Name: "amount", Text: "60"}},
		Tables: []sketch.Table{
			{Name: "coupons", Rows: 1, Columns: []sketch.Column{{Name: "code", Param: "code"}, {Name: "used", Type: "boolean", Text: "false"}, {Name: "note"}, {Name: "taken_at", Null: true}, {Name: "balance"}}},
			{Name: "Uses", Rows: 3, Columns: []sketch.Column{{Name: "id"}, {Name: "kind", Text: "it's"}}},
			{Name: "empty", Columns: []sketch.Column{{Name: "n"}}},
		},
		Steps: []sketch.Step{
			{SQL: "SELECT used, note, balance, 1 FROM coupons WHERE code = :code;", Check: true, Going: `NOT (q."used")`, Names: []string{"used", "note", "balance", "expr3"}},
			{SQL: "UPDATE coupons SET balance = :new_balance, note = :new_note", Sets: []sketch.Set{
				{Name: "new_balance", Expr: "(:balance - :amount)", From: "balance", Table: "coupons", Column: "balance"},
				{Name: "new_note", From: "note", Table: "coupons", Column: "note"},
			}},
		},
	}
}

func TestGolden(t *testing.T) {
	types := sketch.Types{"coupons": {"code": "uuid", "note": "jsonb", "balance": "numeric ( 12 , 2 )"}}
	for name, files := range map[string][]sketch.File{"typed": redeem().Files(types), "guessed": redeem().Files(nil)} {
		var b strings.Builder
		for _, f := range files {
			b.WriteString("-- " + f.Name + " --\n" + f.Text)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s differs from %s:\n%s", name, golden, b.String())
		}
	}
}

// What decides is not what the check is: a row, none, or an UPDATE that found
// nothing.
func TestDecision(t *testing.T) {
	for _, c := range []struct {
		step sketch.Step
		want string
	}{
		{sketch.Step{SQL: "SELECT id FROM t", Check: true}, "\\set going false\nSELECT q.*, true AS going FROM (SELECT id FROM t) AS q \\aset\n\\if :going\n"},
		{sketch.Step{SQL: "SELECT id FROM t", Check: true, Absent: true}, "SELECT count(*) = 0 AS going FROM (SELECT id FROM t) AS q \\gset\n\\if :going\n"},
		{sketch.Step{SQL: "UPDATE t SET n = 1"}, "UPDATE t SET n = 1;\n-- @rows changed\n\\set going :changed = 0\n\\if :going\n"},
	} {
		s := &sketch.Sketch{Name: "call", Steps: []sketch.Step{c.step, {SQL: "DELETE FROM t"}}}
		got := s.Files(nil)[2].Text
		if !strings.Contains(got, "\n"+c.want) || strings.Contains(got, "BEGIN") {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
		if safe := s.Files(nil)[3].Text; !strings.Contains(safe, "-- @retry 40001 40P01\nBEGIN;\n") {
			t.Errorf("the mend has no transaction or no retry:\n%s", safe)
		}
	}
}
