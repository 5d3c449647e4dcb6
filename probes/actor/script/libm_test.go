package script

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestMathIsThatOfTheCLibrary compares with results of glibc 2.36 (x86-64), one
// "function x y result" a line: exact in all but a few, and never off by more
// than the last digit.
func TestMathIsThatOfTheCLibrary(t *testing.T) {
	f, err := os.Open("testdata/libm/glibc.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	total, different := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); total++ {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		n := hexadecimals(t, rest)
		got := map[string]func(x, y float64) float64{
			"log": func(x, _ float64) float64 { return log(x) },
			"exp": func(x, _ float64) float64 { return exp(x) },
			"sin": func(x, _ float64) float64 { return sin(x) },
			"pow": pow,
		}[name](n[0], n[1])
		if got != n[2] {
			different++
		}
		if units := int64(math.Float64bits(got)) - int64(math.Float64bits(n[2])); units < -1 || units > 1 {
			t.Errorf("%s is %x here, off by %d", lines.Text(), got, units)
		}
	}
	if total != 600 || different > 6 {
		t.Errorf("%d of %d results differ, want 6 of 600 at most", different, total)
	}
}

func hexadecimals(t *testing.T, s string) (n []float64) {
	for _, word := range strings.Fields(s) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, x)
	}
	return n
}

// TestMathAtTheEdges gives what lies outside the series to package math.
func TestMathAtTheEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"log 0", log(0), -inf}, {"log 1", log(1), 0}, {"log -1", log(-1), nan}, {"log inf", log(inf), inf}, {"log denormal", log(0x1p-1074), math.Log(0x1p-1074)},
		{"exp 0", exp(0), 1}, {"exp 1000", exp(1000), inf}, {"exp -1000", exp(-1000), 0}, {"exp nan", exp(nan), nan}, {"exp -inf", exp(-inf), 0},
		{"pow 0 0", pow(0, 0), 1}, {"pow 0 -1", pow(0, -1), inf}, {"pow 2 10", pow(2, 10), 1024}, {"pow -2 3", pow(-2, 3), -8}, {"pow -2 2", pow(-2, 2), 4},
		{"pow -2 .5", pow(-2, 0.5), nan}, {"pow 2 2000", pow(2, 2000), inf}, {"pow 2 -2000", pow(2, -2000), 0}, {"pow 10 22", pow(10, 22), 1e22}, {"pow inf 2", pow(inf, 2), inf},
		{"sin 0", sin(0), 0}, {"sin 1000", sin(1000), math.Sin(1000)}, {"sin inf", sin(inf), nan},
	} {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}
