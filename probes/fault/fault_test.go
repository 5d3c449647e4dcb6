package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/fault"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]fault.Fault{
		"delay 0-5ms":                      {Kind: fault.Delay, Point: fault.Send, Max: 5 * time.Millisecond},
		"delay 20ms at answer of commit":   {Kind: fault.Delay, Point: fault.Answer, Verb: "COMMIT", Min: 20 * time.Millisecond, Max: 20 * time.Millisecond},
		"delay 1ms-1s":                     {Kind: fault.Delay, Point: fault.Send, Min: time.Millisecond, Max: time.Second},
		"cut at answer of COMMIT number 3": {Kind: fault.Cut, Point: fault.Answer, Verb: "COMMIT", Nth: 3},
		"reset":                            {Kind: fault.Reset, Point: fault.Send},
		"throttle 1000":                    {Kind: fault.Throttle, Point: fault.Send, Rate: 1000},
	} {
		got, err := fault.Parse(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		again, err := fault.Parse(got.String())
		if err != nil || again != got {
			t.Errorf("%q was written as %q and read as %+v, %v", text, got, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "say what goes wrong",
		"explode":                "unknown kind",
		"delay":                  "needs an amount",
		"delay soon":             "is no time",
		"delay 5ms-1ms":          "shorter than the shortest",
		"delay -5ms":             "is no time",
		"throttle 0":             "at least 1 byte",
		"throttle much":          "no number of bytes",
		"cut at":                 "nothing follows",
		"cut at noon":            "unknown point",
		"cut in COMMIT":          "is not understood",
		"cut of COMMIT number 0": "is no number",
	} {
		if _, err := fault.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cut at answer of COMMIT number 3")
	f.Add("delay 0-5ms")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := fault.Parse(text)
		if err != nil {
			return
		}
		if again, err := fault.Parse(got.String()); err != nil || again.String() != got.String() {
			t.Errorf("%q was written as %q and read as %q, %v", text, got, again, err)
		}
	})
}

func TestPlan(t *testing.T) {
	parse := func(text string) fault.Fault {
		t.Helper()
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	p, err := fault.New(7, parse("delay 2ms-4ms"), parse("cut of COMMIT number 2"), parse("throttle 500"), parse("throttle 900"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Rate() != 500 {
		t.Errorf("rate %d", p.Rate())
	}
	for i, want := range []fault.Kind{"", fault.Cut, ""} {
		a := p.At(fault.Send, "COMMIT")
		if a.Close != want || a.Fault == nil || a.Wait < 2*time.Millisecond || a.Wait > 4*time.Millisecond {
			t.Errorf("COMMIT %d: %+v, want %q", i+1, a, want)
		}
	}
	if a := p.At(fault.Answer, "COMMIT"); a != (fault.Action{}) {
		t.Errorf("at the answer: %+v", a)
	}
	var none *fault.Plan
	if a := none.At(fault.Send, "COMMIT"); a != (fault.Action{}) || none.Rate() != 0 {
		t.Errorf("no plan: %+v", a)
	}
}
