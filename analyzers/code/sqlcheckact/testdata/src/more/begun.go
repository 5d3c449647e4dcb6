package more

import "context"

func waiting(ctx context.Context, sql string) ([]int64, error) {
	rows, err := db.QueryContext(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Each row is marked as begun, and two workers begin the same.
func begin(ctx context.Context, run func(int64) error) error {
	ids, err := waiting(ctx, "SELECT id FROM tasks WHERE state = 'ready' LIMIT 10")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := db.ExecContext(ctx, "UPDATE tasks SET state = 'running' WHERE id = $1", id); err != nil { // want "chosen by state"
			return err
		}
		if err := run(id); err != nil {
			return err
		}
	}
	return nil
}

// An end that is noted twice is the same end.
func expire(ctx context.Context) error {
	ids, err := waiting(ctx, "SELECT id FROM tasks WHERE state = 'ready' AND due < now()")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := db.ExecContext(ctx, "UPDATE tasks SET state = 'expired' WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

func beginOnce(ctx context.Context, run func(int64) error) error {
	ids, err := waiting(ctx, "SELECT id FROM tasks WHERE state = 'ready' LIMIT 10")
	if err != nil {
		return err
	}
	for _, id := range ids {
		res, err := db.ExecContext(ctx, "UPDATE tasks SET state = 'running' WHERE id = $1 AND state = 'ready'", id)
		if err != nil {
			return err
		}
		if n, _ := res.RowsAffected(); n == 0 {
			continue
		}
		if err := run(id); err != nil {
			return err
		}
	}
	return nil
}
