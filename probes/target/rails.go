package target

import (
	"fmt"
	"strings"
)

// The bounds above which a server is taken for one that others need.
const (
	maxOthers = 20       // client connections that are not ours
	maxRate   = 50       // transactions per second
	maxSize   = 10 << 30 // bytes
	maxTables = 50
)

// Override is what a user says about a server that the rails refuse.
type Override struct {
	// Database is the value of --i-know-this-is: the exact name of the database.
	// It must come from the command line, never from a file.
	Database string
}

// Refuse returns an *Error with exit code 5 and every reason when the server
// may be one that others need, unless the user has typed the name of its
// database. A wrong name is refused even where nothing else is: whoever typed
// it thinks of another server.
func Refuse(f Facts, o Override) error {
	if o.Database != "" && o.Database != f.Database {
		return refused(Rail, fmt.Sprintf("--i-know-this-is=%s is not the database at %s, which is %q", o.Database, f.Address, f.Database),
			"look at the connection string: is that the server you mean?")
	}
	reasons := f.Reasons()
	if len(reasons) == 0 || o.Database != "" {
		return nil
	}
	return refused(Rail, fmt.Sprintf("%s may be a server that others need: %s", f.Address, strings.Join(reasons, "; ")),
		fmt.Sprintf("use a copy or let ccheck start a server of its own; if this one may be hammered, add --i-know-this-is=%s", f.Database))
}

// Reasons are the facts that speak against the server, one phrase each. A
// throw-away has none. A loopback connection is excused from what names and
// domains say and from the number of tables, since a developer's own database
// has many; not from activity and size, because a tunnel to production ends on
// loopback too.
func (f Facts) Reasons() []string {
	if f.Throwaway {
		return nil
	}
	var list []string
	if !f.Loopback {
		list = f.nameReasons()
		if f.Tables > maxTables {
			list = append(list, fmt.Sprintf("it has %d tables (limit %d)", f.Tables, maxTables))
		}
	}
	return append(list, f.activityReasons()...)
}

// nameReasons are what the names of the server say against it.
func (f Facts) nameReasons() []string {
	var list []string
	for _, h := range f.Hosts {
		if w := livesIn(h); w != "" {
			list = append(list, fmt.Sprintf("the host %s says %q", h, w))
		}
		if m := managedHost(h); m != "" {
			list = append(list, fmt.Sprintf("the host %s is %s", h, m))
		}
	}
	if w := livesIn(f.Database); w != "" {
		list = append(list, fmt.Sprintf("the database %s says %q", f.Database, w))
	}
	return list
}

func (f Facts) activityReasons() []string {
	var list []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(f.Managed != "", "its roles are those of %s", f.Managed)
	add(f.Replicas > 0, "%s", count(f.Replicas, "replica is attached", "replicas are attached"))
	add(f.Replicas == 0 && f.Slots > 0, "%s", count(f.Slots, "replication slot waits for a replica", "replication slots wait for replicas"))
	add(f.OtherClients > maxOthers, "%d other clients are connected (limit %d)", f.OtherClients, maxOthers)
	add(f.OtherRate > maxRate, "others run %.0f transactions per second (limit %d)", f.OtherRate, maxRate)
	add(f.Size > maxSize, "the database holds %d GiB (limit %d)", f.Size>>30, maxSize>>30)
	return list
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// ConnectionCap returns how many connections may be opened beside the one that
// the facts came through: a quarter of max_connections less the reserved ones,
// half on loopback, never more than are free. raised is the value of an
// explicit --max-connections, 0 for none: it replaces the share, not the bound.
// On a throw-away all free ones may be used. The error, an *Error with exit
// code 5, says why want does not fit.
func (f Facts) ConnectionCap(want, raised int) (int, error) {
	free, usable := f.free(), f.MaxConnections-f.Reserved
	share, words := f.share(usable)
	if raised > 0 {
		share, words = raised, "--max-connections"
	}
	n := max(0, min(share, free))
	switch {
	case want <= n:
		return n, nil
	case want > free:
		return n, refused(Rail, fmt.Sprintf("%d connections are wanted, but %s has only %d free (max_connections %d, %d reserved, %d in use)", want, f.Address, free, f.MaxConnections, f.Reserved, f.Used),
			fmt.Sprintf("use at most %d connections (fewer clients or lanes), or raise max_connections on the server", n))
	}
	return n, refused(Rail, fmt.Sprintf("%d connections are wanted, but %s allows %d of %d at %s", want, words, n, usable, f.Address),
		fmt.Sprintf("use fewer clients or lanes, or allow more with --max-connections=%d (%d are free)", want, free))
}

func (f Facts) share(usable int) (int, string) {
	switch {
	case f.Throwaway:
		return usable, "the server"
	case f.Loopback:
		return usable / 2, "the rail of half the connections"
	}
	return usable / 4, "the rail of a quarter of the connections"
}

// free is the number of connections that the server would still take from us.
func (f Facts) free() int {
	n := f.MaxConnections - f.Reserved - f.Used
	for _, limit := range []int{f.RoleFree, f.DatabaseFree} {
		if limit >= 0 {
			n = min(n, limit)
		}
	}
	return max(0, n)
}
