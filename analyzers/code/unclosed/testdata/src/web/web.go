package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

type client struct{ hc *http.Client }

func (c *client) do(req *http.Request) (*http.Response, error) { return c.hc.Do(req) } // want do:`opens true`

func (c *client) price(req *http.Request) (v struct{ P float64 }, err error) {
	resp, err := c.do(req) // want `the response opened here stays open`
	if err != nil {
		return v, err
	}
	err = json.NewDecoder(resp.Body).Decode(&v)
	return v, err
}

func statusOnly(u string) error {
	resp, err := http.Get(u) // want `the response opened here stays open`
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

func onOnePath(u string) ([]byte, error) {
	resp, err := http.Get(u) // want `the response opened here stays open`
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func closed(u string) ([]byte, error) {
	resp, err := http.Get(u)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func closedInAClosure(u string) ([]byte, error) {
	resp, err := http.Get(u)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return io.ReadAll(resp.Body)
}

func drain(r io.ReadCloser) { r.Close() }

func closedByAHelper(u string) error {
	resp, err := http.Get(u)
	if err != nil {
		return err
	}
	defer drain(resp.Body)
	return nil
}

type stream struct{ body io.ReadCloser }

func handedOn(u string) (*stream, error) {
	resp, err := http.Get(u)
	if err != nil {
		return nil, err
	}
	return &stream{resp.Body}, nil
}

func body(u string) (io.ReadCloser, error) {
	resp, err := http.Get(u)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func lines(u string, do func(string)) error {
	resp, err := http.Get(u)
	if err != nil {
		return err
	}
	s := bufio.NewScanner(resp.Body)
	for s.Scan() {
		do(s.Text())
	}
	return resp.Body.Close()
}

type handler struct {
	resp *http.Response
	err  error
}

func wrap(resp *http.Response, err error) *handler { return &handler{resp, err} }

func wrapped(u string) *handler { return wrap(http.Get(u)) }
