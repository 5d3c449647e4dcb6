package verdict

import (
	"errors"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/stress"
)

// ofShard is what can be said of a shard alone: nothing. What the others did would
// look like a fault.
func ofShard(h *history.Header) driver.Result {
	return driver.Result{Verdict: report.Unknown, Reasons: []string{
		fmt.Sprintf("this is shard %s of a run: judge all of them together, `ccheck check shard-*.hist`", h.Param(stress.ParamShard)),
	}}
}

// OpenAll opens a history, or joins those of the shards of a run. The joined one
// is in ccheck's state folder afterwards, as that of any other run.
func OpenAll(s *stdio.Streams, paths []string) (*history.File, error) {
	if len(paths) == 1 {
		return Open(paths[0])
	}
	var files []*history.File
	for _, p := range paths {
		f, err := Open(p)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	path, err := Path(s, "", fmt.Sprintf("%s-%x", files[0].Header.Run, time.Now().UnixMilli()))
	if err != nil {
		return nil, err
	}
	var refusal *stress.JoinError
	err = stress.Join(path, files)
	if errors.As(err, &refusal) {
		return nil, (&exit.Error{Code: exit.Usage, Msg: refusal.Msg, Err: err}).WithHint("%s", refusal.Hint)
	}
	if err != nil {
		return nil, exit.Failedf("joining the shards: %w", err).WithHint("free some space, or set XDG_STATE_HOME to a folder that can be written")
	}
	return Open(path)
}

// shardNotes tell how well the times of a joined history are known.
func shardNotes(h *history.Header) []string {
	n := h.Param(stress.ParamShards)
	if n == "" {
		return nil
	}
	var ns int64
	fmt.Sscan(h.Param(stress.ParamClockError), &ns)
	return []string{fmt.Sprintf("%s shards, their clocks aligned by the server's to within %s: what happened closer together in two of them has no known order",
		n, time.Duration(ns).Round(10*time.Microsecond))}
}
