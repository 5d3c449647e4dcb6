// A cache with a list of what was used last, and a bound that is given to its
// constructor.
'use strict'
class Entry {
  constructor (key, value) { this.key = key; this.value = value; this.next = null; this.previous = null }
}
class Recent {
  constructor (max) { this.max = max; this.index = new Map(); this.newest = null; this.oldest = null }

  set (key, value) {
    const e = new Entry(key, value)
    e.next = this.newest
    if (this.newest) this.newest.previous = e
    this.newest = e
    if (!this.oldest) this.oldest = e
    this.index.set(key, e)
    if (this.index.size > this.max) this.evict()
  }

  evict () {
    const last = this.oldest
    this.oldest = last.previous
    this.oldest.next = null
    this.index.delete(last.key)
  }
}
const quotes = new Recent(5000)
module.exports = i => quotes.set('quote-' + i, { price: i, text: `quote ${i}` })
