// A map of lists: visits by user, and no visit is ever forgotten.
'use strict'
const byUser = new Map()
class Visit {
  constructor (at) { this.at = at }
}
module.exports = i => {
  const user = 'u' + i % 97
  if (!byUser.has(user)) byUser.set(user, [])
  byUser.get(user).push(new Visit(i))
}
