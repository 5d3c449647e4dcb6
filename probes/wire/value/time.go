package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
)

// epoch is PostgreSQL's zero, 2000-01-01, as days and seconds of Unix.
const (
	epochDays    = 10957
	epochSeconds = epochDays * secondsPerDay

	secondsPerDay = 24 * 60 * 60
	micro         = 1_000_000
)

func day(n int32) string {
	switch n {
	case math.MaxInt32:
		return "infinity"
	case math.MinInt32:
		return "-infinity"
	}
	return era(time.Unix((int64(n)+epochDays)*secondsPerDay, 0).UTC(), "", "")
}

// moment writes a number of microseconds since 2000.
func moment(n int64, zone string) string {
	switch n {
	case math.MaxInt64:
		return "infinity"
	case math.MinInt64:
		return "-infinity"
	}
	seconds, rest := n/micro, n%micro
	if rest < 0 {
		seconds, rest = seconds-1, rest+micro
	}
	t := time.Unix(seconds+epochSeconds, 0).UTC()
	return era(t, t.Format(" 15:04:05")+fraction(rest), zone)
}

// era writes the date, and BC behind everything before the year 1.
func era(t time.Time, clock, zone string) string {
	year, bc := t.Year(), ""
	if year <= 0 {
		year, bc = 1-year, " BC"
	}
	return fmt.Sprintf("%04d-%02d-%02d%s%s%s", year, t.Month(), t.Day(), clock, zone, bc)
}

// clock writes microseconds since midnight; 24:00:00 is one.
func clock(n int64) string {
	s := n / micro
	return fmt.Sprintf("%02d:%02d:%02d%s", s/3600, s/60%60, s%60, fraction(n%micro))
}

func fraction(n int64) string {
	if n == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%06d", n), "0")
}

// span writes an interval in the style "postgres", the default of IntervalStyle:
// years, months and days with their words, then the time.
func span(b []byte) (string, bool) {
	if len(b) != 16 {
		return "", false
	}
	n := int64(binary.BigEndian.Uint64(b))
	days, months := int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))
	var s spanText
	s.part(months/12, "year")
	s.part(months%12, "mon")
	s.part(days, "day")
	if n != 0 || len(s.parts) == 0 {
		sign := ""
		switch {
		case n < 0:
			sign = "-"
		case s.minus:
			sign = "+"
		}
		u := uint64(n)
		if n < 0 {
			u = -u
		}
		s.parts = append(s.parts, sign+clockOf(u))
	}
	return strings.Join(s.parts, " "), true
}

func clockOf(u uint64) string {
	s := u / micro
	return fmt.Sprintf("%02d:%02d:%02d%s", s/3600, s/60%60, s%60, fraction(int64(u%micro)))
}

// spanText collects the parts. Behind a negative one the next has its sign.
type spanText struct {
	parts []string
	minus bool
}

func (s *spanText) part(n int32, unit string) {
	if n == 0 {
		return
	}
	plus := ""
	if s.minus && n > 0 {
		plus = "+"
	}
	if n != 1 {
		unit += "s"
	}
	s.parts = append(s.parts, fmt.Sprintf("%s%d %s", plus, n, unit))
	s.minus = n < 0
}
