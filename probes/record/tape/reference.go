package tape

import (
	"fmt"
	"strconv"
	"strings"
)

// A reference stands where a value cannot: because it is a secret, or because
// the application will give another one next time.
//
//	{{answer 3 body.token}}      the value at that path of the answer to request 3
//	{{answer 3 body.id else 7}}  the same, and 7 where that is not known
//	{{cookie 3 session}}         a cookie that the answer to request 3 set
//	{{secret password}}          a value that only the user knows
//	{{brace}}                    two braces that were in the text itself

// AnswerRef refers to a value of an answer.
func AnswerRef(request int, path string) string {
	return fmt.Sprintf("{{answer %d %s}}", request, path)
}

// Else adds what a reference stands for where it leads nowhere, for a value that
// is no secret.
func Else(ref, value string) string {
	return strings.TrimSuffix(ref, "}}") + otherwise + value + "}}"
}

const otherwise = " else "

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
	rest, value, has := strings.Cut(rest, otherwise)
	number, name, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", false
	}
	found, ok := "", false
	switch kind {
	case "answer":
		found, ok = known.Answer(n, name)
	case "cookie":
		found, ok = known.Cookie(n, name)
	}
	if !ok {
		return value, has
	}
	return found, true
}

// Secrets are the names of the secrets that a text refers to.
func Secrets(text string) []string {
	var names []string
	each(text, func(kind, rest string) {
		if kind == "secret" && rest != "" {
			names = append(names, rest)
		}
	})
	return names
}

// Answers are the numbers of the requests to whose answers a text refers.
func Answers(text string) []int {
	var list []int
	each(text, func(kind, rest string) {
		number, _, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err == nil && (kind == "answer" || kind == "cookie") {
			list = append(list, n)
		}
	})
	return list
}

func each(text string, do func(kind, rest string)) {
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return
		}
		inner, after, _ := strings.Cut(rest, "}}")
		kind, words, _ := strings.Cut(inner, " ")
		do(kind, words)
		text = after
	}
}
