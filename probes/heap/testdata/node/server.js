// Serves cases: every request does a unit of work of each, /units?n=1000 does many. The
// address is printed. With SNAPSHOTS=folder it works by itself instead, and writes
// seven snapshots there.
'use strict'
const path = require('node:path')
const units = process.argv.slice(2).map(name => require(path.resolve(name)))

let done = 0
async function work (n) {
  for (let i = 0; i < n; i++, done++) for (const unit of units) await unit(done)
}

async function alone (folder, rounds, n) {
  const v8 = require('node:v8')
  for (let s = 0; s < rounds; s++) {
    await work(n)
    await new Promise(resolve => setTimeout(resolve, 20))
    if (global.gc) global.gc()
    v8.writeHeapSnapshot(path.join(folder, `s${s}.heapsnapshot`))
  }
}

if (process.env.SNAPSHOTS) {
  alone(process.env.SNAPSHOTS, Number(process.env.ROUNDS || 7), Number(process.env.UNITS || 500)).then(() => process.exit(0))
} else {
  const server = require('node:http').createServer(async (req, res) => {
    const n = new URL(req.url, 'http://localhost').searchParams.get('n') || 1
    await work(Number(n))
    res.end('ok')
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
}
