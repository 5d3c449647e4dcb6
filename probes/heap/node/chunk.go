package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The frame in which V8 sends a piece of a snapshot. Nearly all that comes over a
// session is such pieces, a thousand for 100 MB, so their text is not parsed three
// times as that of other messages.
var (
	pieceBegins = []byte(`{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"`)
	pieceEnds   = []byte(`"}}`)
)

// piece is the text of a chunk that is framed as V8 does it, in buf; false for every
// other message.
func piece(buf, data []byte) ([]byte, bool) {
	text, begins := bytes.CutPrefix(data, pieceBegins)
	text, ends := bytes.CutSuffix(text, pieceEnds)
	if !begins || !ends || !utf8.Valid(text) {
		return nil, false
	}
	return unquoted(buf[:0], text)
}

// unquoted appends the text of a JSON string without its quotes; false for what is
// none.
func unquoted(buf, text []byte) ([]byte, bool) {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(buf, text...), !unwritable(text)
		}
		if unwritable(text[:i]) || i+1 >= len(text) {
			return nil, false
		}
		buf = append(buf, text[:i]...)
		c, rest := text[i+1], text[i+2:]
		switch short := escapes[c]; {
		case short != 0:
			buf, text = append(buf, short), rest
		case c == 'u':
			r, n := unicodeOf(text[i:])
			if n == 0 {
				return nil, false
			}
			buf, text = utf8.AppendRune(buf, r), text[i+n:]
		default:
			return nil, false
		}
	}
}

// escapes are the bytes that stand for one character after a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unwritable reports whether a text has what JSON does not allow in a string.
func unwritable(text []byte) bool {
	for _, c := range text {
		if c == '"' || c < ' ' {
			return true
		}
	}
	return false
}

// unicodeOf reads \u1234, or two of them that are one character, and how many bytes
// it took, 0 for what is none.
func unicodeOf(text []byte) (rune, int) {
	r, ok := hex(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex(text[6:]); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

func hex(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// chunk writes the piece of a snapshot that an event has.
func chunk(to io.Writer, params json.RawMessage) error {
	var c struct {
		Chunk string `json:"chunk"`
	}
	if err := json.Unmarshal(params, &c); err != nil {
		return fmt.Errorf("reading a chunk of the snapshot: %w", err)
	}
	return write(to, []byte(c.Chunk))
}

func write(to io.Writer, text []byte) error {
	if _, err := to.Write(text); err != nil {
		return fmt.Errorf("storing the snapshot: %w", err)
	}
	return nil
}
