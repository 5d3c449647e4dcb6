// Package wallet has the shape of the predicates that entgo.io/ent generates.
package wallet

type Predicate func()

func Owner(s string) Predicate     { return nil }
func OwnerEQ(s string) Predicate   { return nil }
func BalanceGTE(n int64) Predicate { return nil }
