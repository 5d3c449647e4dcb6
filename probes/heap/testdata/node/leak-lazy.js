// A store that forgets a session only when it is asked for again.
'use strict'
class Session { constructor (id) { this.id = id; this.expires = Date.now() + 86400e3 } }

class Store {
  constructor () { this.sessions = Object.create(null) }

  set (id) { this.sessions[id] = new Session(id) }

  get (id) {
    const session = this.sessions[id]
    if (session && session.expires <= Date.now()) {
      delete this.sessions[id]
      return undefined
    }
    return session
  }
}

const store = new Store()

module.exports = i => { store.set('s' + i); store.get('s' + i) }
