package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// sample is a command line with one flag of each kind.
type sample struct {
	clients   int
	duration  time.Duration
	failOn    string
	formats   []string
	rules     []string
	json      bool
	throwaway bool
	quiet     bool
	dsn       string
	most      int
}

// tree is a root with the commands run and scenario list.
func tree() (*cobra.Command, *cobra.Command, *sample) {
	s := &sample{}
	root := &cobra.Command{Use: "ccheck"}
	root.PersistentFlags().BoolVar(&s.quiet, "quiet", false, "no progress")
	nothing := func(*cobra.Command, []string) {}
	run := &cobra.Command{Use: "run", Run: nothing}
	f := run.Flags()
	f.IntVar(&s.clients, "clients", 0, "lanes")
	f.DurationVar(&s.duration, "duration", 10*time.Second, "how long")
	f.StringVar(&s.failOn, "fail-on", "low", "severity")
	f.StringArrayVar(&s.formats, "format", nil, "format")
	f.StringSliceVar(&s.rules, "rules", nil, "rules")
	f.BoolVar(&s.json, "json", false, "short for a format")
	f.BoolVar(&s.throwaway, "throwaway", false, "a server of its own")
	f.StringVar(&s.dsn, "dsn", "", "server")
	f.IntVar(&s.most, "max-connections", 0, "connections")
	scenario := &cobra.Command{Use: "scenario"}
	list := &cobra.Command{Use: "list", Run: nothing}
	list.Flags().Bool("json", false, "write an array")
	scenario.AddCommand(list)
	root.AddCommand(run, scenario)
	return root, run, s
}

// world is a folder with the files of a repository and of a user.
type world struct {
	repository, user string
	env              map[string]string
}

func (w world) load(t *testing.T) (*Config, error) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "repo", "go.mod"), "module x\n")
	if w.repository != "" {
		write(t, filepath.Join(dir, "repo", File), w.repository)
	}
	if w.user != "" {
		write(t, filepath.Join(dir, "home", "ccheck", "config.yaml"), w.user)
	}
	return Load(Where{Dir: filepath.Join(dir, "repo"), Env: func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return filepath.Join(dir, "home")
		}
		return w.env[name]
	}})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// applied gives the command line of run the world's values.
func applied(t *testing.T, w world, args string) (sample, []Value, error) {
	t.Helper()
	c, err := w.load(t)
	if err != nil {
		t.Fatal(err)
	}
	root, run, s := tree()
	if err := c.Check(root, false); err != nil {
		t.Fatal(err)
	}
	if err := run.ParseFlags(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	given, err := c.Apply(run)
	return *s, given, err
}

// Each row takes the strongest layer away from the row before it.
func TestPrecedence(t *testing.T) {
	repository := "version: 1\nflags: {clients: 4}\nrun: {clients: 3}\n"
	user := "version: 1\nflags: {clients: 6}\nrun: {clients: 5}\n"
	tests := []struct {
		name, args string
		w          world
		want       int
		origin     string
	}{
		{"command line", "--clients 7", world{repository, user, map[string]string{"CCHECK_RUN_CLIENTS": "1"}}, 7, ""},
		{"variable of the command", "", world{repository, user, map[string]string{"CCHECK_RUN_CLIENTS": "1", "CCHECK_CLIENTS": "2"}}, 1, "CCHECK_RUN_CLIENTS"},
		{"variable", "", world{repository, user, map[string]string{"CCHECK_CLIENTS": "2"}}, 2, "CCHECK_CLIENTS"},
		{"repository, command", "", world{repository, user, nil}, 3, ".ccheck.yaml:3:16"},
		{"repository, every", "", world{"version: 1\nflags: {clients: 4}\n", user, nil}, 4, ".ccheck.yaml:2:18"},
		{"user, command", "", world{"version: 1\n", user, nil}, 5, "config.yaml:3:16"},
		{"user, every", "", world{"", "version: 1\nflags:\n  clients: 6\n", nil}, 6, "config.yaml:3:12"},
		{"default", "", world{}, 0, ""},
	}
	for _, tt := range tests {
		got, given, err := applied(t, tt.w, tt.args)
		if err != nil || got.clients != tt.want {
			t.Errorf("%s: %d, want %d, %v", tt.name, got.clients, tt.want, err)
		}
		origin := ""
		for _, v := range given {
			origin += v.Origin.String()
		}
		if !strings.HasSuffix(origin, tt.origin) || (tt.origin == "") != (origin == "") {
			t.Errorf("%s: from %q, want %q", tt.name, origin, tt.origin)
		}
	}
}

func TestKindsOfValues(t *testing.T) {
	w := world{repository: `version: 1
run:
  duration: 30s
  fail-on: 'high'
  format: [text, "json:x.json"]
  rules: a,b
  throwaway: true
`, env: map[string]string{"CCHECK_QUIET": "1"}}
	got, _, err := applied(t, w, "")
	want := sample{duration: 30 * time.Second, failOn: "high", formats: []string{"text", "json:x.json"}, rules: []string{"a", "b"}, throwaway: true, quiet: true}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{})); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// A configured value is another default: Changed stays as it was.
func TestAppliedIsNotChanged(t *testing.T) {
	c, err := world{repository: "version: 1\nrun: {clients: 3}\n"}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	_, run, _ := tree()
	if _, err := c.Apply(run); err != nil || run.Flags().Changed("clients") {
		t.Errorf("changed, %v", err)
	}
}

// What says the same in other words gives way to the stronger layer.
func TestRivals(t *testing.T) {
	w := world{repository: "version: 1\nrun: {format: text}\n"}
	if got, _, err := applied(t, w, "--json"); err != nil || got.formats != nil {
		t.Errorf("--json beside a configured format: %q, %v", got.formats, err)
	}
	if got, _, err := applied(t, w, ""); err != nil || !slices.Equal(got.formats, []string{"text"}) {
		t.Errorf("alone: %q, %v", got.formats, err)
	}
}

func TestRails(t *testing.T) {
	tests := []struct {
		layer  Layer
		flag   string
		values []string
		ok     bool
	}{
		{Environment, "i-know-this-is", []string{"shop"}, false},
		{User, "i-know-this-is", []string{"shop"}, false},
		{User, "dsn", []string{"host=x"}, false},
		{Repository, "dsn", []string{"host=x"}, false},
		{Environment, "max-connections", []string{"90"}, true},
		{User, "max-connections", []string{"90"}, true},
		{Repository, "max-connections", []string{"90"}, false},
		{Repository, "throwaway", []string{"true"}, true},
		{Repository, "throwaway", []string{"false"}, false},
		{User, "throwaway", []string{"false"}, true},
		{Repository, "format", []string{"text", "json:out/x.json"}, true},
		{Repository, "format", []string{"json:../x.json"}, false},
		{Repository, "format", []string{"json:/etc/x.json"}, false},
		{User, "format", []string{"json:/var/x.json"}, true},
		{Repository, "clients", []string{"5"}, true},
		{Repository, "app", []string{"rm -rf ."}, false},
		{Repository, "url", []string{"redis://x"}, false},
		{User, "url", []string{"redis://x"}, false},
		{Environment, "url", []string{"redis://x"}, true},
		{Repository, "a-flag-of-tomorrow", []string{"x"}, false},
		{User, "a-flag-of-tomorrow", []string{"x"}, true},
	}
	for _, tt := range tests {
		if why := refusal(tt.flag, tt.layer, tt.values); (why == "") != tt.ok {
			t.Errorf("%s %s from %s: %q, want allowed %v", tt.flag, tt.values, tt.layer, why, tt.ok)
		}
	}
}

// CCHECK_DSN is not the flag's: the command that needs a server reads it.
func TestOwnVariables(t *testing.T) {
	got, _, err := applied(t, world{env: map[string]string{"CCHECK_DSN": "host=x"}}, "")
	if err != nil || got.dsn != "" {
		t.Errorf("%q, %v", got.dsn, err)
	}
}

// A refusal of the rails has their exit code.
func TestRefused(t *testing.T) {
	c, err := world{repository: "version: 1\nrun: {max-connections: 90}\n"}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	root, _, _ := tree()
	if err := c.Check(root, false); exit.Code(err) != exit.Refused {
		t.Errorf("%v", err)
	}
}

func TestExplain(t *testing.T) {
	given := []Value{{Flag: func() *cobra.Command { _, run, _ := tree(); return run }().Flags().Lookup("clients"), Origin: Origin{Variable: "CCHECK_CLIENTS"}}}
	tests := []struct {
		err  error
		want string
	}{
		{exit.Usagef("--clients 5: no"), "--clients 5: no (--clients is set by CCHECK_CLIENTS)"},
		{exit.Usagef("--clients-max 5: no"), "--clients-max 5: no"},
		{exit.Failedf("--clients 5"), "--clients 5"},
	}
	for _, tt := range tests {
		if got := Explain(tt.err, given).Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if Explain(nil, given) != nil {
		t.Error("no error became one")
	}
}

// The file is looked for up to the root of the repository and not above.
func TestFind(t *testing.T) {
	tests := []struct{ name, mark, file, want string }{
		{"here", "a/.git", "a/b/c/.ccheck.yaml", "a/b/c/.ccheck.yaml"},
		{"above", "a/.git", "a/.ccheck.yaml", "a/.ccheck.yaml"},
		{"above the repository", "a/b/.git", "a/.ccheck.yaml", ""},
		{"above the module, in the repository", "a/.git", "a/.ccheck.yaml", "a/.ccheck.yaml"},
		{"above the module", "a/b/go.mod", "a/.ccheck.yaml", ""},
		{"no repository", "", "a/b/.ccheck.yaml", ""},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a/b/c/x"), "")
		write(t, filepath.Join(dir, tt.file), "version: 1\n")
		if tt.mark != "" {
			write(t, filepath.Join(dir, tt.mark), "")
		}
		want := ""
		if tt.want != "" {
			want = filepath.Join(dir, tt.want)
		}
		if got := find(filepath.Join(dir, "a/b/c")); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}
