package postgres

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// settings are the lines of postgresql.conf, ccheck's first and the caller's
// over them.
func (o Options) settings(h home) map[string]string {
	all := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"unix_socket_directories": h.socket,
		"unix_socket_permissions": "0700",
		"max_connections":         strconv.Itoa(o.MaxConnections),
		// Replicas can be added at any time.
		"wal_level":             "replica",
		"max_wal_senders":       "8",
		"max_replication_slots": "8",
		"hot_standby":           "on",
		// Shared memory lies in the directory and goes away with it, even after SIGKILL.
		"dynamic_shared_memory_type": "mmap",
		// Errors are what a probe provokes by the thousand, and it sees each of
		// them itself; LOG, FATAL and PANIC are kept.
		"logging_collector": "off",
		"log_min_messages":  "log",
		"log_checkpoints":   "off",
		"log_line_prefix":   "%m [%p] ",
		// A plan that is compiled now and not then would look like a slow lane.
		"jit": "off",
	}
	if !o.Durable {
		all["fsync"] = "off"
		all["synchronous_commit"] = "off"
		all["full_page_writes"] = "off"
		// Without synchronous commit the log reaches replicas when the writer
		// process wakes up.
		all["wal_writer_delay"] = "10ms"
	}
	maps.Copy(all, o.Settings)
	return all
}

// configure appends settings to the cluster's postgresql.conf, where the last
// line for a name wins.
func (h *home) configure(settings map[string]string) error {
	var b strings.Builder
	b.WriteString("\n# written by ccheck\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = %s\n", name, quote(settings[name]))
	}
	f, err := os.OpenFile(h.path("data/postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configuring the server: %w", err)
	}
	defer f.Close()
	if _, err := f.WriteString(b.String()); err != nil {
		return fmt.Errorf("configuring the server: %w", err)
	}
	return nil
}

// quote writes a value as postgresql.conf reads it.
func quote(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\n", `\n`).Replace(value) + "'"
}
