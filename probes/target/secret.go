package target

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// hidden stands wherever a secret would.
const hidden = "xxxxx"

// Secret is a text that is printed by no verb, encoder or logger. Reveal is
// the one way to read it. The text is behind a function, because fmt calls no
// methods on the unexported fields of a struct but prints what is in them.
type Secret struct{ reveal func() string }

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

// Reveal returns the text; "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// String is a fixed word, the same for every secret and for none.
func (s Secret) String() string { return hidden }

// GoString is String.
func (s Secret) GoString() string { return hidden }

// Format writes String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// MarshalJSON writes String.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText writes String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// scrub takes the secret out of a foreign text: a server may quote what it was
// sent. Shorter secrets are left, since every word would lose letters and the
// gaps would tell the secret.
func (s Secret) scrub(text string) string {
	secret := s.Reveal()
	if len(secret) < 4 {
		return text
	}
	return strings.ReplaceAll(text, secret, hidden)
}
