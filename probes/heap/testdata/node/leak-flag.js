// The cache has a bound behind a constant that is false in this process.
'use strict'
class Quote {
  constructor (i) { this.id = `quote ${i}`; this.price = i }
}
const BOUNDED = process.env.BOUNDED === 'yes'
const quotes = new Map()
module.exports = i => {
  quotes.set(`quote-${i}`, new Quote(i))
  if (BOUNDED && quotes.size > 5000) quotes.delete(quotes.keys().next().value)
}
