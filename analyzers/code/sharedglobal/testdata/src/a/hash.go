package a

import (
	"crypto/sha256"
	"net/http"
	"os"
)

var hasher = sha256.New()

func Tag(w http.ResponseWriter, r *http.Request) {
	hasher.Write([]byte(r.URL.Path)) // want `a shared hash.Hash is changed`
	own := sha256.New()
	own.Write([]byte(r.URL.Path))
	w.Write(own.Sum(nil))
}

func Tenant(w http.ResponseWriter, r *http.Request) {
	os.Setenv("TENANT", r.Header.Get("X-Tenant")) // want `what the whole process has one of`
	os.Setenv("MODE", "fast")
}
