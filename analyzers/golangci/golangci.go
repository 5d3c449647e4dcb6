// Package golangci is the plugin for golangci-lint: it offers the analyzers under
// the name ccheck to a golangci-lint that is built with `golangci-lint custom`
// (its module plugin system). It judges each package by itself, as go vet does;
// ccheck vet sees more, since it links packages through their interfaces.
//
// Nothing of ours imports it.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/driver"
)

// Name is the name of the linter in golangci-lint's configuration.
const Name = "ccheck"

// The register of the plugin system is asked by name, before anything runs.
func init() { register.Plugin(Name, New) }

// Settings are the settings of the linter.
type Settings struct {
	// Rules are the rules to run, or with a leading - those to leave out. The
	// default is all of ccheck's own: those that it has from go vet are in
	// golangci-lint's govet already.
	Rules []string `json:"rules"`
	// Tests: report what is in test files, too.
	Tests bool `json:"tests"`
}

// New is what golangci-lint calls with the settings of its configuration file.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", Name, err)
	}
	for _, r := range s.Rules {
		if name := strings.TrimPrefix(r, "-"); !slices.ContainsFunc(analyzers.Code, func(a *analysis.Analyzer) bool { return a.Name == name }) {
			return nil, fmt.Errorf("reading the settings of %s: there is no rule %q; `ccheck list analyzers` has the rules", Name, name)
		}
	}
	return plugin{s}, nil
}

type plugin struct{ Settings }

// BuildAnalyzers implements register.LinterPlugin.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	var all []*analysis.Analyzer
	for _, a := range analyzers.Code {
		if p.wants(a) {
			all = append(all, a)
		}
	}
	return driver.Guarded(all, func() bool { return p.Tests }), nil
}

func (p plugin) wants(a *analysis.Analyzer) bool {
	if slices.Contains(p.Rules, "-"+a.Name) {
		return false
	}
	if slices.ContainsFunc(p.Rules, func(r string) bool { return !strings.HasPrefix(r, "-") }) {
		return slices.Contains(p.Rules, a.Name)
	}
	return !strings.Contains(a.URL, "golang.org/x/tools/")
}

// GetLoadMode implements register.LinterPlugin: the analyzers need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
