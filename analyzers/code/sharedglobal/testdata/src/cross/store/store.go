package store

var Items = map[string]int{}

func Put(k string) { Items[k]++ }
