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
