// Package suggest finds the word that was meant by a misspelt one.
package suggest

// Nearest returns the known word closest to word by edit distance, "" when none
// is near: more than half of the letters, or more than three, would have to
// change. Among equals the first of known wins.
func Nearest(word string, known []string) string {
	best, limit := "", min(len(word)/2, 3)
	for _, k := range known {
		if d := Distance(word, k); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// Distance is the optimal string alignment distance in bytes: insertions,
// deletions, substitutions and swaps of neighbours count one each. Swaps are
// the commonest slip on a command line, which is why Levenshtein's distance
// (a swap is two) is not enough.
func Distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			rows[i][j] = cell(rows, a, b, i, j)
		}
	}
	return rows[len(a)][len(b)]
}

func cell(rows [][]int, a, b string, i, j int) int {
	change := rows[i-1][j-1]
	if a[i-1] != b[j-1] {
		change++
	}
	d := min(rows[i-1][j]+1, rows[i][j-1]+1, change)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		d = min(d, rows[i-2][j-2]+1)
	}
	return d
}
