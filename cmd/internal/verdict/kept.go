package verdict

import "os"

// Kept tells where the record of a run that broke off is, as a hint.
func Kept(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "name another file with --history, or set XDG_STATE_HOME to a folder that can be written"
	}
	return "what was recorded until then is in " + path
}
