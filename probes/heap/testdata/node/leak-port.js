// A channel for every fifth job, whose ports nobody closes.
'use strict'
const { MessageChannel } = require('node:worker_threads')

module.exports = i => i % 5 || new Promise(resolve => {
  const { port1, port2 } = new MessageChannel()
  port1.on('message', resolve)
  port2.postMessage(i)
})
