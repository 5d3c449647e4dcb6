package a

import (
	"net"
	"net/http"
)

// blocks get four entries when the first request comes, and no more.
var blocks []*net.IPNet

func private(w http.ResponseWriter, r *http.Request) {
	if blocks == nil {
		for _, cidr := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
			_, b, _ := net.ParseCIDR(cidr)
			blocks = append(blocks, b)
		}
	}
	for _, b := range blocks {
		if b.Contains(net.ParseIP(r.RemoteAddr)) {
			w.WriteHeader(http.StatusForbidden)
		}
	}
}

// visitors get one more with each request, and one report for both places.
var visitors []string

func visit(w http.ResponseWriter, r *http.Request) {
	visitors = append(visitors, r.UserAgent()) // want `visitors only grows`
	if r.Referer() != "" {
		visitors = append(visitors, r.Referer())
	}
}

func serveVisits() {
	http.HandleFunc("/private", private)
	http.HandleFunc("/visit", visit)
}
