package flags

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Request reads METHOD URL, or a URL that is asked by the method. The placeholders
// may stand anywhere in it; example is one that is right.
func Request(text, method, example string, placeholders ...string) (verb, address string, err error) {
	verb, address = method, text
	if m, u, ok := strings.Cut(text, " "); ok {
		verb, address = strings.ToUpper(m), strings.TrimSpace(u)
	}
	plain := address
	for _, p := range placeholders {
		plain = strings.ReplaceAll(plain, p, "1")
	}
	u, err := url.Parse(plain)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", "", exit.Usagef("%s is no request", Shown(text)).WithHint("write METHOD URL, such as '%s'", example)
	case u.User != nil:
		return "", "", exit.Usagef("the URL of the request holds a password, and the history would, too").WithHint("send it as --header 'Authorization: …', which is not recorded")
	}
	return verb, address, nil
}

// Headers reads the values of --header.
func Headers(all []string) (http.Header, error) {
	h := http.Header{}
	for _, text := range all {
		name, value, ok := strings.Cut(text, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, exit.Usagef("a --header is no header").WithHint("write 'NAME: VALUE'; what was given is not shown, it may be a secret")
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}
