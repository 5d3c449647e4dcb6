// Jobs that fail are put back, and nothing ever ends them.
'use strict'
class Job {
  constructor (i) { this.name = `job ${i}`; this.tries = 0 }
}
const queue = []
setInterval(() => {
  const job = queue.shift()
  if (!job) return
  job.tries++
  queue.push(job)
}, 5)
module.exports = i => { queue.push(new Job(i)) }
