//go:build !unix

package pg

import "net"

func newDirect(net.Conn) (transport, bool) { return nil, false }
