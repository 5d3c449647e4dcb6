// Words are kept once each, and there are only so many.
'use strict'
class Word {
  constructor (text) { this.text = text; this.length = text.length }
}
const words = new Map()
module.exports = i => {
  const text = 'word-' + (i % 5000)
  if (!words.has(text)) words.set(text, new Word(text))
}
