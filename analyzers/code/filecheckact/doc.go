// Package filecheckact finds decisions about a path that are acted on by path
// again: the file system can change in between.
//
// It does not look at operations on an open file, which name the same file all
// the time.
package filecheckact

// Doc is what `ccheck explain filecheckact` prints.
const Doc = `filecheckact: a path is checked, and then used by name again

Between os.Stat and the next call another process, or another goroutine, can
create, remove or replace what the name stands for (CWE-367).

    process A                            process B
    os.Stat(p): does not exist
                                         os.Stat(p): does not exist
    os.WriteFile(p, a)
                                         os.WriteFile(p, b)   // A's file is gone

    service                              attacker
    os.Lstat(p): regular file
                                         rename a symlink to /etc/shadow over p
    os.Open(p)  // reads the secret

Reported is the act, also through helpers and early returns: creating,
truncating, making a directory, moving onto or changing a path that was found
absent; opening, removing or changing one whose mode, size or time was judged;
a name that was tried until it was free, numbered after what a directory has, or
not found in its listing; a number in a file that is read, counted on and written back; what EvalSymlinks made of
a path, judged and used by name;
a directory removed with all in it because it was empty; a mark removed for what it
says, and made again; a file of a cache, or a directory, that was there, where none
would do; Chmod or Chown of what Lstat found to be no link; what a walk found to be no
link, or a regular file where others bring the files, opened by its path; a line that is
appended because the file had none.

Not reported: O_EXCL, a path within a directory from MkdirTemp, a file moved
into place from a temporary one (unless the check refuses to replace), a lock
(flock) or mutex over both, MkdirAll of a given name, Mkdir where a directory that
is there is refused, reading what is there with the error handled, an open file that
os.SameFile finds to be what was judged, a Remove whose error is ignored.

Wrong:

    if _, err := os.Stat(p); err == nil { return errExists }
    return os.WriteFile(p, b, 0o600)

Right:

    f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
    f, err := os.Open(p); info, err := f.Stat()          // judge what is open
    tmp := os.CreateTemp(dir, "x-*"); write; os.Rename(tmp.Name(), p)
    root, err := os.OpenRoot(dir); f, err := root.Open(name)   // no way out of dir

To prove it, stop the program between the two calls (a debugger, or a sleep in
a test build) and create or replace the path.

To silence one: //ccheck:ignore filecheckact reason
`
