package queue

import "testing"

func TestKeyOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"job": "17"}`:                          "17",
		`{"job": 12345678901234567890}`:          "12345678901234567890",
		`{"worker": 1, "job": "a/b", "x": null}`: "a/b",
		`{"job": null}`:                          "",
		`{}`:                                     "",
		`[]`:                                     "",
		`no json`:                                "",
		``:                                       "",
	} {
		got, err := keyOf([]byte(text))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("keyOf(%s) = %q, %v; want %q", text, got, err, want)
		}
	}
}

// An answer has a key or an error, and never panics.
func FuzzKeyOf(f *testing.F) {
	f.Add([]byte(`{"job": {"a": [1, 2]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if key, err := keyOf(b); err != nil && key != "" {
			t.Fatalf("a key %q and an error", key)
		}
	})
}
