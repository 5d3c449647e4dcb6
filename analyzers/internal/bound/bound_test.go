package bound

import (
	"strings"
	"testing"
)

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
				t.Errorf("got %+v, bound %v, removes %v", s, ok, removes)
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
		{"full means no", "func put(k string) {\n if len(m) >= 500 {\n return\n }\n m[k] = new(page) // LINE\n}", 500, "adds nothing when len(m) is more than 500"},
		{"room", "func start() {\n if workers < 1000 {\n workers++\n go func() {\n <-done // LINE\n }()\n }\n}", 1000, "adds only while workers is less than 1000"},
		{"room for a named function", "func start() {\n if n < 8 {\n n++\n go worker()\n }\n}\nfunc worker() {\n <-done // LINE\n}", 8, "adds only while n is less than 8"},
		{"full means no worker", "func start() {\n if workers >= 50 {\n return\n }\n workers++\n go func() {\n <-done // LINE\n }()\n}", 50, "adds nothing when workers is more than 50"},
		{"a ring", "var ring [300]*page\nfunc put(i int) {\n ring[i%len(ring)] = new(page) // LINE\n}", 300, "writes round and round"},
		{"a buffer that is flushed", "func log(l string) {\n buf = append(buf, l) // LINE\n if len(buf) == 4096 {\n flush()\n }\n}", 4096, "removes when len(buf)"},
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
			s, ok, read := Go("/app/a.go", text, line)
			if !read || ok != (tt.does != "") || s.Limit != tt.limit || !strings.HasPrefix(s.Does, tt.does) {
				t.Errorf("got %+v, bound %v, read %v", s, ok, read)
			}
		})
	}
	if _, _, read := Go("a.go", "package a", 7); read {
		t.Error("a file without the function counts as read")
	}
	if _, _, read := Go("a.go", "no go at all", 1); read {
		t.Error("what is no Go counts as read")
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
		if s, ok, read := Go("a", text, line); ok && (s.Line < 1 || !read) {
			t.Errorf("%+v", s)
		}
	})
}
