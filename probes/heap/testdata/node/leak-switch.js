// The cache has a bound, which takes effect only where the environment says so.
'use strict'
class Page {
  constructor (url) { this.url = url; this.body = `<h1>${url}</h1>` }
}
class Cache {
  constructor (most) { this.most = most; this.pages = new Map() }

  put (url, page) {
    this.pages.set(url, page)
    if (process.env.BOUNDED) this.evict()
  }

  evict () { while (this.pages.size > this.most) this.pages.delete(this.pages.keys().next().value) }
}
const cache = new Cache(5000)
module.exports = i => cache.put(`/page?at=${i}`, new Page(i))
