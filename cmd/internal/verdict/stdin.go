package verdict

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Stdin is how a user names standard input.
const Stdin = "-"

func named(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}

// Received keeps the history that comes on standard input among those of the
// state folder, since judges read one more than once, and returns its path.
func Received(ctx context.Context, s *stdio.Streams) (string, error) {
	path, schema, err := Receive(ctx, s)
	if err != nil {
		return "", err
	}
	if err := judgeable(Stdin, schema); err != nil {
		_ = os.Remove(path)
		return "", err
	}
	return path, nil
}

// Receive is Received for what may be a report as well: such a file is the
// caller's to remove.
func Receive(ctx context.Context, s *stdio.Streams) (path, schema string, err error) {
	path, err = Path(s, "", fmt.Sprintf("stdin-%x", time.Now().UnixMilli()))
	if err != nil {
		return "", "", err
	}
	if schema, err = receive(ctx, s.In, path); err != nil {
		_ = os.Remove(path)
		return "", "", err
	}
	if !IsReport(schema) {
		s.Sayf("standard input is kept as %s", path)
	}
	return path, schema, nil
}

func receive(ctx context.Context, in io.Reader, path string) (schema string, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", exit.Failedf("keeping standard input: %w", err)
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	n, err := pour(ctx, f, in)
	if err != nil {
		return "", exit.Failedf("keeping standard input: %w", err).WithHint("free some space, or set XDG_STATE_HOME to a folder with more of it")
	}
	if n == 0 {
		return "", exit.Usagef("standard input is empty").WithHint("what writes into it may have failed")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", exit.Failedf("keeping standard input: %w", err)
	}
	return schemaOf(Stdin, f)
}

// pour copies until the input ends, or the context does: a signal must not wait
// for whoever holds the other end of a pipe.
func pour(ctx context.Context, to io.Writer, from io.Reader) (int64, error) {
	type end struct {
		n   int64
		err error
	}
	ends := make(chan end, 1)
	go func() {
		n, err := io.Copy(to, from)
		ends <- end{n, err}
	}()
	select {
	case e := <-ends:
		return e.n, e.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
