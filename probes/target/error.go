package target

// Kind says what sort of mend an Error needs.
type Kind string

// The kinds.
const (
	Usage       Kind = "usage"        // correct the command line, the file or the variable
	NoTarget    Kind = "no target"    // no server was named anywhere
	Unreachable Kind = "unreachable"  // start the server, or correct host and port
	NoHost      Kind = "no host"      // correct the host name
	Password    Kind = "password"     // correct the password
	NoEntry     Kind = "no entry"     // pg_hba.conf or the role has to let us in
	NoDatabase  Kind = "no database"  // create the database, or correct its name
	NotPostgres Kind = "not postgres" // something else answers there
	TLS         Kind = "tls"          // correct sslmode or the certificates
	Full        Kind = "full"         // wait, or free connections
	Starting    Kind = "starting"     // wait
	TooOld      Kind = "too old"      // upgrade
	Replica     Kind = "replica"      // name the primary
	Pooler      Kind = "pooler"       // connect to PostgreSQL itself
	Rights      Kind = "rights"       // GRANT
	Lost        Kind = "lost"         // the connection or the server went away
	Disk        Kind = "disk"         // make room on the server
	Rail        Kind = "rail"         // a safety rail refused
	Busy        Kind = "busy"         // another run works in this database
	Interrupted Kind = "interrupted"  // ended by a signal or a time-out of ours
	Server      Kind = "server"       // any other answer of the server
)

// The exit codes of docs/exit-codes.md that an Error can ask for.
const (
	exitUsage   = 2
	exitFailed  = 3
	exitRefused = 5
)

// Error is a problem as the user should see it. Msg is one sentence that names
// the target and the reason, Hint is the mend, Exit the exit code. Neither text
// holds a password.
type Error struct {
	Kind Kind
	Msg  string
	Hint string
	Exit int
	// err is the cause when it is safe to keep: an answer of the server, or the
	// end of a context. Errors of pgconn that hold its Config are dropped.
	err error
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns the server's answer or the context's error; nil otherwise.
func (e *Error) Unwrap() error { return e.err }

func usage(msg, hint string) *Error {
	return &Error{Kind: Usage, Msg: msg, Hint: hint, Exit: exitUsage}
}

func failed(kind Kind, msg, hint string) *Error {
	return &Error{Kind: kind, Msg: msg, Hint: hint, Exit: exitFailed}
}

func refused(kind Kind, msg, hint string) *Error {
	return &Error{Kind: kind, Msg: msg, Hint: hint, Exit: exitRefused}
}
