// The listener of leak-listener.js, removed when the request has ended.
'use strict'
const { EventEmitter } = require('node:events')
const bus = new EventEmitter()
class Upload {
  constructor (id) { this.id = id }
  cancel () { this.id = 0 }
}
module.exports = async i => {
  const upload = new Upload(i)
  const cancel = () => upload.cancel()
  bus.on('shutdown', cancel)
  await null
  bus.off('shutdown', cancel)
}
