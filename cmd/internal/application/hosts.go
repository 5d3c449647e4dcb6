package application

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// checkHosts refuses requests that would leave for somewhere else: each is sent
// hundreds of times, and one pasted from a browser may name production.
func (a *Flags) checkHosts(verb string) error {
	for _, actor := range a.Actors {
		for _, r := range actor.Requests {
			u, err := url.Parse(r.URL)
			if err != nil || u.Host == "" {
				continue // a template in it, or none: what sends it will tell
			}
			switch here := a.local(u); {
			case a.App != "" && here != "":
				return exit.Usagef("--curl goes to %s, and the application that --app starts is to answer at 127.0.0.1:%d", u.Host, a.Port).WithHint("write %s", here)
			case a.Running && a.Known == u.Hostname() && a.Known != "":
			case !Near(u.Hostname()):
				return exit.Refusedf("--curl goes to %s, which is not on this machine or its network; %s sends each request hundreds of times", u.Host, verb).
					WithHint("run a copy of the application here, and name that")
			}
		}
	}
	return nil
}

// local is the URL at the application that --app starts, "" when u is there.
func (a *Flags) local(u *url.URL) string {
	if loopback(u.Hostname()) && (u.Port() == "" || u.Port() == fmt.Sprint(a.Port)) {
		return ""
	}
	moved := *u
	moved.Scheme, moved.Host = "http", fmt.Sprintf("127.0.0.1:%d", a.Port)
	return moved.String()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Near reports whether a host is of this machine or of a private network, as
// far as its name tells.
func Near(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case host, "localhost", "local", "test", "internal", "lan":
		return true
	}
	return false
}
