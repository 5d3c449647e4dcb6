package more

import (
	"context"
	"crypto/rand"
	"database/sql"
)

type keys struct{ db *sql.DB }

func (k *keys) verify(ctx context.Context, key string) (user int64, err error) {
	err = k.db.QueryRowContext(ctx, `SELECT user_id FROM opaque_keys WHERE key = $1 AND expires_at > now()`, key).Scan(&user)
	return user, err
}

func (k *keys) drop(ctx context.Context, key string) error {
	_, err := k.db.ExecContext(ctx, `DELETE FROM opaque_keys WHERE key = $1`, key)
	return err
}

func (k *keys) issue(ctx context.Context, key string, user int64) (string, error) {
	_, err := k.db.ExecContext(ctx, `INSERT INTO opaque_keys (key, user_id) VALUES ($1, $2)`, key, user)
	return key, err
}

func (k *keys) refresh(ctx context.Context, old string) (string, error) {
	user, err := k.verify(ctx, old)
	if err != nil {
		return "", err
	}
	if err := k.drop(ctx, old); err != nil { // want `a row of opaque_keys is read, used and then deleted`
		return "", err
	}
	return k.issue(ctx, rand.Text(), user)
}

// One row goes back under the key that it had: two that do so leave one.
func (k *keys) renew(ctx context.Context, key string) (string, error) {
	user, err := k.verify(ctx, key)
	if err != nil {
		return "", err
	}
	if err := k.drop(ctx, key); err != nil {
		return "", err
	}
	return k.issue(ctx, key, user)
}

// Who deletes it first goes on.
func (k *keys) consume(ctx context.Context, key string) (user int64, err error) {
	err = k.db.QueryRowContext(ctx, `DELETE FROM opaque_keys WHERE key = $1 AND expires_at > now() RETURNING user_id`, key).Scan(&user)
	return user, err
}

func (k *keys) exchange(ctx context.Context, old string) (string, error) {
	user, err := k.consume(ctx, old)
	if err != nil {
		return "", err
	}
	return k.issue(ctx, rand.Text(), user)
}
