package target

import (
	"strings"
	"testing"
	"time"
)

func TestVersionNum(t *testing.T) {
	for text, want := range map[string]int{
		"15.18 (Debian 15.18-0+deb12u1)": 150018, "18beta1": 180000, "9.6.24": 90006, "12.0": 120000, "17": 170000,
		"": 0, "devel": 0, "99999999999999999999": 0,
	} {
		if got := versionNum(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestMarkerRoundTrip(t *testing.T) {
	r := Run{ID: "k3f9x2", Host: "it's a box", PID: 7, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	got, ours := parseMarker(r.marker())
	want := r
	want.Host = "it_s_a_box"
	if !ours || got != want {
		t.Errorf("got %+v, %t; want %+v", got, ours, want)
	}
	for _, comment := range []string{"", "ccheck", "ccheck run=K host=h pid=1 started=2026-01-02T03:04:05Z", "ccheck run=k host=h pid=x started=2026-01-02T03:04:05Z",
		"ccheck run=k host=h pid=1 started=yesterday", " ccheck run=k host=h pid=1 started=2026-01-02T03:04:05Z", "ccheck host=h run=k pid=1 started=2026-01-02T03:04:05Z",
		"other run=k host=h pid=1 started=2026-01-02T03:04:05Z", "ccheck run=k host=h pid=1 started=2026-01-02T03:04:05Z more"} {
		if _, ours := parseMarker(comment); ours {
			t.Errorf("taken for ours: %q", comment)
		}
	}
}

func FuzzMarker(f *testing.F) {
	f.Add("ccheck run=k host=h pid=1 started=2026-01-02T03:04:05Z")
	f.Fuzz(func(t *testing.T, comment string) {
		if r, ours := parseMarker(comment); ours && (r.marker() != comment || !runID.MatchString(r.ID)) {
			t.Errorf("%q is read as %+v", comment, r)
		}
	})
}

func TestApplicationNameFits(t *testing.T) {
	r := NewRun("v0.0.0-20261008173134-6b8d4baf91b4-with-much-more-behind-it-than-fits", time.Now())
	if name := r.ApplicationName(); len(name) > identifier || !strings.HasSuffix(name, " run="+r.ID) || !strings.HasPrefix(name, "ccheck/v0") {
		t.Errorf("got %q", name)
	}
	if !runID.MatchString(r.ID) || len(r.Schema()) > identifier {
		t.Errorf("run id %q", r.ID)
	}
}

func TestOneSlip(t *testing.T) {
	for _, pair := range [][2]string{{"pasword", "password"}, {"passsword", "password"}, {"pasSword", "password"}, {"sslmdoe", "sslmode"}, {"hos", "host"}, {"host", "host"}} {
		if !oneSlip(pair[0], pair[1]) || !oneSlip(pair[1], pair[0]) {
			t.Errorf("%q is one slip from %q", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"pass", "password"}, {"psaswrod", "password"}, {"", "ab"}, {"abcd", "badc"}} {
		if oneSlip(pair[0], pair[1]) {
			t.Errorf("%q is more than one slip from %q", pair[0], pair[1])
		}
	}
}

func TestIdentify(t *testing.T) {
	for said, want := range map[string]string{
		"HTTP/1.1 400 Bad Request\r\n": "an HTTP server", "SSH-2.0-OpenSSH_9.2\r\n": "an SSH server", "-ERR wrong number": "Redis",
		"J\x00\x00\x00\x0a8.0.36\x00": "MySQL or MariaDB", "\x15\x03\x01\x00\x02": "a TLS server", "": "", "E\x00\x00\x00\x0a": "",
	} {
		if got := identify(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
