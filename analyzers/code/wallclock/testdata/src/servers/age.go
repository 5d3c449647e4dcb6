package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

type upload struct {
	ID   string    `json:"id"`
	When time.Time `json:"when"`
	Age  int64     `json:"age"`
}

type uploads struct {
	Items []upload `json:"items"`
}

type api struct {
	hc   *http.Client
	wait time.Duration
	last upload
}

var errSoon = errors.New("too soon")

func (a *api) latest(ctx context.Context) (u upload, err error) {
	resp, err := a.get(ctx, "/latest")
	if err != nil {
		return u, err
	}
	defer resp.Body.Close()
	return u, json.NewDecoder(resp.Body).Decode(&u)
}

func (a *api) all(ctx context.Context) ([]upload, error) {
	resp, err := a.get(ctx, "/all")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var us uploads
	return us.Items, json.Unmarshal(b, &us)
}

func (a *api) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return a.hc.Do(req)
}

func (a *api) check(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if time.Since(u.When) < a.wait { // want `two clocks decide whether enough time has passed`
		return errSoon
	}
	return nil
}

func (a *api) checkAll(ctx context.Context) error {
	us, err := a.all(ctx)
	if err != nil {
		return err
	}
	for _, u := range us {
		if time.Now().Before(u.When.Add(a.wait)) { // want `two clocks decide whether enough time has passed`
			return errSoon
		}
	}
	return nil
}

func (a *api) allowed(ctx context.Context) bool {
	u, err := a.latest(ctx)
	if err != nil {
		return false
	}
	return time.Since(u.When).Minutes() > a.wait.Minutes() // want `two clocks decide whether enough time has passed`
}

func (a *api) left(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if rest := a.wait - time.Since(u.When); rest > 0 { // want `two clocks decide whether enough time has passed`
		return errSoon
	}
	return nil
}

func (a *api) until(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if rest := time.Until(u.When.Add(a.wait)); rest > 0 { // want `two clocks decide whether enough time has passed`
		return errSoon
	}
	return nil
}

func (a *api) direct(ctx context.Context) error {
	resp, err := a.get(ctx, "/latest")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var u upload
	if err := json.NewDecoder(resp.Body).Decode(&u); err != nil {
		return err
	}
	if time.Since(u.When) < a.wait { // want `two clocks decide whether enough time has passed`
		return fmt.Errorf("%s was made a moment ago", u.ID)
	}
	return nil
}

func (a *api) seconds(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if time.Now().Unix()-u.When.Unix() < int64(a.wait.Seconds()) { // want `two clocks decide whether enough time has passed`
		return errSoon
	}
	return nil
}

// What is over is refused: the clock that is ahead only shortens it.
func (a *api) fresh(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if time.Since(u.When) > 30*24*time.Hour {
		return errSoon
	}
	return nil
}

// The server says how old it is.
func (a *api) checkAge(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if age := time.Duration(u.Age) * time.Second; age < a.wait {
		return errSoon
	}
	return nil
}

// A negative age is none that was not long enough.
func (a *api) checkBoth(ctx context.Context) error {
	u, err := a.latest(ctx)
	if err != nil {
		return err
	}
	if age := time.Since(u.When); age >= 0 && age < a.wait {
		return errSoon
	}
	return nil
}

// What is young is only taken once more: nobody is refused.
func (a *api) cached(ctx context.Context) (upload, error) {
	if time.Since(a.last.When) < a.wait {
		return a.last, nil
	}
	u, err := a.latest(ctx)
	if err == nil {
		a.last = u
	}
	return u, err
}

// A file of this machine has the time of this machine.
type mark struct {
	When time.Time `json:"when"`
}

func (a *api) checkFile(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var m mark
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	if time.Since(m.When) < a.wait {
		return errSoon
	}
	return nil
}
