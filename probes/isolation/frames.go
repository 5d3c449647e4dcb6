package isolation

import (
	"bytes"

	"github.com/jackc/pgx/v5/pgproto3"
)

// keep returns the message in memory of its own. What Frontend.Receive returns
// is valid until its next call.
func keep(msg pgproto3.BackendMessage) pgproto3.BackendMessage {
	switch m := msg.(type) {
	case *pgproto3.DataRow:
		return keepRow(m)
	case *pgproto3.RowDescription:
		fields := make([]pgproto3.FieldDescription, len(m.Fields))
		for i, f := range m.Fields {
			fields[i].Name = bytes.Clone(f.Name)
		}
		return &pgproto3.RowDescription{Fields: fields}
	case *pgproto3.NoticeResponse:
		n := *m
		return &n
	case *pgproto3.ErrorResponse:
		e := *m
		return &e
	case *pgproto3.NotificationResponse:
		n := *m
		return &n
	default:
		return keepPlain(msg)
	}
}

// keepPlain is for the messages that are looked at for their type alone.
func keepPlain(msg pgproto3.BackendMessage) pgproto3.BackendMessage {
	switch msg.(type) {
	case *pgproto3.CommandComplete:
		return &pgproto3.CommandComplete{}
	case *pgproto3.EmptyQueryResponse:
		return &pgproto3.EmptyQueryResponse{}
	case *pgproto3.ReadyForQuery:
		return &pgproto3.ReadyForQuery{}
	case *pgproto3.CopyInResponse:
		return &pgproto3.CopyInResponse{}
	default:
		return &pgproto3.NoData{}
	}
}

func keepRow(m *pgproto3.DataRow) *pgproto3.DataRow {
	values := make([][]byte, len(m.Values))
	for i, v := range m.Values {
		values[i] = bytes.Clone(v) // nil stays nil
	}
	return &pgproto3.DataRow{Values: values}
}
