// Events that are sent when there are many. Each is two objects, so there are more
// objects than the batch takes before it is full.
'use strict'
class Shipper {
  constructor ({ flushAt }) { this.flushAt = flushAt; this.batch = []; this.sent = 0 }

  track (event) { if (this.batch.push(event) >= this.flushAt) this.flush() }

  flush () {
    const out = this.batch
    this.batch = []
    this.sent += out.length
  }
}

const shipper = new Shipper({ flushAt: 5000 })

module.exports = i => shipper.track({ at: i, properties: { page: '/' + i } })
