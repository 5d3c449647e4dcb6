package elapsed

import "time"

type lap struct{ start int64 }

func newLap() *lap { return &lap{start: time.Now().Unix()} }

func (l *lap) Run() int64 { return again(l.start, 3) }

// What a function hands to itself is what it was given.
func again(start int64, n int) int64 {
	d := time.Now().Unix() - start // want `elapsed time measured with the wall clock`
	if n == 0 {
		return d
	}
	return again(start, n-1)
}

// Two that call each other end as well.
func (l *lap) Turn() int64 { return ping(l.start, 3) }

func ping(start int64, n int) int64 { return pong(start, n) }

func pong(start int64, n int) int64 {
	if n == 0 {
		return time.Now().Unix() - start
	}
	return ping(start, n-1)
}
