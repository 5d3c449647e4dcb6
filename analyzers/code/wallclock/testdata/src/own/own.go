// Package own checks the tokens that another package of its module signs.
package own

import (
	"own/tokens"

	"github.com/golang-jwt/jwt/v5"
)

func Renew(raw string, key jwt.Keyfunc, secret any) (string, error) {
	t, err := jwt.Parse(raw, key)
	if err != nil {
		return "", err
	}
	return tokens.Sign(t, secret)
}
