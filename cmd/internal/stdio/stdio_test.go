package stdio

import "testing"

// env makes an environment of pairs.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestSetColor(t *testing.T) {
	tests := []struct {
		name string
		mode string
		tty  bool
		env  func(string) string
		want bool
	}{
		{"terminal", "auto", true, env(), true},
		{"pipe", "auto", false, env(), false},
		{"any NO_COLOR", "auto", true, env("NO_COLOR", "yes"), false},
		{"empty NO_COLOR counts for nothing", "auto", true, env("NO_COLOR", ""), true},
		{"dumb", "auto", true, env("TERM", "dumb"), false},
		{"always beats all", "always", false, env("NO_COLOR", "1"), true},
		{"never beats all", "never", true, env(), false},
	}
	for _, tt := range tests {
		s, _ := Test()
		s.OutTTY, s.Env = tt.tty, tt.env
		if s.SetColor(tt.mode); s.Color != tt.want {
			t.Errorf("%s: colour %v, want %v", tt.name, s.Color, tt.want)
		}
	}
}

func TestUTF8(t *testing.T) {
	tests := []struct {
		env  func(string) string
		want bool
	}{
		{env(), true},
		{env("LANG", "de_AT.UTF-8"), true},
		{env("LANG", "C.utf8"), true},
		{env("LANG", "C"), false},
		{env("LC_ALL", "POSIX", "LANG", "en_US.UTF-8"), false},
		{env("LC_CTYPE", "en_US.UTF-8", "LANG", "C"), true},
		{env("CCHECK_ASCII", "1", "LANG", "en_US.UTF-8"), false},
	}
	for i, tt := range tests {
		s, _ := Test()
		s.Env = tt.env
		if got := s.UTF8(); got != tt.want {
			t.Errorf("case %d: %v, want %v", i, got, tt.want)
		}
	}
}

func TestInteractive(t *testing.T) {
	terminal := func(change func(*Streams)) *Streams {
		s, _ := Test()
		s.InTTY, s.OutTTY = true, true
		change(s)
		return s
	}
	tests := []struct {
		name string
		s    *Streams
		want bool
	}{
		{"terminal", terminal(func(*Streams) {}), true},
		{"piped out", terminal(func(s *Streams) { s.OutTTY = false }), false},
		{"piped in", terminal(func(s *Streams) { s.InTTY = false }), false},
		{"plain", terminal(func(s *Streams) { s.Plain = true }), false},
		{"quiet", terminal(func(s *Streams) { s.Quiet = true }), false},
		{"CI", terminal(func(s *Streams) { s.Env = env("CI", "true") }), false},
		{"dumb", terminal(func(s *Streams) { s.Env = env("TERM", "dumb") }), false},
		{"screen reader", terminal(func(s *Streams) { s.Env = env("CCHECK_ACCESSIBLE", "1") }), false},
	}
	for _, tt := range tests {
		if got := tt.s.Interactive(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestSayIsQuiet(t *testing.T) {
	s, b := Test()
	s.Sayf("starting %s", "a server")
	s.Quiet = true
	s.Sayf("never seen")
	s.Warnf("always %d", 1)
	if got, want := b.Err.String(), "ccheck: starting a server\nccheck: warning: always 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if b.Out.Len() != 0 {
		t.Errorf("talk went to the result: %q", b.Out.String())
	}
}
