package directive

import "strings"

// elsewhere are the names that the linters of golangci-lint have for what our
// rules, or the analyzers that run beside them, look for. Who silenced one there
// has read the finding already.
var elsewhere = map[string][]string{
	"govet":         {"atomic", "copylocks", "lostcancel", "sqlrowserr", "waitgroup"},
	"bodyclose":     {"unclosed"},
	"sqlclosecheck": {"unclosed"},
	"rowserrcheck":  {"sqlrowserr"},
	"":              {"atomic", "copylocks", "lostcancel", "sqlrowserr", "waitgroup", "unclosed"},
}

// nolint reads a //nolint comment: the rules that it silences here, nil for none.
func nolint(text string) []string {
	rest, ok := strings.CutPrefix(text, "//nolint")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "//")
	names, named := strings.CutPrefix(strings.TrimSpace(rest), ":")
	if !named {
		if rest != "" && rest[0] != ' ' {
			return nil
		}
		return elsewhere[""]
	}
	var rules []string
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			rules = append(rules, elsewhere[name]...)
		}
	}
	return rules
}
