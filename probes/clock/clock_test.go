package clock

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// sometime is when a test is.
var sometime = time.Date(2031, 2, 3, 4, 5, 6, 7_000_000, time.UTC)

func TestDated(t *testing.T) {
	tests := []struct {
		name   string
		header http.Header
		want   Bound
		why    string
	}{
		{"whole seconds", http.Header{"Date": {sometime.Format(http.TimeFormat)}}, Bound{-17 * time.Millisecond, 1003*time.Millisecond - 10*time.Millisecond}, ""},
		{"no date", http.Header{}, Bound{}, "no Date header"},
		{"a cache", http.Header{"Date": {sometime.Format(http.TimeFormat)}, "Age": {"12"}}, Bound{}, "Age: 12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := dated("x", tt.header, sometime, sometime.Add(10*time.Millisecond))
			var date *NoDateError
			if tt.why != "" {
				if !errors.As(err, &date) || !strings.Contains(date.Error(), tt.why) {
					t.Fatalf("%v, want %q", err, tt.why)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("%v %v, want %v", got, err, tt.want)
			}
		})
	}
}

// answer is a packet of a server that received the question so much after it
// was sent by its clock, and answered at once.
func answer(asked []byte, at time.Time) []byte {
	p := make([]byte, packetSize)
	p[0], p[1] = 4<<3|serverMode, 2
	binary.BigEndian.PutUint32(p[4:], 1<<15) // half a second to its source
	binary.BigEndian.PutUint32(p[8:], 1<<14) // and a quarter of dispersion
	copy(p[24:], asked)
	binary.BigEndian.PutUint64(p[32:], stamp(at))
	binary.BigEndian.PutUint64(p[40:], stamp(at))
	return p
}

func TestDecodeNTP(t *testing.T) {
	asked := []byte("question")
	good := answer(asked, sometime.Add(5*time.Second))
	edit := func(f func(p []byte)) []byte { p := slices.Clone(good); f(p); return p }
	tests := []struct {
		name string
		p    []byte
		ok   bool
	}{
		{"good", good, true},
		{"short", good[:40], false},
		{"a client", edit(func(p []byte) { p[0] = clientMode }), false},
		{"of another question", edit(func(p []byte) { p[24]++ }), false},
		{"not synchronised", edit(func(p []byte) { p[0] |= 3 << 6 }), false},
		{"kiss of death", edit(func(p []byte) { p[1] = 0 }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := decode(tt.p, asked, sometime, sometime.Add(20*time.Millisecond))
			if (err == nil) != tt.ok {
				t.Fatalf("%v", err)
			}
			// Half a second of half the way and dispersion on each side.
			if tt.ok && (b.Low.Round(time.Millisecond) != 4480*time.Millisecond || b.High.Round(time.Millisecond) != 5500*time.Millisecond) {
				t.Errorf("%+v", b)
			}
		})
	}
}

func FuzzDecodeNTP(f *testing.F) {
	asked := []byte("question")
	f.Add(answer(asked, sometime))
	f.Fuzz(func(t *testing.T, p []byte) {
		b, err := decode(p, asked, sometime, sometime.Add(time.Millisecond))
		if err == nil && len(p) < packetSize {
			t.Fatalf("%d bytes are taken for an answer: %v", len(p), b)
		}
	})
}

func TestStampIsInverse(t *testing.T) {
	for _, at := range []time.Time{sometime, time.Unix(0, 0), time.Unix(1, 999_999_999)} {
		if got := instant(stamp(at)); got.Sub(at).Abs() > time.Nanosecond {
			t.Errorf("%s is read back as %s", at, got)
		}
	}
}

// A server of NTP on loopback that is half a minute behind.
func TestNTP(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		p := make([]byte, 100)
		for {
			n, from, err := conn.ReadFrom(p)
			if err != nil || n != packetSize {
				return
			}
			if _, err := conn.WriteTo(answer(p[40:48], time.Now().Add(-30*time.Second)), from); err != nil {
				return
			}
		}
	}()
	b, err := NTP("here", conn.LocalAddr().String(), 5*time.Second).read(t.Context())
	if err != nil || b.Low > -30*time.Second || b.High < -30*time.Second {
		t.Errorf("%+v does not hold -30s: %v", b, err)
	}
}

func TestHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-90*time.Second).UTC().Format(http.TimeFormat))
	}))
	defer s.Close()
	b, err := HTTP("here", s.URL, 5*time.Second).read(context.Background())
	if err != nil || b.Low > -90*time.Second || b.High < -90*time.Second {
		t.Errorf("%+v does not hold -90s: %v", b, err)
	}
}

// What a token says of its time, on each side.
func TestFill(t *testing.T) {
	token := &Token{Body: "{}", Secret: "s"}
	for side, want := range map[string]string{"now": sometime.UTC().Format(time.RFC3339), Past: "2031-02-03T04:04:06Z", Future: "2031-02-03T04:06:06Z"} {
		fill, err := token.fill(side, time.Minute, sometime)
		if err != nil {
			t.Fatal(err)
		}
		if got := fill.Replace("{{rfc3339}}"); got != want {
			t.Errorf("%s: %s, want %s", side, got, want)
		}
		if got := fill.Replace("{{jwt}}"); strings.Count(got, ".") != 2 || strings.Contains(got, "=") {
			t.Errorf("%s is no token", got)
		}
		if got := fill.Replace("{{hmac}}"); len(got) != 64 {
			t.Errorf("%s is no signature", got)
		}
	}
}
