package more

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"

	"gorm.io/gorm"
)

type options struct {
	ID      int64
	Theme   string
	Hours   int
	Version int
}

type mode struct {
	ID    int64
	Theme string
	Hours int
}

type optionStore struct{ db *sql.DB }

func (o *optionStore) load(ctx context.Context, id int64) (*options, error) {
	c := &options{ID: id}
	err := o.db.QueryRowContext(ctx, "SELECT theme, hours FROM options WHERE id = $1", id).Scan(&c.Theme, &c.Hours)
	return c, err
}

func (o *optionStore) store(ctx context.Context, c *options) error {
	_, err := o.db.ExecContext(ctx, "UPDATE options SET theme = $1, hours = $2 WHERE id = $3", c.Theme, c.Hours, c.ID)
	return err
}

// Patch lays what the request names over what was read.
func (o *optionStore) Patch(r *http.Request, id int64) error {
	c, err := o.load(r.Context(), id)
	if err != nil {
		return err
	}
	if err := json.NewDecoder(r.Body).Decode(c); err != nil {
		return err
	}
	return o.store(r.Context(), c) // want "all columns of options are saved"
}

func decodeBody(r io.Reader, into any) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// Lay has a helper that decodes.
func (o *optionStore) Lay(ctx context.Context, id int64, body io.Reader) error {
	c, err := o.load(ctx, id)
	if err != nil {
		return err
	}
	if err := decodeBody(body, c); err != nil {
		return err
	}
	return o.store(ctx, c) // want "all columns of options are saved"
}

// Inline reads the row into a variable of its own.
func (o *optionStore) Inline(ctx context.Context, id int64, body []byte) error {
	c := options{ID: id}
	if err := o.db.QueryRowContext(ctx, "SELECT theme, hours FROM options WHERE id = $1", id).Scan(&c.Theme, &c.Hours); err != nil {
		return err
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	_, err := o.db.ExecContext(ctx, "UPDATE options SET theme = $1, hours = $2 WHERE id = $3", c.Theme, c.Hours, id) // want "all columns of options are saved"
	return err
}

// layOverORM has an ORM write the whole row.
func layOverORM(db *gorm.DB, id int64, body io.Reader) error {
	var c mode
	if err := db.First(&c, id).Error; err != nil {
		return err
	}
	if err := json.NewDecoder(body).Decode(&c); err != nil {
		return err
	}
	return db.Save(&c).Error // want "all columns of modes are saved"
}

// Replace writes what the caller has filled in, all of it.
func (o *optionStore) Replace(ctx context.Context, id int64, body io.Reader) error {
	if _, err := o.load(ctx, id); err != nil {
		return err
	}
	var form options
	if err := decodeBody(body, &form); err != nil {
		return err
	}
	form.ID = id
	return o.store(ctx, &form)
}

// Versioned compares what it has read in the write.
func (o *optionStore) Versioned(ctx context.Context, id int64, body io.Reader) (bool, error) {
	var c options
	if err := o.db.QueryRowContext(ctx, "SELECT theme, hours, version FROM options WHERE id = $1", id).Scan(&c.Theme, &c.Hours, &c.Version); err != nil {
		return false, err
	}
	version := c.Version
	if err := json.NewDecoder(body).Decode(&c); err != nil {
		return false, err
	}
	res, err := o.db.ExecContext(ctx, "UPDATE options SET theme = $1, hours = $2, version = version + 1 WHERE id = $3 AND version = $4", c.Theme, c.Hours, id, version)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Locked holds the row until it has written.
func (o *optionStore) Locked(ctx context.Context, id int64, body io.Reader) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var c options
	if err := tx.QueryRowContext(ctx, "SELECT theme, hours FROM options WHERE id = $1 FOR UPDATE", id).Scan(&c.Theme, &c.Hours); err != nil {
		return err
	}
	if err := json.NewDecoder(body).Decode(&c); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE options SET theme = $1, hours = $2 WHERE id = $3", c.Theme, c.Hours, id); err != nil {
		return err
	}
	return tx.Commit()
}

// The key comes as the text that it has in the path.
func layByText(db *gorm.DB, r *http.Request) error {
	var c mode
	if err := db.First(&c, r.PathValue("id")).Error; err != nil {
		return err
	}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return err
	}
	return db.Save(&c).Error // want "all columns of modes are saved"
}

// What somebody else wrote as a condition is no key.
func layWhere(db *gorm.DB, cond string, body io.Reader) error {
	var c mode
	if err := db.First(&c, cond).Error; err != nil {
		return err
	}
	return db.Model(&mode{}).Where("hours = ?", 3).Update("theme", c.Theme).Error
}
