// Answers are kept for a time that is longer than a short run.
'use strict'
class Answer {
  constructor (i) { this.rows = [i, i + 1]; this.text = `answer ${i}` }
}
const memo = new Map()
module.exports = i => {
  const key = 'query-' + i
  memo.set(key, new Answer(i))
  setTimeout(() => memo.delete(key), 600000).unref()
}
