// Package hooked has functions in fields.
package hooked

import "sync"

type worker struct {
	once  func()
	plain func()
	twice func()
	Open  func()
}

func (w *worker) runOnce()  { w.once() }
func (w *worker) runPlain() { w.plain() }
func (w *worker) runTwice() { w.twice() }
func (w *worker) runOpen()  { w.Open() }

type step struct{ run func() }

// A list that is written out here is nobody else's, and what its methods are bound to
// is not known.
func (j *job) runList() {
	for _, s := range []step{{run: j.work}} {
		s.run()
	}
}

type job struct{ mu sync.Mutex }

func (j *job) work() { j.mu.Lock() }
func (j *job) rest() { j.mu.Unlock() }

var global sync.Mutex

func work() { global.Lock() }

func make1(j *job) *worker { return &worker{once: j.work, plain: work, twice: j.work, Open: j.work} }
func make2(j *job) *worker { return &worker{twice: j.rest} }
