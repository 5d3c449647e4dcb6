// Package failure reports errors of the server that reached a caller although
// the scenario does not say that they may: neither retried nor answered with a
// refusal. Serialization failures and deadlocks are the checker retry's.
package failure

// Doc describes the checker.
const Doc = `failure: calls that ended with an error nobody had planned for

An SQLSTATE that an application knows is answered: 23505 with "taken", 23514
with "not enough". A call that ends with one that its actor neither retries nor
refuses shows its caller an internal error, and under load that is often a race
that a constraint has stopped at the last moment: the data is right, and the
answer is wrong.

A statement with wrong syntax, names or types is a mistake in the script and no
finding: the run has no verdict then.

Say in the scenario what the application does about it: -- @refuse 23505, or
-- @retry. Lost connections and a server without resources are no finding; with
them the run has no verdict.`
