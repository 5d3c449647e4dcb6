package libs

// Operations on memory. The key of a map or of sync.Map is Key, what is stored Val.
const (
	Lock      Op = "lock"
	RLock     Op = "rlock"
	TryLock   Op = "trylock"
	Unlock    Op = "unlock"
	RUnlock   Op = "runlock"
	MapGet    Op = "map.get"
	MapSet    Op = "map.set"
	MapDelete Op = "map.delete"
	MapRange  Op = "map.range"
	MapCAS    Op = "map.cas" // LoadOrStore, CompareAndSwap, Swap, LoadAndDelete
	Load      Op = "load"    // of a field, a global or an atomic
	Store     Op = "store"
	CAS       Op = "cas" // CompareAndSwap, Swap, Add
	Once      Op = "once"
	Flight    Op = "flight" // singleflight
	Go        Op = "go"
	Wait      Op = "wait" // for a WaitGroup
	Done      Op = "done"
	Send      Op = "send"  // on a channel, and nothing else at once
	Offer     Op = "offer" // a send that is one of the cases of a select
	Recv      Op = "recv"
	Poll      Op = "poll" // a receive that does not wait
	CloseChan Op = "close.chan"
)

func on(path, typ, name string, op Op) Row { return New(path, typ, name, op) }

func keyed(path, typ, name string, op Op, key, val int) Row {
	r := New(path, typ, name, op)
	r.Key, r.Val = key, val
	return r
}

func calling(path, typ, name string, op Op, key, fn int) Row {
	r := New(path, typ, name, op)
	r.Key, r.Fn = key, fn
	return r
}

// taking is a call that changes a heap or a list: what its size was asked for before
// may be gone by then.
func taking(path, typ, name string, of int) Row {
	r := New(path, typ, name, Store)
	r.On = of
	return r
}

var syncRows = []Row{
	on("sync", "Mutex", "Lock", Lock), on("sync", "Mutex", "Unlock", Unlock), on("sync", "Mutex", "TryLock", TryLock),
	on("sync", "RWMutex", "Lock", Lock), on("sync", "RWMutex", "Unlock", Unlock), on("sync", "RWMutex", "TryLock", TryLock),
	on("sync", "RWMutex", "RLock", RLock), on("sync", "RWMutex", "RUnlock", RUnlock), on("sync", "RWMutex", "TryRLock", TryLock),
	on("sync", "Locker", "Lock", Lock), on("sync", "Locker", "Unlock", Unlock),
	calling("sync", "Once", "Do", Once, None, 0), on("sync", "WaitGroup", "Wait", Wait), on("sync", "WaitGroup", "Done", Done),
	keyed("sync", "Map", "Load", MapGet, 0, None), keyed("sync", "Map", "Store", MapSet, 0, 1), keyed("sync", "Map", "Delete", MapDelete, 0, None),
	keyed("sync", "Map", "LoadOrStore", MapCAS, 0, 1), keyed("sync", "Map", "LoadAndDelete", MapCAS, 0, None), keyed("sync", "Map", "Swap", MapCAS, 0, 1),
	keyed("sync", "Map", "CompareAndSwap", MapCAS, 0, 2), keyed("sync", "Map", "CompareAndDelete", MapCAS, 0, None),
	calling("sync", "Map", "Range", MapRange, None, 0), on("sync", "Map", "Clear", MapDelete),
	taking("container/heap", "", "Pop", 0), taking("container/heap", "", "Push", 0), taking("container/heap", "", "Remove", 0), taking("container/list", "List", "Remove", None),
	calling("golang.org/x/sync/singleflight", "Group", "Do", Flight, 0, 1), calling("golang.org/x/sync/singleflight", "Group", "DoChan", Flight, 0, 1),
}
