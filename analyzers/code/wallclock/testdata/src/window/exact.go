package window

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"time"
)

// A code of 30 seconds, and a signature of a minute, tried in the step of this clock.

func code(secret []byte, step uint64) string {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, step)
	mac := hmac.New(sha1.New, secret)
	mac.Write(b)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])%1000000)
}

func Code(secret []byte, given string) bool {
	want := code(secret, uint64(time.Now().Unix()/30)) // want `in the same step of this clock only`
	return subtle.ConstantTimeCompare([]byte(want), []byte(given)) == 1
}

func step() uint64 { return uint64(time.Now().Unix() / 30) } // want `in the same step of this clock only`

func Inline(secret, given []byte) bool {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, step())
	mac := hmac.New(sha1.New, secret)
	mac.Write(b)
	return hmac.Equal(mac.Sum(nil), given)
}

func message(path string, minute time.Time) []byte {
	return []byte(path + "\n" + minute.Format(time.RFC3339))
}

func Minute(path string, key ed25519.PublicKey, sig []byte) bool {
	return ed25519.Verify(key, message(path, time.Now().UTC().Truncate(time.Minute)), sig) // want `in the same step of this clock only`
}

// Near misses: the steps around are tried; it is only signed; an hour for a cache.

func Around(secret []byte, given string) bool {
	now := time.Now().Unix() / 30
	for s := now - 1; s <= now+1; s++ {
		if subtle.ConstantTimeCompare([]byte(code(secret, uint64(s))), []byte(given)) == 1 {
			return true
		}
	}
	return false
}

func Either(path string, key ed25519.PublicKey, sig []byte) bool {
	now := time.Now().UTC().Truncate(time.Minute)
	return ed25519.Verify(key, message(path, now), sig) || ed25519.Verify(key, message(path, now.Add(-time.Minute)), sig)
}

func Sign(path string, key ed25519.PrivateKey) []byte {
	return ed25519.Sign(key, message(path, time.Now().UTC().Truncate(time.Minute)))
}

func bucket(user string) string { return fmt.Sprint(user, time.Now().Unix()/60) }
