package driver

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// tellCopyOnce leaves the copies of one type in one package to the first finding
// of them: the mend, a pointer, is one for the type, and the other places become
// steps of it. It takes findings in order, of which a rule in j.Copies ends its
// message in ": T contains sync.Mutex", as copylocks does. The other rules stay.
func (j *session) tellCopyOnce(all []report.Finding) []report.Finding {
	type group struct{ rule, folder, kind string }
	first := map[group]int{}
	var kept []report.Finding
	for _, f := range all {
		kind := copied(f.Message)
		if kind == "" || !slices.Contains(j.Copies, f.Rule) {
			kept = append(kept, f)
			continue
		}
		g := group{f.Rule, filepath.Dir(f.Where.File), kind}
		if i, told := first[g]; told {
			kept[i].Steps = append(kept[i].Steps, report.Step{Text: f.Message, Where: f.Where})
			continue
		}
		first[g] = len(kept)
		kept = append(kept, f)
	}
	return kept
}

// copied is the type that a message of copylocks is about, "" when it names none.
func copied(message string) string {
	at := strings.LastIndex(message, ": ")
	if at < 0 {
		return ""
	}
	kind, _, _ := strings.Cut(message[at+2:], " contains ")
	return kind
}
