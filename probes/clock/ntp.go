package clock

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/ccheck/ccheck/probes/internal/reach"
)

// The packet of SNTP (RFC 4330, RFC 5905): 48 bytes, version 4, mode 3 of a
// client and 4 of a server.
const (
	packetSize = 48
	clientMode = 4<<3 | 3
	serverMode = 4
)

// since1900 is the Unix epoch on NTP's clock, in seconds.
const since1900 = 2208988800

// NTP is the clock of an NTP server at host:port.
func NTP(name, address string, limit time.Duration) Source {
	return Source{Name: name, Kind: "ntp", Close: func(context.Context) {}, read: func(ctx context.Context) (Bound, error) {
		b, err := ask(ctx, address, limit)
		if err != nil {
			return b, fmt.Errorf("asking the NTP server %s: %w", name, reach.Why(err))
		}
		return b, nil
	}}
}

func ask(ctx context.Context, address string, limit time.Duration) (Bound, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp", address)
	if err != nil {
		return Bound{}, err
	}
	defer conn.Close()
	w := start()
	if err := conn.SetDeadline(w.began.Add(limit)); err != nil {
		return Bound{}, err
	}
	question, answer := make([]byte, packetSize), make([]byte, packetSize)
	question[0] = clientMode
	sent := w.now()
	binary.BigEndian.PutUint64(question[40:], stamp(sent))
	if _, err := conn.Write(question); err != nil {
		return Bound{}, err
	}
	n, err := conn.Read(answer)
	if err != nil {
		return Bound{}, err
	}
	return decode(answer[:n], question[40:48], sent, w.now())
}

// decode reads an answer to the question with that transmit stamp.
func decode(p, asked []byte, sent, got time.Time) (Bound, error) {
	if len(p) < packetSize || p[0]&7 != serverMode || string(p[24:32]) != string(asked) {
		return Bound{}, errNoAnswer
	}
	if p[0]>>6 == 3 || p[1] == 0 || p[1] > 15 {
		return Bound{}, fmt.Errorf("the server is not synchronised itself (stratum %d)", p[1])
	}
	received, transmitted := instant(binary.BigEndian.Uint64(p[32:])), instant(binary.BigEndian.Uint64(p[40:]))
	// What the server may be wrong by: half the way to its source, and dispersion.
	own := short(p[4:])/2 + short(p[8:])
	return Bound{Low: transmitted.Sub(got) - own, High: received.Sub(sent) + own}, nil
}

// stamp is NTP's form of a time: seconds since 1900 and their 2^32th parts.
func stamp(t time.Time) uint64 {
	return uint64(t.Unix()+since1900)<<32 | uint64(t.Nanosecond())<<32/1_000_000_000
}

func instant(s uint64) time.Time {
	return time.Unix(int64(s>>32)-since1900, int64((s&0xffffffff)*1_000_000_000>>32))
}

// short is NTP's short form of a time span: seconds and their 2^16th parts.
func short(p []byte) time.Duration {
	return time.Duration(uint64(binary.BigEndian.Uint32(p)) * uint64(time.Second) >> 16)
}
