package process

import "errors"

// OpenInspector is not possible on Windows, which has no signals.
func OpenInspector(int) error {
	return errors.New("there are no signals on Windows: start it with node --inspect")
}
