package a

import (
	"net/http"
	"os"
	"os/exec"
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

// Clone refuses a name that is taken, and its MkdirAll does not.
func Clone(root, name string, fetch func(dir string) error) error {
	dst := filepath.Join(root, name)
	if _, err := os.Stat(dst); !os.IsNotExist(err) {
		return os.ErrExist
	}
	if err := os.MkdirAll(dst, 0o755); err != nil { // want `os.MkdirAll uses the name again`
		return err
	}
	return fetch(dst)
}

// EnsureDir wants no more than that there is one.
func EnsureDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	return os.MkdirAll(dir, 0o755)
}

// Hook runs what others can have replaced by then.
func Hook(p string) error {
	st, err := os.Stat(p)
	if err != nil {
		return err
	}
	if st.Mode().Perm()&0o002 != 0 {
		return os.ErrPermission
	}
	return exec.Command(p).Run() // want `exec.Command uses the name again`
}

func Optional(p string) error {
	if _, err := os.Stat(p); err != nil {
		return nil
	}
	return exec.Command(p).Run()
}
