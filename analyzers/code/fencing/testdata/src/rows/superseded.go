package rows

import (
	"context"
	"database/sql"
	"errors"
)

type peers struct{ db *sql.DB }

func (p *peers) connect(ctx context.Context, id string, session int64) error {
	res, err := p.db.ExecContext(ctx, `UPDATE peers SET connected = true, session = $2 WHERE id = $1 AND session < $2`, id, session)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("superseded"))
	}
	return nil
}

func (p *peers) stream(ctx context.Context, id string, session int64, serve func(context.Context) error) error {
	if err := p.connect(ctx, id, session); err != nil {
		return err
	}
	err := serve(ctx)
	_, e := p.db.ExecContext(context.WithoutCancel(ctx), `UPDATE peers SET connected = false WHERE id = $1`, id) // want `a row that a newer owner takes over by session`
	return errors.Join(err, e)
}

func (p *peers) Disconnect(ctx context.Context, id string) error {
	_, err := p.db.ExecContext(ctx, `UPDATE peers SET connected = false, seen_at = now() WHERE id = $1`, id) // want `a row that a newer owner takes over by session`
	return err
}

func (p *peers) online(ctx context.Context, user string, epoch int64) error {
	_, err := p.db.ExecContext(ctx, `INSERT INTO presence (user_id, epoch, online) VALUES ($1, $2, true)
		ON CONFLICT (user_id) DO UPDATE SET epoch = EXCLUDED.epoch, online = true WHERE presence.epoch < EXCLUDED.epoch`, user, epoch)
	return err
}

func (p *peers) goOffline(ctx context.Context, user string) error {
	_, err := p.db.ExecContext(ctx, `DELETE FROM presence WHERE user_id = $1`, user) // want `a row that a newer owner takes over by epoch`
	return err
}

// The session is asked for; another column is written; what nobody took over; tries
// that are counted up to a limit.

func (p *peers) disconnectMine(ctx context.Context, id string, session int64) error {
	_, err := p.db.ExecContext(ctx, `UPDATE peers SET connected = false WHERE id = $1 AND session = $2`, id, session)
	return err
}

func (p *peers) closeTicket(ctx context.Context, id string) error {
	_, err := p.db.ExecContext(ctx, `UPDATE peers SET ticket = NULL WHERE id = $1`, id)
	return err
}

func (p *peers) rename(ctx context.Context, id, name string) error {
	_, err := p.db.ExecContext(ctx, `UPDATE peers SET name = $2 WHERE id = $1`, id, name)
	return err
}

func (p *peers) try(ctx context.Context, id string, send func() error) error {
	if _, err := p.db.ExecContext(ctx, `UPDATE mails SET state = 'sending', token_uses = token_uses + 1 WHERE id = $1 AND token_uses < 5`, id); err != nil {
		return err
	}
	if err := send(); err != nil {
		return err
	}
	_, err := p.db.ExecContext(ctx, `UPDATE mails SET state = 'sent' WHERE id = $1`, id)
	return err
}
