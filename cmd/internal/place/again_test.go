package place

import (
	"slices"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/flags"
)

func TestAgain(t *testing.T) {
	tests := []struct {
		name  string
		flags Flags
		want  []string
	}{
		{"none", Flags{}, nil},
		{"a variable", Flags{Target: flags.Target{DSN: "env:SHOP"}}, []string{"--dsn env:SHOP"}},
		{"a password", Flags{Target: flags.Target{DSN: "postgres://me:secret@db/shop"}}, nil},
		{"standard input", Flags{Target: flags.Target{DSN: "-"}}, nil},
		{"a file", Flags{Target: flags.Target{DSNFile: "my dsn"}}, []string{"--dsn-file 'my dsn'"}},
		{"DATABASE_URL", Flags{Target: flags.Target{UseDatabaseURL: true}}, []string{"--use-database-url"}},
		{"its own", Flags{Throwaway: true}, []string{"--throwaway"}},
	}
	for _, tt := range tests {
		if got := tt.flags.Again(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
