package etcd

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ccheck/ccheck/probes/internal/reach"
	"github.com/ccheck/ccheck/probes/lease"
)

// gateway speaks etcd's JSON gateway, which every member serves beside gRPC from
// version 3.4 on (decision 0016). Keys and values go as base64, 64-bit numbers
// as text.
type gateway struct {
	base   string // without a user
	token  string // of a login
	client *http.Client
}

const (
	callLimit = 10 * time.Second
	maxAnswer = 1 << 20
)

// Error is an answer of etcd that is an error: the gRPC code and its words.
type Error struct {
	Code int    `json:"code"`
	Text string `json:"message"`
}

func (e *Error) Error() string { return e.Text }

// The codes of gRPC that etcd answers with and that a user can mend.
const (
	invalidArgument = 3
	notFound        = 5
	unavailable     = 14
	unauthenticated = 16
)

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// plain is the network as it is.
var plain dialer = (&net.Dialer{}).DialContext

func newGateway(u *url.URL, network dialer) *gateway {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = network
	bare := *u
	bare.User = nil
	return &gateway{base: bare.Scheme + "://" + bare.Host, client: &http.Client{
		Timeout: callLimit, Transport: transport,
	}}
}

// login gets a token for the user of the URL, when it has one.
func (g *gateway) login(ctx context.Context, user *url.Userinfo) error {
	password, ok := user.Password()
	if !ok {
		return nil
	}
	var answer struct {
		Token string `json:"token"`
	}
	err := g.call(ctx, "auth/authenticate", map[string]any{"name": user.Username(), "password": password}, &answer)
	g.token = answer.Token
	return err
}

// call posts a request to /v3/path and reads the answer.
func (g *gateway) call(ctx context.Context, path string, request, answer any) error {
	if err := lease.Pass(ctx); err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encoding a request to etcd: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+"/v3/"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making a request to etcd: %w", err)
	}
	if g.token != "" {
		req.Header.Set("Authorization", g.token)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return reach.Why(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	return decode(resp.StatusCode, text, answer)
}

// decode reads an answer, or the error that it is.
func decode(status int, text []byte, answer any) error {
	if status != http.StatusOK {
		e := &Error{}
		if json.Unmarshal(text, e) != nil || e.Text == "" {
			e.Text = fmt.Sprintf("it answers %d to /v3/, which etcd serves from version 3.4 on", status)
		}
		return e
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("reading an answer of etcd: %w", err)
	}
	return nil
}

// b64 is a key or value as the gateway takes it.
func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// op is a request of a transaction, and compare a condition of it.
type (
	op      map[string]any
	compare map[string]any
)

func put(key, value, lease string) op {
	p := map[string]any{"key": b64(key), "value": b64(value)}
	if lease != "" {
		p["lease"] = lease
	}
	return op{"request_put": p}
}

func del(key string) op { return op{"request_delete_range": map[string]any{"key": b64(key)}} }

// createdAt holds when the key was created at that revision; "0" when it is not
// there.
func createdAt(key, revision string) compare {
	return compare{"key": b64(key), "target": "CREATE", "result": "EQUAL", "create_revision": revision}
}

// greater holds when the value of the key is greater, byte by byte; never for a
// key that is not there.
func greater(key, value string) compare {
	return compare{"key": b64(key), "target": "VALUE", "result": "GREATER", "value": b64(value)}
}

// less holds when the value of the key is less, byte by byte.
func less(key, value string) compare {
	return compare{"key": b64(key), "target": "VALUE", "result": "LESS", "value": b64(value)}
}

// txn runs one transaction: then when all conditions hold, else otherwise.
func (g *gateway) txn(ctx context.Context, conditions []compare, then, otherwise []op) (held bool, revision string, err error) {
	var answer struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
		Succeeded bool `json:"succeeded"`
	}
	err = g.call(ctx, "kv/txn", map[string]any{"compare": conditions, "success": then, "failure": otherwise}, &answer)
	return answer.Succeeded, answer.Header.Revision, err
}

// get reads the value of a key, "" when it is not there.
func (g *gateway) get(ctx context.Context, key string) (string, error) {
	var answer struct {
		KVs []struct {
			Value []byte `json:"value"`
		} `json:"kvs"`
	}
	err := g.call(ctx, "kv/range", map[string]any{"key": b64(key)}, &answer)
	if err != nil || len(answer.KVs) == 0 {
		return "", err
	}
	return string(answer.KVs[0].Value), nil
}
