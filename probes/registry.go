// Package probes is the list of the probes: what observes a running system and
// records a history of it. A probe is one folder below this one and one line
// here.
package probes

import (
	"github.com/ccheck/ccheck/probes/bleed"
	"github.com/ccheck/ccheck/probes/clock"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/lag"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/probe"
	"github.com/ccheck/ccheck/probes/queue"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/stress"
)

// All are the probes, in the order in which they are listed.
var All = []*probe.Probe{
	stress.Probe,
	explore.Probe,
	record.Probe,
	heap.Probe,
	deadlock.Probe,
	retry.Probe,
	queue.Probe,
	lease.Probe,
	lag.Probe,
	clock.Probe,
	leader.Probe,
	bleed.Probe,
}
