// Package join hands each of two packages to the other.
package join

import (
	"join/chain"
	"join/peers"
)

func New() *peers.State {
	sel := &chain.Selector{}
	st := peers.New(sel)
	sel.SetOnSwitch(st.SetActive)
	return st
}
