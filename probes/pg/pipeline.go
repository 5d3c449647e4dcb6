package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"
)

// errSkipped is the answer to statements of a pipeline after one that failed:
// the server skips them up to the next Sync.
var errSkipped = &Error{Code: "25P02", Severity: "ERROR", Message: "skipped: an earlier statement of the pipeline failed"}

// StartPipeline makes Exec queue statements instead of waiting for answers.
func (c *Conn) StartPipeline(context.Context) error {
	switch {
	case c.lost != nil:
		return c.lost
	case c.protocol == Simple:
		return errors.New("a pipeline needs the extended or prepared protocol")
	case c.pipeline:
		return errors.New("already in a pipeline")
	}
	if err := c.release(); err != nil {
		return err
	}
	c.pipeline, c.queued = true, c.queued[:0]
	return nil
}

// SyncPipeline marks the end of an implicit transaction in the pipeline.
func (c *Conn) SyncPipeline(context.Context) error {
	if !c.pipeline {
		return errors.New("not in a pipeline")
	}
	c.fe.SendSync(&pgproto3.Sync{})
	c.queued = append(c.queued, queued{})
	return nil
}

// EndPipeline sends what is queued and returns the results in order. The first
// error of the server comes back with the results before it.
func (c *Conn) EndPipeline(ctx context.Context) ([]Result, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	if err := c.SyncPipeline(ctx); err != nil {
		return nil, err
	}
	c.pipeline = false
	if c.rec != nil {
		if err := c.rec.Flush(); err != nil {
			return nil, c.lose(err)
		}
	}
	// The server may answer before it has read everything; with both sides'
	// buffers full a plain write would wait for ever.
	sent := make(chan error, 1)
	go func() { sent <- c.fe.Flush() }()
	results, err := c.readPipeline()
	for _, q := range c.queued {
		if q.plan != nil {
			q.plan.sent = false
		}
	}
	if sendErr := <-sent; sendErr != nil {
		return nil, c.lose(sendErr)
	}
	return results, err
}

func (c *Conn) readPipeline() ([]Result, error) {
	c.results = c.results[:0]
	var first error
	failed := false
	for i, q := range c.queued {
		if q.stmt == nil {
			c.answer.reset(nil)
			if err := c.readAnswer(); err != nil {
				return nil, c.unknownFrom(i, err)
			}
			failed = false
			continue
		}
		c.answer.reset(q.plan)
		c.answer.cells = nil // results of a pipeline live together
		if failed {
			c.answer.err = errSkipped
		} else if err := c.readOne(); err != nil {
			return nil, c.unknownFrom(i, err)
		}
		c.record(q.stmt, q.txn, &c.answer)
		if c.answer.err != nil {
			if !failed && first == nil {
				first = c.answer.err
			}
			failed = true
			continue
		}
		if first == nil {
			r := c.answer.Result
			r.Rows = append(r.Rows[:0:0], r.Rows...)
			c.results = append(c.results, r)
		}
	}
	return c.results, first
}

// readOne reads up to the end of one statement of a pipeline.
func (c *Conn) readOne() error {
	for {
		msg, err := c.fe.Receive()
		if err != nil {
			return c.lose(err)
		}
		if _, err := c.take(msg); err != nil {
			return c.lose(err)
		}
		switch msg.(type) {
		case *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse, *pgproto3.ErrorResponse:
			return nil
		}
	}
}

func (c *Conn) unknownFrom(i int, err error) error {
	for _, q := range c.queued[i:] {
		if q.stmt != nil {
			c.txn = q.txn
			err = c.unknown(q.stmt, err)
		}
	}
	return err
}
