// An audit log in memory, on the global object.
'use strict'
class AuditRow {
  constructor (id) { this.id = id; this.at = new Date(id); this.text = 'user ' + id }
}
global.auditLog = []
module.exports = i => { global.auditLog.push(new AuditRow(i)) }
