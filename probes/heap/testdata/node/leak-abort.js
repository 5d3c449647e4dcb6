// Every request listens for the end of the process, and none stops to.
'use strict'
const shutdown = new AbortController()
require('node:events').setMaxListeners(0, shutdown.signal)
class Job {
  constructor (id) { this.id = id; this.log = [] }
  stop () { this.log.push('stopped') }
}
module.exports = i => {
  const job = new Job(i)
  shutdown.signal.addEventListener('abort', () => job.stop())
}
