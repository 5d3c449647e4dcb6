// Package rowsaffected finds conditional writes whose row count nobody looks
// at: the guard is in the statement, and its answer is thrown away.
//
// Whether the guard is needed at all is the matter of sqlcheckact.
package rowsaffected

// Doc is what `ccheck explain rowsaffected` prints.
const Doc = `rowsaffected: a guarded UPDATE whose row count is never looked at

A condition in the WHERE makes the write atomic. When it does not hold, the
statement succeeds all the same, with 0 rows: the only sign of a refusal is the
row count.

    client A                                          client B
    UPDATE … SET left = left - 1 … AND left > 0  -- 1
                                                      UPDATE … AND left > 0  -- 0 rows, no error
    hand out the goods                                hand out the goods

Wrong:

    _, err := tx.Exec("UPDATE purses SET cents = cents - $1 WHERE id = $2 AND cents >= $1", n, id)
    return err

Right:

    res, err := tx.Exec("UPDATE purses SET cents = cents - $1 WHERE id = $2 AND cents >= $1", n, id)
    if err != nil { return err }
    if k, _ := res.RowsAffected(); k == 0 { return ErrTooLittle }

Reported are conditions on a balance or version, and conditions on a state when
the function goes on to write elsewhere. A state that is set twice to the same
value does no harm by itself and is not reported.

To prove it, run the statement twice in psql and look at the second answer.

To silence one: //ccheck:ignore rowsaffected reason
`
