// A counter of requests with the address of the client as a label.
'use strict'
class Series {
  constructor (labels) { this.labels = labels; this.value = 0 }
}
class Counter {
  constructor (name) { this.name = name; this.hashMap = {} }

  inc (labels) {
    const key = Object.entries(labels).map(([k, v]) => `${k}:${v}`).join(',')
    if (!this.hashMap[key]) this.hashMap[key] = new Series(labels)
    this.hashMap[key].value++
  }

  reset () { for (const s of Object.values(this.hashMap)) s.value = 0 }
}
const requests = new Counter('http_requests_total')
module.exports = i => requests.inc({ path: '/page', client: `10.0.${i >> 8 & 255}.${i & 255}:${30000 + i}` })
