package isolation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAll(t *testing.T) {
	spec, err := Parse("f", []byte("session s step a {} step b {} session t step c {} step d {}"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p := range spec.All() {
		got = append(got, describePermutation(p))
	}
	want := []string{"a b c d", "a c b d", "a c d b", "c a b d", "c a d b", "c d a b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for range spec.All() {
		break // an enumeration can be left
	}
}

func TestCount(t *testing.T) {
	session := func(name string, steps int) string {
		text := "session " + name
		for i := range steps {
			text += " step " + name + strings.Repeat("i", i) + " {}"
		}
		return text + "\n"
	}
	tests := []struct{ src, want string }{
		{session("a", 1), "1"},
		{session("a", 3) + session("b", 3), "20"},
		{session("a", 3) + session("b", 3) + session("c", 3), "1680"},
		{session("a", 3) + session("b", 3) + "permutation a b", "1"},
		{session("a", 40) + session("b", 40) + session("c", 40), "12315686996104586105755778762527877375925475388598463020"},
	}
	for _, tt := range tests {
		spec, err := Parse("f", []byte(tt.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := spec.Count().String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
