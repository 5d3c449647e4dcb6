package target

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// byteOrderMark is what editors on Windows put before the text.
const byteOrderMark = "\ufeff"

// maxSource is the longest connection string that is read, in bytes.
const maxSource = 64 << 10

// Source is where a target may be named. The first that is given wins: DSN or
// DSNFile, CCHECK_DSN, DATABASE_URL if asked for, and at last the PG*
// variables. DATABASE_URL needs to be asked for because in many shells it is
// production's.
type Source struct {
	// DSN is the value of --dsn: a URL, keyword=value pairs, env:NAME for a
	// variable that holds one of these, or - for one line on Stdin.
	DSN string
	// DSNGiven says that --dsn was written, even with an empty value: then an
	// empty one is an error and nothing else is looked at.
	DSNGiven bool
	// DSNFile is a file that holds a URL or keyword=value pairs.
	DSNFile        string
	UseDatabaseURL bool
	// Env looks up a variable, as os.Getenv does. The PG* variables are read by
	// pgconn from the environment of the process.
	Env   func(string) string
	Stdin io.Reader
	// Throwaway marks a server that ccheck started itself.
	Throwaway bool
}

// given is a connection string and what to call it in an error.
type given struct {
	text string
	name string
	argv bool // seen by every user of the machine who runs ps
}

// Parse finds the target and checks it as far as that goes without a
// connection. Its errors are *Error and quote nothing that was read, neither
// values nor names of keys, except a key that is one slip away from a known
// one: where text breaks in the wrong place, anything in it may be a piece of
// a password.
func Parse(src Source) (*Target, error) {
	if src.Env == nil {
		src.Env = func(string) string { return "" }
	}
	g, err := src.find()
	if err != nil {
		return nil, err
	}
	t, err := parse(g)
	if err != nil {
		return nil, err
	}
	t.Throwaway = src.Throwaway
	t.Warnings = append(t.Warnings, src.warnings(g)...)
	return t, nil
}

func (src Source) find() (given, error) {
	flag := src.DSNGiven || src.DSN != ""
	switch {
	case flag && src.DSNFile != "":
		return given{}, usage("--dsn and --dsn-file are both given", "leave one of them out")
	case flag:
		return src.fromFlag()
	case src.DSNFile != "":
		return src.fromFile()
	case src.Env("CCHECK_DSN") != "":
		return given{text: src.Env("CCHECK_DSN"), name: "CCHECK_DSN"}, nil
	case src.UseDatabaseURL && src.Env("DATABASE_URL") != "":
		return given{text: src.Env("DATABASE_URL"), name: "DATABASE_URL"}, nil
	case src.UseDatabaseURL:
		return given{}, usage("--use-database-url is given but DATABASE_URL is not set", "set DATABASE_URL, or name the server with --dsn")
	case src.Env("PGHOST") != "" || src.Env("PGSERVICE") != "" || src.Env("PGDATABASE") != "":
		return given{name: "the PG* environment"}, nil
	}
	err := usage("no server is named", "give --dsn, or set CCHECK_DSN, PGHOST or PGSERVICE")
	err.Kind = NoTarget
	return given{}, err
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (src Source) fromFlag() (given, error) {
	if src.DSN == "-" {
		return src.fromStdin()
	}
	name, ok := strings.CutPrefix(src.DSN, "env:")
	switch {
	case strings.TrimSpace(src.DSN) == "":
		return given{}, usage("--dsn is empty", "is the variable that it was to come from set?")
	case !ok:
		return given{text: src.DSN, name: "--dsn", argv: true}, nil
	case !variable.MatchString(name):
		return given{}, usage("--dsn env: needs the name of an environment variable", "write --dsn env:NAME")
	case strings.TrimSpace(src.Env(name)) == "":
		return given{}, notSet(name)
	}
	return given{text: src.Env(name), name: name}, nil
}

// notSet shows the name only when it is written as names of variables are: it
// may be a password in the wrong place.
func notSet(name string) error {
	if strings.ToUpper(name) != name {
		return usage("--dsn env: names a variable that is not set", "write --dsn env:NAME, and export NAME")
	}
	return usage(fmt.Sprintf("--dsn env:%s: the variable is not set", name), "set and export "+name)
}

func (src Source) fromStdin() (given, error) {
	if src.Stdin == nil {
		return given{}, usage("--dsn - reads standard input, but there is none", "pipe the connection string in")
	}
	text, err := read(src.Stdin)
	if err != nil {
		return given{}, usage("standard input holds no connection string: "+err.Error(), "pipe in one line, such as postgres://user@host/db")
	}
	return given{text: text, name: "standard input"}, nil
}

// fromFile takes care of the slip of giving the connection string itself to
// --dsn-file: the system's error would quote it as a path.
func (src Source) fromFile() (given, error) {
	if strings.Contains(src.DSNFile, "://") || strings.Contains(src.DSNFile, "=") {
		return given{}, usage("--dsn-file needs the path of a file, and this looks like a connection string", "use --dsn, or write it to a file of mode 0600")
	}
	f, err := os.Open(src.DSNFile)
	if err != nil {
		return given{}, usage("--dsn-file: "+err.Error(), "write the connection string to a file of mode 0600")
	}
	defer f.Close()
	text, err := read(f)
	if err != nil {
		return given{}, usage(fmt.Sprintf("--dsn-file %s holds no connection string: %v", src.DSNFile, err), "write one line, such as postgres://user@host/db")
	}
	return given{text: text, name: "--dsn-file"}, nil
}

func read(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	switch text := strings.TrimSpace(strings.TrimPrefix(string(b), byteOrderMark)); {
	case err != nil:
		return "", err
	case len(b) > maxSource:
		return "", fmt.Errorf("it is longer than %d KiB", maxSource>>10)
	case text == "":
		return "", fmt.Errorf("it is empty")
	default:
		return text, nil
	}
}

func (src Source) warnings(g given) []string {
	var list []string
	if g.argv && holdsPassword(g.text) {
		list = append(list, "the password in --dsn can be seen by everybody on this machine (ps); use --dsn-file, --dsn env:NAME, ~/.pgpass or PGPASSWORD")
	}
	if src.Env("PGHOSTADDR") != "" {
		list = append(list, "PGHOSTADDR has no effect here; ccheck connects to the host that is named")
	}
	if src.DSNFile != "" && openToOthers(src.DSNFile) {
		list = append(list, fmt.Sprintf("%s can be read by other users; chmod 600 it", src.DSNFile))
	}
	return list
}

func openToOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0
}
