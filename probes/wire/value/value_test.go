package value_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/wire/value"
)

// values are expressions of the server, which judges: what it sends in binary
// must come out as what it sends as text.
var values = []string{
	"true", "false", "0::int2", "(-32768)::int2", "2147483647", "(-1)::int4", "9223372036854775807::int8", "(-9223372036854775808)::int8",
	"'text'::text", "''::text", "'ü\"'::varchar(10)", "'x '::bpchar", "'n'::name", "'{\"a\": 1}'::json", "'{\"a\": [1, null]}'::jsonb", "'<a/>'::xml",
	`'\x00ff'::bytea`, "4294967295::oid", "'a'::\"char\"", "'unknown'",
	"0.1::float4", "1e10::float4", "123456::float4", "1234567::float4", "1e-5::float4", "'NaN'::float4",
	"0.1::float8", "1e15::float8", "123456789012345::float8", "1e-4::float8", "1e-5::float8", "-0.0::float8", "1e300::float8", "1::float8/3",
	"'Infinity'::float8", "'-Infinity'::float8",
	"0::numeric", "1.50::numeric", "-1.50::numeric(10,4)", "10000::numeric", "100000000::numeric", "0.0001::numeric", "0.00000001::numeric",
	"12345678901234567890.123456789::numeric", "0.00::numeric", "1e20::numeric", "'NaN'::numeric", "'Infinity'::numeric", "'-Infinity'::numeric", "9999.9999::numeric",
	"'2026-02-03'::date", "'1999-12-31'::date", "'0001-01-01'::date", "'0044-03-15 BC'::date", "'infinity'::date", "'-infinity'::date", "'12026-01-01'::date",
	"'2026-02-03 04:05:06.7'::timestamp", "'1960-01-01 00:00:00.000001'::timestamp", "'infinity'::timestamp", "'0044-03-15 12:00 BC'::timestamp",
	"'2026-02-03 04:05:06.123456+02'::timestamptz", "'-infinity'::timestamptz",
	"'24:00'::time", "'04:05:06.5'::time",
	"'0'::interval", "'1 day'::interval", "'-1 day 2 hours'::interval", "'1 year 2 mons -3 days 04:05:06.7'::interval", "'-1 mon +1 day -00:00:01'::interval",
	"'100 hours'::interval", "'-14 mons'::interval",
	"'12345678-9abc-def0-1234-56789abcdef0'::uuid",
	"'{}'::int4[]", "array[1,null,-3]", "array[[1,2],[3,4]]", "array['a','b c','','NULL','\"','\\','{,}']::text[]", "array[1.5,null]::numeric[]",
	"array[true,false]", "array['2026-02-03']::date[]", "array['2026-02-03 04:05:06']::timestamptz[]", "array[1e20]::float8[]",
	"array['12345678-9abc-def0-1234-56789abcdef0']::uuid[]", "array['{\"a\": 1}']::jsonb[]", "array[1,2]::int8[]", "array[1]::int2[]", "array['x']::varchar[]", `array['\x00']::bytea[]`,
}

func TestBinaryIsWrittenAsTheServerDoes(t *testing.T) {
	ctx := context.Background()
	conn, err := pgconn.ConnectConfig(ctx, pgtest.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "set timezone = 'UTC'").ReadAll(); err != nil {
		t.Fatal(err)
	}
	get := func(expr string, format int16) (string, uint32) {
		r := conn.ExecParams(ctx, "select "+expr, nil, nil, nil, []int16{format}).Read()
		if r.Err != nil {
			t.Fatalf("%s: %v", expr, r.Err)
		}
		typ := r.FieldDescriptions[0].DataTypeOID
		return value.Text(typ, int(format), r.Rows[0][0]), typ
	}
	for _, expr := range values {
		want, _ := get(expr, 0)
		if got, typ := get(expr, 1); got != want {
			t.Errorf("%s (type %d): %q, the server writes %q", expr, typ, got, want)
		}
	}
}

func TestUnknownTypesComeAsBytes(t *testing.T) {
	for _, tc := range []struct {
		typ  uint32
		b    []byte
		want string
	}{
		{0, []byte{0, 0, 0, 5}, `\x00000005`},
		{23, []byte{1, 2, 3}, `\x010203`},
		{1700, []byte{0, 9, 0, 0}, `\x00090000`},
		{1007, []byte{0, 0, 0, 1}, `\x00000001`},
		{3802, []byte{2, 'x'}, `\x0278`},
	} {
		if got := value.Text(tc.typ, 1, tc.b); got != tc.want {
			t.Errorf("type %d: %q, want %q", tc.typ, got, tc.want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, typ := range []uint32{16, 17, 23, 700, 701, 1007, 1009, 1082, 1114, 1184, 1186, 1231, 1700, 2950, 3802} {
		f.Add(typ, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, byte(typ), 0, 0, 0, 1, 0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, typ uint32, b []byte) {
		if got := value.Text(typ, 1, b); len(got) > 2<<20 && len(got) > 4*len(b) {
			t.Errorf("%d bytes made %d", len(b), len(got))
		}
	})
}
