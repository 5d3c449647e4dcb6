package exit

// known turns an error of another room into the problem a user sees; nil when
// it is of no kind that carries a code or a hint.
func known(err error) *Error {
	switch e := err.(type) {
	case *Error:
		return e
	}
	return nil
}
