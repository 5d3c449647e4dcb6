package command_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/history"
)

func TestCall(t *testing.T) {
	tests := []struct {
		line    string
		outcome history.Outcome
		code    int
		output  string
	}{
		{`echo "lane $CCHECK_LANE"`, history.Accepted, 0, "lane 3"},
		{"exit 9", history.Refused, 9, ""},
		{"echo no >&2; exit 1", history.Failed, 1, ""},
	}
	for _, tt := range tests {
		a := &command.Actor{Name: "job", Command: tt.line, Refused: []int{9}}
		got, err := a.Call(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		output := ""
		if len(got.Fields) > 1 {
			output = got.Fields[1].Value.Text
		}
		if got.Outcome != tt.outcome || got.Code != tt.code || output != tt.output {
			t.Errorf("%s: %+v", tt.line, got)
		}
	}
}

func TestEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	a := &command.Actor{Name: "job", Command: "sleep 60"}
	if got, err := a.Call(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that was ended: %+v, %v", got, err)
	}
	if got, err := (&command.Actor{Name: "job", Command: "kill -9 $$"}).Call(t.Context(), 0); err == nil {
		t.Errorf("a call that was killed: %+v", got)
	}
}
