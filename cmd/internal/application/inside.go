package application

import (
	"context"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Inside is what a run of an application is made inside of.
type Inside struct {
	Place   *place.Place   // a throw-away server, for the database of the application
	Streams *stdio.Streams // for what is said beside the run
	Sink    report.Sink
}

// Run opens a throw-away server and the formats or the full screen, makes the run
// inside of them, and closes them whatever comes of it.
func Run(ctx context.Context, s *stdio.Streams, at *place.Flags, shown *display.Flags, formats *output.Flags, work func(context.Context, Inside) error) error {
	at.Throwaway = true // the application works on a server of its own
	p, err := at.Open(ctx, s, connections)
	if err != nil {
		return err
	}
	defer p.Close(ctx)
	show, err := display.Open(s, shown, formats)
	if err != nil {
		return err
	}
	defer show.Close()
	return show.During(ctx, func(ctx context.Context, sink report.Sink) error {
		return work(ctx, Inside{Place: p, Streams: show.Streams(), Sink: sink})
	})
}
