package a

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm/clause"
)

// a1 writes the rows as they came.
func (s *S) a1(recs []total) error {
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error // want "as they were handed in"
}

func (s *S) a2(recs []total) error {
	slices.SortFunc(recs, func(a, b total) int { return strings.Compare(a.ID, b.ID) })
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error
}

// a3 gets its lists from one.
func (s *S) a3(ctx context.Context, recs []total) error {
	ids, ns := make([]string, len(recs)), []int(nil)
	for i, r := range recs {
		ids[i] = r.ID
		ns = append(ns, r.Hits)
	}
	_, err := s.pool.Exec(ctx, upsertAll, ids, ns) // want "as they were handed in"
	return err
}

func byID(recs []total) {
	slices.SortFunc(recs, func(a, b total) int { return strings.Compare(a.ID, b.ID) })
}

// a4 sorts in a helper.
func (s *S) a4(ctx context.Context, recs []total) error {
	byID(recs)
	var ids []string
	var ns []int
	for _, r := range recs {
		ids, ns = append(ids, r.ID), append(ns, r.Hits)
	}
	_, err := s.pool.Exec(ctx, upsertAll, ids, ns)
	return err
}

// a5 leaves the order to PostgreSQL.
func (s *S) a5(ctx context.Context, ids []string, ns []int) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO totals (id, hits) SELECT * FROM unnest($1::text[], $2::int[]) ORDER BY 1 ON CONFLICT (id) DO UPDATE SET hits = EXCLUDED.hits`, ids, ns)
	return err
}

// a6 is called with sorted rows.
func (s *S) a6(recs []total) error {
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error
}

func (s *S) A6(recs []total) error {
	byID(recs)
	return s.a6(recs)
}

// a7 is called with rows as they came, in another type.
func (s *S) a7(recs []total) error {
	return s.g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&recs).Error // want "as they were handed in"
}

func (s *S) A7(names [][2]string) error {
	recs := make([]total, 0, len(names))
	for _, n := range names {
		recs = append(recs, total{ID: n[0] + "/" + n[1]})
	}
	return s.a7(recs)
}

// a8 leaves rows alone that are there.
func (s *S) a8(recs []total) error {
	return s.g.Clauses(clause.OnConflict{DoNothing: true}).Create(&recs).Error
}

// A9 writes what it has read in order.
func (s *S) A9(ctx context.Context, day string) error {
	rows, err := s.pool.Query(ctx, "SELECT id FROM hits WHERE day = $1 ORDER BY id", day)
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []string
	var ns []int
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids, ns = append(ids, id), append(ns, 1)
	}
	_, err = s.pool.Exec(ctx, upsertAll, ids, ns)
	return err
}
