package driver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/history/invariant"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/probes/history"
)

// leaking is a lost update of a row with secrets in it, which are in its
// statements as values and as literals, short and long, and in the claim's rows.
const leaking = `
table member: id integer key, password text, pin text, tokens integer, card_number text, name text
claim one PIN: SELECT id, pin, password, tokens FROM member WHERE tokens < 0
actor pay
A calls pay
B calls pay
A: BEGIN
A: SELECT tokens, password FROM member WHERE id = $1 AND pin = '4711' | 3 => tokens, password: 5, hunter2canary
B: BEGIN
B: SELECT tokens, password FROM member WHERE id = $1 AND pin = '4711' | 3 => tokens, password: 5, hunter2canary
A: UPDATE member SET tokens = $2, password = $3, card_number = '4111111111111111' WHERE id = $1 | 3, -2, othercanary => UPDATE 1
A: COMMIT
A ends accepted
B: UPDATE member SET tokens = $2, pin = $3 WHERE id = $1 | 3, -3, 1147 => UPDATE 1
B: COMMIT
B ends accepted
check one PIN => id, pin, password, tokens: 3, 1147, othercanary, -3
`

// A short secret is told by nothing but the name before it.
func TestShortSecretInARow(t *testing.T) {
	m := &masker{mask: history.NewMask([]string{"guest"}), known: map[string]bool{"zoe": true}}
	m.ready()
	text := "leaves holds (id 2, guest zoe), rooms (guest zoe, left 0); the room zoe, and zoe"
	m.text(&text)
	if want := "leaves holds (id 2, guest {{secret}}), rooms (guest {{secret}}, left 0); the room zoe, and zoe"; text != want {
		t.Error(text)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	res, err := Judge(t.Context(), historytest.Read(t, leaking), []*check.Checker{invariant.Checker})
	if err != nil || len(res.Findings) == 0 {
		t.Fatal(res, err)
	}
	text, err := json.Marshal(res.Findings)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2canary", "othercanary", "4711", "1147", "4111111111111111"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is told: %s", secret, text)
		}
	}
	// A count is none, though its column has a name like one.
	for _, told := range []string{"tokens = -3", "member", "'{{secret}}'"} {
		if !strings.Contains(string(text), told) {
			t.Errorf("%s is not told: %s", told, text)
		}
	}
}
