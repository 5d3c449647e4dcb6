package explore

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// planned are the combinations that a command line asks for.
func planned(t *testing.T, args string) (cells []string, err error) {
	t.Helper()
	s, _ := stdio.Test()
	cmd := New(s, func(_ context.Context, o *Options) error {
		list, err := o.plan()
		for _, c := range list {
			cells = append(cells, c.what())
		}
		return err
	})
	return cells, clitest.Run(t, cmd, strings.Fields(args)...)
}

func TestWhatIsExplored(t *testing.T) {
	tests := []struct {
		args string
		want []string
	}{
		{"counter --isolation rc --variant atomic", []string{"counter/atomic, view beside view at read committed"}},
		{"seat --isolation rc,ser --variant atomic", []string{"seat/atomic, buy beside buy at read committed", "seat/atomic, buy beside buy at serializable"}},
		{"wallet --lanes transfer,topup,transfer --variant serializable", []string{"wallet/serializable, transfer beside topup beside transfer at serializable"}},
	}
	for _, tt := range tests {
		got, err := planned(t, tt.args)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", tt.args, err, diff)
		}
	}
}

// Every pair of actors, each version that claims to be right, each level.
func TestDefaultIsEverything(t *testing.T) {
	got, err := planned(t, "wallet")
	if err != nil || len(got) != 6*(3*5+1) {
		t.Errorf("%d combinations: %v", len(got), err)
	}
}

func TestMistakes(t *testing.T) {
	tests := []struct{ args, msg string }{
		{"wallet --lanes transfer", "a schedule needs 2 to 4"},
		{"wallet --lanes a,b", `no actor "a"`},
		{"wallet --isolation x", "is no isolation level"},
		{"wallet --times 0", "a schedule is run at least once"},
		{"wallet --max-tries -1", "is negative"},
		{"wallet --max-rows 0", "is no number of rows"},
		{"wallet --fail-on none", "is no severity"},
		{"wallet --variant nosuch", `no variant "nosuch"`},
		{"--replay explore_test.go", "is no schedule of ccheck"},
		{"--replay testdata/one-lane.json", "has 1 lane; a schedule needs 2 to 4"},
		{"--replay testdata/nameless.json", "names no scenario"},
		{"wallet --port 80", "--port is for an application, and wallet is none"},
		{"wallet --pairs 3", "--pairs is for an application"},
	}
	for _, tt := range tests {
		_, err := planned(t, tt.args)
		if o := clitest.Of(err); o.Code != exit.Usage || !strings.Contains(o.Msg, tt.msg) || o.Hint == "" {
			t.Errorf("%s: %+v", tt.args, o)
		}
	}
}

func TestLockReads(t *testing.T) {
	got := lockReads("BEGIN;\nSELECT cents FROM purse WHERE id = :id \\gset\n\\set rest :cents - 1\nselect count(*) from purse;\nUPDATE purse SET cents = (SELECT 1);\nCOMMIT;\n")
	want := "BEGIN;\nSELECT cents FROM purse WHERE id = :id FOR UPDATE \\gset\n\\set rest :cents - 1\nselect count(*) from purse;\nUPDATE purse SET cents = (SELECT 1);\nCOMMIT;\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGuardWrites(t *testing.T) {
	tests := []struct{ name, text, guard string }{
		{
			"what was read", "\\set cents null\nSELECT cents FROM purse WHERE id = :id \\aset\n\\set rest :cents - 1\nUPDATE purse SET cents = :rest WHERE id = :id;\nCOMMIT;\n",
			" AND cents IS NOT DISTINCT FROM :cents",
		},
		{"a variable that changed", "SELECT cents FROM purse WHERE id = :id \\gset\n\\set cents :cents - 1\nUPDATE purse SET cents = :cents WHERE id = :id;\n", ""},
		{"nothing that was read", "UPDATE purse SET cents = cents - 1 WHERE id = :id;\n", ""},
		{"another row", "SELECT cents FROM purse WHERE id = :src \\gset\nUPDATE purse SET cents = 0 WHERE id = :dst;\n", ""},
	}
	for _, tt := range tests {
		want := tt.text
		if tt.guard != "" {
			want = strings.Replace(want, "WHERE id = :id;", "WHERE id = :id"+tt.guard+";"+changedSince, 1)
		}
		if diff := cmp.Diff(want, guardWrites(tt.text)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
