package redis

import (
	"bufio"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		in   string
		want any
		err  error
	}{
		{"+OK\r\n", "OK", nil},
		{":-7\r\n", int64(-7), nil},
		{"$3\r\nab\r\n\r\n", nil, errProtocol},
		{"$2\r\na\n\r\n", "a\n", nil},
		{"$0\r\n\r\n", "", nil},
		{"$-1\r\n", nil, nil},
		{"*-1\r\n", nil, nil},
		{"*3\r\n$1\r\na\r\n:2\r\n-ERR x\r\n", []any{"a", int64(2), Error("ERR x")}, nil},
		{"-WRONGPASS no\r\n", nil, Error("WRONGPASS no")},
		{"hello\r\n", nil, errProtocol},
		{"\r\n", nil, errProtocol},
		{"+OK\n", nil, errProtocol},
		{"$99999999999\r\n", nil, errProtocol},
		{strings.Repeat("*1\r\n", 20), nil, errProtocol},
	}
	for _, tt := range tests {
		got, err := decode(bufio.NewReader(strings.NewReader(tt.in)), 0)
		if !errors.Is(err, tt.err) || err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %#v, %v; want %#v, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
	if Error("MOVED 1 h:2").Code() != "MOVED" {
		t.Error("the code of an error is its first word")
	}
}

// What is sent reads back as a list of the same strings.
func TestEncodeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "args")
		got, err := decode(bufio.NewReader(strings.NewReader(string(encode(nil, args)))), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.([]any) {
			if v != args[i] {
				t.Errorf("%q came back as %q", args[i], v)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"+OK\r\n", "$3\r\nabc\r\n", "*2\r\n:1\r\n$-1\r\n", "-ERR\r\n", "*1000000\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		_, _ = decode(bufio.NewReader(strings.NewReader(in)), 0) // must not panic, nor take memory for a mere length
	})
}
