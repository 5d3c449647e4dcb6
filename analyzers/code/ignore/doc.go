// Package ignore finds comments that are meant to silence a rule and do not,
// because they name none or give no reason.
//
// It silences nothing itself: drivers do.
package ignore

// Doc is what `ccheck explain ignore` prints.
const Doc = `ignore: //ccheck:ignore comments that silence nothing

A finding that is understood and accepted is silenced where it is:

    //ccheck:ignore growth one entry for each of our twelve warehouses
    stock[w.ID] = w

The comment stands at the end of the line or on the line above, names one rule or
several joined by commas, and gives a reason: whoever reads the code next has to
decide whether it still holds. Without a rule or a reason it silences nothing.

Wrong:

    //ccheck:ignore
    //ccheck:ignore growth

ccheck vet also reports comments that have nothing left to silence; go vet, which
may run some of the rules only, does not.
`
