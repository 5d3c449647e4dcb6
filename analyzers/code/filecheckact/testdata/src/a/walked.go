package a

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func readSkill(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path) // want "Type decides, and os.ReadFile uses the name again"
		files[path] = data
		return err
	})
	return files, err
}

func pack(dir string, w io.Writer) error {
	return filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return err
		}
		f, err := os.Open(path) // want "Mode decides, and os.Open uses the name again"
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}

type visitor struct{ total int64 }

// visit is handed to a walk as a method value.
func (v *visitor) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.IsDir() {
		return err
	}
	data, err := os.ReadFile(path) // want "Mode decides, and os.ReadFile uses the name again"
	v.total += int64(len(data))
	return err
}

func total(dir string) (int64, error) {
	var v visitor
	err := filepath.WalkDir(dir, v.visit)
	return v.total, err
}

func eachOf(dir string, use func([]byte)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name())) // want "ReadDir decides, and os.ReadFile uses the name again"
		if err != nil {
			return err
		}
		use(data)
	}
	return nil
}

// eachText reads what has the right ending.
func eachText(dir string, use func([]byte)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".txt") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		use(data)
	}
	return nil
}

type packer struct{ w io.Writer }

// add leaves out what is no file, in a tree of its own.
func (p *packer) add(path string, d fs.DirEntry, err error) error {
	if err != nil || !d.Type().IsRegular() {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = p.w.Write(data)
	return err
}

// A directory is not read as a file; what has another ending is left out; the directory
// is one that nobody else knows; what is open is what was judged.

func readAll(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type().IsDir() || !strings.HasSuffix(path, ".sql") {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	return files, err
}

func readOwn(fill func(dir string) error) (n int, err error) {
	dir, err := os.MkdirTemp("", "x-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := fill(dir); err != nil {
		return 0, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		n += len(data)
		return err
	})
	return n, err
}

// A name in the directory for temporary files is everybody's.
func fakeImage(size int64) (string, error) {
	image := filepath.Join(os.TempDir(), ".fake.img")
	if _, err := os.Stat(image); os.IsNotExist(err) {
		f, err := os.Create(image) // want "the file can appear in between"
		if err != nil {
			return "", err
		}
		defer f.Close()
		return image, f.Truncate(size)
	}
	return image, nil
}

func subnets(dir string) ([]string, error) {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir) // want "it can be gone by then"
	if err != nil {
		return nil, err
	}
	return namesOf(entries), nil
}

func namesOf(entries []os.DirEntry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// It is an error that there is no directory, before and after; or in neither case.

func required(dir string) ([]string, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	return namesOf(entries), nil
}

func anyway(dir string) []string {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return namesOf(entries)
}
