package a

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/gin-gonic/gin"
)

// Frameworks that open and write files by name.

type uploads struct{ root string }

func (u uploads) Upload(c *gin.Context) {
	h, err := c.FormFile("file")
	if err != nil {
		c.Status(http.StatusBadRequest)
		return
	}
	dst := filepath.Join(u.root, filepath.Base(h.Filename))
	if _, err := os.Stat(dst); err == nil {
		c.Status(http.StatusConflict)
		return
	}
	if err := c.SaveUploadedFile(h, dst); err != nil { // want `SaveUploadedFile uses the name again`
		c.Status(http.StatusInternalServerError)
	}
}

func (u uploads) Replace(c *gin.Context) {
	if h, err := c.FormFile("file"); err == nil {
		c.SaveUploadedFile(h, filepath.Join(u.root, "logo.png"))
	}
}

func (u uploads) Regular(w http.ResponseWriter, r *http.Request) {
	p := filepath.Join(u.root, filepath.Base(r.URL.Path))
	if fi, err := os.Lstat(p); err != nil || !fi.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, p) // want `http.ServeFile uses the name again`
}

// Download says 404 itself; whatever is there is sent.
func (u uploads) Download(c *gin.Context) {
	p := filepath.Join(u.root, "report.csv")
	if _, err := os.Stat(p); err != nil {
		c.Status(http.StatusNotFound)
		return
	}
	c.File(p)
}
