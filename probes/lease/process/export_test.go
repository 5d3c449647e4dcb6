//go:build unix

package process

import "time"

// Silence sets how long an answer may take.
func (c *Client) Silence(d time.Duration) { c.silence = d }
