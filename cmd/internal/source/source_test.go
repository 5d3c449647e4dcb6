package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/source"
)

// tree writes a source tree.
func tree(t *testing.T, files map[string]string) *source.Tree {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return source.Open(root)
}

func TestFind(t *testing.T) {
	tr := tree(t, map[string]string{
		"server.mjs":         "import pg\n\nawait db.query('SELECT balance FROM accounts WHERE id = $1', [id])\nconst q = `UPDATE accounts\n  SET balance = ${next} WHERE id = ${id}`\n",
		"app/jobs.go":        "package app\nconst claim = \"SELECT id FROM jobs \" +\n\t\"WHERE state = 'ready' LIMIT 1\"\nconst twice = \"DELETE FROM jobs WHERE id = $1 AND done\"\n",
		"app/more.py":        "cur.execute(\"DELETE FROM jobs WHERE id = %s AND done\", id)\nq = '''INSERT INTO \"log\" (\"a\", \"b\")\nVALUES (%(a)s, %(b)s) RETURNING id'''\n",
		"app/jobs_test.go":   "const q = `SELECT balance FROM accounts WHERE id = $1`\n",
		"node_modules/x.mjs": "SELECT balance FROM accounts WHERE id = $1",
		"queries.sql":        "-- name: Touch :exec\nUPDATE jobs SET seen = now() WHERE id = $1;\n",
	})
	tests := []struct {
		name, sql string
		want      report.Location
	}{
		{"with its value", "SELECT balance FROM accounts WHERE id = 7", report.Location{File: "server.mjs", Line: 3}},
		{"over lines, values of the language", "UPDATE accounts SET balance = 40 WHERE id = 7", report.Location{File: "server.mjs", Line: 4}},
		{"joined strings", "SELECT id FROM jobs WHERE state = 'ready' LIMIT 1", report.Location{File: "app/jobs.go", Line: 2}},
		{"two places", "DELETE FROM jobs WHERE id = 3 AND done", report.Location{}},
		{"quoted names", `insert into "log" ("a", "b") values ('x', NULL) returning id`, report.Location{File: "app/more.py", Line: 2}},
		{"a comment in front", "-- name: Touch :exec\nUPDATE jobs SET seen = now() WHERE id = 5", report.Location{File: "queries.sql", Line: 2}},
		{"not there", "SELECT stock FROM item WHERE id = 1", report.Location{}},
		{"too little", "COMMIT", report.Location{}},
		{"a name that is part of another", "SELECT balance FROM account WHERE id = 7", report.Location{}},
		{"a comment says it", "SELECT 1 /*controller='jobs',code.filepath='app%2Fjobs.rb',code.lineno='12'*/", report.Location{File: "app/jobs.rb", Line: 12}},
		{"as Rails says it", "SELECT 1 /*application:Shop,source_location:app/models/job.rb:9:in `x'*/", report.Location{File: "app/models/job.rb", Line: 9}},
		{"a trace alone", "SELECT 1 /*traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/", report.Location{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tr.Find(tt.sql); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTell(t *testing.T) {
	tr := tree(t, map[string]string{"a.js": "q('SELECT n FROM t WHERE id = $1')\nq('UPDATE t SET n = $2 WHERE id = $1')\n"})
	f := report.Finding{Steps: []report.Step{
		{Text: "SELECT n FROM t WHERE id = 1", Read: "n = 1"}, {Text: "UPDATE t SET n = 2 WHERE id = 1", Wrote: "n = 2"},
		{Text: "SELECT n FROM t WHERE id = 1", Read: "n = 2"}, {Text: "COMMIT"},
	}}
	tr.Tell(&f)
	if f.Where != (report.Location{File: "a.js", Line: 2}) || f.Steps[2].Where.Line != 1 || f.Steps[3].Where.File != "" {
		t.Errorf("%+v", f)
	}
}

func TestNoTree(t *testing.T) {
	if got := source.Open(filepath.Join(t.TempDir(), "none")).Find("SELECT n FROM t WHERE id = 1"); got.File != "" {
		t.Errorf("%+v", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"SELECT 'a''b' FROM t WHERE x = $1 /* a='b' */", "$$x$$", "select \"a", "/*", "update t set x = 1, y = 2 where (a, b) in ((1, 2))"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if got := source.Open(t.TempDir()).Find(sql); got.Line < 0 {
			t.Errorf("%+v", got)
		}
	})
}
