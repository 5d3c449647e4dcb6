package scaffold

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Folder  string
	Table   string
	Key     string
	KeyType string
	Package string // "" for the name of the folder
}

const long = `Writes a double-entry ledger for a table of accounts that you have: a migration in
which the server holds what must hold (entries are never changed, a posting sums to
zero, a balance is the sum of its entries and does not fall below its floor, a
request is posted once), Go code for pgx, and tests that run two transfers through
every interleaving at all three isolation levels.

FOLDER is made; it is a package of your module. Your own table is referred to and
not changed. Amounts are whole numbers of the smallest unit.`

const example = `
# for a table account (id bigint)
ccheck scaffold ledger

# for a table customers with a uuid
ccheck scaffold ledger ./internal/ledger --table customers --key customer_id --key-type uuid

# then
go get github.com/jackc/pgx/v5 github.com/ccheck/ccheck
go test ./ledger`

func newLedger(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "ledger [folder]",
		Short:   "Write a double-entry ledger for your own table of accounts",
		Long:    long,
		Example: example,
		Args:    flags.Args("[FOLDER]"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Folder = "ledger"
			if len(args) > 0 {
				o.Folder = args[0]
			}
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(o)
			}
			return o.write()
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Table, "table", "account", "your `table` of accounts")
	f.StringVar(&o.Key, "key", "id", "its primary key, one `column`")
	f.StringVar(&o.KeyType, "key-type", "bigint", "the `type` of the key: "+strings.Join(keyTypes, ", "))
	f.StringVar(&o.Package, "package", "", "the `name` of the Go package (default: that of the folder)")
	return cmd
}

var (
	keyTypes   = []string{"bigint", "integer", "uuid", "text"}
	identifier = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	goName     = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
)

// resolve checks what can be checked before anything is written.
func (o *Options) resolve() error {
	for _, n := range []struct{ flag, name string }{{"--table", o.Table}, {"--key", o.Key}} {
		if !identifier.MatchString(n.name) {
			return exit.Usagef("%s %s is no name that the migration can hold", n.flag, flags.Shown(n.name)).
				WithHint("it takes lower-case letters, digits and _; put a schema or quotes into the files afterwards")
		}
	}
	if slices.Contains([]string{"ledger_balance", "ledger_posting", "ledger_entry"}, o.Table) {
		return exit.Usagef("--table %s is a table of the ledger itself", o.Table).WithHint("name your own table of accounts")
	}
	if err := flags.Word("--key-type", o.KeyType, keyTypes); err != nil {
		return err
	}
	if o.Package == "" {
		name := strings.ToLower(filepath.Base(filepath.Clean(o.Folder)))
		o.Package = strings.NewReplacer("-", "", "_", "").Replace(name)
	}
	if !goName.MatchString(o.Package) {
		return exit.Usagef("%s is no name of a Go package", flags.Shown(o.Package)).WithHint("give one with --package, such as ledger")
	}
	return nil
}
