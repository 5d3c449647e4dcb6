//go:build !linux

package web

import "net"

func quickly(conn net.Conn) net.Conn { return conn }

func arrived(net.Conn) (yes, known bool) { return false, false }
