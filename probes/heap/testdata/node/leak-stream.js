// Streams that are opened, read a little of, and never closed.
'use strict'
const { Readable } = require('node:stream')
const active = new Set()
module.exports = i => {
  const body = new Readable({ read () {} })
  body.push('part ' + i)
  body.on('data', () => {})
  body.on('close', () => active.delete(body))
  active.add(body)
}
