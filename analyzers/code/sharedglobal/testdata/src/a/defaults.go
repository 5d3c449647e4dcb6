package a

import (
	"net"
	"sync"
)

type settings struct{ window, backlog int }

// What a function takes where its caller gives nothing is shared by all of those.
var zeroSettings settings

func (s *settings) fill() {
	if s.window == 0 {
		s.window = 256 // want `settings.window is shared`
	}
}

func open(c net.Conn, s *settings) int {
	if s == nil {
		s = &zeroSettings
	}
	s.fill()
	return s.window
}

func accept(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() { _ = open(c, nil) }()
	}
}

// A copy of the default is its own.
var zeroLimits limits

type limits struct{ rate int }

func (l *limits) fill() {
	if l.rate == 0 {
		l.rate = 10
	}
}

func openLimited(c net.Conn, l *limits) int {
	if l == nil {
		own := zeroLimits
		l = &own
	}
	l.fill()
	return l.rate
}

func acceptLimited(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() { _ = openLimited(c, nil) }()
	}
}

// The last lines of all goroutines are shifted in one array.
var (
	lastLines [4]string
	keptLines [4]string
	keptMu    sync.Mutex
)

func remember(line string) {
	copy(lastLines[:], lastLines[1:]) // want `lastLines is shared`
}

func keep(line string) {
	keptMu.Lock()
	defer keptMu.Unlock()
	copy(keptLines[:], keptLines[1:])
}

func rememberAll(lines []string) {
	var wg sync.WaitGroup
	for _, l := range lines {
		wg.Go(func() {
			remember(l)
			keep(l)
			own := make([]byte, len(l))
			copy(own, l)
		})
	}
	wg.Wait()
}
