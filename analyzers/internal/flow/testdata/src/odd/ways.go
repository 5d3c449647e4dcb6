package odd

// Ways has two captured lists that are exchanged in many places: more ways lead back
// than can be walked one by one.
func Ways(xs []int) func() ([]int, []int) {
	var list, other []int
	if len(xs) > 0 {
		list, other = other, list
	}
	if len(xs) > 1 {
		list, other = other, list
	}
	if len(xs) > 2 {
		list, other = other, list
	}
	if len(xs) > 3 {
		list, other = other, list
	}
	if len(xs) > 4 {
		list, other = other, list
	}
	if len(xs) > 5 {
		list, other = other, list
	}
	if len(xs) > 6 {
		list, other = other, list
	}
	if len(xs) > 7 {
		list, other = other, list
	}
	if len(xs) > 8 {
		list, other = other, list
	}
	if len(xs) > 9 {
		list, other = other, list
	}
	if len(xs) > 10 {
		list, other = other, list
	}
	if len(xs) > 11 {
		list, other = other, list
	}
	if len(xs) > 12 {
		list, other = other, list
	}
	if len(xs) > 13 {
		list, other = other, list
	}
	if len(xs) > 14 {
		list, other = other, list
	}
	if len(xs) > 15 {
		list, other = other, list
	}
	if len(xs) > 16 {
		list, other = other, list
	}
	if len(xs) > 17 {
		list, other = other, list
	}
	if len(xs) > 18 {
		list, other = other, list
	}
	if len(xs) > 19 {
		list, other = other, list
	}
	if len(xs) > 20 {
		list, other = other, list
	}
	if len(xs) > 21 {
		list, other = other, list
	}
	if len(xs) > 22 {
		list, other = other, list
	}
	if len(xs) > 23 {
		list, other = other, list
	}
	if len(xs) > 24 {
		list, other = other, list
	}
	if len(xs) > 25 {
		list, other = other, list
	}
	if len(xs) > 26 {
		list, other = other, list
	}
	if len(xs) > 27 {
		list, other = other, list
	}
	if len(xs) > 28 {
		list, other = other, list
	}
	if len(xs) > 29 {
		list, other = other, list
	}
	if len(xs) > 30 {
		list, other = other, list
	}
	if len(xs) > 31 {
		list, other = other, list
	}
	if len(xs) > 32 {
		list, other = other, list
	}
	if len(xs) > 33 {
		list, other = other, list
	}
	if len(xs) > 34 {
		list, other = other, list
	}
	if len(xs) > 35 {
		list, other = other, list
	}
	if len(xs) > 36 {
		list, other = other, list
	}
	if len(xs) > 37 {
		list, other = other, list
	}
	if len(xs) > 38 {
		list, other = other, list
	}
	if len(xs) > 39 {
		list, other = other, list
	}
	Ways(list)
	return func() ([]int, []int) {
		list, other = nil, nil
		return list, other
	}
}
