// Sessions are removed under another key than that under which they were put.
'use strict'
class Session {
  constructor (id) { this.id = id; this.cart = [] }
}
const sessions = new Map()
module.exports = i => {
  const s = new Session(i)
  sessions.set(s.id, s)
  sessions.delete(String(s.id))
}
