package a

import (
	"strings"

	"github.com/bradfitz/gomemcache/memcache"
)

// part is what the program uses of the client.
type part interface {
	Get(key string) (*memcache.Item, error)
	Set(item *memcache.Item) error
	CompareAndSwap(item *memcache.Item) error
}

type labels struct{ mc part }

func (l *labels) add(tag, key string) error {
	it, err := l.mc.Get(tag)
	if err != nil {
		return err
	}
	all := append(strings.Split(string(it.Value), ","), key)
	return l.mc.Set(&memcache.Item{Key: tag, Value: []byte(strings.Join(all, ","))}) // want "lost update on a key"
}

func (l *labels) swapped(tag, key string) error {
	it, err := l.mc.Get(tag)
	if err != nil {
		return err
	}
	it.Value = append(it.Value, ","+key...)
	return l.mc.CompareAndSwap(it)
}

// books has its own kind of item: nothing says that it is a cache.
type books interface {
	Get(key string) (*strings.Builder, error)
	Set(item *strings.Builder) error
}

func extend(b books, key string) error {
	it, err := b.Get(key)
	if err != nil {
		return err
	}
	it.WriteString(key)
	return b.Set(it)
}
