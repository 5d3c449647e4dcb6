package golangci

import (
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/ccheck/ccheck/analyzers"
)

// names are the analyzers that the settings lead to.
func names(t *testing.T, settings any) []string {
	t.Helper()
	newPlugin, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlugin(settings)
	if err != nil {
		t.Fatal(err)
	}
	if p.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("the load mode is %s", p.GetLoadMode())
	}
	built, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, a := range built {
		all = append(all, a.Name)
	}
	return all
}

func TestRules(t *testing.T) {
	all := names(t, nil)
	if len(all) >= len(analyzers.Code) || !slices.Contains(all, "sqlcheckact") || slices.Contains(all, "copylocks") {
		t.Errorf("without settings: %v", all)
	}
	if got := names(t, map[string]any{"rules": []string{"-sqlcheckact"}}); len(got) != len(all)-1 || slices.Contains(got, "sqlcheckact") {
		t.Errorf("without one: %v", got)
	}
	if got := names(t, map[string]any{"rules": []string{"copylocks", "growth"}}); strings.Join(got, " ") != "growth copylocks" {
		t.Errorf("two by name: %v", got)
	}
}

func TestBadSettings(t *testing.T) {
	tests := []struct {
		settings any
		want     string
	}{
		{map[string]any{"rules": []string{"sqlchekact"}}, `there is no rule "sqlchekact"`},
		{map[string]any{"rule": "growth"}, `unknown field "rule"`},
	}
	for _, tt := range tests {
		if _, err := New(tt.settings); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.settings, err, tt.want)
		}
	}
}
