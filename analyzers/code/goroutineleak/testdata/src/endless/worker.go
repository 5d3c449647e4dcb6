package endless

import "sync"

// Workers of one call.

type resizer struct {
	files chan string
	left  sync.WaitGroup
	sizes []int
}

func (r *resizer) serve(resize func(string, int)) {
	for { // want `this goroutine never ends: it waits for more on files`
		f := <-r.files
		for _, s := range r.sizes {
			resize(f, s)
		}
		r.left.Done()
	}
}

// Resize leaves its four workers behind.
func Resize(files []string, resize func(string, int)) {
	r := &resizer{files: make(chan string, 4), sizes: []int{64, 256}}
	for range 4 {
		go r.serve(resize)
	}
	r.all(files)
	for _, f := range files {
		r.files <- f
	}
	r.left.Wait()
}

func (r *resizer) all(files []string) { r.left.Add(len(files)) }

type packer struct{ files chan string }

func (p *packer) serve(pack func(string)) {
	for f := range p.files {
		pack(f)
	}
}

// Pack closes the channel.
func Pack(files []string, pack func(string)) {
	p := &packer{make(chan string)}
	defer close(p.files)
	go p.serve(pack)
	for _, f := range files {
		p.files <- f
	}
}

type feeder struct{ lines chan string }

func (f *feeder) serve(print func(string)) {
	for l := range f.lines {
		print(l)
	}
}

func (f *feeder) line(l string) { f.lines <- l }

var feeds []*feeder

func (f *feeder) keep() { feeds = append(feeds, f) }

// Feed keeps it for those who send later.
func Feed(print func(string)) {
	f := &feeder{make(chan string)}
	f.keep()
	go f.serve(print)
	f.lines <- "begin"
}

type beat struct{ missed int }

func (b *beat) serve(ping func() error) {
	for {
		if ping() != nil {
			b.missed++
		}
	}
}

// Beat starts what goes on as long as the process.
func Beat(ping func() error) {
	b := &beat{}
	go b.serve(ping)
}
