package target

import (
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// managedRoles are roles that providers create in every database they run. They
// show a managed server even through a tunnel.
var managedRoles = map[string]string{
	"rds_superuser":     "Amazon RDS or Aurora",
	"cloudsqlsuperuser": "Google Cloud SQL",
	"alloydbsuperuser":  "Google AlloyDB",
	"azure_pg_admin":    "Azure Database for PostgreSQL",
	"neon_superuser":    "Neon",
	"doadmin":           "DigitalOcean",
	"avnadmin":          "Aiven",
}

// managedHosts are the domains of their servers.
var managedHosts = []struct{ suffix, name string }{
	{".rds.amazonaws.com", "Amazon RDS or Aurora"},
	{".rds.amazonaws.com.cn", "Amazon RDS or Aurora"},
	{".redshift.amazonaws.com", "Amazon Redshift"},
	{".compute.amazonaws.com", "a server at Amazon (Heroku Postgres is there)"},
	{".postgres.database.azure.com", "Azure Database for PostgreSQL"},
	{".cosmos.azure.com", "Azure Cosmos DB"},
	{".sql.goog", "Google Cloud SQL"},
	{".alloydb.goog", "Google AlloyDB"},
	{".neon.tech", "Neon"},
	{".supabase.co", "Supabase"},
	{".supabase.com", "Supabase"},
	{".ondigitalocean.com", "DigitalOcean"},
	{".aivencloud.com", "Aiven"},
	{".tsdb.cloud.timescale.com", "Timescale Cloud"},
	{".timescaledb.io", "Timescale Cloud"},
	{".render.com", "Render"},
	{".railway.app", "Railway"},
	{".rlwy.net", "Railway"},
	{".fly.dev", "Fly"},
	{".flycast", "Fly"},
	{".crunchybridge.com", "Crunchy Bridge"},
	{".elephantsql.com", "ElephantSQL"},
	{".xata.sh", "Xata"},
	{".nile.tech", "Nile"},
	{".databases.appdomain.cloud", "IBM Cloud"},
	{".scw.cloud", "Scaleway"},
	{".ubicloud.com", "Ubicloud"},
}

func managedHost(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	for _, m := range managedHosts {
		if strings.HasSuffix(name, m.suffix) {
			return m.name
		}
	}
	return ""
}

// livesIn returns the word of a name that says production, "" when none does.
// Words are runs of letters, so that reproduction, products and liverpool pass.
func livesIn(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, w := range words {
		if productionWord(w) {
			return w
		}
	}
	return ""
}

func productionWord(w string) bool {
	switch w {
	case "prod", "prd", "production", "productive", "primary", "master", "live":
		return true
	}
	// Run together with another word: only what can mean nothing else.
	if rest, ok := strings.CutPrefix(w, "prod"); ok {
		return rest == "db" || rest == "pg" || rest == "sql" || strings.HasPrefix(rest, "uction")
	}
	head, ok := strings.CutSuffix(w, "prod")
	return ok && (head == "db" || head == "pg" || head == "my" || head == "app")
}

// loopback looks at the connection itself, not at the name, which any resolver
// could send elsewhere.
func loopback(conn *pgconn.PgConn) bool {
	switch a := conn.Conn().RemoteAddr().(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	}
	return false
}

// array writes names as a text[] literal.
func array(names []string) string { return "{" + strings.Join(names, ",") + "}" }
