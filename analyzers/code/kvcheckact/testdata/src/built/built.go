// Package built has commands that are built word by word.
package built

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/rueidis"
)

func once(ctx context.Context, c rueidis.Client, id string) (bool, error) {
	n, err := c.Do(ctx, c.B().Exists().Key("done:"+id).Build()).AsInt64()
	if err != nil || n > 0 {
		return false, err
	}
	return true, c.Do(ctx, c.B().Set().Key("done:"+id).Value("1").Ex(time.Hour).Build()).Error() // want `EXISTS decides, and SET follows`
}

func claimed(ctx context.Context, c rueidis.Client, id string) (bool, error) {
	err := c.Do(ctx, c.B().Set().Key("done:"+id).Value("1").Nx().Ex(time.Hour).Build()).Error()
	if rueidis.IsRedisNil(err) {
		return false, nil
	}
	return err == nil, err
}

func hit(ctx context.Context, c rueidis.Client, ip string) (int64, error) {
	n, err := c.Do(ctx, c.B().Incr().Key(ip).Build()).AsInt64()
	if err == nil && n == 1 {
		err = c.Do(ctx, c.B().Expire().Key(ip).Seconds(60).Build()).Error() // want `INCR`
	}
	return n, err
}

func add(ctx context.Context, c rueidis.Client, user, sku string) error {
	var cart map[string]int
	if err := c.Do(ctx, c.B().Get().Key(user).Build()).DecodeJSON(&cart); err != nil {
		return err
	}
	cart[sku]++
	b, err := json.Marshal(cart)
	if err != nil {
		return err
	}
	return c.Do(ctx, c.B().Set().Key(user).Value(string(b)).Build()).Error() // want `lost update on a key`
}

func page(ctx context.Context, c rueidis.Client, id string, load func(string) (string, error)) (string, error) {
	v, err := c.Do(ctx, c.B().Get().Key(id).Build()).ToString()
	if err == nil || !rueidis.IsRedisNil(err) {
		return v, err
	}
	if v, err = load(id); err != nil {
		return "", err
	}
	return v, c.Do(ctx, c.B().Set().Key(id).Value(v).Ex(time.Minute).Build()).Error()
}
