// Package github is the sink for a step of GitHub Actions: workflow commands
// that become annotations of the lines of a change, and a page for the summary
// of the step. It speaks to no API and needs no token.
package github

// Doc describes the format.
const Doc = `github: annotations of a GitHub Actions step, and its summary page

One annotation for each finding, at its line when it has one: high is an error,
medium a warning, low a notice. What made the verdict unknown is an error, too.
Where GITHUB_STEP_SUMMARY names a file, the page of --format markdown is added to
it. Where no format is asked for and GITHUB_ACTIONS is true, this one is written
behind the text; beside another format it may share standard output.

GitHub shows ten errors, ten warnings and ten notices of a step, so the gravest
findings come first and the last annotation says how many are left out. A
summary page takes 1 MiB; findings that do not fit are counted.`
