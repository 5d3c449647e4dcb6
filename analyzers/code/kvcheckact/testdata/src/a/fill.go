package a

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

type product struct{ ID, Name string }

// cached fills the variable anew from the database after a miss.
func cached(ctx context.Context, rdb *redis.Client, db *sql.DB, id string) (*product, error) {
	var p product
	s, err := rdb.Get(ctx, "p:"+id).Result()
	if err == nil && json.Unmarshal([]byte(s), &p) == nil {
		return &p, nil
	}
	if err := db.QueryRowContext(ctx, `SELECT id, name FROM products WHERE id = $1`, id).Scan(&p.ID, &p.Name); err != nil {
		return nil, err
	}
	if b, err := json.Marshal(p); err == nil {
		rdb.Set(ctx, "p:"+id, b, time.Hour)
	}
	return &p, nil
}

// slot tries keys one after the other: within a turn the key is one.
func slot(ctx context.Context, rdb *redis.Client, node string) (int, error) {
	for i := 0; i < 16; i++ {
		key := fmt.Sprintf("slot:%d", i)
		n, err := rdb.Exists(ctx, key).Result()
		if err != nil {
			return 0, err
		}
		if n > 0 {
			continue
		}
		return i, rdb.Set(ctx, key, node, 0).Err() // want `check then act on a key`
	}
	return 0, nil
}
