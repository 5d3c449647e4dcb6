package scenario

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// schematic is a kind of value that knows its JSON Schema; tag is the field's.
type schematic interface {
	schema(tag reflect.StructTag) object
}

type object = map[string]any

// Schema is the JSON Schema (2020-12) of ccheck.yaml, made from what the
// decoder reads, for editors and other tools. It allows a little more than
// Load does: whether files exist and names agree is beyond a schema.
func Schema() []byte {
	s := objectSchema(&manifest{})
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "ccheck scenario"
	s["description"] = "A scenario of ccheck: what runs, on what, how hard, and what must hold."
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic(err) // maps, strings and numbers always encode
	}
	return b.Bytes()
}

// objectSchema is the schema of the struct that into points to.
func objectSchema(into any) object {
	properties := object{}
	var need []string
	fields := fieldsOf(into)
	for _, key := range keysOf(into) {
		f := fields[key]
		s := f.value.(schematic).schema(f.tag)
		s["description"] = f.tag.Get("doc")
		properties[key] = s
		if f.tag.Get("need") != "" {
			need = append(need, key)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if need != nil {
		s["required"] = need
	}
	return s
}

func schemaOf[T any](tag reflect.StructTag) object {
	var v T
	return any(&v).(schematic).schema(tag)
}

func (w *word) schema(tag reflect.StructTag) object {
	s := object{"type": "string"}
	if enum := tag.Get("enum"); enum != "" {
		s["enum"] = strings.Split(enum, ",")
	}
	return s
}

func (v *number) schema(tag reflect.StructTag) object {
	s := object{"type": "integer"}
	for tagged, key := range map[string]string{"min": "minimum", "max": "maximum"} {
		if n, err := strconv.Atoi(tag.Get(tagged)); err == nil {
			s[key] = n
		}
	}
	return s
}

func (v *value) schema(reflect.StructTag) object {
	return object{"type": []string{"integer", "string"}}
}

func (e *expr) schema(reflect.StructTag) object { return object{"type": []string{"integer", "string"}} }

func (s *source) schema(reflect.StructTag) object {
	long := objectSchema(&inlineNode{})
	long["minProperties"], long["maxProperties"] = 1, 1
	return object{"oneOf": []object{{"type": "string"}, long}}
}

func (t *think) schema(reflect.StructTag) object {
	const duration = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
	return object{"oneOf": []object{
		{"const": 0},
		{"type": "string", "pattern": "^(0|" + duration + ")(-(0|" + duration + "))?$"},
	}}
}

func (l *list[T]) schema(tag reflect.StructTag) object {
	s := object{"type": "array", "items": schemaOf[T](tag)}
	if tag.Get("need") != "" {
		s["minItems"] = 1
	}
	return s
}

func (f *few[T]) schema(tag reflect.StructTag) object {
	return object{"oneOf": []object{schemaOf[T](tag), {"type": "array", "items": schemaOf[T](tag)}}}
}

func (m *dict[T]) schema(tag reflect.StructTag) object {
	return object{"type": "object", "additionalProperties": schemaOf[T](tag)}
}

func (n *loadNode) schema(reflect.StructTag) object   { return objectSchema(n) }
func (n *appNode) schema(reflect.StructTag) object    { return objectSchema(n) }
func (n *httpNode) schema(reflect.StructTag) object   { return objectSchema(n) }
func (n *stubNode) schema(reflect.StructTag) object   { return objectSchema(n) }
func (v *document) schema(reflect.StructTag) object   { return object{} }
func (n *effectNode) schema(reflect.StructTag) object { return objectSchema(n) }
func (n *changeNode) schema(reflect.StructTag) object { return objectSchema(n) }

func (n *actorNode) schema(reflect.StructTag) object {
	s := objectSchema(n)
	s["oneOf"] = []object{{"required": []string{"script"}}, {"required": []string{"http"}}, {"required": []string{"command"}}}
	return s
}

func (n *ruleNode) schema(reflect.StructTag) object {
	s := objectSchema(n)
	s["oneOf"] = []object{{"required": []string{"sql"}}, {"required": []string{"file"}}}
	return s
}
