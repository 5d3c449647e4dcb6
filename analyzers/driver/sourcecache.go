package driver

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// key names all that the findings of a unit depend on: the tool, the files, the
// keys of imported units, and the export data of the other imports, whose files
// have the hash of what they hold in their names.
func (j *session) key(u *unit) string {
	h := sha256.New()
	fmt.Fprintf(h, "ccheck 1\n%s\n%s\n%s\n%v\n", j.Tool, u.ID, u.goVersion(), u.TypesSizes)
	for _, a := range j.Analyzers {
		fmt.Fprintln(h, a.Name)
	}
	for _, name := range u.CompiledGoFiles {
		fmt.Fprintf(h, "file %s\n", name)
		if err := hashFile(h, name); err != nil {
			return ""
		}
	}
	for _, name := range u.EmbedFiles {
		if strings.HasSuffix(name, ".sql") {
			fmt.Fprintf(h, "file %s\n", name)
			_ = hashFile(h, name) // the compiler says when it is not there
		}
	}
	for _, path := range sortedKeys(u.Imports) {
		fmt.Fprintf(h, "import %s %s\n", path, filepath.Base(u.Imports[path].ExportFile))
	}
	for _, d := range u.deps {
		fmt.Fprintf(h, "unit %s %s\n", d.ID, d.key)
		if d.key == "" {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func hashFile(h io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}

// store is the folder of the cache. A file that cannot be read or written is a
// miss and no error: the cache saves time and decides nothing. It also keeps out
// of memory what is not needed at once.
type store struct{ dir string }

// open makes a folder for this run alone where none was named.
func (s *store) open() (remove func(), err error) {
	if s.dir != "" {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "ccheck-vet-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the summaries: %w", err)
	}
	s.dir = dir
	return func() { _ = os.RemoveAll(dir) }, nil
}

// known is what other units have to know about one. It lies in a file of its
// own, since nobody asks for it while nothing changes.
type known struct {
	Facts []byte // of its objects
	Sum   []byte // its summaries
}

func (s store) path(key string) string { return filepath.Join(s.dir, key[:2], key) }

// rest is the place of a unit's known.
func rest(key string) string { return key + "-k" }

// load takes what was said about u from the cache, if all of it is there.
func (s store) load(u *unit) bool {
	if u.key == "" || !s.has(rest(u.key)) || !s.get(u.key, &u.said) {
		u.said = said{}
		return false
	}
	u.cached = true
	for _, key := range []string{u.key, rest(u.key)} {
		touch(s.path(key))
	}
	return true
}

func (s store) has(key string) bool {
	if s.dir == "" {
		return false
	}
	_, err := os.Stat(s.path(key))
	return err == nil
}

// known is what the importers of u have to know, from memory or from the cache.
func (s store) known(u *unit) (known, error) {
	if !u.cached && !u.stored {
		return u.known, nil
	}
	var k known
	if !s.get(rest(u.key), &k) {
		return known{}, errors.New("the cache lost it; run again")
	}
	return k, nil
}

// get and put are one file. Summaries repeat themselves: packed they take a
// tenth of the room.
func (s store) get(key string, v any) bool {
	if s.dir == "" {
		return false
	}
	f, err := os.Open(s.path(key))
	if err != nil {
		return false
	}
	defer f.Close()
	return gob.NewDecoder(bufio.NewReader(flate.NewReader(bufio.NewReader(f)))).Decode(v) == nil
}

func (s store) put(key string, v any) {
	if s.dir == "" {
		return
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return
	}
	if errors.Join(gob.NewEncoder(z).Encode(v), z.Close()) == nil {
		s.write(s.path(key), b.Bytes())
	}
}

// save writes beside the place and renames: several runs may share the folder.
func (s store) save(u *unit) {
	if s.dir == "" || u.key == "" {
		return
	}
	s.put(rest(u.key), u.known)
	s.put(u.key, u.said)
	if s.has(rest(u.key)) {
		u.known, u.stored = known{}, true
	}
}

func (store) write(name string, data []byte) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "tmp-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(data)
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
}

const (
	fresh = time.Hour          // how old the mark of the last use may get
	stale = 5 * 24 * time.Hour // not used for so long: removed
)

// touch marks the last use of a file, not more often than needed.
func touch(name string) {
	now := time.Now()
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > fresh {
		_ = os.Chtimes(name, now, now)
	}
}

// trim removes what was not used for long, at most once a day.
func (s store) trim() {
	if s.dir == "" {
		return
	}
	mark := filepath.Join(s.dir, "trimmed")
	now := time.Now()
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()) < 24*time.Hour {
		return
	}
	s.write(mark, nil)
	files, _ := filepath.Glob(filepath.Join(s.dir, "??", "*"))
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && now.Sub(info.ModTime()) > stale {
			_ = os.Remove(name)
		}
	}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// digest is a short name for parts.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
