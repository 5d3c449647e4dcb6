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
