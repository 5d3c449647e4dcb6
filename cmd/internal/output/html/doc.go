// Package html is the sink that writes one page which stands alone: no script,
// style, font or picture is loaded from anywhere, so that it opens from a disk,
// in a mail and behind a firewall. All of it can be read without JavaScript;
// the script adds filters, arrows between lanes and a walk through the steps.
//
// The words are those of tui/story. The page is made by html/template, and its
// content security policy names the hash of the one script: nothing in the data
// can run.
package html

// Doc describes the format.
const Doc = `html: one page that stands alone, with lanes to step through and charts

The verdict and what was counted, charts of the run, and every finding whole:
lanes side by side with arrows for the dependencies, the mends with their SQL,
the rows that prove it and the scripts that show it again. Findings can be
searched and filtered by severity and rule; the lanes are walked through with
the buttons or the arrow keys, and #f2s5 behind the address opens the second
finding at its fifth step.

The page loads nothing, works from a disk, follows the light or dark scheme of
the reader, folds its lanes on a phone and prints without its controls.

    ccheck stress wallet --format text --format html:report.html
`
