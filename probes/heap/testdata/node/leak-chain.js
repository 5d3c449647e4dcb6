// A list of versions, each with the one before.
'use strict'
let head = null
module.exports = i => { head = { version: i, previous: head } }
