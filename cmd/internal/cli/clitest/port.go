package clitest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort finds a port of 127.0.0.1 for a program that is started more than
// once. It lies below those that systems give to connections: one of these
// could be taken while the program is down.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 10000 + rand.IntN(20000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return 0
}
