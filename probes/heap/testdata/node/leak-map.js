// A cache by address, and the address has a time stamp in it: no entry is ever
// used twice.
'use strict'
class RenderedPage {
  constructor (url) { this.url = url; this.body = `<h1>${url}</h1>` }
}
function memoised () {
  const pages = new Map()
  return url => {
    if (!pages.has(url)) pages.set(url, new RenderedPage(url))
    return pages.get(url)
  }
}
const render = memoised()
module.exports = i => render(`/page?at=${1700000000 + i}`)
