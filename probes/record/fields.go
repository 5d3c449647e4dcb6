package record

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
)

// replacer is what the tape has of a field's value.
type replacer func(name, value string) string

// replaceBody masks a body field by field, where its type has fields.
func replaceBody(contentType, body string, with replacer, rest func(string) string) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch {
	case body == "":
		return ""
	case kind == "application/x-www-form-urlencoded":
		return replaceForm(body, with)
	case strings.HasSuffix(kind, "json") || json.Valid([]byte(body)):
		if text, ok := replaceJSON(body, with); ok {
			return text
		}
	}
	return rest(body)
}

// replaceForm masks name=value&name=value, the form of a query.
func replaceForm(text string, with replacer) string {
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		plainName, err1 := url.QueryUnescape(name)
		plain, err2 := url.QueryUnescape(value)
		if !found || err1 != nil || err2 != nil {
			pairs[i] = with("", pair)
			continue
		}
		if out := with(plainName, plain); out != plain {
			value = out
		}
		pairs[i] = name + "=" + value
	}
	return strings.Join(pairs, "&")
}

// replaceJSON masks the values of a document and leaves everything else as it
// is written: a signature may have been made of it.
func replaceJSON(body string, with replacer) (string, bool) {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	j := &jsonText{in: body, d: d, with: with}
	if !j.value("") || d.More() {
		return "", false
	}
	j.out.WriteString(body[j.done:])
	return j.out.String(), true
}

// jsonText is a walk over a document.
type jsonText struct {
	in   string
	d    *json.Decoder
	with replacer
	out  bytes.Buffer
	done int // in[:done] is in out
}

// value takes the next value; name is the nearest name above it.
func (j *jsonText) value(name string) bool {
	before := int(j.d.InputOffset())
	tok, err := j.d.Token()
	if err != nil {
		return false
	}
	switch v := tok.(type) {
	case json.Delim:
		return j.inside(name, v)
	case string:
		j.put(before, v, j.with(name, v), `"`)
	case json.Number:
		j.put(before, v.String(), j.with(name, v.String()), "")
	}
	return true
}

func (j *jsonText) inside(name string, open json.Delim) bool {
	for j.d.More() {
		inner := name
		if open == '{' {
			key, err := j.d.Token()
			if err != nil {
				return false
			}
			// A name below a secret one is as secret.
			if word, _ := key.(string); name == "" || !history.Mask(nil).Secret(name) {
				inner = word
			}
		}
		if !j.value(inner) {
			return false
		}
	}
	_, err := j.d.Token()
	return err == nil
}

// put writes a scalar that ends where the decoder is.
func (j *jsonText) put(before int, old, value, quote string) {
	end := int(j.d.InputOffset())
	start := before + strings.IndexFunc(j.in[before:end], func(r rune) bool { return !strings.ContainsRune(" \t\r\n:,", r) })
	j.out.WriteString(j.in[j.done:start])
	j.done = end
	if value == old {
		j.out.WriteString(j.in[start:end])
		return
	}
	j.out.WriteString(quote + value + quote)
}

// replacePath masks the query of a path, and its parts.
func replacePath(path string, with replacer) string {
	path, query, found := strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		plain, err := url.PathUnescape(p)
		if err != nil {
			plain = p
		}
		if out := with("", plain); out != plain {
			parts[i] = out
		}
	}
	path = strings.Join(parts, "/")
	if found {
		path += "?" + replaceForm(query, with)
	}
	return path
}

// text reports whether a body can be told as text.
func text(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsRune(b, 0) }

// Shown shows requests as people may see them: with Masked in the place of what has
// the name of a secret in its query and its body.
func Shown(m history.Mask) func(*web.Request) *web.Request {
	hide := func(name, value string) string {
		if value != "" && m.Secret(name) {
			return history.Masked
		}
		return value
	}
	return func(r *web.Request) *web.Request { return shown(r, hide) }
}

func shown(r *web.Request, hide replacer) *web.Request {
	copied := *r
	copied.URL = replacePath(r.URL, hide)
	copied.Body = replaceForm(r.Body, hide)
	if body := strings.TrimSpace(r.Body); strings.HasPrefix(body, "{") && !strings.HasPrefix(body, "{{") || strings.HasPrefix(body, "[") { // whatever curl says that -d sends
		copied.Body = replaceBody("", r.Body, hide, func(text string) string { return hidePairs(text, hide) })
	}
	return &copied
}

// pair is a name with a scalar in a document that templates keep from being one.
var pair = regexp.MustCompile(`"([^"\\]+)"(\s*:\s*)("(?:[^"\\]|\\.)*"|[^\s,}\]{\[]+)`)

func hidePairs(text string, hide replacer) string {
	return pair.ReplaceAllStringFunc(text, func(whole string) string {
		m := pair.FindStringSubmatch(whole)
		if out := hide(m[1], m[3]); out != m[3] {
			return strconv.Quote(m[1]) + m[2] + strconv.Quote(out)
		}
		return whole
	})
}
