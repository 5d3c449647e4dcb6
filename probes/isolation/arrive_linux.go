package isolation

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// arrived waits for bytes on the socket and says whether there are any, or an
// end of the connection. Known is false where the socket cannot be asked, as
// under TLS.
//
// A read with a deadline would do the same, but Go's runtime waits a whole
// millisecond for any deadline below one on Linux, and a step that is over in a
// tenth of that is what most of the waiting here is for.
func arrived(c net.Conn, wait time.Duration) (yes, known bool) {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, false
	}
	var n int
	var polled error
	if err := raw.Control(func(fd uintptr) { n, polled = poll(fd, wait) }); err != nil || polled != nil {
		return false, false
	}
	return n > 0, true
}

func poll(fd uintptr, wait time.Duration) (int, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	limit := unix.NsecToTimespec(wait.Nanoseconds())
	n, err := unix.Ppoll(fds, &limit, nil)
	if err == unix.EINTR {
		return 0, nil // nothing has come yet; whoever asked asks again
	}
	return n, err
}
