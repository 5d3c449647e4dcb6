package node

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzPiece compares with encoding/json: the same text, or none.
func FuzzPiece(f *testing.F) {
	for _, text := range []string{
		"", `1,2,3\n,4`, `{\"snapshot\":{\"meta\":\"\\u00e9\\\\"`, `\ud83d\ude00 \ud83d x \ude00`, `\u12`, `\`, `\x`, "\t", `"`, "\xff", `\/\b\f\r\t`,
		`\u+123`, `\ud83d\u0041`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want struct {
			Params struct {
				Chunk string `json:"chunk"`
			} `json:"params"`
		}
		data := []byte(string(pieceBegins) + text + string(pieceEnds))
		got, ok := piece(nil, data)
		err := json.Unmarshal(data, &want)
		if ok && (err != nil || string(got) != want.Params.Chunk) {
			t.Errorf("%q: got %q, want %q, %v", text, got, want.Params.Chunk, err)
		}
		if !ok && err == nil && utf8.ValidString(text) && !strings.ContainsRune(text, '"') {
			t.Errorf("%q is JSON and was not read", text)
		}
	})
}

// BenchmarkPiece is a chunk of the numbers that most of a snapshot consists of.
func BenchmarkPiece(b *testing.B) {
	var text []byte
	for len(text) < 100_000 {
		text = append(text, `\n,9,4211,183,32,5,0,0`...)
	}
	data := []byte(string(pieceBegins) + string(text) + string(pieceEnds))
	b.SetBytes(int64(len(data)))
	var buf []byte
	for b.Loop() {
		var ok bool
		if buf, ok = piece(buf, data); !ok {
			b.Fatal("not read")
		}
	}
}
