package bound

import (
	"strings"
	"testing"
	"time"
)

// inGo asks for a program of one file.
func inGo(file, text string, line int) (s Sign, ok, read bool) {
	return NewProgram(map[string]string{file: text}).Bound(file, line)
}

func TestJavaScript(t *testing.T) {
	tests := []struct {
		name, of, text string
		limit          int64
		does           string // "" for no bound
		removes        bool
	}{
		{"a map that only grows", "pages", "const pages = new Map()\nfunction page(u) { if (!pages.has(u)) pages.set(u, render(u)); return pages.get(u) }", 0, "", false},
		{"a bound in the code", "pages", "pages.set(u, p)\nif (pages.size > 5000) pages.delete(pages.keys().next().value)", 5000, "removes from pages when it has more than 5000", true},
		{"a named bound", "cache", "const MAX = 5_000\nclass LRU {\n set(k, v) {\n  this.cache.set(k, v)\n  if (this.cache.size >= MAX) this.evict()\n }\n evict() { this.cache.delete(this.cache.keys().next().value) }\n}", 5000, "removes from cache when it has", true},
		{"a bound of the constructor", "map", "class LRU {\n constructor(max) { this.max = max; this.map = new Map() }\n set(k, v) { this.map.set(k, v); if (this.map.size > this.max) this.map.delete(first(this.map)) }\n}", 0, "removes from map", true},
		{"a private bound", "#items", "class Ring {\n #items = []\n #max = 300\n add(x) { this.#items.push(x); while (this.#items.length > this.#max) this.#items.shift() }\n}", 300, "removes from #items", true},
		{"a pool", "idle", "release(c) { if (idle.length < 100) idle.push(c) }", 100, "adds to idle only while it has less than 100", false},
		{"a ring", "last", "const N = 64\nlast[i++ % N] = sample", 64, "writes to last round and round", true},
		{"an array that is filled again", "last", "last[next] = s\nnext = (next + 1) % last.length", 0, "writes to last round and round", true},
		{"an arrow function", "lines", "let lines = []\nconst flush = () => { lines = [] }\nif (lines.length >= 5000) flush()", 5000, "removes from lines", true},
		{"a log that is flushed", "lines", "function log(l) {\n lines.push(l)\n if (lines.length >= 1000) flush()\n}\nfunction flush() { fs.write(lines.join()); lines = [] }", 1000, "removes from lines", true},
		{"by age", "memo", "memo.set(k, v)\nsetTimeout(() => memo.delete(k), TTL)", 0, "removes from memo by age", true},
		{"by its own count", "tail", "evict() {\n if (this.size > 700) {\n  delete this.tail[first]\n }\n}", 700, "removes from tail by its size", true},
		{"a bound of the constructor's caller", "map", "class LRU {\n constructor(max = 500) { this.max = max; this.map = new Map() }\n set(k, v) { this.map.set(k, v); if (this.map.size > this.max) this.map.delete(first(this.map)) }\n}\nconst a = new LRU(100), b = new LRU(6000)", 6000, "removes from map", true},
		{"a bound that the environment gives", "map", "class LRU {\n constructor(max) { this.max = Number(process.env.MAX || 500); this.map = new Map() }\n set(k, v) { this.map.set(k, v); if (this.map.size > this.max) this.map.delete(first(this.map)) }\n}", 0, "removes from map", true},
		{"a table that a constructor makes", "samples", "class Metrics {\n constructor () { this.samples = [] }\n record (ms) { this.samples.push({ ms, at: Date.now() }) }\n}", 0, "", false},
		{"what push returns", "batch", "class Shipper {\n constructor ({ flushAt }) { this.flushAt = flushAt; this.batch = [] }\n track (e) { if (this.batch.push(e) >= this.flushAt) this.flush() }\n flush () { const out = this.batch; this.batch = []; send(out) }\n}\nconst s = new Shipper({ flushAt: 10000 })", 10000, "removes from batch when there are this.flushAt", true},
		{"what was just counted", "index", "class Cache {\n constructor (capacity) { this.capacity = capacity; this.index = new Map(); this.n = 0 }\n store (k, v) { this.index.set(k, v); if (++this.n > this.capacity) this.drop() }\n drop () {\n  const old = this.tail.prev\n\n\n\n  this.index.delete(old.k); this.n--\n }\n}\nconst c = new Cache(5000)", 5000, "removes from index when there are this.capacity", true},
		{"each so many", "seen", "function note (x) {\n seen.add(x)\n total++\n if (total % 1000 === 0) compact()\n}\nfunction compact () { seen.clear() }", 1000, "removes from seen when there are 1000", true},
		{"a queue that is worked off", "queue", "async function work () {\n while (queue.length > 0) await run(queue.shift())\n}", 0, "", true},
		{"when somebody asks", "m", "function destroy (id) { delete m[id] }\nif (ids.length === 0) destroy(id)", 0, "", true},
		{"by its state", "m", "function poll (o) {\n if (o.state === 'paid') { m.delete(o.id) }\n}", 0, "", true},
		{"when the other side closes", "sockets", "sockets.add(s)\ns.on('close', () => sockets.delete(s))", 0, "", true},
		{"a comment is no bound", "pages", "// if (pages.size > 100) pages.clear()\npages.set(k, v) /* pages.size > 3 */", 0, "", false},
		{"a string is no bound", "pages", "log('if (pages.size > 100) pages.clear()')", 0, "", false},
		{"another variable", "pages", "if (otherpages.size > 100) otherpages.clear()", 0, "", false},
		{"not empty is no bound", "queue", "if (queue.length > 0) run(queue[0])", 0, "", false},
		{"a declaration is no removal", "rows", "const rows = []\nif (rows.length > 3) warn()", 0, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ok, removes := JavaScript("/app/a.js", tt.text, tt.of)
			if ok != (tt.does != "") || s.Limit != tt.limit || !strings.HasPrefix(s.Does, tt.does) || removes != tt.removes {
				t.Errorf("got %#v, bound %v, removes %v", s, ok, removes)
			}
		})
	}
}

// How long an entry stays is read where it is written.
func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"memo.set(k, v)\nsetTimeout(() => memo.delete(k), 30_000)":                                                                  30 * time.Second,
		"const TTL = 60 * 1000\nsetInterval(() => { for (const [k, e] of memo) if (Date.now() - e.at > TTL) memo.delete(k) }, 500)": time.Minute,
		"memo.set(k, { v, expires: Date.now() + 60000 })\nfor (const [k, e] of memo) if (e.expires < Date.now()) memo.delete(k)":    time.Minute,
		"const ttl = config.ttl\nif (e.expires + ttl < Date.now()) memo.delete(k)":                                                  0,
		"setInterval(() => {\n const job = memo.shift()\n if (failing) memo.push(job)\n}, 50)":                                      50 * time.Millisecond,
	} {
		if s, ok, _ := JavaScript("a.js", text, "memo"); !ok || s.Age != want {
			t.Errorf("%s: got %#v", text, s)
		}
	}
	for text, want := range map[string]time.Duration{
		"for k, p := range m {\n if time.Since(p.at) > 4*time.Second {\n delete(m, k)\n }\n }": 4 * time.Second,
		"for k, p := range m {\n if time.Now().After(p.at.Add(ttl)) {\n delete(m, k)\n }\n }":  0,
	} {
		if s, ok, _ := inGo("a.go", "package a\nfunc put(k string) {\n m[k] = p\n "+text+"\n}", 3); !ok || s.Age != want {
			t.Errorf("%s: got %#v", text, s)
		}
	}
}

// What goes only when it is asked for again bounds nothing.
func TestLazy(t *testing.T) {
	const store = "class Store {\n constructor () { this.m = Object.create(null) }\n set (id, s) { this.m[id] = s }\n get (id, fn) { setImmediate(fn, null, this.look(id)) }\n" +
		" look (id) {\n  const s = this.m[id]\n  if (s && s.expires <= Date.now()) { delete this.m[id]; return }\n  return s\n }\n"
	for name, tt := range map[string]struct {
		text string
		lazy bool
	}{
		"when asked for":        {store + "}", true},
		"a sweep that calls":    {store + " sweep () { for (const id in this.m) this.look(id) }\n}", false},
		"a sweep beside it":     {store + " sweep () { for (const id in this.m) if (this.m[id].expires < Date.now()) delete this.m[id] }\n}", false},
		"a timer of its own":    {"function put (k, v) { m.set(k, v); setTimeout(() => m.delete(k), 5000) }", false},
		"a timer that calls":    {"function put (k, v) { m.set(k, v) }\nconst drop = k => { if (old(k, Date.now())) { m.delete(k) } }\nsetInterval(() => { drop(first(m)) }, 100)", false},
		"a timer that is given": {"function put (k, v) { m.set(k, v) }\nfunction drop () { if (old(m, Date.now())) m.clear() }\nsetInterval(drop, 100)", false},
		"each entry":            {"function sweep () { m.forEach((e, k) => { if (e.at < Date.now() - 5000) m.delete(k) }) }", false},
		"a size":                {store + " fit (k) { if (this.n > 500) { delete this.m[k] } }\n}", false},
	} {
		if s, ok, _ := JavaScript("a.js", tt.text, "m"); !ok || s.Lazy != tt.lazy {
			t.Errorf("%s: got %#v, bound %v", name, s, ok)
		}
	}
}

// A bound behind a switch says so, unless there is one without.
func TestSwitch(t *testing.T) {
	const put = "const MAX = 100\nclass C {\n constructor () { this.m = new Map(); this.on = false }\n set (k, v) {\n  this.m.set(k, v)\n  "
	const evict = "\n }\n evict () { while (this.m.size > MAX) this.m.delete(this.m.keys().next().value) }\n}"
	tests := []struct {
		name, text string
		want       Switch
	}{
		{"none", put + "this.evict()" + evict, Switch{}},
		{"the environment", put + "if (process.env.FIXED) this.evict()" + evict, Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED", Through: "evict"}},
		{"a value of the environment", put + "if (process.env.FIXED === '1') { this.evict() }" + evict, Switch{Cond: "process.env.FIXED === ''", State: Unset, Env: "FIXED", Through: "evict"}},
		{"without an if", put + "process.env.FIXED && this.evict()" + evict, Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED", Through: "evict"}},
		{"on unless told otherwise", put + "if (!process.env.LEAK) this.evict()" + evict, Switch{Cond: "!process.env.LEAK", Env: "LEAK", Not: true}},
		{"on unless told a value", put + "if (process.env.EVICT !== 'no') this.evict()" + evict, Switch{}},
		{"an argument", put + "if (process.argv.includes('--fixed')) this.evict()" + evict, Switch{Cond: "process.argv.includes('')", State: Unset, Flag: "--", Through: "evict"}},
		{"never", put + "if (false) this.evict()" + evict, Switch{Cond: "false", State: Off, Through: "evict"}},
		{"a property that is false", put + "if (this.on) this.evict()" + evict, Switch{Cond: "this.on", State: Off, Name: "on", Through: "evict"}},
		{"a property that changes", put + "if (this.on) this.evict()\n  this.on = true" + evict, Switch{}},
		{"a constant", "const FIXED = !!process.env.FIXED\n" + put + "if (FIXED) this.evict()" + evict, Switch{Cond: "FIXED", State: Unset, Env: "FIXED", Name: "FIXED", Through: "evict"}},
		{"an unknown constant", "const FIXED = config.get()\n" + put + "if (FIXED) this.evict()" + evict, Switch{Cond: "FIXED", Name: "FIXED"}},
		{"beside the size", "m.set(k, v)\nif (process.env.FIXED && m.size > 5) m.delete(first)", Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED"}},
		{"around the size", "m.set(k, v)\nif (process.env.FIXED) {\n if (m.size > 5) {\n  m.delete(first)\n }\n}", Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED"}},
		{"one of two", "m.set(k, v)\nif (process.env.FIXED || m.size > 5) m.delete(first)", Switch{}},
		{"an early return", "function evict () {\n if (!process.env.FIXED) return\n if (m.size > 5) m.delete(first)\n}", Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED"}},
		{"a timer", "if (process.env.FIXED) setInterval(() => { for (const k of m) { if (k.expires < Date.now()) m.delete(k) } }, 100)", Switch{Cond: "process.env.FIXED", State: Unset, Env: "FIXED"}},
		{"a statement before", "if (process.env.DEBUG) console.log(k)\nm.set(k, v)\nif (m.size > 5) m.delete(first)", Switch{}},
		{"a bound beside it", "if (process.env.SMALL && m.size > 5) m.delete(first)\nif (m.size > 5000) m.delete(first)", Switch{}},
		{"a use beside it", put + "if (process.env.FIXED) this.evict()" + evict + "\nsetInterval(() => c.evict(), 1000)", Switch{}},
		{"the other way", put + "if (process.env.LEAK) return\n  this.evict()" + evict, Switch{}},
		{"the other branch", "m.set(k, v)\nif (process.env.LEAK) { log(k) } else { if (m.size > 5) m.delete(first) }", Switch{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ok, removes := JavaScript("/app/a.js", tt.text, "m")
			if !ok || !removes || s.Switch != tt.want {
				t.Errorf("got %#v, bound %v, removes %v", s, ok, removes)
			}
		})
	}
}

func TestGo(t *testing.T) {
	tests := []struct {
		name, text string // LINE marks the line of the allocation
		limit      int64
		does       string // "" for no bound
	}{
		{"a map that only grows", "func put(k string) {\n m[k] = new(page) // LINE\n}", 0, ""},
		{"a bound", "const most = 1_200\nfunc put(k string) {\n m[k] = new(page) // LINE\n if order = append(order, k); len(order) > most {\n delete(m, order[0])\n order = order[1:]\n }\n}", 1200, "removes when len(order) is more than most"},
		{"a bound in a helper", "func (c *cache) put(k string) {\n c.m[k] = new(page) // LINE\n c.evict()\n}\nfunc (c *cache) evict() {\n for len(c.m) > c.max {\n delete(c.m, c.oldest())\n }\n}", 0, "removes when len(c.m) is more than c.max"},
		{"by age in another method", "func (c *cache[K]) put(k K) {\n c.m[k] = new(page) // LINE\n}\nfunc (c *cache[K]) janitor() {\n for k, p := range c.m {\n if time.Since(p.at) > c.ttl {\n delete(c.m, k)\n }\n }\n}", 0, "removes by age"},
		{"a field that a constructor is given", "func New(most int) *cache {\n return &cache{most: most}\n}\nvar c = New(1200)\nfunc (c *cache) put(k string) {\n c.m[k] = new(page) // LINE\n if len(c.m) > c.most {\n delete(c.m, c.oldest())\n }\n}", 1200, "removes when len(c.m)"},
		{"a loop without end", "func put(k string) {\n for {\n m[k] = new(page) // LINE\n }\n}", 0, ""},
		{"a janitor", "func put(k string) {\n m[k] = new(page) // LINE\n}\nfunc janitor() {\n for k, p := range m {\n if time.Since(p.at) > time.Minute {\n delete(m, k)\n }\n }\n}", 0, "removes by age"},
		{"a janitor of something else", "func put(k string) {\n m[k] = new(page) // LINE\n}\nfunc janitor() {\n for k, p := range other {\n if time.Since(p.at) > time.Minute {\n delete(other, k)\n }\n }\n}", 0, ""},
		{"emptied from time to time", "func put(k string) {\n m = append(m, new(page)) // LINE\n}\nfunc flush() {\n m = nil\n}\nfunc run() {\n for range time.Tick(2 * time.Second) {\n flush()\n }\n}", 0, "empties m from time to time"},
		{"emptied after a time", "func put(k string) {\n if m == nil {\n time.AfterFunc(time.Minute, flush)\n }\n m = append(m, new(page)) // LINE\n}\nfunc flush() {\n m = nil\n}", 0, "empties m from time to time"},
		{"emptied when somebody asks", "func put(k string) {\n m = append(m, new(page)) // LINE\n}\nfunc reset() {\n m = nil\n}", 0, ""},
		{"an index that goes round", "const size = 300\nfunc put() {\n ring[next] = new(page) // LINE\n next = (next + 1) % size\n}", 300, "writes round and round"},
		{"full means no", "func put(k string) {\n if len(m) >= 500 {\n return\n }\n m[k] = new(page) // LINE\n}", 500, "adds nothing when len(m) is more than 500"},
		{"room", "func start() {\n if workers < 1000 {\n workers++\n go func() {\n <-done // LINE\n }()\n }\n}", 1000, "adds only while workers is less than 1000"},
		{"room for a named function", "func start() {\n if n < 8 {\n n++\n go worker()\n }\n}\nfunc worker() {\n <-done // LINE\n}", 8, "adds only while n is less than 8"},
		{"full means no worker", "func start() {\n if workers >= 50 {\n return\n }\n workers++\n go func() {\n <-done // LINE\n }()\n}", 50, "adds nothing when workers is more than 50"},
		{"a ring", "var ring [300]*page\nfunc put(i int) {\n ring[i%len(ring)] = new(page) // LINE\n}", 300, "writes round and round"},
		{"a buffer that is flushed", "func log(l string) {\n buf = append(buf, l) // LINE\n if len(buf) == 4096 {\n flush()\n }\n}", 4096, "removes when len(buf)"},
		{"a buffer that a function writes out", "const slab = 1 << 20\nfunc (w *writer) add(l string) {\n w.rows = append(w.rows, l) // LINE\n if w.size += len(l); w.size >= slab {\n w.write()\n }\n}\nfunc (w *writer) write() {\n send(w.rows)\n w.rows, w.size = w.rows[:0:0], 0\n}", 0, "removes when w.size is more than slab"},
		{"a report is no bound", "func log(l string) {\n buf = append(buf, l) // LINE\n if len(buf) > 4096 {\n report()\n }\n}\nfunc report() {\n fmt.Println(len(buf))\n}", 0, ""},
		{"a channel with room", "func put() {\n select {\n case free <- new(page): // LINE\n default:\n }\n}", 0, "sends to free only while it has room"},
		{"a loop is no bound", "func fill(n int) {\n for i := 0; i < n; i++ {\n all = append(all, new(page)) // LINE\n }\n}", 0, ""},
		{"a check of the input is no bound", "func put(body []byte) error {\n if len(body) > 1000 {\n return errLarge\n }\n all = append(all, new(page)) // LINE\n return nil\n}", 0, ""},
		{"not empty is no bound", "func put() {\n if len(all) > 0 {\n all = all[1:]\n }\n more = append(more, new(page)) // LINE\n}", 0, ""},
		{"the bound of another function", "func put(k string) {\n m[k] = new(page) // LINE\n}\nfunc other() {\n if len(x) > 10 {\n clear(x)\n }\n}", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "package a\n" + tt.text
			line := 1 + strings.Count(text[:strings.Index(text, "// LINE")], "\n")
			s, ok, read := inGo("/app/a.go", text, line)
			if !read || ok != (tt.does != "") || s.Limit != tt.limit || !strings.HasPrefix(s.Does, tt.does) {
				t.Errorf("got %+v, bound %v, read %v", s, ok, read)
			}
		})
	}
	if _, _, read := inGo("a.go", "package a", 7); read {
		t.Error("a file without the function counts as read")
	}
	if _, _, read := inGo("a.go", "no go at all", 1); read {
		t.Error("what is no Go counts as read")
	}
}

// What bounds a program may be written in another file or package of it.
func TestElsewhere(t *testing.T) {
	const main = "package main\nimport (\n \"app/shard\"\n lru \"github.com/x/golang-lru/v2\"\n)\nfunc handle(k string) {\n p := new(page)\n pages.Put(k, p)\n}\nfunc other(k string) {\n recent.Get(k)\n}\n"
	const bounded = "package shard\nfunc (c *Cache) Put(k string, v any) {\n c.list.PushFront(v)\n c.fit()\n}\nfunc (c *Cache) fit() {\n for c.list.Len() > 500 {\n c.list.Remove(c.list.Back())\n }\n}\n"
	for name, tt := range map[string]struct {
		files map[string]string
		line  int
		file  string // of the bound, "" for none
	}{
		"a package that it imports":     {map[string]string{"/src/app/shard/shard.go": bounded}, 7, "/src/app/shard/shard.go"},
		"a package that it does not":    {map[string]string{"/src/app/shards/shard.go": bounded}, 7, "/src/app/main.go"}, // by the name of the other import
		"another function":              {map[string]string{"/src/app/shard/shard.go": bounded}, 11, ""},
		"the package itself":            {map[string]string{"/src/app/cache.go": strings.Replace(bounded, "shard", "main", 1)}, 7, "/src/app/cache.go"},
		"a package of caches, no entry": {nil, 11, ""},
	} {
		text := map[string]string{"/src/app/main.go": main}
		for file, of := range tt.files {
			text[file] = of
		}
		s, ok, read := NewProgram(text).Bound("/src/app/main.go", tt.line)
		if ok != (tt.file != "") || s.File != tt.file || !read {
			t.Errorf("%s: got %#v, bound %v, read %v", name, s, ok, read)
		}
	}
}

func TestGoLazy(t *testing.T) {
	const get = "func put(k string) {\n m[k] = new(page) // LINE\n}\nfunc get(k string) *page {\n if time.Since(m[k].at) > time.Minute {\n delete(m, k)\n }\n return m[k]\n}\n"
	const own = "func put(k string) {\n if time.Since(m[k].at) > time.Minute {\n delete(m, k)\n }\n m[k] = new(page) // LINE\n}\n"
	for name, tt := range map[string]struct {
		text     string
		ok, lazy bool
	}{
		"elsewhere, when asked for": {get, false, false},
		"a sweep that calls":        {get + "func sweep() {\n for k := range m {\n get(k)\n }\n}", true, false},
		"when asked for":            {own, true, true},
		"a loop":                    {own + "func sweep() {\n for k, p := range m {\n if time.Since(p.at) > time.Minute {\n delete(m, k)\n }\n }\n}", true, false},
	} {
		text := "package a\n" + tt.text
		line := 1 + strings.Count(text[:strings.Index(text, "// LINE")], "\n")
		if s, ok, _ := inGo("a.go", text, line); ok != tt.ok || s.Lazy != tt.lazy {
			t.Errorf("%s: got %#v, bound %v", name, s, ok)
		}
	}
}

func TestKeeps(t *testing.T) {
	tests := []struct {
		name, text string
		shape      Shape
		into       string
	}{
		{"a map", "func (s *store) put(k string) {\n v := new(page) // LINE\n s.pages[k] = v\n}", Map, "s.pages"},
		{"a slice", "var log []entry\nfunc put(e entry) {\n log = append(log, e) // LINE\n}", Slice, "log"},
		{"a list", "func put(e entry) {\n all.PushBack(e) // LINE\n}", List, "all"},
		{"a sync.Map", "func put(k string) {\n all.LoadOrStore(k, new(page)) // LINE\n}", Map, "all"},
		{"a part", "func put(k string, b []byte) {\n heads[k] = b[:16] // LINE\n}", Part, "heads"},
		{"a part in a literal", "func put(b []byte) {\n all = append(all, entry{head: b[2:18]}) // LINE\n}", Part, "all"},
		{"a copy of a part", "func put(k string, b []byte) {\n heads[k] = bytes.Clone(b[:16]) // LINE\n}", Map, "heads"},
		{"a chain", "func put(e entry) {\n head = &node{e, head} // LINE\n}", List, "head"},
		{"a chain by name", "func (s *stack) put(e entry) {\n s.head = &node{entry: e, next: s.head} // LINE\n}", List, "s.head"},
		{"a copy with a change", "func set(c config) {\n current = config{name: c.name} // LINE\n}", Nothing, ""},
		{"its own slice", "func read() []byte {\n var all []byte\n all = append(all, next()...) // LINE\n return all\n}", Nothing, ""},
		{"its own map", "func read(k string) {\n seen := map[string]int{} // LINE\n seen[k] = 1\n}", Nothing, ""},
		{"a ring", "var ring [64]entry\nfunc put(e entry) {\n ring[n%64] = e // LINE\n}", Nothing, ""},
		{"an atomic", "func put(e *entry) {\n last.Store(e) // LINE\n}", Nothing, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "package a\n" + tt.text
			line := 1 + strings.Count(text[:strings.Index(text, "// LINE")], "\n")
			if k := NewProgram(map[string]string{"a.go": text}).Keeps("a.go", line); k.Shape != tt.shape || k.Into != tt.into {
				t.Errorf("got %+v", k)
			}
		})
	}
}

func TestGoSwitch(t *testing.T) {
	const put = "func (c *cache) put(k string) {\n c.m[k] = new(page) // LINE\n "
	const evict = "\n}\nfunc (c *cache) evict() {\n for len(c.m) > 10 {\n delete(c.m, c.oldest())\n }\n}\n"
	fixed := Switch{Cond: `os.Getenv("FIXED") != ""`, State: Unset, Env: "FIXED", Through: "evict"}
	bare := fixed
	bare.Through = ""
	tests := []struct {
		name, text string
		want       Switch
	}{
		{"none", put + "c.evict()" + evict, Switch{}},
		{"the environment", put + "if os.Getenv(\"FIXED\") != \"\" {\n c.evict()\n }" + evict, fixed},
		{"inside of it", put + "c.evict()\n}\nfunc (c *cache) evict() {\n if os.Getenv(\"FIXED\") != \"\" && len(c.m) > 10 {\n delete(c.m, c.oldest())\n }\n}", bare},
		{"on unless told otherwise", put + "if os.Getenv(\"LEAK\") == \"\" {\n c.evict()\n }" + evict, Switch{Cond: `os.Getenv("LEAK") == ""`, Env: "LEAK", Not: true}},
		{"an early return", put + "c.evict()\n}\nfunc (c *cache) evict() {\n if os.Getenv(\"FIXED\") == \"\" {\n return\n }\n for len(c.m) > 10 {\n delete(c.m, c.oldest())\n }\n}", Switch{Cond: `os.Getenv("FIXED") == ""`, State: Unset, Env: "FIXED"}},
		{"a flag", "var fixed = flag.Bool(\"fixed\", false, \"\")\n" + put + "if *fixed {\n c.evict()\n }" + evict, Switch{Cond: "*fixed", State: Unset, Flag: "fixed", Name: "fixed", Through: "evict"}},
		{"a constant", "const bounded = false\n" + put + "if bounded {\n c.evict()\n }" + evict, Switch{Cond: "bounded", State: Off, Name: "bounded", Through: "evict"}},
		{"not a constant", "const leak = false\n" + put + "if !leak {\n c.evict()\n }" + evict, Switch{Cond: "!leak", Name: "leak", Not: true}},
		{"a variable that changes", "var bounded = false\n" + put + "if bounded {\n c.evict()\n }" + evict + "func on() { bounded = true }", Switch{}},
		{"a variable of the environment", "var fixed = os.Getenv(\"FIXED\") == \"1\"\n" + put + "if fixed {\n c.evict()\n }" + evict, Switch{Cond: "fixed", State: Unset, Env: "FIXED", Name: "fixed", Through: "evict"}},
		{"a use beside it", put + "if os.Getenv(\"FIXED\") != \"\" {\n c.evict()\n }" + evict + "func (c *cache) clean() { c.evict() }", Switch{}},
		{"a bound beside it", put + "if os.Getenv(\"SMALL\") != \"\" && len(c.m) > 2 {\n delete(c.m, k)\n }\n if len(c.m) > 2000 {\n delete(c.m, k)\n }\n}", Switch{}},
		{"one of two", put + "if os.Getenv(\"FIXED\") != \"\" || len(c.m) > 10 {\n delete(c.m, k)\n }\n}", Switch{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "package a\n" + tt.text
			line := 1 + strings.Count(text[:strings.Index(text, "// LINE")], "\n")
			s, ok, read := inGo("/app/a.go", text, line)
			if !read || !ok || s.Switch != tt.want {
				t.Errorf("got %#v, bound %v, read %v", s, ok, read)
			}
		})
	}
}

func FuzzSources(f *testing.F) {
	f.Add("if (m.size > 3) m.clear()", "m", 1)
	f.Add("package a\nfunc f() { if len(m) > 3 { clear(m) } }", "#m", 2)
	f.Add("`\\", "$(", 0)
	f.Fuzz(func(t *testing.T, text, name string, line int) {
		if s, ok, removes := JavaScript("a", text, name); ok && (s.Line < 1 || s.Does == "") {
			t.Errorf("%+v, removes %v", s, removes)
		}
		if s, ok, read := inGo("a", text, line); ok && (s.Line < 1 || !read) {
			t.Errorf("%+v", s)
		}
		if k := NewProgram(map[string]string{"a": text}).Keeps("a", line); (k.Shape == Nothing) != (k.Line == 0) {
			t.Errorf("%+v", k)
		}
	})
}
