package source

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// comment is one that holds tags: key='value' (sqlcommenter), or key:value as
// older libraries write them.
var (
	comment = regexp.MustCompile(`(?s)/\*(.*?)\*/`)
	tag     = regexp.MustCompile(`([A-Za-z_.%0-9]+)\s*(?:='((?:[^'\\]|\\.)*)'|:([^,*'\s][^,*']*))`)
	place   = regexp.MustCompile(`^(.*\.\w+):(\d+)`)
)

// Tagged is the place that a comment of the statement names. The tags are those
// of sqlcommenter (code.filepath, file, line) and of Rails (source_location).
func Tagged(sql string) report.Location {
	tags := map[string]string{}
	for _, c := range comment.FindAllStringSubmatch(sql, -1) {
		for _, m := range tag.FindAllStringSubmatch(c[1], -1) {
			text := m[2] + m[3]
			if plain, err := url.PathUnescape(text); err == nil {
				text = plain
			}
			tags[strings.ToLower(m[1])] = strings.TrimSpace(text)
		}
	}
	var l report.Location
	for _, key := range []string{"code.filepath", "code.file.path", "file", "source_location", "line"} {
		text := tags[key]
		if m := place.FindStringSubmatch(text); m != nil {
			l.File = m[1]
			l.Line, _ = strconv.Atoi(m[2])
			return l
		}
		if l.File == "" && key != "line" {
			l.File = text
		}
	}
	for _, key := range []string{"code.lineno", "code.line.number", "line", "lineno"} {
		if n, err := strconv.Atoi(tags[key]); err == nil && l.File != "" && l.Line == 0 {
			l.Line = n
		}
	}
	return l
}
