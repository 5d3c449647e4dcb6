// A timer that refreshes a session which nobody has any more.
'use strict'
class Session {
  constructor (id) { this.id = id; this.seen = 0 }
}
module.exports = i => {
  const session = new Session(i)
  setInterval(() => { session.seen++ }, 3600 * 1000)
}
