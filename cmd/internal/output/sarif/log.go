package sarif

import (
	"net/url"
	"path"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	base   = "SRCROOT"
)

// The types below are the parts of the format that are written, by the names
// that the standard gives them.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool                `json:"tool"`
	Invocations []invocation        `json:"invocations"`
	Bases       map[string]artifact `json:"originalUriBaseIds"`
	Columns     string              `json:"columnKind"`
	Results     []result            `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string       `json:"name"`
	Version string       `json:"version,omitempty"`
	URI     string       `json:"informationUri"`
	Rules   []descriptor `json:"rules"`
}

type descriptor struct {
	ID      string `json:"id"`
	Short   text   `json:"shortDescription"`
	Help    *text  `json:"help,omitempty"`
	HelpURI string `json:"helpUri"`
}

type text struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type artifact struct {
	URI         string `json:"uri,omitempty"`
	Description *text  `json:"description,omitempty"`
}

type invocation struct {
	Successful bool           `json:"executionSuccessful"`
	Notes      []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string `json:"level"`
	Message text   `json:"message"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      text              `json:"message"`
	Locations    []location        `json:"locations"`
	Related      []location        `json:"relatedLocations,omitempty"`
	Flows        []codeFlow        `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Fixes        []fix             `json:"fixes,omitempty"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
	Message  *text    `json:"message,omitempty"`
}

type physical struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   *region          `json:"region,omitempty"`
}

type artifactLocation struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type codeFlow struct {
	Threads []threadFlow `json:"threadFlows"`
}

type threadFlow struct {
	Locations []flowLocation `json:"locations"`
}

type flowLocation struct {
	Location location `json:"location"`
}

type fix struct {
	Description text     `json:"description"`
	Changes     []change `json:"artifactChanges"`
}

type change struct {
	Artifact     artifactLocation `json:"artifactLocation"`
	Replacements []replacement    `json:"replacements"`
}

type replacement struct {
	Deleted  region   `json:"deletedRegion"`
	Inserted *content `json:"insertedContent,omitempty"`
}

type content struct {
	Text string `json:"text"`
}

// located is a place in a file. A path below the folder of the run is relative
// to it; any other is a file URI, which viewers on other machines cannot open.
func located(l report.Location) location {
	if l.File == "" {
		return location{}
	}
	at := artifactLocation{URI: (&url.URL{Path: l.File}).EscapedPath(), Base: base}
	if path.IsAbs(l.File) || len(l.File) > 1 && l.File[1] == ':' {
		at = artifactLocation{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(strings.ReplaceAll(l.File, `\`, "/"), "/")}).String()}
	}
	p := physical{Artifact: at}
	if l.Line > 0 {
		p.Region = &region{StartLine: l.Line, StartColumn: l.Column, EndLine: l.EndLine, EndColumn: l.EndColumn}
	}
	return location{Physical: p}
}
