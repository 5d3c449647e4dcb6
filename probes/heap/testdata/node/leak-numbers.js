// The durations of all requests, in one array.
'use strict'
const durations = []
module.exports = i => { for (let k = 0; k < 10; k++) durations.push(i + k / 16) }
