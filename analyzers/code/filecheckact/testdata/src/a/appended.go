package a

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

type knownHosts struct{ path string }

// lookup ranges over a function: what it finds is in the answer.
func (k knownHosts) lookup(host string) (string, error) {
	data, err := os.ReadFile(k.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if name, key, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == host {
			return key, nil
		}
	}
	return "", nil
}

func (k knownHosts) acceptNew(host, key string) error {
	known, err := k.lookup(host)
	if err != nil || known == key {
		return err
	}
	if known != "" {
		return fmt.Errorf("the key of %s has changed", host)
	}
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600) // want "what is added can be there by then"
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s\n", host, key)
	return err
}

func authorize(path, key string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if slices.Contains(strings.Split(string(data), "\n"), key) {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600) // want "what is added can be there by then"
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(key + "\n")
	return err
}

func hasUser(path, name string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if user, _, _ := strings.Cut(in.Text(), ":"); user == name {
			return true
		}
	}
	return false
}

func addUser(path, name, hash string) error {
	if !hasUser(path, name) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600) // want "what is added can be there by then"
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = fmt.Fprintf(f, "%s:%s\n", name, hash)
		return err
	}
	return nil
}

// The loop is left by a return.
func ignore(path, pattern string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == pattern {
			return nil
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600) // want "what is added can be there by then"
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(pattern + "\n")
	return err
}

// A journal is read whole, and continued; under flock; under a mutex; what another file
// says.

func openJournal(path string, replay func([]byte) error) (*os.File, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var head struct{ Version int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	if err := replay(data); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
}

func authorizeLocked(path, key string) error {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), key) {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(key + "\n")
	return err
}

type users struct {
	mu   sync.Mutex
	path string
}

func (u *users) add(line string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	data, err := os.ReadFile(u.path)
	if err != nil || strings.Contains(string(data), line) {
		return err
	}
	f, err := os.OpenFile(u.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}

func audit(config, log, line string) error {
	data, err := os.ReadFile(config)
	if err != nil || !strings.Contains(string(data), "audit=on") {
		return err
	}
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}
