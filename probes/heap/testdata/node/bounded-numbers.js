// The durations of the last requests, in a ring.
'use strict'
const durations = []
module.exports = i => { for (let k = 0; k < 10; k++) durations[(10 * i + k) % 6000] = i + k / 16 }
