// The bound is on the index, and the rows stay.
'use strict'
class Row {
  constructor (i) { this.key = `row ${i}`; this.cells = [i, i * 2] }
}
const index = new Map()
const rows = []
module.exports = i => {
  const r = new Row(i)
  rows.push(r)
  index.set(r.key, rows.length)
  if (index.size > 100) index.delete(index.keys().next().value)
}
