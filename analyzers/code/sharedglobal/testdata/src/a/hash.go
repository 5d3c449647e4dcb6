package a

import (
	"crypto/sha256"
	"net/http"
)

var hasher = sha256.New()

func Tag(w http.ResponseWriter, r *http.Request) {
	hasher.Write([]byte(r.URL.Path)) // want `a shared Hash is changed`
	own := sha256.New()
	own.Write([]byte(r.URL.Path))
	w.Write(own.Sum(nil))
}
