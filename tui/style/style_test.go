package style

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/ccheck/ccheck/tui/story"
)

// TestContrast asks for the 4.5 to 1 of WCAG 2.1, 1.4.3, on black and on white.
func TestContrast(t *testing.T) {
	for _, theme := range []string{"default", "high-contrast"} {
		for ground, dark := range map[color.Color]bool{color.Black: true, color.White: false} {
			for role, st := range New(theme, dark).roles {
				fg := st.GetForeground()
				if _, none := fg.(lipgloss.NoColor); none {
					continue
				}
				if got := contrast(fg, ground); got < 4.5 {
					t.Errorf("%s, dark %v: role %d has a contrast of %.1f", theme, dark, role, got)
				}
			}
		}
	}
}

// contrast is the ratio of relative luminances that WCAG 2.1 defines.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func TestMonoHasNoColour(t *testing.T) {
	s := New("mono", true)
	for role := story.Body; role <= story.Code; role++ {
		if got := s.Role(role, "x"); strings.Contains(got, "38;") {
			t.Errorf("role %d: %q", role, got)
		}
	}
	if got := s.Heat(5, "#") + s.Chart.Render("-"); strings.Contains(got, "38;") {
		t.Errorf("charts: %q", got)
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{"": true, "mono": true, "high-contrast": true, "solarized": false} {
		if got := Known(name); got != want {
			t.Errorf("Known(%q) = %v", name, got)
		}
	}
}
