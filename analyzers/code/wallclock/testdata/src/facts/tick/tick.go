// Package tick has the clock that others read.
package tick

import "time"

var start = time.Now()

func Now() uint64 { return uint64(time.Now().UnixNano()) } // want Now:"tells the time"

func Since() uint64 { return uint64(time.Since(start)) }

func Later(d time.Duration) int64 { return time.Now().Add(d).Unix() }
