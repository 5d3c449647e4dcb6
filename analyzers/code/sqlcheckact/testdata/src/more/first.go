package more

import "context"

// The read asks for constants alone, and the new row has them.
func firstKey(ctx context.Context, kid string) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM signing_keys WHERE is_active").Scan(&n); err != nil || n > 0 {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO signing_keys (kid, is_active) VALUES ($1, true)", kid) // want "a row of signing_keys is inserted because none was found"
	return err
}

func firstAdmin(ctx context.Context, mail string) error {
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM members WHERE role = 'admin')").Scan(&there); err != nil || there {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO members (mail, role) VALUES ($1, $2)", mail, "admin") // want "a row of members is inserted because none was found"
	return err
}

// It would not be found, so that there may be two of them anyway.
func firstGuest(ctx context.Context, mail string) error {
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM members WHERE role = 'admin')").Scan(&there); err != nil || there {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO members (mail, role) VALUES ($1, 'guest')", mail)
	return err
}
