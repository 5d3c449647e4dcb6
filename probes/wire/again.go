package wire

import "errors"

// errAgain means that a direction waits for bytes, or for room for them. Only
// connections of the engine give it.
var errAgain = errors.New("nothing to read or no room to write")
