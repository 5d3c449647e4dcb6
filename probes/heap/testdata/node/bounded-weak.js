// Notes on objects in a WeakMap, which lets go with them.
'use strict'
const notes = new WeakMap()
const recent = []
module.exports = i => {
  const req = { id: i }
  notes.set(req, { seen: i })
  recent.push(req)
  if (recent.length > 600) recent.shift()
}
