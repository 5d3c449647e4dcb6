// Thirty megabytes that stay, near the limit of the heap, and work whose results
// outlive the young space: full collections come often and stop the loop for long.
'use strict'
const old = []
for (let i = 0; i < 150_000; i++) old.push({ id: i, name: 'row ' + i, next: old[i - 1], tags: [i, i + 1] })
globalThis.old = old
const recent = new Array(200)
module.exports = i => {
  const rows = []
  for (let k = 0; k < 150; k++) rows.push({ k, name: 'row ' + k, cells: [k] })
  recent[i % recent.length] = rows
}
