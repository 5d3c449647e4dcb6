// The cache of leak-map.js with a bound that a short run does not reach.
'use strict'
class RenderedPage {
  constructor (url) { this.url = url; this.body = `<h1>${url}</h1>` }
}
const pages = new Map()
module.exports = i => {
  const url = `/page?at=${i}`
  pages.set(url, new RenderedPage(url))
  if (pages.size > 5000) pages.delete(pages.keys().next().value)
}
