// Package contention says how hard a run tried: how often transactions met on
// one row, how close a write came between another one's check and act, which
// conflicts the server answered. It finds no fault; it keeps a run in which
// nothing collided from being called clean.
package contention

// Doc describes the checker.
const Doc = `contention: proves that the lanes collided, or says what was missing

A run that found nothing proves something only if its transactions met. This
checker counts pairs of transactions that overlapped in time on the same row
(or the same value of a unique or foreign key) while at least one of them wrote
it, waits for locks, and conflicts that the server answered; and it measures the
smallest gap between a check and its act in one transaction. In rounds mode a wait
for a lock, a serialization failure and a deadlock are meetings themselves.

With fewer than 100 such pairs, or in rounds mode fewer than 50 rounds in which
lanes met, the verdict is unknown. The mend is more clients, fewer or hotter
rows, think time between the statements, or a longer run; ccheck explore plays
every interleaving and needs no luck.`
