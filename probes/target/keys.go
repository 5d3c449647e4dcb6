package target

import (
	"fmt"
	"slices"
)

// connectionKeys are the parameters that pgconn understands, in libpq's
// spelling ("Database Connection Control Functions" in PostgreSQL's manual),
// and the settings that may come with them.
var connectionKeys = []string{
	"host", "port", "dbname", "database", "user", "password", "passfile", "service", "servicefile",
	"connect_timeout", "target_session_attrs", "options", "application_name", "timezone", "client_encoding",
	"ssl", "sslmode", "sslkey", "sslcert", "sslcertmode", "sslrootcert", "sslnegotiation", "sslpassword", "sslsni",
	"krbspn", "krbsrvname", "channel_binding", "require_auth", "min_protocol_version", "max_protocol_version",
}

// ignored are keys of other clients, and settings that ccheck sets itself. They
// are dropped; true means without a word, since nothing is lost.
var ignored = map[string]bool{
	"application_name": true, "client_encoding": true, "fallback_application_name": true,
	"keepalives": true, "keepalives_idle": true, "keepalives_interval": true, "keepalives_count": true,
	"tcp_user_timeout": true, "gssencmode": true, "gssdelegation": true, "sslcompression": true,
	"load_balance_hosts": false,
	// Settings of every session of ccheck's own.
	"search_path": false, "statement_timeout": false, "lock_timeout": false,
	"idle_in_transaction_session_timeout": false, "transaction_timeout": false,
	// pgx and its pool.
	"pool_max_conns": false, "pool_min_conns": false, "pool_max_conn_lifetime": false, "pool_max_conn_idle_time": false,
	"pool_health_check_period": false, "default_query_exec_mode": false, "statement_cache_capacity": false, "description_cache_capacity": false,
	// Prisma, whose URL often is the one in DATABASE_URL.
	"schema": false, "connection_limit": false, "pool_timeout": false, "pgbouncer": false, "socket_timeout": false,
	// lib/pq.
	"binary_parameters": false,
}

// unsupported are keys of libpq that change where or how safely it connects and
// that pgconn does not know. To ignore them would be to do something else.
var unsupported = map[string]string{
	"hostaddr":                 "give the address as host",
	"sslcrl":                   "revocation lists are not read; leave it out if that is acceptable",
	"sslcrldir":                "revocation lists are not read; leave it out if that is acceptable",
	"requirepeer":              "leave it out if that is acceptable",
	"requiressl":               "use sslmode=require",
	"ssl_min_protocol_version": "leave it out: at least TLS 1.2 is used",
	"ssl_max_protocol_version": "leave it out",
	"replication":              "ccheck runs ordinary sessions; leave it out",
	"sslaccept":                "use sslmode=verify-full or sslmode=require",
}

// meant are words that other tools use for a key.
var meant = map[string]string{
	"username": "user", "usr": "user", "role": "user",
	"pass": "password", "passwd": "password", "pwd": "password", "pw": "password", "pgpassword": "password",
	"db": "dbname", "databasename": "dbname", "database_name": "dbname", "name": "dbname",
	"hostname": "host", "server": "host", "address": "host", "addr": "host",
	"ssl_mode": "sslmode", "ssl-mode": "sslmode", "timeout": "connect_timeout",
}

// allowedKeys are all keys that a connection string may hold; what the ignored
// and the unsupported ones mean is decided after parsing.
func allowedKeys() []string {
	return slices.Concat(connectionKeys, sortedKeys(ignored), sortedKeys(unsupported))
}

// unknownKey shows the key only when it is clear what was meant.
func unknownKey(g given, key string) *Error {
	want := meant[key]
	if want == "" {
		i := slices.IndexFunc(connectionKeys, func(k string) bool { return oneSlip(key, k) })
		if i < 0 {
			return usage(g.name+" has a key that is no connection parameter (not shown: it may be a piece of a password)",
				"put values with spaces in single quotes; give settings of the server as options='-c name=value'")
		}
		want = connectionKeys[i]
	}
	return usage(fmt.Sprintf("%s has the unknown key %q", g.name, key), fmt.Sprintf("did you mean %q?", want))
}

// oneSlip reports whether a becomes b by one letter added, lost or changed, or
// by two neighbours swapped.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i == len(a) || a[i+1:] == b[i+1:] || swapped
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}
