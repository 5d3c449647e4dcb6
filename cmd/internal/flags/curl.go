package flags

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/actor/web"
)

var named = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)=\s*(\S[\s\S]*)$`)

// Curl reads the value of --curl: a curl command, after NAME= when it has a
// name of its own. Otherwise name makes one of its last request, which those
// before --next prepare.
func Curl(text string, name func(*web.Request) string) (*web.Actor, error) {
	actor := &web.Actor{}
	if m := named.FindStringSubmatch(text); m != nil {
		actor.Name, text = m[1], m[2]
	}
	requests, err := web.ParseCurls(text)
	var bad *web.CurlError
	if errors.As(err, &bad) {
		return nil, exit.Usagef("--curl: %s", bad.Why).WithHint("%s", bad.Hint)
	}
	if err != nil {
		return nil, exit.Usagef("--curl: %w", err)
	}
	actor.Requests = requests
	if actor.Name == "" {
		actor.Name = name(actor.Last())
	}
	if err := actor.Check(); err != nil {
		return nil, exit.Usagef("--curl: %v", err).WithHint("templates are %s", web.Templates)
	}
	return actor, nil
}

// CurlPort is the port that a request of --curl names, for an application whose
// --port was not given.
func CurlPort(actor *web.Actor) (int, error) {
	u, err := url.Parse(actor.Requests[0].URL)
	port := 0
	if err == nil {
		port, err = strconv.Atoi(u.Port())
	}
	if err != nil || port == 0 {
		return 0, exit.Usagef("the port of the application is not known").WithHint("give it with --port, or in the URL of --curl")
	}
	return port, nil
}
