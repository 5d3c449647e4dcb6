package sqlcheckact

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// story tells the race: the read and the write as two callers run them, what is
// lost, and the fixes, best first.
func (c *candidate) story() flow.Found {
	lines := []string{
		c.headline(),
		"A: " + c.check.Text,
		"B: " + c.check.Text + "   -- sees the same",
		"A: " + c.act.Text,
		"B: " + c.act.Text + "   -- " + c.loss(),
		"Fix, best first: " + strings.Join(c.fixes(), "; "),
	}
	return flow.Found{
		At:       c.act.Site[0],
		Severity: c.severity(),
		Message:  strings.Join(lines, "\n"),
		Related:  c.notes(),
		Sketch:   c.sketch(),
		Guard:    c.guard(),
	}
}

// notes are the other places: where the function reads, and the statement that
// writes, when that is in a callee.
func (c *candidate) notes() []flow.Note {
	notes := []flow.Note{{At: c.check.Site[0], Text: "read here: " + c.check.Text}}
	if len(c.act.Site) > 1 {
		notes = append(notes, flow.Note{At: c.act.Inner(), Text: "written here: " + c.act.Text})
	}
	return notes
}

// insideStory tells the race that is inside of one call.
func insideStory(act stmt.Stmt) flow.Found {
	t := &act.Acc.Tables[0]
	return flow.Found{
		At:       act.Site[0],
		Severity: "medium",
		Message: strings.Join([]string{
			fmt.Sprintf("FirstOrCreate reads %s and inserts when it finds nothing, in two statements: two callers can both find none, and both insert", t.Name),
			"A: " + act.Text + "   -- no row",
			"B: " + act.Text + "   -- no row",
			"A: INSERT INTO " + t.Name + " …",
			"B: INSERT INTO " + t.Name + " …   -- a second row, or an error where a unique index exists",
			"Fix, best first: Clauses(clause.OnConflict{DoNothing: true}).Create, then First; a UNIQUE constraint, with the violation handled",
		}, "\n"),
	}
}

func (c *candidate) headline() string {
	t := c.write.Name
	if c.named != "" {
		t = c.named + " of " + t
	}
	switch c.why {
	case absence:
		switch {
		case c.unique() && !c.wanted():
			return fmt.Sprintf("a row of %s is inserted because none was found, and nobody stops when it is refused: two callers can both find none, and both go on", t)
		case c.unique():
			return fmt.Sprintf("a row of %s is inserted because none was found: of two callers one gets an error, although the row that it wants is there by then", t)
		}
		return fmt.Sprintf("a row of %s is inserted because none was found: two callers can both find none, and both insert", t)
	case count:
		if c.write.Kind == sqlread.Delete {
			return fmt.Sprintf("a row of %s is deleted because enough were counted before: two callers can both count, and delete the last two", t)
		}
		return fmt.Sprintf("%s is written because of a count or sum that was read before: two callers can both be the last one that fits", t)
	case computed:
		return fmt.Sprintf("%s is set to a value computed from an earlier read of it: of two callers one update is lost", t)
	case claimed:
		return fmt.Sprintf("a row of %s is chosen by %s and then changed by key alone: two callers can both choose it", c.write.Name, c.named)
	case carried:
		return fmt.Sprintf("all columns of %s are saved, and those that nobody set as they were read before: what another caller has changed in them is undone", t)
	case saved:
		return fmt.Sprintf("a row of %s is saved where none was found: two callers can both find none, and the second writes over what the first has made", t)
	case barred:
		return fmt.Sprintf("a row of %s is changed because %s allowed it when it was read, and the write does not ask again: another caller can have changed that by then", c.write.Name, c.named)
	case consumed:
		return fmt.Sprintf("a row of %s is read, used and then deleted: two callers can both use it", t)
	}
	return fmt.Sprintf("%s is written because of what was read before: two callers can both pass the check", t)
}

// SavedWhole is the table whose rows are saved whole, in the message of such a
// finding; "" in others.
func SavedWhole(message string) string {
	rest, whole := strings.CutPrefix(message, "all columns of ")
	table, _, _ := strings.Cut(rest, " ")
	if !whole {
		return ""
	}
	return table
}

func (c *candidate) loss() string {
	switch c.why {
	case absence:
		if c.unique() {
			return "ERROR 23505 duplicate key value, which nobody looks at"
		}
		return "a second row, or an error where a unique index exists"
	case count:
		if c.write.Kind == sqlread.Delete {
			return "none is left"
		}
		return "one more than was allowed"
	case computed, carried, saved:
		return "overwrites what A wrote"
	case claimed, consumed:
		return "the same row a second time"
	}
	return "passes a check that no longer holds"
}

func (c *candidate) fixes() []string {
	t := c.write.Name
	lock := "SELECT … FOR UPDATE of the row in one transaction with the write"
	switch c.why {
	case absence:
		if c.unique() && !c.wanted() {
			return []string{"INSERT … ON CONFLICT DO NOTHING, and go on only when a row was inserted", "return the error of the INSERT before anything else happens"}
		}
		if c.unique() {
			return []string{"INSERT … ON CONFLICT DO NOTHING (or DO UPDATE), then read the row", "look for 23505 in the error, and read the row again, in a transaction of its own"}
		}
		return []string{"INSERT … ON CONFLICT DO NOTHING (or DO UPDATE) and look at the row count", fmt.Sprintf("a UNIQUE constraint on %s (%s), with 23505 handled", t, strings.Join(keyColumns(c.read), ", ")), "SERIALIZABLE with a retry on 40001"}
	case count:
		return []string{"a counter column that one UPDATE raises with the limit in its WHERE", "SELECT … FOR UPDATE of the row that holds the limit, before the count", "SERIALIZABLE with a retry on 40001"}
	case carried:
		return []string{"an UPDATE of the columns that were set (gorm: Select or Updates with a map)", "a version column that the WHERE compares", lock}
	case saved:
		return []string{"an INSERT alone (gorm: Create) that is refused on 23505 (TranslateError and ErrDuplicatedKey)", "INSERT … ON CONFLICT DO NOTHING, and refuse when no row was inserted"}
	case consumed:
		return []string{"DELETE … RETURNING, and go on only when a row came back", lock}
	}
	return []string{c.guardedUpdate() + " and refuse when no row was changed", "a CHECK constraint on the column", "a version column that the WHERE compares", lock}
}

// guardedUpdate is the write with the check in its WHERE.
func (c *candidate) guardedUpdate() string {
	column := c.named
	if c.why == computed {
		return fmt.Sprintf("UPDATE %s SET %s = %s + $n … WHERE … AND %s >= …", c.write.Name, column, column, column)
	}
	return fmt.Sprintf("UPDATE %s SET … WHERE … AND %s", c.write.Name, c.condition(column))
}

// condition is what the WHERE has to say again about a column.
func (c *candidate) condition(column string) string {
	if again := c.guard().SQL; again != "" {
		return again
	}
	for _, w := range c.write.Writes {
		if flow.Column(w.Column) != flow.Column(column) {
			continue
		}
		switch {
		case w.Kind == sqlread.Relative && w.Sign == "-":
			return column + " >= " + w.Value.Text
		case w.Value.Kind == sqlread.Literal && w.Value.Text == "t":
			return "NOT " + column
		}
	}
	return column + " = the value that was read"
}

func keyColumns(t *sqlread.Table) []string {
	var out []string
	for _, k := range stmt.Keys(t) {
		out = append(out, k.Column)
	}
	return out
}

// costly are names of what costs money or opens doors when it is used twice.
var costly = regexp.MustCompile(`(?i)balance|amount|cents|points|credit|quota|left|remain|stock|qty|quantit|seat|used|redeem|claim|token|code|coupon|voucher|ticket|invit|limit|status|state`)

func (c *candidate) severity() string {
	text := c.write.Name + " " + c.check.Text + " " + c.act.Text
	switch {
	case c.why == absence && c.unique() && c.wanted(), c.why == carried:
		return "low"
	case c.why == barred:
		return "medium"
	case c.why == consumed, costly.MatchString(text):
		return "high"
	case c.why == absence, c.why == count:
		return "medium"
	}
	return "medium"
}
