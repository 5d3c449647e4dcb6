package wire

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls of the engine go past Go's scheduler. Told of each one, it has a
// thread look every 20 µs whether the call has come back, and wakes that thread
// when one does: on two cores that took as much time as the proxy has. None of
// these calls waits longer than brief, and a collection of garbage interrupts
// that with signals, one every 100 µs until it is heard.

// brief is how long the engine waits with a processor of Go's in its hand. It is
// longer than a tick of the kernel: a time-out that is nearer makes every wait
// set the clock's timer and set it back, which in a virtual machine is two exits
// to the hypervisor (18.5 µs a transaction of pgbench -S beside 24 with 1 ms).
const brief = 10 * time.Millisecond

// rawRead is recv(2), which has less on its way than read(2).
func rawRead(fd int, b []byte) (int, error) {
	return raw(unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0))
}

// rawWrite is send(2).
func rawWrite(fd int, b []byte) (int, error) {
	return raw(unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0))
}

// rawWait is epoll_wait(2).
func rawWait(fd int, events []unix.EpollEvent, wait time.Duration) (int, error) {
	return raw(unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(events))),
		uintptr(len(events)), uintptr(wait.Milliseconds()), 0, 0))
}

func raw(n, _ uintptr, errno unix.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// giveWay asks the kernel not to take a processor from others when this thread
// has something to do, but to wait for their turn to end (SCHED_BATCH, sched(7)).
// On a full machine those others are the clients and the server: they finish
// what they do, and the engine finds more than one event when it looks. Where
// the kernel refuses, nothing is lost but that.
func giveWay() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
}
