package json

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ccheck/ccheck/analyzers/report"
)

// ErrCut means that the JSON ends before its run did.
var ErrCut = errors.New("it ends before its run did")

// Read reads a run that New or NewLines wrote. With ErrCut what came before the
// end of the events is in the document, and its verdict is unknown.
func Read(in io.Reader) (Document, error) {
	dec := stdjson.NewDecoder(in)
	var raw stdjson.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return Document{}, cut(err)
	}
	var first struct{ Schema, Event string }
	if err := stdjson.Unmarshal(raw, &first); err != nil {
		return Document{}, fmt.Errorf("reading its schema: %w", err)
	}
	if first.Schema != Schema {
		return Document{}, fmt.Errorf("its schema is %q, and this ccheck reads %q", first.Schema, Schema)
	}
	if first.Event != "" {
		return readLines(raw, dec)
	}
	var doc Document
	if err := stdjson.Unmarshal(raw, &doc); err != nil {
		return Document{}, fmt.Errorf("reading the document: %w", err)
	}
	return doc, nil
}

// readLines puts events together, the first of which is in raw.
func readLines(raw stdjson.RawMessage, dec *stdjson.Decoder) (Document, error) {
	doc := Document{Schema: Schema}
	doc.Summary.Verdict = report.Unknown
	for {
		var e Event
		if err := stdjson.Unmarshal(raw, &e); err != nil {
			return doc, fmt.Errorf("reading an event: %w", err)
		}
		switch {
		case e.Run != nil:
			doc.Run = *e.Run
		case e.Progress != nil:
			doc.Summary.Final = *e.Progress
		case e.Finding != nil:
			doc.Findings = append(doc.Findings, *e.Finding)
		case e.Summary != nil:
			doc.Summary = *e.Summary
			return doc, nil
		}
		if err := dec.Decode(&raw); err != nil {
			return doc, cut(err)
		}
	}
}

// cut tells an end in the middle from text that is no JSON.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return fmt.Errorf("reading the JSON: %w", err)
}
