// Uploads that are kept as buffers.
'use strict'
const kept = []
module.exports = i => { if (i % 10 === 0) kept.push(Buffer.alloc(4096, i & 255)) }
