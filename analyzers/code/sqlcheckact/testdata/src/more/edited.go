package more

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
)

// things have a document and a list in one column each.
type things struct {
	pool *pgxpool.Pool
	x    *sqlx.DB
}

func (t *things) doc(ctx context.Context, id string) (doc map[string]any, err error) {
	err = t.pool.QueryRow(ctx, `SELECT doc FROM things WHERE id = $1`, id).Scan(&doc)
	return doc, err
}

func (t *things) patch(ctx context.Context, id string, patch map[string]any) error {
	doc, err := t.doc(ctx, id)
	if err != nil {
		return err
	}
	maps.Copy(doc, patch)
	_, err = t.pool.Exec(ctx, `UPDATE things SET doc = $1 WHERE id = $2`, doc, id) // want "doc of things is set to a value computed from an earlier read"
	return err
}

func merge(into, from map[string]any) {
	for k, v := range from {
		if v == nil {
			delete(into, k)
			continue
		}
		into[k] = v
	}
}

func (t *things) patchBy(ctx context.Context, id string, patch map[string]any) error {
	doc, err := t.doc(ctx, id)
	if err != nil {
		return err
	}
	merge(doc, patch)
	_, err = t.pool.Exec(ctx, `UPDATE things SET doc = $1 WHERE id = $2`, doc, id) // want "doc of things is set to a value computed from an earlier read"
	return err
}

// replace keeps nothing of the old one.
func (t *things) replace(ctx context.Context, id string, with map[string]any) error {
	old, err := t.doc(ctx, id)
	if err != nil {
		return err
	}
	if len(old) == len(with) {
		with["same"] = true
	}
	_, err = t.pool.Exec(ctx, `UPDATE things SET body = $1 WHERE id = $2`, with, id)
	return err
}

func (t *things) tag(ctx context.Context, id, tag string) error {
	var tags []string
	if err := t.pool.QueryRow(ctx, `SELECT tags FROM things WHERE id = $1`, id).Scan(&tags); err != nil {
		return err
	}
	_, err := t.pool.Exec(ctx, `UPDATE things SET tags = $1 WHERE id = $2`, append(tags, tag), id) // want "tags of things is set to a value computed"
	return err
}

func (t *things) untag(ctx context.Context, id, tag string) error {
	var tags []string
	if err := t.pool.QueryRow(ctx, `SELECT tags FROM things WHERE id = $1`, id).Scan(&tags); err != nil {
		return err
	}
	tags = slices.DeleteFunc(tags, func(s string) bool { return s == tag })
	_, err := t.pool.Exec(ctx, `UPDATE things SET tags = $1 WHERE id = $2`, tags, id) // want "tags of things is set to a value computed"
	return err
}

func (t *things) untagInSQL(ctx context.Context, id, tag string) error {
	_, err := t.pool.Exec(ctx, `UPDATE things SET tags = array_remove(tags, $1) WHERE id = $2`, tag, id)
	return err
}

type look struct {
	Theme string
	Dense bool
}

type account struct {
	ID   string
	Look look
	Mail string
}

func (t *things) account(ctx context.Context, id string) (*account, error) {
	a := &account{ID: id}
	err := t.pool.QueryRow(ctx, `SELECT look, mail FROM accounts WHERE id = $1`, id).Scan(&a.Look, &a.Mail)
	return a, err
}

func (t *things) theme(ctx context.Context, id, theme string) error {
	a, err := t.account(ctx, id)
	if err != nil {
		return err
	}
	a.Look.Theme = theme
	_, err = t.pool.Exec(ctx, `UPDATE accounts SET look = $1 WHERE id = $2`, a.Look, a.ID) // want "look of accounts is set to a value computed"
	return err
}

// mail replaces a column as a whole.
func (t *things) mail(ctx context.Context, id, mail string) error {
	a, err := t.account(ctx, id)
	if err != nil {
		return err
	}
	a.Mail = mail
	_, err = t.pool.Exec(ctx, `UPDATE accounts SET mail = $1 WHERE id = $2`, a.Mail, a.ID)
	return err
}

func (t *things) themeInJSON(ctx context.Context, id, theme string) error {
	var raw []byte
	if err := t.pool.QueryRow(ctx, `SELECT look FROM accounts WHERE id = $1`, id).Scan(&raw); err != nil {
		return err
	}
	var l look
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	l.Theme = theme
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = t.pool.Exec(ctx, `UPDATE accounts SET look = $1 WHERE id = $2`, raw, id) // want "look of accounts is set to a value computed"
	return err
}

// archive puts what was read under names, which changes none of it.
func (t *things) archive(ctx context.Context, id, name string) error {
	var owner, kind sql.NullString
	if err := t.x.QueryRowContext(ctx, `SELECT owner, kind FROM things WHERE id = $1`, id).Scan(&owner, &kind); err != nil {
		return err
	}
	args := map[string]any{"id": id, "name": name}
	args["owner"] = owner
	args["kind"] = kind
	_, err := t.x.NamedExec(`UPDATE things SET name = :name, owner = :owner, kind = :kind WHERE id = :id`, args)
	return err
}
