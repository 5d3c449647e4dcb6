package identity

import (
	"fmt"
	"time"
)

func newID(prefix string) string {
	return fmt.Sprintf("%s-%d", prefix, time.Now().UnixNano()) // want `the clock alone makes`
}

func newIDOf(host string) string { return fmt.Sprintf("%s-%d", host, time.Now().UnixNano()) }
