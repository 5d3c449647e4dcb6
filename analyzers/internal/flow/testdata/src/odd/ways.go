package odd

// Ways has a captured list that is written in many places, each from itself: more ways
// lead back than can be walked one by one.
func Ways(xs []int, use func([]int)) func() {
	var list []int
	if len(xs) > 0 {
		list = append(list, xs[0])
	}
	if len(xs) > 1 {
		list = append(list, xs[1])
	}
	if len(xs) > 2 {
		list = append(list, xs[2])
	}
	if len(xs) > 3 {
		list = append(list, xs[3])
	}
	if len(xs) > 4 {
		list = append(list, xs[4])
	}
	if len(xs) > 5 {
		list = append(list, xs[5])
	}
	if len(xs) > 6 {
		list = append(list, xs[6])
	}
	if len(xs) > 7 {
		list = append(list, xs[7])
	}
	if len(xs) > 8 {
		list = append(list, xs[8])
	}
	if len(xs) > 9 {
		list = append(list, xs[9])
	}
	if len(xs) > 10 {
		list = append(list, xs[10])
	}
	if len(xs) > 11 {
		list = append(list, xs[11])
	}
	if len(xs) > 12 {
		list = append(list, xs[12])
	}
	if len(xs) > 13 {
		list = append(list, xs[13])
	}
	if len(xs) > 14 {
		list = append(list, xs[14])
	}
	if len(xs) > 15 {
		list = append(list, xs[15])
	}
	if len(xs) > 16 {
		list = append(list, xs[16])
	}
	if len(xs) > 17 {
		list = append(list, xs[17])
	}
	if len(xs) > 18 {
		list = append(list, xs[18])
	}
	if len(xs) > 19 {
		list = append(list, xs[19])
	}
	if len(xs) > 20 {
		list = append(list, xs[20])
	}
	if len(xs) > 21 {
		list = append(list, xs[21])
	}
	if len(xs) > 22 {
		list = append(list, xs[22])
	}
	if len(xs) > 23 {
		list = append(list, xs[23])
	}
	use(list)
	return func() { list = nil }
}
