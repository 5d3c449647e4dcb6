package skew

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// window is what of a side is accepted.
type window struct {
	accepted time.Duration // the greatest offset that is accepted; 0 when not even the least
	refused  time.Duration // the least that is refused; 0 when none is
	mixed    bool          // something beyond the least that is refused is accepted
	at       time.Duration
	last     time.Duration
}

func (r *record) window(side string) (w window, ok bool) {
	for _, t := range r.tries {
		if t.side != side {
			continue
		}
		if !ok {
			w.at = t.at
		}
		ok, w.last = true, t.at
		if t.accepted {
			w.accepted = max(w.accepted, t.off)
		} else if w.refused == 0 || t.off < w.refused {
			w.refused = t.off
		}
	}
	w.mixed = w.refused > 0 && w.accepted > w.refused
	return w, ok
}

// tokens judges the window of a token.
func (j *judgement) tokens() {
	if !slices.ContainsFunc(j.r.tries, func(t try) bool { return t.side == "now" && t.accepted }) {
		j.reason("no token was accepted at all, so that a refusal says nothing")
		return
	}
	if slices.ContainsFunc(j.r.tries, func(t try) bool { return t.side == "forged" && t.accepted }) {
		j.reason("a token with a wrong signature, or a stamp that is no time, was accepted: the URL does not look at tokens, and nothing is said of their time")
		return
	}
	past, ok1 := j.r.window("past")
	future, ok2 := j.r.window("future")
	switch {
	case !ok1 || !ok2:
		j.reason("the window of the token was not tried to its ends")
		return
	case past.mixed || future.mixed:
		j.reason("a token was refused at one offset and accepted farther off: something else than its time decides, such as a limit on requests")
		return
	}
	j.side(past, "past")
	j.side(future, "future")
	if future.accepted == 0 {
		j.add(tokenFinding(report.Low, future, "no leeway", "a token that was made a second ahead of the server's clock is refused: clocks differ by more than that, and a login fails for no reason that anybody sees",
			"The server compares the time in the token with its own clock and allows for nothing. RFC 7519 speaks of a small leeway, usually no more than a few minutes.",
			"Allow for a minute when nbf, iat or a stamp is compared"))
	}
}

// side judges what is accepted beyond the leeway.
func (j *judgement) side(w window, side string) {
	what := map[string]string{"past": "expired", "future": "is not valid for another"}[side]
	switch {
	case w.refused == 0:
		text := "a token that expired ten years ago is accepted: who has one once has it for ever"
		if side == "future" {
			text = "a token that becomes valid in ten years is accepted: a stamp that is made up ahead never grows old"
		}
		j.add(tokenFinding(report.High, w, "time of the token not looked at", text, "Every token of that side was accepted, to the last that was tried: the time in it is not compared.", "Compare exp and nbf, or the stamp, with the clock, and refuse what is beyond a minute"))
	case w.accepted > j.leeway:
		text := fmt.Sprintf("a token that %s %s ago is accepted, more than %s", what, brief(w.accepted), j.leeway)
		if side == "future" {
			text = fmt.Sprintf("a token that %s %s is accepted, more than %s", what, brief(w.accepted), j.leeway)
		}
		j.add(tokenFinding(report.Medium, w, "wide window", text, "A copy of the request can be sent again for so long.", "Make the leeway as small as the clocks allow, a minute or so, and refuse an id that was seen before"))
	}
}

func tokenFinding(s report.Severity, w window, anomaly, message, why, fix string) report.Finding {
	return report.Finding{
		Severity: s, Claim: claimToken, Anomaly: anomaly, Count: 1, First: w.at, Last: w.last, Message: message, Why: why,
		Fixes: []report.Fix{
			{Kind: report.Atomic, Title: fix},
			{Kind: report.Constraint, Title: "Remember the id (jti, nonce) of what was accepted for as long as it could be accepted again", SQL: "INSERT INTO token_seen (jti, until) VALUES ($1, $2)  -- jti is the primary key: 23505 is a replay"},
		},
	}
}
