package flow

import (
	"slices"
	"strings"
)

// nearest drops copies: of types that have one name in packages of one name, as
// versions of an API lie side by side, the one whose path is closest to the
// interface's.
func nearest(all []map[string]string, iface Methods) []map[string]string {
	method, _, _ := strings.Cut(iface.Sigs[0], "(")
	best := map[string]int{}
	name := func(funcs map[string]string) (short string, near int) {
		full := strings.TrimLeft(funcs[method], "(*")
		return full[strings.LastIndexByte(full, '/')+1:], commonPath(packageOf(full), packageOf(iface.Name))
	}
	for _, funcs := range all {
		short, near := name(funcs)
		best[short] = max(best[short], near)
	}
	return slices.DeleteFunc(all, func(funcs map[string]string) bool {
		short, near := name(funcs)
		return near < best[short]
	})
}

// packageOf is the import path of a full name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + last
}

// commonPath is the number of folders in which two import paths begin alike.
func commonPath(a, b string) int {
	x, y, n := strings.Split(a, "/"), strings.Split(b, "/"), 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// distance is the number of folders on the way from one import path to another.
func distance(a, b string) int {
	return strings.Count(a, "/") + strings.Count(b, "/") + 2 - 2*commonPath(a, b)
}
