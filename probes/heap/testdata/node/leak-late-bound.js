// The cache has a bound, and removes nothing: the comparison is with what is
// never reached, since the size is that of another map.
'use strict'
class Quote {
  constructor (i) { this.id = `quote ${i}`; this.price = i }
}
class Cache {
  constructor () { this.entries = new Map(); this.hits = new Map() }

  put (key, value) {
    this.entries.set(key, value)
    if (this.hits.size > 300) this.hits.clear()
  }
}
const quotes = new Cache()
module.exports = i => quotes.put('quote-' + i, new Quote(i))
