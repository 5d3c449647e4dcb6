package wallclock

import (
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// objectName is the parameter of a store that names an object.
var objectName = regexp.MustCompile(`(?i)^(key|object(key|name)?|file_?name|blob(name)?|path|dst)$`)

// uploads are functions that store an object under a name, and replace one that has it.
func uploads(c *ssa.Call, name string, v ssa.Value) bool {
	i := strings.LastIndexByte(name, '.')
	switch name = name[i+1:]; {
	case name == "SaveUploadedFile", name == "SaveFile":
		return len(c.Call.Args) > 2 && c.Call.Args[len(c.Call.Args)-1] == v || len(c.Call.Args) > 2 && c.Call.Args[2] == v
	case strings.HasPrefix(name, "Put"), strings.HasPrefix(name, "Upload"), strings.HasPrefix(name, "Store"), strings.HasPrefix(name, "Write"):
		return objectName.MatchString(parameterOf(c, v))
	}
	return false
}

// parameterOf is the name of the parameter that a value is handed over as.
func parameterOf(c *ssa.Call, v ssa.Value) string {
	sig, shift := c.Call.Signature(), 0
	if sig.Recv() != nil && !c.Call.IsInvoke() {
		shift = 1
	}
	for i, a := range c.Call.Args {
		if a == v && i >= shift && i-shift < sig.Params().Len() {
			return sig.Params().At(i - shift).Name()
		}
	}
	return ""
}
