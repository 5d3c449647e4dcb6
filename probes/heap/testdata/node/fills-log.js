// Lines are written when there are five thousand of them.
'use strict'
class Line {
  constructor (i) { this.text = `GET /page/${i} 200`; this.at = new Date(i) }
}
let lines = []
const flush = () => { lines = [] }
module.exports = i => {
  lines.push(new Line(i))
  if (lines.length >= 5000) flush()
}
