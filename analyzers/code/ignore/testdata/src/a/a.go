package a

var (
	a = 1 //ccheck:ignore // want `//ccheck:ignore names no rule and gives no reason`
	b = 2 //ccheck:ignore growth // want `//ccheck:ignore gives no reason`
	c = 3 //ccheck:ignore growth,kvcheckact bounded by the number of shops
)

// want +2 `gives no reason`

//ccheck:ignore sharedglobal
var d = 4

//ccheck:ignored is another word
var e = 5

// A comment about //ccheck:ignore is none.
var f = 6
