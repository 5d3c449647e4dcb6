package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type object = map[string]any

// Schema is the JSON Schema (2020-12) of both files, made from the flags of the
// commands below root. It allows a little more than ccheck does: what a word
// means is beyond a schema.
func Schema(root *cobra.Command) ([]byte, error) {
	every, sections := object{}, object{}
	for _, cmd := range Runnable(root) {
		own := object{}
		for _, f := range Flags(cmd) {
			if r, ok := railOf(f.Name); ok && r.least == CommandLine {
				continue
			}
			own[f.Name], every[f.Name] = describe(f), merged(every[f.Name], describe(f))
		}
		sections[Name(cmd)] = section("Flags of ccheck "+Name(cmd)+".", own)
	}
	sections[version] = object{"const": 1, "description": "The version of this format."}
	sections[Every] = section("Flags of every command that has them.", every)
	schema := section("What the flags of ccheck are worth where the command line does not say it.", sections)
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", "ccheck configuration"
	schema["required"] = []string{version}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		return nil, fmt.Errorf("writing the JSON Schema: %w", err)
	}
	return b.Bytes(), nil
}

func section(doc string, properties object) object {
	return object{"type": "object", "description": doc, "properties": properties, "additionalProperties": false}
}

// describe is the schema of one flag.
func describe(f *pflag.Flag) object {
	_, usage := pflag.UnquoteUsage(f)
	if _, ok := railOf(f.Name); ok {
		usage += " (not from a file of the repository)"
	}
	return object{"description": strings.ToUpper(usage[:1]) + usage[1:] + ".", "type": kind(f)}
}

// merged is the schema of a flag that commands have with different meanings.
func merged(a any, b object) object {
	known, ok := a.(object)
	if !ok || fmt.Sprint(known["type"]) == fmt.Sprint(b["type"]) {
		return b
	}
	return object{"description": b["description"]}
}

func kind(f *pflag.Flag) any {
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return []string{"string", "array"}
	}
	switch f.Value.Type() {
	case "bool":
		return "boolean"
	case "int", "int64", "uint", "uint64":
		return "integer"
	case "float64":
		return "number"
	}
	return []string{"string", "number"}
}
