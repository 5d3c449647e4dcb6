// What is removed when the client says good-bye stays when it does not.
'use strict'
const { EventEmitter } = require('node:events')
class Client {
  constructor (i) { this.name = `client ${i}`; this.events = new EventEmitter() }
}
const clients = new Set()
module.exports = i => {
  const c = new Client(i)
  clients.add(c)
  c.events.once('close', () => clients.delete(c))
  if (i % 2) c.events.emit('close')
}
