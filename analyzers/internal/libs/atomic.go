package libs

// atomicRows are the loads and stores of sync/atomic, as methods and as functions.
func atomicRows() []Row {
	const path = "sync/atomic"
	var rows []Row
	for _, t := range []string{"Bool", "Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer", "Value"} {
		rows = append(rows, on(path, t, "Load", Load), keyed(path, t, "Store", Store, None, 0))
		for _, m := range []string{"CompareAndSwap", "Swap", "And", "Or"} {
			rows = append(rows, on(path, t, m, CAS))
		}
		rows = append(rows, keyed(path, t, "Add", CAS, None, 0))
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		for _, c := range []command{{"Load", Load, None, None, ""}, {"Store", Store, None, 1, ""}, {"CompareAndSwap", CAS, None, 2, ""}, {"Swap", CAS, None, 1, ""}, {"Add", CAS, None, 1, ""}} {
			r := keyed(path, "", c.name+t, c.op, None, c.val)
			r.On = 0
			rows = append(rows, r)
		}
	}
	for i := range rows {
		rows[i].Note = "atomic"
	}
	return rows
}

// cacheRows are maps and caches that lock each call by themselves.
func cacheRows() []Row {
	const lru, cmap = "github.com/hashicorp/golang-lru", "github.com/orcaman/concurrent-map"
	var rows []Row
	for _, c := range [][2]string{{lru, "Cache"}, {lru, "TwoQueueCache"}, {lru, "ARCCache"}, {lru + "/v2", "Cache"}, {lru + "/v2", "TwoQueueCache"}, {lru + "/v2/expirable", "LRU"}} {
		rows = append(rows, keyed(c[0], c[1], "Get", MapGet, 0, None), keyed(c[0], c[1], "Peek", MapGet, 0, None), keyed(c[0], c[1], "Contains", MapGet, 0, None),
			keyed(c[0], c[1], "Add", MapSet, 0, 1), keyed(c[0], c[1], "Remove", MapDelete, 0, None),
			keyed(c[0], c[1], "PeekOrAdd", MapCAS, 0, 1), keyed(c[0], c[1], "ContainsOrAdd", MapCAS, 0, 1))
	}
	for _, t := range []string{"cache", "Cache"} {
		const path = "github.com/patrickmn/go-cache"
		rows = append(rows, keyed(path, t, "Get", MapGet, 0, None), keyed(path, t, "Set", MapSet, 0, 1), keyed(path, t, "SetDefault", MapSet, 0, 1),
			keyed(path, t, "Delete", MapDelete, 0, None), keyed(path, t, "Add", MapCAS, 0, 1), keyed(path, t, "IncrementInt64", MapCAS, 0, 1))
	}
	for _, path := range []string{cmap, cmap + "/v2"} {
		rows = append(rows, keyed(path, "ConcurrentMap", "Get", MapGet, 0, None), keyed(path, "ConcurrentMap", "Has", MapGet, 0, None), keyed(path, "ConcurrentMap", "Set", MapSet, 0, 1),
			keyed(path, "ConcurrentMap", "Remove", MapDelete, 0, None), keyed(path, "ConcurrentMap", "SetIfAbsent", MapCAS, 0, 1), keyed(path, "ConcurrentMap", "Upsert", MapCAS, 0, 1))
	}
	for _, v := range []string{"", "/v2", "/v3", "/v4"} {
		for _, t := range []string{"Map", "MapOf"} {
			path := "github.com/puzpuzpuz/xsync" + v
			rows = append(rows, keyed(path, t, "Load", MapGet, 0, None), keyed(path, t, "Store", MapSet, 0, 1), keyed(path, t, "Delete", MapDelete, 0, None),
				keyed(path, t, "LoadOrStore", MapCAS, 0, 1), keyed(path, t, "Compute", MapCAS, 0, None), keyed(path, t, "LoadAndDelete", MapCAS, 0, None))
		}
	}
	for i := range rows {
		rows[i].Note = "cache"
	}
	return rows
}
