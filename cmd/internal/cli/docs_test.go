package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

const top = "../../.."

var (
	// spoken are the commands of a page: in a sentence, and in a block as a line of
	// a shell, after another command, or in the file of a build.
	sentence = regexp.MustCompile("`(?:\\$ )?ccheck ([^`]+)`")
	inShell  = regexp.MustCompile(`(?:^|&& |\|\| |; |\bthen |run: |script: |"|exec |j4 )ccheck (.*)`)
	// shellEnd is where the shell goes on with something else.
	shellEnd = regexp.MustCompile(`\s(#|\||\|\||&&|>|2>|&|;|:::)(\s|$)|;|\$\(|"$`)
	stand    = regexp.MustCompile(`^<?[A-Za-z]+>$|^[A-Z][A-Z_]+$|…|\.\.\.`) // for a word of the reader's own
)

// What the pages say to run must parse: the README, the docs, the changelog.
func TestDocsParse(t *testing.T) {
	n := 0
	for _, path := range pagesOf(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandsIn(string(text)) {
			n++
			words := strings.Fields(quoted.ReplaceAllString(line, "quoted"))
			if len(words) == 0 || stand.MatchString(words[0]) {
				continue
			}
			if words[0] == "explain" && (len(words) == 1 || stand.MatchString(words[1]) || words[1] == "glossary") {
				continue
			}
			t.Run(filepath.Base(path), func(t *testing.T) { example(t, line, named(t, line, words)) })
		}
	}
	if n < 150 {
		t.Errorf("found %d commands: have the pages moved?", n)
	}
}

// named takes a flag off the end that a sentence only names, if there is one.
func named(t *testing.T, line string, words []string) []string {
	last := len(words) - 1
	name, ok := strings.CutPrefix(words[last], "--")
	if !ok || strings.Contains(name, "=") || slices.Contains(words, "--") {
		return words
	}
	s, _ := stdio.Test()
	cmd, _, err := Root(s).Find(words)
	if err != nil || cmd.Flag(name) == nil && cmd.InheritedFlags().Lookup(name) == nil && name != "help" && name != "version" {
		t.Errorf("%q: there is no flag --%s", line, name)
	}
	return words[:last]
}

var (
	link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	code = regexp.MustCompile("(?ms)^```.*?^```|^ {4}[^\n]*$|`[^`\n]*`") // a[K](n) is a call there
)

// Links between pages, those by hand too, lead somewhere.
func TestDocsLinks(t *testing.T) {
	n := 0
	for _, path := range pagesOf(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			n++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			}
		}
	}
	if n < 200 {
		t.Errorf("found %d links: have the pages moved?", n)
	}
}

// The scenarios of the pages can be run.
func TestDocsScenarios(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "ccheck.yaml" {
			return err
		}
		found++
		if _, err := scenario.Open(filepath.Dir(path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("found %d scenarios, %v", found, err)
	}
}

func pagesOf(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join(top, "README.md"), filepath.Join(top, "CHANGELOG.md")}
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// commandsIn are the arguments of each command of ccheck in a page.
func commandsIn(text string) []string {
	var all []string
	block := false
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			block = !block
			continue
		}
		if !block {
			for _, m := range sentence.FindAllStringSubmatch(line, -1) {
				all = append(all, end(m[1]))
			}
			continue
		}
		for _, m := range inShell.FindAllStringSubmatch(strings.TrimPrefix(line, "$ "), -1) {
			if !strings.HasPrefix(line, "ccheck: ") && !output.MatchString(line) {
				all = append(all, end(m[1]))
			}
		}
	}
	return all
}

// output is a line that ccheck printed.
var output = regexp.MustCompile(`^ccheck \S+( \S+)? on |^(fix|see again|help|next|proof) |^(\d+ +|  )`)

// end cuts off what is the shell's. What is quoted is no end.
func end(line string) string {
	hidden := quoted.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat("q", len(s)) })
	if at := shellEnd.FindStringIndex(hidden); at != nil {
		return line[:at[0]]
	}
	return line
}
