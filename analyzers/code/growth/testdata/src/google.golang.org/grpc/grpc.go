// Package grpc stands for the real one.
package grpc

import "context"

type UnaryServerInfo struct{ FullMethod string }

type UnaryHandler func(ctx context.Context, req any) (any, error)
