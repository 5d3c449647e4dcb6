package web

import "testing"

func FuzzParseCurl(f *testing.F) {
	for _, seed := range []string{
		"curl http://h/ -d a", `curl $'\x41\u0042' "a\"b" -F a=b`, "curl -H 'a: b' \\\n http://h", "curl -XPOST -d@x h",
		"curl -F a=@b;type=c h --next h", "curl --data-urlencode a={{b}} -c j -b j h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		// The content of a file is its name: nothing is read from the disk.
		list, err := parseCurls(line, func(name string) ([]byte, error) { return []byte(name), nil })
		if (len(list) == 0) == (err == nil) {
			t.Fatalf("%v, %v", list, err)
		}
		for _, r := range list {
			if r.URL == "" {
				t.Fatal("a request without a URL")
			}
		}
	})
}

// A value that goes into a form is encoded when it is known.
func TestEscapedTemplates(t *testing.T) {
	v := &values{lane: 3, answers: []Answer{{Body: []byte(`a="x&y z"`)}}}
	got, err := v.fill(Escape(`to {{lane}} & {{answer find a="([^"]+)"}}`))
	if want := "to+3+%26+x%26y+z"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	r := &Request{URL: "http://h/", Body: Escape("{{lane}}")}
	if !r.ByLane() {
		t.Error("a lane that is encoded is not seen")
	}
}
