package serial

import (
	"iter"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Two clients buy the last item: A and B are clients, D and E connections. The
// pieces of the histories below.
const (
	head = `
param mode rounds
param oracle serial
param alike buy look
table item: id integer key, stock integer
table sale: id bigint key, item_id integer, at timestamptz
check round stage after 1 call of buy
`
	// one after the other, the first is accepted.
	inOrder = `
reset
A calls buy
D: UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0 => UPDATE 1
A ends accepted status=201 sale=SALE
B calls buy
D: UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0 => UPDATE 0
B ends refused status=409
state item removed => id, stock: 1, 1
state item added => id, stock: 1, 0
state sale added => id, item_id, at: SALE, 1, SALE
`
	// together both read the stock before the other wrote it.
	race = `
reset
A calls buy
B calls buy
D: BEGIN
D: SELECT stock FROM item WHERE id = 1 => stock: 1
E: BEGIN
E: SELECT stock FROM item WHERE id = 1 => stock: 1
D: UPDATE item SET stock = 0 WHERE id = 1 => UPDATE 1
D: COMMIT
E: UPDATE item SET stock = 0 WHERE id = 1 => UPDATE 1
E: COMMIT
A ends accepted status=201 sale=8
B ends accepted status=201 sale=9
state item removed => id, stock: 1, 1
state item added => id, stock: 1, 0
state sale added => id, item_id, at: 8, 1, 8; 9, 1, 8
check round schedule 2 × buy
`
	ending = "\ncheck round ended 1 rounds\n"
)

// inTurn is a serial order that ran to its end, with a number for what is chance.
func inTurn(n, phase string) string {
	return strings.ReplaceAll(inOrder, "SALE", n) + "check round " + phase + " buy#1 buy#2\n"
}

// judgeCrowd judges a history of volleys.
func judgeCrowd(t *testing.T, lines string) (findings []report.Finding, unknown []string) {
	t.Helper()
	f := historytest.Read(t, lines)
	h := *f.Header
	h.Actors = []history.Actor{{Name: "buy", HTTP: "POST /buy"}, {Name: "look", HTTP: "GET /item"}}
	h.Claims = append(h.Claims, history.Claim{Name: "some order", Kind: history.Property})
	err := Checker.Run(&check.Pass{
		Header: &h, Ops: func() iter.Seq2[*history.Op, error] { return rounds(f.Ops()) },
		Report:   func(f report.Finding) { findings = append(findings, f) },
		Unknown:  func(s string) { unknown = append(unknown, s) },
		Evidence: func(report.Evidence) { t.Error("evidence is for another judge") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return findings, unknown
}

func TestCrowd(t *testing.T) {
	known := head + inTurn("2", "serial") + inTurn("1002", "repeated")
	decided := func(round string) string { return "check round decided " + round + "\n" }
	right := strings.ReplaceAll(inOrder, "SALE", "77") + "check round schedule 2 × buy\n"
	// The second call is given an error, and the first sale is there twice.
	took := strings.ReplaceAll(race, "B ends accepted status=201 sale=9", "B ends failed it was answered with status 500")
	both := strings.NewReplacer(
		"B ends refused status=409", "B ends accepted status=201 sale=SALE", "UPDATE 0", "UPDATE 1",
		"added => id, stock: 1, 0", "added => id, stock: 1, -1", "SALE, 1, SALE", "SALE, 1, SALE; 9SALE, 1, SALE",
	).Replace(inOrder)
	tests := []struct {
		name, lines string
		finding     string // in its message; "" is none
		unknown     string
	}{
		{"as one after the other", known + right + decided("3") + ending, "", ""},
		{"more than in any order", known + race + decided("3") + ending, "of 2 requests of buy at once 2 were accepted, and of as many one after the other at most 1", ""},
		{"orders that were not all run", known + race + ending, "", "1 of 1 round were not compared with every serial order"},
		{"broken off", known + race + decided("3"), "some", "broken off after 1 round"},
		{"only orders", known + ending, "", "no round of requests at once was run"},
		{"an order that explains it comes later", known + race + strings.ReplaceAll(both, "SALE", "5") + "check round serial buy#1 buy#2\n" + decided("3") + ending, "leave item (id 1, stock 0)", ""},
		{"one that failed may have taken effect", known + took + "\nreset\nA calls buy\nA ends accepted status=201 sale=1\nB calls buy\nB ends accepted status=201 sale=2\n" +
			"state item removed => id, stock: 1, 1\nstate item added => id, stock: 1, 0\nstate sale added => id, item_id, at: 1, 1, 1; 2, 1, 2\ncheck round serial buy#1 buy#2\n" + decided("3") + ending, "", ""},
		{"nothing at all took effect", known + "\nreset\nA calls buy\nB calls buy\nA ends refused status=409\nB ends refused status=409\ncheck round schedule 2 × buy\n" + decided("3") + ending, "", ""},
		{"refused, and it took effect", known + "\nreset\nA calls buy\nB calls buy\nA ends refused status=409\nB ends refused status=409\nstate item removed => id, stock: 1, 1\nstate item added => id, stock: 1, 0\ncheck round schedule 2 × buy\n" + decided("3") + ending, "2 × buy at once", ""},
		{"a limit of requests", known + race + decided("3") + "\nreset\nA calls buy\nA ends refused status=429\nB calls buy\nB ends refused status=429\ncheck round repeated buy#1 buy#2\n" + ending, "", "answered differently from the same rows"},
		{"a rehearsal is not judged", known + strings.ReplaceAll(race, "round schedule", "round rehearsal") + right + decided("4") + ending, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings, unknown := judgeCrowd(t, tt.lines)
			message := ""
			for _, f := range findings {
				message += f.Message
			}
			if tt.finding == "some" && len(findings) == 1 {
				message = "some"
			}
			if (len(findings) > 0) != (tt.finding != "") || !strings.Contains(message, tt.finding) {
				t.Errorf("findings %q, want %q", message, tt.finding)
			}
			if why := strings.Join(unknown, "|"); (why != "") != (tt.unknown != "") || !strings.Contains(why, tt.unknown) {
				t.Errorf("unknown %q, want %q", why, tt.unknown)
			}
		})
	}
}

// The story is that of two transactions, with the mend for their table.
func TestCrowdStory(t *testing.T) {
	findings, _ := judgeCrowd(t, head+inTurn("2", "serial")+inTurn("1002", "repeated")+race+"check round decided 3\n"+ending)
	if len(findings) != 1 {
		t.Fatalf("%d findings", len(findings))
	}
	f := findings[0]
	if f.Claim != "some order" || len(f.Lanes) != 2 || len(f.Steps) < 4 || len(f.Fixes) == 0 || !strings.Contains(f.Anomaly, "lost update") {
		t.Errorf("%s: claim %q, lanes %d, steps %d, fixes %d", f.Anomaly, f.Claim, len(f.Lanes), len(f.Steps), len(f.Fixes))
	}
	if !strings.Contains(f.Why, "One after the other: item (id 1, stock 0)") {
		t.Errorf("why: %s", f.Why)
	}
}

// Calls that differ by lane are told apart: what A was answered is not what B
// was.
func TestCrowdByLane(t *testing.T) {
	own := strings.Replace(head, "param alike buy look", "param alike look", 1) + inTurn("2", "serial") + inTurn("1002", "repeated")
	swapped := strings.NewReplacer("A calls", "B calls", "B calls", "A calls", "A ends", "B ends", "B ends", "A ends", "SALE", "4").Replace(inOrder) +
		"check round schedule 2 × buy\ncheck round decided 3\n"
	if findings, _ := judgeCrowd(t, own+swapped+ending); len(findings) != 1 {
		t.Errorf("%d findings, though no order in which B comes first was run", len(findings))
	}
	if findings, _ := judgeCrowd(t, head+inTurn("2", "serial")+inTurn("1002", "repeated")+swapped+ending); len(findings) != 0 {
		t.Errorf("requests that are the same are told apart: %s", findings[0].Message)
	}
}
