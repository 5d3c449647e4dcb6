//go:build browser

package html_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/tui/story/storytest"
)

// dump opens the page from the disk in a real Chromium and returns what its
// script made of it, and what the browser complained of.
func dump(t *testing.T, page, hash string, args ...string) (dom, complaints string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var errs strings.Builder
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir()}, args...)
	cmd := exec.CommandContext(ctx, browser(t), append(args, "--virtual-time-budget=2000", "--dump-dom", "file://"+path+hash)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return string(out), strings.Join(regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindAllString(errs.String(), -1), "\n")
}

func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium; Debian's package chromium has one")
	return ""
}

// The script runs under the policy of the page, opens the step that the address
// names and draws an arrow with a tip for each dependency.
func TestBrowserWalksTheSteps(t *testing.T) {
	run, sum, findings := everything()
	dom, complaints := dump(t, tell(t, run, sum, findings...), "#f1s6", "--window-size=1280,900")
	if complaints != "" {
		t.Errorf("the browser complains:\n%s", complaints)
	}
	for _, want := range []string{
		`<tr id="f1s6" class="now">`, `<tr id="f1s7" class="later">`, `<tr id="f2s1"( class="")?>`, `step 6 of 8`,
		`<form id="tools">`, `5 shown`, `<pre class="copy">[^<]*<button`,
	} {
		if !regexp.MustCompile(want).MatchString(dom) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if n := strings.Count(dom, "<path"); n != 2*5 { // three in the first finding, two in the second
		t.Errorf("%d paths of arrows, want 10", n)
	}
}

// On a phone nothing but wide tables and drawings scrolls sideways.
func TestBrowserFoldsOnAPhone(t *testing.T) {
	run, sum, findings := everything()
	probe := `<script>addEventListener("load",()=>{document.documentElement.dataset.wide=document.documentElement.scrollWidth>innerWidth})</script></body>`
	page := strings.Replace(tell(t, run, sum, findings...), "</body>", probe, 1)
	page = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page, "")
	if dom, _ := dump(t, page, "", "--window-size=500,900"); !strings.Contains(dom, `data-wide="false"`) {
		t.Error("the page is wider than the window")
	}
}

// The policy stops what the escaping would let through.
func TestBrowserRunsNothingElse(t *testing.T) {
	page := strings.Replace(tell(t, storytest.Run(), storytest.Summary()), "</body>", `<script>document.title = "owned"</script></body>`, 1)
	dom, complaints := dump(t, page, "")
	if strings.Contains(dom, "<title>owned") || !strings.Contains(complaints, "Content Security Policy") {
		t.Errorf("a foreign script ran, or was not refused: %s", complaints)
	}
}
