package postgres

import (
	"context"
	"testing"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	s, err := Start(ctx, Options{Say: func(x string) { t.Log(x) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s, s.PID(), s.Dir(), s.Socket())
	if err := exec(ctx, s.Config(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	r, err := s.AddReplica(ctx, ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}
