package identity

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// Of one caller, two in a second have one id.

func messageID(peer string) string {
	return peer + "-" + strconv.FormatInt(time.Now().Unix(), 10) // want `the clock alone makes`
}

type purchase struct {
	ID     string `json:"id"`
	UserID int64  `json:"user_id"`
}

func buy(userID int64) purchase {
	return purchase{ID: fmt.Sprintf("%d-%d", userID, time.Now().Unix()), UserID: userID} // want `the clock alone makes`
}

type session struct{ peer string }

func (s *session) nextReference() string {
	return s.peer + ":" + time.Now().UTC().Format("20060102150405") // want `the clock alone makes`
}

// Near misses: something random beside it, finer ticks, one a day, a label.

func randomID(peer string) string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return peer + "-" + hex.EncodeToString(b[:]) + "-" + strconv.FormatInt(time.Now().Unix(), 10)
}

func fineID(peer string) string { return peer + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) }

func dailyID(user string) string { return user + "-" + time.Now().Format("2006-01-02") }

func label(user string) string { return user + "-" + strconv.FormatInt(time.Now().Unix(), 10) }
