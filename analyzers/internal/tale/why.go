package tale

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// why says which order would have been needed and what did not keep it.
func (t *teller) why() string {
	text := t.reason()
	if t.a.Stale && !t.a.OnReplica() {
		text += fmt.Sprintf(" At %s the snapshot of %s was taken by its first statement, so it looked at the past even after %s had committed.",
			t.a.Reader.Level, t.reader(), t.writer())
	}
	if !t.a.Sure {
		text += " The spans of two statements overlap in the record; this is the order that fits what came back."
	}
	return text
}

func (t *teller) reason() string {
	r, w := t.reader(), t.writer()
	if t.a.OnReplica() {
		return fmt.Sprintf("The replica showed %s the past: what %s had committed was not replayed there yet. No lock and no level reaches from the primary to a replica.", r, w)
	}
	switch t.a.Kind {
	case graph.LostUpdate:
		if t.constant() {
			return fmt.Sprintf("%s decided on a row that it had read before %s committed, and wrote over the change of %s.", r, w, w)
		}
		return fmt.Sprintf("%s computed its value from a row that it had read before %s committed, and wrote it as it was: the change of %s is gone.", r, w, w)
	case graph.StaleCheck:
		if k := t.a.Back.To.Access(); k.Kind == sqlread.Delete && k.Sub {
			return fmt.Sprintf("%s looked for rows of %s and found none; the row of %s came after that, and the foreign key's ON DELETE CASCADE took it along.", r, k.Name, w)
		}
		return fmt.Sprintf("%s decided on a value that %s changed before %s wrote. The UPDATE itself is relative and loses nothing; the decision was no longer true.", r, w, r)
	case graph.RowIgnored:
		return fmt.Sprintf("The statement of %s waited for %s, looked at the row again, matched nothing and reported success with 0 rows. Everything else that %s did was committed.", r, w, r)
	case graph.ClaimTwice:
		return fmt.Sprintf("%s chose the row in a subquery before %s committed. After the wait only the outer condition is looked at again (manual, 13.2.1), and it still holds.", r, w)
	case graph.StaleSubquery:
		return fmt.Sprintf("The subquery of %s ran before %s committed. After the wait the row itself is read again, a subquery over other rows is not (manual, 13.2.1): the value was out of date when it was written.", r, w)
	case graph.EffectOutside:
		return fmt.Sprintf("%s was rolled back, and what it had done on another connection was not. No isolation level reaches there.", r)
	case graph.SplitSnapshot:
		if k := t.a.Back.To.Access(); k.Kind != sqlread.Insert {
			return fmt.Sprintf("The %s of %s waited for %s and matched 0 rows: a statement that waits looks again at the rows that it had found, and not for new ones.", strings.ToUpper(k.Kind.String()), r, w)
		}
		return fmt.Sprintf("The INSERT waited for %s and did nothing; the SELECT in the same statement still read the snapshot from before, so no row came back.", w)
	case graph.Phantom:
		return "Each check was right when it was made. Nothing in the database forbids both rows, and a lock cannot hold a row that is not there yet."
	case graph.WriteSkew:
		return t.skew()
	case graph.OutOfOrder:
		return fmt.Sprintf("Numbers are handed out when a row is inserted and become visible when its transaction commits, in another order. %s stepped over the row of %s for good. "+
			"This is a valid serial order, so no isolation level stops it.", r, w)
	}
	return fmt.Sprintf("The statements of %s ran on snapshots from before and from after the commit of %s.", r, w)
}

// constant reports whether the reader wrote what does not come from its read.
func (t *teller) constant() bool {
	for _, w := range t.a.Back.To.Access().Writes {
		if w.Value.Kind == sqlread.Param || w.Value.Kind == sqlread.Expr && strings.Contains(w.Text, "$") {
			return false
		}
	}
	return true
}

func (t *teller) skew() string {
	text := fmt.Sprintf("%s read what %s then changed, and %s read what %s then changed; they wrote different rows, so neither had to wait.", t.reader(), t.writer(), t.writer(), t.reader())
	if t.a.Reader.Level == lanes.RepeatableRead {
		text += " REPEATABLE READ compares writes only."
	}
	return text
}
