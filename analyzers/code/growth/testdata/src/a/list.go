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
