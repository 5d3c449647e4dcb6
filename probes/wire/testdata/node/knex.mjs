// Knex: its query builder and a transaction with a row lock.
import knex from 'knex'

const out = (...all) => console.log(JSON.stringify(all))
const db = knex({ client: 'pg', connection: process.env.DATABASE_URL, pool: { min: 0, max: 3 } })
await db.schema.createTable('t', t => { t.increments('id'); t.string('owner'); t.integer('balance').notNullable() })
await db('t').insert([{ owner: 'a', balance: 100 }, { owner: 'b', balance: 50 }])
await db.transaction(async trx => {
  const row = await trx('t').where({ owner: 'a' }).forUpdate().first()
  await trx('t').where({ id: row.id }).update({ balance: row.balance - 30 })
  await trx('t').where({ owner: 'b' }).increment('balance', 30)
})
out(await db('t').orderBy('id'))
await db('t').insert({ owner: 'c' }).catch(e => out(e.code))
out(await db.raw('select ?::int + ?::int as sum', [1, 2]).then(r => r.rows))
await db.destroy()
