//go:build linux || darwin

package etcd_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/server/etcd"
)

func TestServesAndGoes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := etcd.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	grant := func(seconds string) string {
		resp, err := http.Post(s.URL()+"/v3/lease/grant", "application/json", strings.NewReader(`{"TTL":`+seconds+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := grant("1"); !strings.Contains(got, `"TTL":"1"`) {
		t.Errorf("the shortest lease is not MinTTL: %s", got)
	}
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", s.Dir(), err)
	}
}
