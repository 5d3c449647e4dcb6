// A cache by user, and there are only so many users.
'use strict'
class Profile {
  constructor (id) { this.id = id; this.name = 'user ' + id }
}
const profiles = new Map()
module.exports = i => {
  const id = (i * 7919) % 1500
  if (!profiles.has(id)) profiles.set(id, new Profile(id))
  return profiles.get(id)
}
