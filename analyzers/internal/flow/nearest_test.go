package flow

import "testing"

// Copies of a package lie side by side, as versions of an API do: an interface
// means the one that is its own.
func TestNearest(t *testing.T) {
	of := func(pkg string) map[string]string { return map[string]string{"Get": "(*" + pkg + ".Store).Get"} }
	tests := []struct {
		name  string
		iface string
		impls []string
		want  []string
	}{
		{"the copy beside it", "m/api/v2.Getter", []string{"m/api/v1/repo", "m/api/v2/repo"}, []string{"m/api/v2/repo"}},
		{"two kinds of storage", "m/service.Getter", []string{"m/service/memory", "m/postgres"}, []string{"m/service/memory", "m/postgres"}},
		{"equally far", "m/service.Getter", []string{"m/a/repo", "m/b/repo"}, []string{"m/a/repo", "m/b/repo"}},
		{"one alone", "m/service.Getter", []string{"m/postgres"}, []string{"m/postgres"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var all []map[string]string
			for _, p := range tt.impls {
				all = append(all, of(p))
			}
			got := nearest(all, Methods{Name: tt.iface, Sigs: []string{"Get(string) (string, error)"}})
			if len(got) != len(tt.want) {
				t.Fatalf("%d implementations, want %d: %v", len(got), len(tt.want), got)
			}
			for i, w := range tt.want {
				if got[i]["Get"] != of(w)["Get"] {
					t.Errorf("got %s, want %s", got[i]["Get"], of(w)["Get"])
				}
			}
		})
	}
}
