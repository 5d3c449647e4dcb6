package more

import (
	"context"
	"database/sql"
)

type person struct {
	id         int64
	name, mail string
	credit     int
}

func (p *people) get(ctx context.Context, id int64) (person, error) {
	f := person{id: id}
	err := p.db.QueryRowContext(ctx, "SELECT name, mail, credit FROM people WHERE id = $1", id).Scan(&f.name, &f.mail, &f.credit)
	return f, err
}

type people struct{ db *sql.DB }

func (p *people) save(ctx context.Context, f person) error {
	_, err := p.db.ExecContext(ctx, "UPDATE people SET name = $1, mail = $2, credit = $3 WHERE id = $4", f.name, f.mail, f.credit, f.id)
	return err
}

// Rename writes the credit back as it was.
func (p *people) Rename(ctx context.Context, id int64, name string) error {
	f, err := p.get(ctx, id)
	if err != nil {
		return err
	}
	f.name = name
	return p.save(ctx, f) // want "all columns of people are saved"
}

// Patch sets what the caller gives, most of the row.
func (p *people) Patch(ctx context.Context, id int64, name, mail string) error {
	f, err := p.get(ctx, id)
	if err != nil {
		return err
	}
	if name != "" {
		f.name = name
	}
	if mail != "" {
		f.mail = mail
	}
	return p.save(ctx, f)
}

// Move writes what it sets, and no more.
func (p *people) Move(ctx context.Context, id int64, mail string) error {
	f, err := p.get(ctx, id)
	if err != nil {
		return err
	}
	f.mail = mail
	_, err = p.db.ExecContext(ctx, "UPDATE people SET mail = $1 WHERE id = $2", f.mail, f.id)
	return err
}

// Copy writes to another row.
func (p *people) Copy(ctx context.Context, from, to int64) error {
	f, err := p.get(ctx, from)
	if err != nil {
		return err
	}
	f.id, f.name = to, "copy"
	return p.save(ctx, f)
}
