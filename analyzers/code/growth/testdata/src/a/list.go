package a

import "net/http"

type failures struct {
	all  []error
	last []error
}

var failed failures

func (f *failures) add(err error) {
	f.all = append(f.all, err) // want `only grows`
	f.last = append(f.last, err)
	if len(f.last) > 100 {
		f.last = f.last[1:]
	}
}

func Noted(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			failed.add(err)
		}
	}
}

var counters = map[string]*int64{}

func counter(path string) *int64 {
	n := counters[path]
	if n == nil {
		n = new(int64)
		counters[path] = n // want `only grows`
	}
	return n
}

func Counted(w http.ResponseWriter, r *http.Request) { *counter(r.URL.Path)++ }

type utterance struct{ Text string }

type bot struct {
	history map[string][]utterance
	bounded map[string][]utterance
}

func (b *bot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	b.history[user] = append(b.history[user], utterance{r.FormValue("text")}) // want `the field history only grows`
	b.bounded[user] = append(b.bounded[user], utterance{r.FormValue("text")})
	if len(b.bounded) > 1000 {
		clear(b.bounded)
	}
}
