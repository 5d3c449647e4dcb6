package tape

import (
	"fmt"
	"strconv"
	"strings"
)

// A reference stands where a value cannot: because it is a secret, or because
// the application will give another one next time.
//
//	{{answer 3 body.token}}  the value at that path of the answer to request 3
//	{{cookie 3 session}}     a cookie that the answer to request 3 set
//	{{secret password}}      a value that only the user knows
//	{{brace}}                two braces that were in the text itself

// AnswerRef refers to a value of an answer.
func AnswerRef(request int, path string) string {
	return fmt.Sprintf("{{answer %d %s}}", request, path)
}

// CookieRef refers to a cookie that an answer set.
func CookieRef(request int, name string) string {
	return fmt.Sprintf("{{cookie %d %s}}", request, name)
}

// SecretRef refers to a value that is not on the tape.
func SecretRef(name string) string { return "{{secret " + name + "}}" }

// Escape writes a text so that nothing in it is a reference.
func Escape(text string) string { return strings.ReplaceAll(text, "{{", "{{brace}}") }

// Known gives what references stand for.
type Known interface {
	Answer(request int, path string) (string, bool)
	Cookie(request int, name string) (string, bool)
	Secret(name string) (string, bool)
}

// MissingError says that nothing is known for a reference.
type MissingError struct{ Ref string }

func (e *MissingError) Error() string {
	words := strings.Fields(strings.Trim(e.Ref, "{}"))
	switch {
	case len(words) > 1 && words[0] == "secret":
		return fmt.Sprintf("its %s was masked", words[1])
	case len(words) > 2:
		return fmt.Sprintf("it needs %s of the answer to request %s, which did not come again", words[2], words[1])
	}
	return "it has a reference that is not known: " + e.Ref
}

// Resolve puts values in the place of references; escape writes them as the text
// around them needs it, nil as they are.
func Resolve(text string, known Known, escape func(string) string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		inner, after, closed := strings.Cut(rest, "}}")
		value, ok := one(inner, known)
		if !closed || !ok {
			return "", &MissingError{Ref: "{{" + inner + "}}"}
		}
		if escape != nil && inner != "brace" {
			value = escape(value)
		}
		b.WriteString(value)
		text = after
	}
}

func one(inner string, known Known) (string, bool) {
	kind, rest, _ := strings.Cut(inner, " ")
	switch kind {
	case "brace":
		return "{{", rest == ""
	case "secret":
		if rest == "" {
			return "", false // a value that is never needed
		}
		return known.Secret(rest)
	}
	number, name, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return "", false
	case kind == "answer":
		return known.Answer(n, name)
	case kind == "cookie":
		return known.Cookie(n, name)
	}
	return "", false
}

// Secrets are the names of the secrets that a text refers to.
func Secrets(text string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(text, "{{secret ")
		if !found {
			return names
		}
		name, after, _ := strings.Cut(rest, "}}")
		names = append(names, name)
		text = after
	}
}
