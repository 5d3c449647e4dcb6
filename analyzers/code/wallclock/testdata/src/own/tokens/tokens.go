package tokens // want package:"signs tokens"

import "github.com/golang-jwt/jwt/v5"

func Sign(t *jwt.Token, key any) (string, error) { return t.SignedString(key) }
