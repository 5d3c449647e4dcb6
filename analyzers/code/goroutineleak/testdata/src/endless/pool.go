package endless

import "sync"

// Who waits for all jobs is done with the pool, and nothing ends its workers.
type Batch struct {
	jobs chan func()
	wg   sync.WaitGroup
}

func NewBatch(n int) *Batch {
	b := &Batch{jobs: make(chan func())}
	for range n {
		go b.run()
	}
	return b
}

func (b *Batch) run() {
	for job := range b.jobs { // want `it would stop on jobs, which nobody closes`
		job()
		b.wg.Done()
	}
}

func (b *Batch) Add(job func()) {
	b.wg.Add(1)
	b.jobs <- job
}

func (b *Batch) Wait() { b.wg.Wait() }

// The same with a closure for a worker, and another word for the end.
type Crawl struct {
	urls chan string
	wg   sync.WaitGroup
}

func NewCrawl(n int, visit func(string)) *Crawl {
	c := &Crawl{urls: make(chan string, n)}
	for range n {
		go func() {
			for u := range c.urls { // want `it would stop on urls, which nobody closes`
				visit(u)
				c.wg.Done()
			}
		}()
	}
	return c
}

func (c *Crawl) Visit(url string) {
	c.wg.Add(1)
	c.urls <- url
}

func (c *Crawl) Finish() { c.wg.Wait() }

// Wait is the end of the workers, too.
type Closed struct {
	jobs chan func()
	wg   sync.WaitGroup
}

func NewClosed(n int) *Closed {
	b := &Closed{jobs: make(chan func())}
	for range n {
		b.wg.Add(1)
		go b.run()
	}
	return b
}

func (b *Closed) run() {
	defer b.wg.Done()
	for job := range b.jobs {
		job()
	}
}

func (b *Closed) Add(job func()) { b.jobs <- job }

func (b *Closed) Wait() {
	close(b.jobs)
	b.wg.Wait()
}

// One that promises no end lives as long as the process.
type Executor struct{ jobs chan func() }

func NewExecutor() *Executor {
	e := &Executor{jobs: make(chan func())}
	go e.run()
	return e
}

func (e *Executor) run() {
	for job := range e.jobs {
		job()
	}
}

func (e *Executor) Submit(job func()) { e.jobs <- job }
