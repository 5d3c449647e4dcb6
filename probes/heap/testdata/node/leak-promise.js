// Each request races with a promise that never settles.
'use strict'
class Reply {
  constructor (id) { this.id = id }
}
const never = new Promise(() => {})
module.exports = i => Promise.race([never, Promise.resolve(new Reply(i))])
