package more

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

type criterion struct{ Field, Operator string }

type matcher struct {
	ID       string
	Made     time.Time
	Criteria []criterion
}

func matcherOf(ctx context.Context, db *sql.DB, id string) (*matcher, error) {
	var m matcher
	var raw []byte
	err := db.QueryRowContext(ctx, `SELECT id, made, criteria FROM matchers WHERE id = $1`, id).Scan(&m.ID, &m.Made, &raw)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &m.Criteria); err != nil {
		return nil, errors.New("broken criteria")
	}
	return &m, nil
}

// changeMatcher reads the old one for its time alone: that its criteria could be
// decoded says nothing about them.
func changeMatcher(ctx context.Context, db *sql.DB, m matcher) error {
	old, err := matcherOf(ctx, db, m.ID)
	if err != nil {
		return err
	}
	m.Made = old.Made
	raw, err := json.Marshal(m.Criteria)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE matchers SET criteria = $2 WHERE id = $1`, m.ID, raw)
	return err
}

// extendMatcher adds to what it has read.
func extendMatcher(ctx context.Context, db *sql.DB, id string, c criterion) error {
	old, err := matcherOf(ctx, db, id)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(append(old.Criteria, c))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE matchers SET criteria = $2 WHERE id = $1`, id, raw) // want `criteria of matchers is set to a value computed from an earlier read of it`
	return err
}
