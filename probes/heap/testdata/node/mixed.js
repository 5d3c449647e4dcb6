// Four leaks at once, with an innocent cache beside them: the heap that the
// benchmark reads.
'use strict'
const units = ['map', 'listener', 'array', 'stream'].map(name => require(`./leak-${name}.js`))
const lru = require('./bounded-lru.js')
module.exports = i => {
  for (const unit of units) unit(i)
  lru(i)
}
