// Package command is the actor that runs a program for each call, such as a
// job, a migration or a script that drives an application in a way that HTTP
// cannot say. Its exit code is classed as an answer is.
//
// It starts no service and judges nothing. Drivers of probes import it.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Actor is a command line for sh. CCHECK_LANE in its environment is the number
// of the lane.
type Actor struct {
	Name    string
	Command string
	Dir     string
	Env     []string // NAME=value; nil is ccheck's own
	Refused []int    // exit codes that are a refusal; 0 is accepted, others are failures
}

// Answer is how a call ended.
type Answer struct {
	Code    int
	Outcome history.Outcome
	Fields  []history.Var // the exit code, and what was written to standard output
}

// maxOutput bounds what is kept of a call's output.
const maxOutput = 64 << 10

// Call runs the command in a lane. An error means that it could not be started
// or was ended before its time: then nobody knows what it did.
func (a *Actor) Call(ctx context.Context, lane int) (Answer, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", a.Command)
	cmd.Dir = a.Dir
	cmd.Env = append(slices.Clone(a.Env), "CCHECK_LANE="+strconv.Itoa(lane))
	if a.Env == nil {
		cmd.Env = append(cmd.Environ(), "CCHECK_LANE="+strconv.Itoa(lane))
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.WaitDelay = time.Second // a child that keeps the output open must not hold the lane
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Answer{}, fmt.Errorf("running %s: %w", a.Name, ctx.Err())
	case err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0):
		return Answer{}, fmt.Errorf("running %s: %w", a.Name, err)
	}
	code := cmd.ProcessState.ExitCode()
	return Answer{Code: code, Outcome: a.outcome(code), Fields: fields(code, out.Bytes())}, nil
}

func (a *Actor) outcome(code int) history.Outcome {
	switch {
	case code == 0:
		return history.Accepted
	case slices.Contains(a.Refused, code):
		return history.Refused
	}
	return history.Failed
}

func fields(code int, out []byte) []history.Var {
	list := []history.Var{{Name: "status", Value: history.Int(int64(code))}}
	text := strings.TrimSpace(string(out[:min(len(out), maxOutput)]))
	if text != "" {
		list = append(list, history.Var{Name: "output", Value: history.Text(text[:min(len(text), history.MaxValue)])})
	}
	return list
}
