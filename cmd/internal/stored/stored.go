// Package stored reads runs back from files: a history, which it judges, or a
// report that --format json or jsonl wrote. It makes no run and speaks to no
// server. Commands that show or convert a run import it.
package stored

import (
	"context"
	"errors"
	"os"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
)

// LoadNamed is Load for what a user named: "-" is standard input.
func LoadNamed(ctx context.Context, s *stdio.Streams, path string) (*output.Recording, *exit.Error, error) {
	if path != verdict.Stdin {
		return Load(ctx, path)
	}
	path, schema, err := verdict.Receive(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if verdict.IsReport(schema) {
		defer os.Remove(path) // what it says is in memory then
		return report("standard input", path)
	}
	return Load(ctx, path)
}

// Load reads a history or a report. The damage is what is wrong with the file,
// of which the rest can be shown; nil for a whole one.
func Load(ctx context.Context, path string) (all *output.Recording, damage *exit.Error, err error) {
	schema, err := verdict.Schema(path)
	if err != nil {
		return nil, nil, err
	}
	if verdict.IsReport(schema) {
		return report(path, path)
	}
	f, err := verdict.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return verdict.Again(ctx, f)
}

// report reads a run that was told as JSON; name is that for errors. What a cut file of events holds is
// shown; a cut document holds nothing whole.
func report(name, path string) (*output.Recording, *exit.Error, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, nil, exit.Failedf("%s cannot be read: %w", name, err)
	}
	defer f.Close()
	doc, err := json.Read(f)
	all := &output.Recording{Run: doc.Run, Findings: doc.Findings, Summary: doc.Summary}
	switch {
	case errors.Is(err, json.ErrCut) && doc.Schema != "":
		damage := exit.Failedf("%s: %w", name, err)
		all.Summary.Reasons = append(all.Summary.Reasons, damage.Msg)
		return all, damage, nil
	case errors.Is(err, json.ErrCut):
		return nil, nil, exit.Usagef("%s: %w", name, err).WithHint("make the run again, or show its history")
	case err != nil:
		return nil, nil, exit.Usagef("%s is no report that can be read: %w", name, err).WithHint("`--format json` and `--format jsonl` write reports")
	}
	return all, nil, nil
}
