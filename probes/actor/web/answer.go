package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// Status is the name of the field that holds the status code, Body of the one
// that holds a text, and the beginning of those of a JSON document.
const (
	Status = "status"
	Body   = "body"
)

// Classes say what an answer means to the client. Entries are status codes
// ("409") or families ("4xx"). What none names is classed by its family:
// 2xx and 3xx accepted, 4xx refused, everything else failed.
type Classes struct{ Accepted, Refused, Failed []string }

// Of is the outcome that a status stands for. A code goes before a family.
func (c *Classes) Of(status int) history.Outcome {
	code := strconv.Itoa(status)
	for _, word := range []string{code, code[:1] + "xx"} {
		switch {
		case slices.Contains(c.Accepted, word):
			return history.Accepted
		case slices.Contains(c.Refused, word):
			return history.Refused
		case slices.Contains(c.Failed, word):
			return history.Failed
		}
	}
	switch status / 100 {
	case 2, 3:
		return history.Accepted
	case 4:
		return history.Refused
	}
	return history.Failed
}

// Check reports an entry that is neither a code nor a family.
func (c *Classes) Check() error {
	for _, word := range slices.Concat(c.Accepted, c.Refused, c.Failed) {
		if _, family := strings.CutSuffix(word, "xx"); family && len(word) == 3 && word[0] >= '1' && word[0] <= '5' {
			continue
		}
		if n, err := strconv.Atoi(word); err != nil || n < 100 || n > 599 {
			return fmt.Errorf("%q is neither a status code, such as 409, nor a family, such as 4xx", word)
		}
	}
	return nil
}

// Fields takes an answer apart.
func Fields(status int, body []byte) []history.Var {
	fields := []history.Var{{Name: Status, Value: history.Int(int64(status))}}
	if len(bytes.TrimSpace(body)) == 0 {
		return fields
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil || d.More() {
		return append(fields, history.Var{Name: Body, Value: cut(string(body))})
	}
	return flatten(fields, Body, doc)
}

// flatten adds the values of a JSON document under their paths, in an order
// that depends on nothing but the document.
func flatten(fields []history.Var, path string, doc any) []history.Var {
	if len(fields) >= maxFields {
		return fields
	}
	switch v := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fields = flatten(fields, path+"."+key, v[key])
		}
		return fields
	case []any:
		fields = append(fields, history.Var{Name: path + ".length", Value: history.Int(int64(len(v)))})
		for i, item := range v {
			fields = flatten(fields, path+"."+strconv.Itoa(i), item)
		}
		return fields
	case nil:
		return append(fields, history.Var{Name: path, Value: history.Null})
	}
	return append(fields, history.Var{Name: path, Value: cut(fmt.Sprint(doc))})
}

func cut(s string) history.Value {
	return history.Text(s[:min(len(s), history.MaxValue)])
}
