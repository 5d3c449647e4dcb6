package identity

import (
	"fmt"
	"log"
	"net/http"
	"time"
)

// The header that tells requests apart.

func trace(r *http.Request) {
	r.Header.Set("X-Correlation-ID", fmt.Sprint(time.Now().UnixNano())) // want `the clock alone makes the entry X-Correlation-ID`
	r.Header.Set("X-Request-Start", fmt.Sprint(time.Now().UnixMilli()))
}

// Near miss: the host and the process beside it.

func traced(r *http.Request, host string, pid int) {
	r.Header.Set("X-Correlation-ID", fmt.Sprintf("%s-%d-%d", host, pid, time.Now().UnixNano()))
	log.Println("request-id", time.Now().UnixNano())
}
