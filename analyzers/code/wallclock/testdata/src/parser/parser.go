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

// Handler makes the options once, for the function that has them from around.
func Handler(key jwt.Keyfunc) func(raw string) error {
	issuer := jwt.WithIssuer("me")
	return func(raw string) error {
		_, err := jwt.Parse(raw, key, issuer) // want `checked without leeway`
		return err
	}
}

// Lenient makes one of them a leeway, Chosen takes the one it is asked for.
func Lenient(key jwt.Keyfunc) func(raw string) error {
	leeway := jwt.WithLeeway(time.Minute)
	return func(raw string) error {
		_, err := jwt.Parse(raw, key, leeway)
		return err
	}
}

func Chosen(key jwt.Keyfunc, lenient bool) func(raw string) error {
	option := jwt.WithIssuer("me")
	if lenient {
		option = jwt.WithLeeway(time.Minute)
	}
	return func(raw string) error {
		_, err := jwt.Parse(raw, key, option)
		return err
	}
}
