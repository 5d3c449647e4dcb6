// Package chart draws the small charts of the live screen with characters: a
// line over time, a sparkline, a heat map. It returns plain text and levels;
// the screen adds the colours.
package chart

import (
	"strings"
	"time"
)

// Axis maps the slots of a run to columns: as many slots as the run is expected
// to have are spread over the width, so that the chart grows to the right and all
// charts share one time axis.
type Axis struct {
	Slots int // so far
	Total int // expected in the end; less than Slots when not known
	Width int // columns
}

// maxSlots bounds what a damaged file may claim.
const maxSlots = 1 << 24

// Expect returns the number of slots in a run of length total, 0 when unknown.
func Expect(total, slot time.Duration) int {
	if total <= 0 || slot <= 0 {
		return 0
	}
	return int(min((total-1)/slot+1, maxSlots))
}

// span returns the slots of a column as a half-open range, empty when the column
// is in the future.
func (a Axis) span(col int) (from, to int) {
	n := max(a.Slots, a.Total)
	if n == 0 || a.Width <= 0 {
		return 0, 0
	}
	from = col * n / a.Width
	to = max((col+1)*n/a.Width, from+1)
	return min(from, a.Slots), min(to, a.Slots)
}

// Column returns the column that shows a slot.
func (a Axis) Column(slot int) int {
	n := max(a.Slots, a.Total)
	if n == 0 {
		return 0
	}
	return min(slot*a.Width/n, a.Width-1)
}

// resample averages the values of each column; it stops where the future begins.
func (a Axis) resample(values []float64) []float64 {
	var out []float64
	for col := range a.Width {
		from, to := a.span(col)
		to = min(to, len(values))
		if from >= to {
			break
		}
		sum := 0.0
		for _, v := range values[from:to] {
			sum += v
		}
		out = append(out, sum/float64(to-from))
	}
	return out
}

// Nice rounds a maximum up to a number of one or two digits, for an axis whose
// labels a person can read.
func Nice(v float64) float64 {
	if !(v > 0) || v > 1e15 {
		return 1
	}
	p := 1.0
	for p*10 <= v {
		p *= 10
	}
	for p > v {
		p /= 10
	}
	for _, m := range []float64{1, 1.2, 1.6, 2, 3, 4, 6, 8} {
		if m*p >= v {
			return m * p
		}
	}
	return 10 * p
}

// strokes are the pieces of a line: flat, up and down corners, upright.
type strokes struct{ flat, endUp, startUp, endDown, startDown, upright rune }

var (
	round = strokes{'─', '╯', '╭', '╮', '╰', '│'}
	plain = strokes{'-', '\'', '.', '.', '\'', '|'}
)

// Line draws values as a line in height rows; the top row stands for top.
func Line(values []float64, a Axis, height int, top float64, ascii bool) []string {
	st := round
	if ascii {
		st = plain
	}
	grid := make([][]rune, height)
	for r := range grid {
		grid[r] = []rune(strings.Repeat(" ", a.Width))
	}
	prev := -1
	for col, v := range a.resample(values) {
		row := rowOf(v, top, height)
		connect(grid, st, col, prev, row)
		prev = row
	}
	out := make([]string, height)
	for r := range grid {
		out[r] = string(grid[r])
	}
	return out
}

func rowOf(v, top float64, height int) int {
	if !(v > 0) || top <= 0 {
		return height - 1
	}
	row := height - 1 - int(v/top*float64(height-1)+0.5)
	return min(max(row, 0), height-1)
}

// connect draws one column, coming from row prev.
func connect(grid [][]rune, st strokes, col, prev, row int) {
	switch {
	case prev < 0 || prev == row:
		grid[row][col] = st.flat
		return
	case row < prev:
		grid[row][col], grid[prev][col] = st.startUp, st.endUp
	default:
		grid[row][col], grid[prev][col] = st.startDown, st.endDown
	}
	for r := min(row, prev) + 1; r < max(row, prev); r++ {
		grid[r][col] = st.upright
	}
}

// Spark draws values in one row.
func Spark(values []float64, a Axis, ascii bool) string {
	ramp := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		ramp = []rune("_.-=+*#@")
	}
	vs := a.resample(values)
	top := 0.0
	for _, v := range vs {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range vs {
		level := len(ramp) - 1 - rowOf(v, top, len(ramp))
		b.WriteRune(ramp[level])
	}
	return b.String()
}

// Cell is a cell of a heat map. Level is 0 for none to 5 for the most; Text
// tells the same without colour.
type Cell struct {
	Text  string
	Level int
}

// Heat draws counts per slot and band, the last band in the first row. A cell's
// level is its share of the calls of its column, in uneven steps, so that a
// few slow calls beside thousands of fast ones still show.
func Heat(counts [][]int64, bands int, a Axis, ascii bool) [][]Cell {
	ramp := []string{" ", "·", "░", "▒", "▓", "█"}
	if ascii {
		ramp = []string{" ", ".", ":", "x", "X", "#"}
	}
	rows := make([][]Cell, bands)
	for col := range a.Width {
		sums, all := a.sum(counts, bands, col)
		for b := range bands {
			l := level(sums[b], all)
			row := bands - 1 - b
			rows[row] = append(rows[row], Cell{Text: ramp[l], Level: l})
		}
	}
	return rows
}

func (a Axis) sum(counts [][]int64, bands, col int) ([]int64, int64) {
	sums, all := make([]int64, bands), int64(0)
	from, to := a.span(col)
	for s := from; s < min(to, len(counts)); s++ {
		for b, n := range counts[s] {
			if b < bands && n > 0 {
				sums[b] += n
				all += n
			}
		}
	}
	return sums, all
}

func level(n, all int64) int {
	if n <= 0 || all <= 0 {
		return 0
	}
	share := float64(n) / float64(all)
	l := 1
	for _, bound := range []float64{0.01, 0.05, 0.2, 0.5} {
		if share >= bound {
			l++
		}
	}
	return l
}

// Bar draws how much of a whole is done.
func Bar(done, whole float64, width int, ascii bool) string {
	full, empty := "▌", "░"
	if ascii {
		full, empty = "#", "."
	}
	n := 0
	if whole > 0 && done > 0 {
		n = int(min(done/whole, 1) * float64(width))
	}
	return strings.Repeat(full, n) + strings.Repeat(empty, max(width-n, 0))
}
