package stress

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/scenario"
)

// Meeting is where the shards of a run meet: the target database. A session lock
// of each says that it lives, and is gone with its process; a table in the sandbox
// of the first shard says how far each is, and is gone with the sandbox.
type Meeting struct {
	name         string
	index, count int
	schema       string
	conn         *pgconn.PgConn

	read   time.Time // when the clock of the server was read, on this machine
	server int64     // what it said, ns since 1970
	within time.Duration
}

const (
	// comes is how long the first shard waits for the others, and they for it.
	comes = 5 * time.Minute
	// pause is between two looks at the others.
	pause = 10 * time.Millisecond
	// ahead is how far in the future the common start is put: longer than a pause.
	ahead = 200 * time.Millisecond
	// readings of the clock, of which the one that took the shortest counts.
	readings = 15
)

// MeetingError says who did not come, or came twice. Hint is the mend.
type MeetingError struct{ Msg, Hint string }

func (e *MeetingError) Error() string { return e.Msg }

// Meet opens the meeting of that name for one shard and reads the clock of the
// server. schema is the sandbox of the first shard. A shard that is not the first
// comes back when the first has set it up. Close must be called.
func Meet(ctx context.Context, cfg *pgconn.Config, name, schema string, index, count int) (*Meeting, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	m := &Meeting{name: name, index: index, count: count, schema: schema, conn: conn}
	if err = m.join(ctx); err == nil {
		err = m.measure(ctx)
	}
	if err == nil && index > 1 {
		err = m.await(ctx, "the first shard did not come", m.isSetUp)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Close leaves the meeting.
func (m *Meeting) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = m.conn.Close(ctx) // the session is over either way
}

// class is the first half of the key of the locks: one for each name and number.
func (m *Meeting) class() int32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "ccheck %s/%d", m.name, m.count)
	return int32(h.Sum32() >> 1)
}

func (m *Meeting) join(ctx context.Context) error {
	rows, err := m.ask(ctx, fmt.Sprintf("select pg_try_advisory_lock(%d, %d)", m.class(), m.index))
	if err != nil {
		return err
	}
	if rows[0][0] != "t" {
		return &MeetingError{fmt.Sprintf("shard %d/%d of the meeting %s is there already", m.index, m.count, m.name), "give every process a number of its own, and every run at the same time a --meet of its own"}
	}
	return nil
}

// ask sends statements and returns the rows of the last.
func (m *Meeting) ask(ctx context.Context, sql string) (rows [][]string, err error) {
	all, err := m.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("meeting the other shards: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, row := range all[len(all)-1].Rows {
		var texts []string
		for _, v := range row {
			texts = append(texts, string(v))
		}
		rows = append(rows, texts)
	}
	return rows, nil
}

// measure reads the clock of the server as Cristian does (Probabilistic clock
// synchronization, 1989): it stood where it says at some moment between question
// and answer, so half of the shortest round trip bounds the error.
func (m *Meeting) measure(ctx context.Context) error {
	best := time.Duration(0)
	for range readings {
		asked := time.Now()
		rows, err := m.ask(ctx, "select (extract(epoch from clock_timestamp()) * 1000000)::bigint")
		if err != nil {
			return err
		}
		trip := time.Since(asked)
		us, err := strconv.ParseInt(rows[0][0], 10, 64)
		if err != nil {
			return fmt.Errorf("reading the clock of the server: %w", err)
		}
		if best == 0 || trip < best {
			best = trip
			m.read, m.server, m.within = asked.Add(trip/2), us*1000, trip/2+time.Microsecond
		}
	}
	return nil
}

// Clock is what the server's clock said at a moment of this machine, in ns since
// 1970, and the error to both sides.
func (m *Meeting) Clock(at time.Time) (ns int64, within time.Duration) {
	return m.server + at.Sub(m.read).Nanoseconds(), m.within
}

func (m *Meeting) table() string { return m.schema + ".ccheck_shards" }

func (m *Meeting) isSetUp(ctx context.Context) (bool, error) {
	rows, err := m.ask(ctx, fmt.Sprintf("select to_regclass('%s') is not null", m.table()))
	if err != nil || rows[0][0] != "t" {
		return false, err
	}
	alive, err := m.alive(ctx)
	return slices.Contains(alive, 1), err
}

// alive are the shards whose sessions are there.
func (m *Meeting) alive(ctx context.Context) (all []int, err error) {
	rows, err := m.ask(ctx, fmt.Sprintf(`select objid from pg_locks where locktype = 'advisory' and granted and classid = %d and objsubid = 2
		and database = (select oid from pg_database where datname = current_database())`, m.class()))
	for _, r := range rows {
		n, _ := strconv.Atoi(r[0]) // an oid
		all = append(all, n)
	}
	return all, err
}

// await looks until it is there.
func (m *Meeting) await(ctx context.Context, missing string, there func(context.Context) (bool, error)) error {
	late := time.Now().Add(comes)
	for {
		ok, err := there(ctx)
		if ok || err != nil {
			return err
		}
		if time.Now().After(late) {
			return &MeetingError{fmt.Sprintf("%s within %v", missing, comes), "start all shards with the same --shard i/n, --meet, --seed and scenario, on the same database"}
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// begin returns at the same moment in every shard, as far as the clocks agree.
func (m *Meeting) begin(ctx context.Context) error {
	if m.index > 1 {
		if err := m.say(ctx, "ready", ""); err != nil {
			return err
		}
		return m.start(ctx)
	}
	if _, err := m.ask(ctx, fmt.Sprintf("create table %s (shard integer, state text, value text, primary key (shard, state))", m.table())); err != nil {
		return err
	}
	var ready []int
	err := m.await(ctx, "not all shards came", func(ctx context.Context) (ok bool, err error) {
		ready, err = m.heard(ctx, "ready")
		return len(ready) == m.count-1, err
	})
	if err != nil {
		return err
	}
	at, _ := m.Clock(time.Now().Add(ahead))
	if err := m.say(ctx, "start", strconv.FormatInt(at, 10)); err != nil {
		return err
	}
	return m.until(ctx, at)
}

// start waits for the time that the first shard says.
func (m *Meeting) start(ctx context.Context) error {
	var at int64
	err := m.await(ctx, "the first shard did not begin", func(ctx context.Context) (bool, error) {
		rows, err := m.ask(ctx, fmt.Sprintf("select value from %s where state = 'start'", m.table()))
		if err != nil || len(rows) == 0 {
			return false, err
		}
		at, err = strconv.ParseInt(rows[0][0], 10, 64)
		return true, err
	})
	if err != nil {
		return err
	}
	return m.until(ctx, at)
}

// until waits until the clock of the server says so.
func (m *Meeting) until(ctx context.Context, at int64) error {
	now, _ := m.Clock(time.Now())
	return sleep(ctx, max(time.Duration(at-now), 0))
}

func (m *Meeting) say(ctx context.Context, state, value string) error {
	_, err := m.ask(ctx, fmt.Sprintf("insert into %s values (%d, '%s', '%s')", m.table(), m.index, state, value))
	return err
}

// heard are the shards that said so.
func (m *Meeting) heard(ctx context.Context, state string) (all []int, err error) {
	rows, err := m.ask(ctx, fmt.Sprintf("select shard from %s where state = '%s' order by shard", m.table(), state))
	for _, r := range rows {
		n, _ := strconv.Atoi(r[0]) // an integer
		all = append(all, n)
	}
	return all, err
}

// end says what the own lanes counted. The first shard waits until all others have
// said it, or are gone: it returns what they counted, and who is gone.
func (m *Meeting) end(ctx context.Context, counts []scenario.Count) (others []scenario.Count, lost []int, err error) {
	if m.index > 1 {
		text, err := json.Marshal(counts)
		if err != nil {
			return nil, nil, fmt.Errorf("telling the counts: %w", err)
		}
		return nil, nil, m.say(ctx, "over", string(text))
	}
	for {
		alive, err := m.alive(ctx) // before the table: who says it and leaves is heard
		if err != nil {
			return nil, nil, err
		}
		over, err := m.heard(ctx, "over")
		if err != nil {
			return nil, nil, err
		}
		lost = lost[:0]
		waiting := false
		for i := 2; i <= m.count; i++ {
			switch {
			case slices.Contains(over, i):
			case slices.Contains(alive, i):
				waiting = true
			default:
				lost = append(lost, i)
			}
		}
		if !waiting {
			break
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
	rows, err := m.ask(ctx, fmt.Sprintf("select value from %s where state = 'over'", m.table()))
	for _, r := range rows {
		var counts []scenario.Count
		if err := json.Unmarshal([]byte(r[0]), &counts); err != nil {
			return nil, nil, fmt.Errorf("reading the counts of a shard: %w", err)
		}
		others = append(others, counts...)
	}
	return others, lost, err
}
