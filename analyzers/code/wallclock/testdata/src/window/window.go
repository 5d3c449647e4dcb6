package window

import (
	"crypto/hmac"
	"errors"
	"net/http"
	"strconv"
	"time"
)

func Verify(r *http.Request, mac, want []byte) error {
	ts, err := strconv.ParseInt(r.Header.Get("X-Timestamp"), 10, 64)
	if err != nil {
		return err
	}
	if time.Since(time.Unix(ts, 0)) > 5*time.Minute { // want `bounded on one side only`
		return errors.New("too old")
	}
	if !hmac.Equal(mac, want) {
		return errors.New("bad signature")
	}
	return nil
}

func VerifyExact(ts int64, mac, want []byte) bool {
	return ts >= time.Now().Unix() && hmac.Equal(mac, want) // want `without a tolerance`
}

func VerifyBoth(r *http.Request, mac, want []byte) bool {
	ts, _ := strconv.ParseInt(r.Header.Get("X-Timestamp"), 10, 64)
	return time.Since(time.Unix(ts, 0)).Abs() <= 5*time.Minute && hmac.Equal(mac, want)
}

func Age(r *http.Request) bool {
	ts, _ := strconv.ParseInt(r.Header.Get("If-Newer"), 10, 64)
	return time.Since(time.Unix(ts, 0)) > time.Hour
}

// The header says that it is about when the request was signed.
func Recent(r *http.Request) bool {
	at, err := time.Parse(time.RFC3339, r.Header.Get("X-Request-Timestamp"))
	return err == nil && time.Since(at) < 5*time.Minute // want `bounded on one side only`
}

func RecentBoth(r *http.Request) bool {
	at, err := time.Parse(time.RFC3339, r.Header.Get("X-Request-Timestamp"))
	age := time.Since(at)
	return err == nil && age < 5*time.Minute && age > -5*time.Minute
}
