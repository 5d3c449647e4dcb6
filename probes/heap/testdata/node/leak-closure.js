// Undo steps as functions, of which no one is ever dropped; each keeps its scope.
'use strict'
const undo = []
module.exports = i => {
  const before = { id: i, text: 'version ' + i }
  undo.push(function revert () { return before })
}
