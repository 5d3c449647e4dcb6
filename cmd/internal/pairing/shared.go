package pairing

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/record/tape"
)

// A tape without statements says of a request only what it was sent: the ids in
// its path, its query and its body. Two that name the same thing are more likely
// to get in each other's way than two that name different ones.

// named is a value that a request was sent, under what it names: "item" for
// /items/7 and for {"item_id": 7}.
type named struct{ name, value string }

// shared are the values that two requests have in common, as they are told: "item
// 7". apart says that both name things, and none of them is the same.
func shared(a, b *tape.Request) (common []string, apart bool) {
	one, two := valuesOf(a), valuesOf(b)
	for _, v := range one {
		if len(tape.Secrets(v.value)) > 0 {
			continue // nobody knows which it was
		}
		if slices.ContainsFunc(two, func(w named) bool { return w == v || w.value == v.value && v.telling() }) {
			common = append(common, fmt.Sprintf("%s %s", v.name, v.value))
		}
	}
	return common, len(common) == 0 && len(one) > 0 && len(two) > 0
}

// telling reports whether a value alone says what it is: a long id, or one that an
// earlier answer has given. A 1 may be anything.
func (v named) telling() bool { return len(v.value) >= 8 }

// valuesOf are the values of a request that may be ids.
func valuesOf(r *tape.Request) (list []named) {
	path, query, _ := strings.Cut(r.Path, "?")
	last := ""
	for part := range strings.SplitSeq(path, "/") {
		if changes(part) {
			list = append(list, named{singular(last), part})
			continue
		}
		last = part
	}
	list = append(list, pairsOf(query)...)
	var doc any
	switch body := strings.TrimSpace(r.Body); {
	case json.Unmarshal([]byte(body), &doc) == nil:
		list = append(list, scalars("", doc)...)
	case strings.Contains(body, "="):
		list = append(list, pairsOf(body)...)
	}
	return list
}

// pairsOf reads a query or a form.
func pairsOf(text string) (list []named) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	for name, all := range values {
		for _, v := range all {
			list = append(list, named{singular(name), v})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name+"\x00"+a.value, b.name+"\x00"+b.value) })
	return list
}

// scalars are the texts and numbers of a document.
func scalars(name string, doc any) (list []named) {
	switch v := doc.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			list = append(list, scalars(key, v[key])...)
		}
	case []any:
		for _, one := range v {
			list = append(list, scalars(name, one)...)
		}
	case string, float64:
		list = append(list, named{singular(name), fmt.Sprint(v)})
	}
	return list
}

func sorted(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// singular is the thing that a name is of: item for items, item_id and itemId.
func singular(name string) string {
	name = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
	for _, end := range []string{"id", "s"} {
		if rest := strings.TrimSuffix(name, end); rest != "" && rest != name {
			return rest
		}
	}
	return name
}
