package b

import "a/store"

// Record is a row, which each caller loads for itself.
type Record struct {
	store.Cache[int]
	id int64
}

func (r *Record) TableName() string { return "records" }

func (r *Record) Up(k string) {
	n, _ := r.Get(k)
	r.Set(k, n+1)
}

func fillRecord(r *Record, k string) {
	if _, ok := r.Get(k); !ok {
		r.Set(k, 1)
	}
}
