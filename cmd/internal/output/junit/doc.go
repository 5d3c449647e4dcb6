// Package junit is the sink that writes the JUnit XML which build servers read:
// the elements and attributes of Jenkins' junit-10.xsd, and file and line as
// GitLab and CircleCI look for them. It draws no lanes of its own: the words are
// those of tui/story.
package junit

// Doc describes the format.
const Doc = `junit: a JUnit XML file, for the test page of a build server

One test case for each claim of the run and one for each finding. A finding is a
failure with its story as text; its output is how to see it again. A claim
passes only where the run was hard enough to judge it; where it was not, the
claim is skipped with the reason, and the case "verdict" is an error, since a
build must not take unknown for a pass.

    ccheck vet --format text --format junit:ccheck.xml
`
