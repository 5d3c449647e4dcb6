package parser

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func Bad(raw string, key jwt.Keyfunc) (*jwt.Token, error) {
	return jwt.Parse(raw, key, jwt.WithIssuer("me")) // want `checked without leeway`
}

func Good(raw string, key jwt.Keyfunc) (*jwt.Token, error) {
	return jwt.Parse(raw, key, jwt.WithLeeway(time.Minute))
}

func Given(raw string, key jwt.Keyfunc, opts ...jwt.ParserOption) (*jwt.Token, error) {
	return jwt.Parse(raw, key, opts...)
}

// apart takes a token apart, to see which key it names: no time is compared.
func apart(raw string) (*jwt.Token, error) {
	t, _, err := jwt.NewParser().ParseUnverified(raw, nil)
	return t, err
}

// both does that first, and then lets the same parser compare the times.
func both(raw string, key jwt.Keyfunc) (*jwt.Token, error) {
	p := jwt.NewParser() // want `checked without leeway`
	if _, _, err := p.ParseUnverified(raw, nil); err != nil {
		return nil, err
	}
	return p.Parse(raw, key)
}
