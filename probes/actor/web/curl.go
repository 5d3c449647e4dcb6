package web

import (
	"fmt"
	"net/url"
	"os"
	"strings"
)

// CurlError says what of a pasted curl command cannot be used.
type CurlError struct{ Why, Hint string }

func (e *CurlError) Error() string { return "curl: " + e.Why }

// ParseCurl reads a curl command as people paste it from a browser's network
// panel, from documentation or from their shell. The word curl may be missing.
// Flags that do not change the request, such as -s, are passed over. An error
// is a *CurlError.
func ParseCurl(line string) (*Request, error) {
	list, err := ParseCurls(line)
	if err == nil && len(list) > 1 {
		err = &CurlError{"--next makes several requests", "give each a command of its own"}
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ParseCurls reads a command with several requests, which --next parts.
func ParseCurls(line string) ([]*Request, error) { return parseCurls(line, os.ReadFile) }

// parseCurls reads the files that the command names with open.
func parseCurls(line string, open func(name string) ([]byte, error)) ([]*Request, error) {
	words, err := splitShell(line)
	if err != nil {
		return nil, err
	}
	if len(words) > 0 && (words[0] == "curl" || strings.HasSuffix(words[0], "/curl") || words[0] == "curl.exe") {
		words = words[1:]
	}
	var list []*Request
	jars := map[string]bool{}
	for more := true; more; {
		c := &curl{words: words, open: open, jars: jars}
		for len(c.words) > 0 && !c.ended {
			if err := c.next(); err != nil {
				return nil, err
			}
		}
		r, err := c.request()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		words, more = c.words, c.ended
	}
	return list, nil
}

// curl is a command being read.
type curl struct {
	words []string
	req   Request
	data  []string
	parts []string // of a multipart form
	get   bool     // data goes into the query
	json  bool
	head  bool
	ended bool // by --next

	open func(name string) ([]byte, error)
	jars map[string]bool // files that -c writes: what is in them is kept between requests
}

// flag is what a flag of curl does here; nil reads its value and passes it over.
type flag struct {
	names string // joined by blanks
	value bool
	apply func(c *curl, v string) error
}

// flags are those of curl's manual page that turn up in pasted commands.
var flags = []flag{
	{"-X --request", true, func(c *curl, v string) error { c.req.Method = strings.ToUpper(v); return nil }},
	{"-H --header", true, (*curl).header},
	{"-d --data --data-ascii", true, func(c *curl, v string) error { return c.addData(v, true) }},
	{"--data-binary", true, func(c *curl, v string) error { return c.addData(v, false) }},
	{"--data-raw", true, func(c *curl, v string) error { c.data = append(c.data, v); return nil }},
	{"--data-urlencode", true, (*curl).encode},
	{"--json", true, func(c *curl, v string) error { c.json = true; return c.addData(v, false) }},
	{"-F --form", true, func(c *curl, v string) error { c.parts = append(c.parts, v); return nil }},
	{"--form-string", true, func(c *curl, v string) error { c.parts = append(c.parts, v); return nil }},
	{"-b --cookie", true, (*curl).cookie},
	{"-c --cookie-jar", true, func(c *curl, v string) error { c.jars[v] = true; return nil }},
	{"-u --user", true, (*curl).user},
	{"--oauth2-bearer", true, func(c *curl, v string) error { c.set("Authorization", "Bearer "+v); return nil }},
	{"-A --user-agent", true, func(c *curl, v string) error { c.set("User-Agent", v); return nil }},
	{"-e --referer", true, func(c *curl, v string) error { c.set("Referer", v); return nil }},
	{"--url", true, (*curl).url},
	{"-G --get", false, func(c *curl, _ string) error { c.get = true; return nil }},
	{"-I --head", false, func(c *curl, _ string) error { c.head = true; return nil }},
	{"-k --insecure", false, func(c *curl, _ string) error { c.req.Insecure = true; return nil }},
	{"-L --location", false, func(c *curl, _ string) error { c.req.Follow = true; return nil }},
	{"-T --upload-file", true, refuse("uploads a file", "give the body with --data-binary @FILE")},
	{"-K --config", true, refuse("takes its flags from a file", "write the flags out")},
	{"-x --proxy", true, refuse("goes through a proxy", "leave --proxy out: ccheck talks to the application itself")},
	{"--next -:", false, func(c *curl, _ string) error { c.ended = true; return nil }},
	{"--unix-socket", true, refuse("talks to a Unix socket", "let the application listen on a port")},
	{"-s --silent -S --show-error -i --include -v --verbose -f --fail --fail-with-body -N --no-buffer -# --progress-bar " +
		"--compressed --http1.0 --http1.1 --http2 --http2-prior-knowledge --tcp-nodelay --globoff -g -4 --ipv4 -6 --ipv6 --path-as-is --no-progress-meter", false, nil},
	{"-o --output -w --write-out -m --max-time --connect-timeout --retry --retry-delay --retry-max-time " +
		"-D --dump-header --max-redirs --cacert --tls-max --resolve --trace-ascii --trace -y -Y", true, nil},
}

func refuse(what, hint string) func(*curl, string) error {
	return func(*curl, string) error { return &CurlError{"it " + what, hint} }
}

func find(name string) *flag {
	for i := range flags {
		for word := range strings.FieldsSeq(flags[i].names) {
			if word == name {
				return &flags[i]
			}
		}
	}
	return nil
}

// next reads one flag with its value, or the URL.
func (c *curl) next() error {
	word := c.words[0]
	c.words = c.words[1:]
	switch {
	case strings.HasPrefix(word, "--") && len(word) > 2:
		name, value, joined := strings.Cut(word, "=")
		if joined && find(name) != nil {
			c.words = append([]string{value}, c.words...)
			word = name
		}
		return c.flag(word, "")
	case strings.HasPrefix(word, "-") && len(word) > 1:
		return c.flag(word[:2], word[2:])
	}
	return c.url(word)
}

// flag applies a flag. rest are the letters joined to a short one: its value,
// or more flags.
func (c *curl) flag(name, rest string) error {
	f := find(name)
	if f == nil {
		return &CurlError{fmt.Sprintf("%s is not known here", name), "leave it out if it does not change the request"}
	}
	if !f.value {
		if rest != "" {
			c.words = append([]string{"-" + rest}, c.words...)
		}
		return c.apply(f, "")
	}
	if rest != "" {
		return c.apply(f, rest)
	}
	if len(c.words) == 0 {
		return &CurlError{fmt.Sprintf("%s has no value", name), "was the command cut off?"}
	}
	value := c.words[0]
	c.words = c.words[1:]
	return c.apply(f, value)
}

func (c *curl) apply(f *flag, value string) error {
	if f.apply == nil {
		return nil
	}
	return f.apply(c, value)
}

func (c *curl) url(word string) error {
	if c.req.URL != "" {
		return &CurlError{fmt.Sprintf("there are two URLs, and the second is %q", word), "quote the command as a whole, and what stands after -d and -H inside of it"}
	}
	if !strings.Contains(word, "://") {
		word = "http://" + word
	}
	u, err := url.Parse(strings.NewReplacer("{", "%7B", "}", "%7D").Replace(word))
	if err != nil || u.Host == "" {
		return &CurlError{fmt.Sprintf("%q is no URL", word), "it looks like http://localhost:3000/orders"}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return &CurlError{fmt.Sprintf("%s is not HTTP", u.Scheme), "it looks like http://localhost:3000/orders"}
	}
	c.req.URL = word
	return nil
}

func (c *curl) header(v string) error {
	name, value, found := strings.Cut(v, ":")
	if !found { // "Name;" is an empty header, "@file" a list of them
		return &CurlError{fmt.Sprintf("-H %q is no header", v), `it looks like "Content-Type: application/json"`}
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case value == "":
		return nil // curl leaves the header out
	case strings.HasPrefix(name, ":") || name == "":
		return nil // a pseudo-header of HTTP/2, pasted from a browser
	case strings.EqualFold(name, "Content-Length"), strings.EqualFold(name, "Accept-Encoding"), strings.EqualFold(name, "Connection"):
		return nil // they are of the transport
	}
	c.req.Headers = append(c.req.Headers, Field{name, value})
	return nil
}

// set adds a header that the command has not given itself.
func (c *curl) set(name, value string) {
	if !c.has(name) {
		c.req.Headers = append(c.req.Headers, Field{name, value})
	}
}

func (c *curl) has(name string) bool {
	for _, h := range c.req.Headers {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return false
}

func (c *curl) cookie(v string) error {
	if c.jars[v] {
		return nil // cookies go from each request to the next in any case
	}
	if !strings.Contains(v, "=") {
		return &CurlError{"-b names a file with cookies", `write them out: -b "name=value", or put the request that sets them before this one, with --next`}
	}
	c.req.Headers = append(c.req.Headers, Field{"Cookie", v})
	return nil
}

func (c *curl) user(v string) error {
	c.req.User, c.req.Password, _ = strings.Cut(v, ":")
	return nil
}

// addData adds to the body; a value with @ names a file, whose line breaks
// -d takes out.
func (c *curl) addData(v string, strip bool) error {
	name, file := strings.CutPrefix(v, "@")
	if !file {
		c.data = append(c.data, v)
		return nil
	}
	b, err := c.open(name)
	if err != nil {
		return &CurlError{fmt.Sprintf("the body in %s cannot be read", name), "name a file that is there, from the folder that ccheck runs in"}
	}
	text := string(b)
	if strip {
		text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	}
	c.data = append(c.data, text)
	return nil
}

// encode is --data-urlencode: content, =content or name=content.
func (c *curl) encode(v string) error {
	name, value, named := strings.Cut(v, "=")
	if !named {
		name, value = "", v
	}
	if name != "" {
		name += "="
	}
	c.data = append(c.data, name+Escape(value))
	return nil
}

// request is what was read.
func (c *curl) request() (*Request, error) {
	r := &c.req
	if r.URL == "" {
		return nil, &CurlError{"there is no URL", "it looks like curl -X POST http://localhost:3000/orders -d '{…}'"}
	}
	if len(c.parts) > 0 {
		return r, c.multipart()
	}
	r.Body = strings.Join(c.data, "&")
	switch {
	case c.head:
		r.Method = "HEAD"
	case c.get:
		r.URL, r.Body = join(r.URL, r.Body), ""
	case c.json:
		r.Body = strings.Join(c.data, "")
		c.set("Content-Type", "application/json")
		c.set("Accept", "application/json")
	case len(c.data) > 0:
		c.set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.Method == "" && len(c.data) > 0 && !c.get {
		r.Method = "POST" // even when the body is empty
	}
	return r, nil
}

func join(target, query string) string {
	switch {
	case query == "":
		return target
	case strings.Contains(target, "?"):
		return target + "&" + query
	}
	return target + "?" + query
}

// boundary separates the parts of a form; it is fixed, so that two calls send
// the same bytes.
const boundary = "ccheck-6d8e2f1b0c57"

// multipart writes the form as RFC 7578 says.
func (c *curl) multipart() error {
	var b strings.Builder
	for _, p := range c.parts {
		name, value, found := strings.Cut(p, "=")
		if !found {
			return &CurlError{fmt.Sprintf("-F %q is no part of a form", p), "it looks like -F name=value"}
		}
		disposition := `form-data; name="` + name + `"`
		if path, file := strings.CutPrefix(value, "@"); file {
			path, _, _ = strings.Cut(path, ";")
			content, err := c.open(path)
			if err != nil {
				return &CurlError{fmt.Sprintf("the file %s cannot be read", path), "name a file that is there, from the folder that ccheck runs in"}
			}
			disposition += `; filename="` + path[strings.LastIndexByte(path, '/')+1:] + `"`
			value = string(content)
		}
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: %s\r\n\r\n%s\r\n", boundary, disposition, value)
	}
	c.req.Body = b.String() + "--" + boundary + "--\r\n"
	c.set("Content-Type", "multipart/form-data; boundary="+boundary)
	if c.req.Method == "" {
		c.req.Method = "POST"
	}
	return nil
}

// Secret reports whether a header carries what nobody else should see.
func Secret(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token":
		return true
	}
	return false
}

// Curl writes the request as a curl command, without its secrets, for a report.
func (r *Request) Curl() string {
	var b strings.Builder
	fmt.Fprintf(&b, "curl -X %s %s", r.method(), quote(r.URL))
	for _, h := range r.Headers {
		value := h.Value
		if Secret(h.Name) {
			value = "…"
		}
		b.WriteString(" -H " + quote(h.Name+": "+value))
	}
	if r.User != "" {
		b.WriteString(" -u …")
	}
	if r.Body != "" {
		b.WriteString(" -d " + quote(r.Body))
	}
	return b.String()
}

// Curl writes the requests of the actor as one command, each as show makes it.
func (a *Actor) Curl(show func(*Request) *Request) string {
	words := make([]string, len(a.Requests))
	for i, r := range a.Requests {
		words[i] = show(r).Curl()
		if i > 0 {
			words[i] = strings.TrimPrefix(words[i], "curl ")
		}
	}
	return strings.Join(words, " --next ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
