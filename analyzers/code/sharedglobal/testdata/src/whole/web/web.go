// Package web does not know what keeps things.
package web

import "net/http"

type Putter interface{ Put(k, v string) }

type API struct{ p Putter }

func New(p Putter) *API { return &API{p} }

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.p.Put(r.FormValue("k"), r.FormValue("v"))
}
