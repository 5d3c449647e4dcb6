// Package heap takes and reads snapshots of the memory of a Go or Node process
// and makes one series of them: from files, or from a process that runs.
//
// It judges nothing. The formats are read by the packages below it; what they
// have in common is a series.Series, and that is what this package hands out.
package heap

import "github.com/ccheck/ccheck/probes/probe"

// Probe describes the probe.
var Probe = &probe.Probe{Name: "heap", Doc: Doc}

// Doc describes the probe.
const Doc = `heap: takes heap snapshots of a Go or Node process and judges what grows

    ccheck heap diff A B C D E ...   snapshots that were taken already
    ccheck heap watch 4121           a process, by its number
    ccheck heap watch http://...     net/http/pprof of a Go process
    ccheck heap watch ws://...       the inspector of a Node process

A Node process is asked through its inspector (node --inspect, or SIGUSR1, which
ccheck sends to a process on this machine). All snapshots are taken in one session,
since V8 numbers its objects anew in each; the garbage collector runs before each.
A snapshot stops the event loop, for about a second for every 15 MB of heap, and
needs about ten times the heap in memory: ccheck says so first, and refuses where
the container has less.

A Go process is asked through net/http/pprof, with gc=1: a heap profile, the
goroutines, and runtime.MemStats, which are exact where the profile is a sample.
That costs two collections for each snapshot.

What the process serves beside that is used: the goroutines that nothing can wake
(/debug/pprof/goroutineleak, Go 1.27, or 1.26 with GOEXPERIMENT=goroutineleakprofile),
and in expvar (/debug/vars) the metrics of runtime/metrics under their names:
/gc/scan/heap:bytes, /sched/pauses/total/gc:seconds, /cpu/classes/gc/total:cpu-seconds
and /cpu/classes/total:cpu-seconds, /gc/limiter/last-enabled:gc-cycle. Package expvar
itself exports none of them; expvar.Publish does.

The pauses of the collector are told with their 50th and 99th percentile, their share
of the time, and how the work of one collection grew: in Go from runtime.MemStats,
which remember 256 pauses, in Node from perf_hooks. Where --load is a ccheck stress,
its slowest calls are laid beside the pauses: how many of them met one, and how many of
all calls.

Take at least five snapshots, seven for certainty, with the same work between any two
of them: --load runs a command for that. Without work nothing can leak, and ccheck
says unknown.
`
