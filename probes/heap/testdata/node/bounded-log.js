// The audit log of leak-array.js, of which the last thousand rows are kept.
'use strict'
class AuditRow {
  constructor (id) { this.id = id; this.at = new Date(id); this.text = 'user ' + id }
}
const log = []
module.exports = i => {
  log.push(new AuditRow(i))
  if (log.length > 1000) log.shift()
}
