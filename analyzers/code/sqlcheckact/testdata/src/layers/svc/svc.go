// Package svc is one layer of a service, with interfaces between the layers.
package svc

import (
	"context"
	"errors"

	"layers/repo"
)

type Users interface {
	ByMail(ctx context.Context, mail string) (*repo.User, error)
	Get(ctx context.Context, id int64) (*repo.User, error)
	GetLocked(ctx context.Context, id int64) (*repo.User, error)
	Insert(ctx context.Context, u *repo.User) error
	Save(ctx context.Context, u *repo.User) error
	InTx(ctx context.Context, f func(ctx context.Context) error) error
}

type Service struct{ users Users }

func (s *Service) D1(ctx context.Context, mail string) (*repo.User, error) {
	u, err := s.users.ByMail(ctx, mail)
	if err != nil && !errors.Is(err, repo.ErrNoUser) {
		return nil, err
	}
	if u != nil {
		return nil, errors.New("taken")
	}
	u = &repo.User{Mail: mail}
	if err := s.users.Insert(ctx, u); err != nil { // linked: two callers|update is lost
		return nil, err
	}
	return u, nil
}

func (s *Service) D2(ctx context.Context, id, n int64) error {
	return s.users.InTx(ctx, func(ctx context.Context) error {
		u, err := s.users.Get(ctx, id)
		if err != nil {
			return err
		}
		if u.Credit < n {
			return errors.New("low")
		}
		u.Credit -= n
		return s.users.Save(ctx, u) // linked: two callers|update is lost
	})
}

func (s *Service) D3(ctx context.Context, id, n int64) error {
	return s.users.InTx(ctx, func(ctx context.Context) error {
		u, err := s.users.GetLocked(ctx, id)
		if err != nil {
			return err
		}
		if u.Credit < n {
			return errors.New("low")
		}
		u.Credit -= n
		return s.users.Save(ctx, u)
	})
}

func (s *Service) canSpend(ctx context.Context, id, n int64) (bool, error) {
	u, err := s.users.Get(ctx, id)
	if err != nil {
		return false, err
	}
	return u.Credit >= n && u.Status == "active", nil
}

func (s *Service) D4(ctx context.Context, id int64) error {
	ok, err := s.canSpend(ctx, id, 10)
	if err != nil || !ok {
		return err
	}
	return s.users.Save(ctx, &repo.User{ID: id, Status: "spent"}) // linked: two callers|update is lost
}

func (s *Service) D5(ctx context.Context, id int64, mail string) error {
	u, err := s.users.Get(ctx, id)
	if err != nil {
		return err
	}
	u.Mail = mail
	return s.users.Save(ctx, u) // linked: all columns of users are saved
}

func (s *Service) D6(ctx context.Context, mail string) (*repo.User, error) {
	u, err := s.users.ByMail(ctx, mail)
	if errors.Is(err, repo.ErrNoUser) {
		u = &repo.User{Mail: mail}
		return u, s.users.Insert(ctx, u) // linked: two callers|update is lost
	}
	return u, err
}
