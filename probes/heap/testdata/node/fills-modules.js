// Pages are compiled at their first use: functions, code and hidden classes come,
// and stay.
'use strict'
const vm = require('node:vm')
const pages = {}
module.exports = i => {
  const name = 'page' + (i % 400)
  if (!pages[name]) pages[name] = vm.runInThisContext(`(function ${name} (x) { return { ${name}: x, at: x + ${i % 400} } })`)
  for (let k = 0; k < 40; k++) pages[name](k)
}
