// A listener for each request on an emitter that lives as long as the process.
'use strict'
const { EventEmitter } = require('node:events')
class Upload {
  constructor (id) { this.id = id; this.chunks = ['a', 'b'] }
  cancel () { this.chunks = null }
}
const bus = new EventEmitter()
bus.setMaxListeners(0)
module.exports = i => {
  const upload = new Upload(i)
  bus.on('shutdown', () => upload.cancel())
}
