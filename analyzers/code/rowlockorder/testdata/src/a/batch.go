package a

import (
	"context"
	"sort"

	"gorm.io/gorm/clause"
)

type total struct {
	ID   string
	Hits int
}

func rows(hits map[string]int) (out []total) {
	for id, n := range hits {
		out = append(out, total{id, n})
	}
	return out
}

func sortedRows(hits map[string]int) (out []total) {
	for id, n := range hits {
		out = append(out, total{id, n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (s *S) B1(hits map[string]int) error {
	var recs []total
	for _, r := range rows(hits) {
		recs = append(recs, r)
	}
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error // want "in the order of a map"
}

func (s *S) B2(hits map[string]int) error {
	recs := sortedRows(hits)
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error
}

// B3 inserts new rows alone: they meet nobody's.
func (s *S) B3(hits map[string]int) error {
	recs := rows(hits)
	return s.g.Create(&recs).Error
}

func (s *S) upsert(recs []total) error {
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(recs).Error // want "in the order of a map"
}

func (s *S) B4(hits map[string]int) error { return s.upsert(rows(hits)) }

const upsertAll = `INSERT INTO totals (id, hits) SELECT * FROM unnest($1::text[], $2::int[]) ON CONFLICT (id) DO UPDATE SET hits = EXCLUDED.hits`

func (s *S) B5(ctx context.Context, hits map[string]int) error {
	var ids []string
	var ns []int
	for id, n := range hits {
		ids, ns = append(ids, id), append(ns, n)
	}
	_, err := s.pool.Exec(ctx, upsertAll, ids, ns) // want "in the order of a map"
	return err
}

func (s *S) B6(ctx context.Context, hits map[string]int) error {
	ids := make([]string, 0, len(hits))
	for id := range hits {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	ns := make([]int, len(ids))
	for i, id := range ids {
		ns[i] = hits[id]
	}
	_, err := s.pool.Exec(ctx, upsertAll, ids, ns)
	return err
}
