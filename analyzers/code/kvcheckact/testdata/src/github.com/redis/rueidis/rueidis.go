// Package rueidis has the types that the analyzers look for.
package rueidis

import (
	"context"
	"time"
)

type Client interface {
	B() Builder
	Do(ctx context.Context, cmd Completed) RedisResult
}

func IsRedisNil(err error) bool { return false }

type Completed struct{}

type Builder struct{}

func (b Builder) Get() Verb    { return Verb{} }
func (b Builder) Set() Verb    { return Verb{} }
func (b Builder) Exists() Verb { return Verb{} }
func (b Builder) Incr() Verb   { return Verb{} }
func (b Builder) Expire() Verb { return Verb{} }

type Verb struct{}

func (v Verb) Key(k string) Verb       { return v }
func (v Verb) Value(s string) Verb     { return v }
func (v Verb) Nx() Verb                { return v }
func (v Verb) Ex(d time.Duration) Verb { return v }
func (v Verb) Seconds(n int64) Verb    { return v }
func (v Verb) Build() Completed        { return Completed{} }

type RedisResult struct{}

func (r RedisResult) Error() error              { return nil }
func (r RedisResult) AsInt64() (int64, error)   { return 0, nil }
func (r RedisResult) ToString() (string, error) { return "", nil }
func (r RedisResult) DecodeJSON(v any) error    { return nil }
