package claims

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"math/big"
	"time"
)

// What others refuse when their clock is behind.

type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func (a *authority) issue(serial *big.Int, pub crypto.PublicKey) ([]byte, error) {
	return x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    time.Now(), // want `good from the tick in which it was made`
		NotAfter:     time.Now().Add(time.Hour),
	}, a.cert, pub, a.key)
}

func payload(sub string) ([]byte, error) {
	now := time.Now()
	return json.Marshal(map[string]any{
		"sub": sub,
		"iat": now.Unix(),
		"nbf": now.Unix(), // want `good from the tick in which it was made`
		"exp": now.Add(time.Hour).Unix(),
	})
}

// Near misses: it begins earlier; a certificate that signs itself.

func (a *authority) early(serial *big.Int, pub crypto.PublicKey) ([]byte, error) {
	tmpl := &x509.Certificate{SerialNumber: serial, NotBefore: time.Now().Add(-time.Minute)}
	return x509.CreateCertificate(rand.Reader, tmpl, a.cert, pub, a.key)
}

func self(key *ecdsa.PrivateKey) ([]byte, error) {
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now()}
	return x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
}

// The tag says what the field is.

type grant struct {
	From time.Time `json:"valid_from"`
	To   time.Time `json:"valid_to"`
}

func (g grant) check() error {
	if time.Now().Before(g.From) { // want `compared to the local clock without leeway`
		return errors.New("not valid yet")
	}
	return nil
}
