package exit

import (
	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/target"
)

// known turns an error of another room into the problem a user sees; nil when
// it is of no kind that carries a code or a hint.
func known(err error) *Error {
	switch e := err.(type) {
	case *Error:
		return e
	case *target.Error:
		return &Error{Code: e.Exit, Msg: e.Msg, Hint: e.Hint, Err: e}
	case *scenario.Error:
		return &Error{Code: Usage, Msg: e.Error(), Hint: e.Hint, Err: e}
	case *script.SyntaxError:
		return &Error{Code: Usage, Msg: e.Error(), Hint: e.Hint, Err: e}
	}
	return nil
}
