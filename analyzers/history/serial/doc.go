// Package serial judges the history of an exploration: which schedules end in
// what no serial order of the same calls gives, and which break a claim. The
// serial orders are in the history, so it needs no specification. It judges
// nothing but explorations, and knows nothing of how schedules are chosen.
package serial

// Doc describes the checker.
const Doc = `serial: reports schedules whose outcome no serial order of the same calls gives

The record of an exploration holds every serial order of every set of the
lanes, and then the schedules that were tried. An outcome is what the tables
hold in the end, how each call ended, and what it was answered: the rows that a
writing statement returned or, for a call that wrote nothing, all that it read.
A schedule whose outcome equals that of no serial order is an anomaly. A call
that was refused or rolled back may as well not have been there.

Columns that differ between two runs of one serial order (clocks, sequences,
random ids) are chance: their values are compared up to renaming.

When a claim is given, a schedule that breaks it is reported by the claim, and
the finding says whether a serial order breaks it too: then it is no race.

Rounds of many requests at once (ccheck stress --app) are judged in the same
way. For a round that ends in a new way all serial orders are run of the calls
that were accepted in it; requests that are the same for every client are not
told apart, and chance is not compared. A round whose orders were not all run is
not judged, and nothing is when a request is answered differently from the same
rows.

Wrong:
    SELECT balance FROM account WHERE id = 1      -- 100, in two lanes
    UPDATE account SET balance = 70 WHERE id = 1  -- a then b leaves 40, this 70

Right:
    UPDATE account SET balance = balance - 30 WHERE id = 1 AND balance >= 30
    -- and look at the row count`
