package more

import (
	"context"
	"sync/atomic"
)

// source is asked by an instance of a generic type, which belongs to no package.
type source interface{ next(ctx context.Context) int }

type box[T source] struct{ of atomic.Pointer[T] }

func (b *box[T]) get(ctx context.Context, s source) int {
	if err := ctx.Err(); err != nil {
		return 0
	}
	return s.next(ctx) + (*b.of.Load()).next(ctx)
}

type one struct{}

func (one) next(context.Context) int { return 1 }

func useBox(ctx context.Context) int { return new(box[one]).get(ctx, one{}) }

func eachOf[T any](ctx context.Context, s source, xs []T) (n int) {
	for range xs {
		n += s.next(ctx)
	}
	return n
}

var _ = eachOf[int]
