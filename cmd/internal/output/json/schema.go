package json

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// SchemaID is the address of the schema in the documents that refer to it.
const SchemaID = "https://github.com/ccheck/ccheck/blob/main/docs/formats/ccheck-1.schema.json"

// words are the values of types that are a closed set of words. Kinds of fixes
// and rules are open sets.
var words = map[reflect.Type][]string{
	reflect.TypeFor[report.Severity](): {string(report.Low), string(report.Medium), string(report.High)},
	reflect.TypeFor[report.Verdict]():  {string(report.Clean), string(report.Faulty), string(report.Unknown)},
}

// events are the values of Event.Event.
var events = []string{"begin", "progress", "finding", "end"}

// SchemaJSON returns the JSON Schema (draft 2020-12) of Document, with that of
// Event under #/$defs/Event. A strict schema allows no key that it does not
// know: it is for tests. The published one is not strict, since keys may be
// added within the version.
func SchemaJSON(strict bool) ([]byte, error) {
	b := &builder{strict: strict, defs: map[string]any{}}
	root := b.object(reflect.TypeFor[Document]())
	b.defs["Event"] = b.event()
	doc := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         SchemaID,
		"title":       "A run of ccheck, version 1",
		"description": "What --format json writes. One line of --format jsonl is #/$defs/Event. Durations (_ns) are nanoseconds.",
		"$defs":       b.defs,
	}
	for k, v := range root {
		doc[k] = v
	}
	var out bytes.Buffer
	enc := encoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("encoding the schema: %w", err)
	}
	return out.Bytes(), nil
}

// builder turns Go types into schemas; every struct becomes a definition of its
// name.
type builder struct {
	strict bool
	defs   map[string]any
}

func (b *builder) event() map[string]any {
	e := b.object(reflect.TypeFor[Event]())
	e["properties"].(map[string]any)["event"] = map[string]any{"enum": events}
	return e
}

func (b *builder) of(t reflect.Type) map[string]any {
	if w, ok := words[t]; ok {
		return map[string]any{"enum": w}
	}
	if t == reflect.TypeFor[time.Time]() {
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Pointer:
		return b.of(t.Elem())
	case reflect.Slice:
		return b.array(t)
	case reflect.Struct:
		return b.ref(t)
	}
	panic(fmt.Sprintf("no schema for a %v: teach builder.of about it", t))
}

// array allows null: a slice that is nil and has no omitempty is written so.
func (b *builder) array(t reflect.Type) map[string]any {
	return map[string]any{"type": []string{"array", "null"}, "items": b.of(t.Elem())}
}

func (b *builder) ref(t reflect.Type) map[string]any {
	if _, done := b.defs[t.Name()]; !done {
		b.defs[t.Name()] = nil // holds the name while a type refers to itself
		b.defs[t.Name()] = b.object(t)
	}
	return map[string]any{"$ref": "#/$defs/" + t.Name()}
}

func (b *builder) object(t reflect.Type) map[string]any {
	props, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		props[name] = b.of(f.Type)
		if opts == "" {
			required = append(required, name)
		}
	}
	if p, ok := props["schema"]; ok {
		p.(map[string]any)["const"] = Schema
	}
	o := map[string]any{"type": "object", "properties": props, "required": required}
	if b.strict {
		o["additionalProperties"] = false
	}
	return o
}
