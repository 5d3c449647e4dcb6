// node-postgres: a pool, named statements, a transaction that fails, a cursor,
// COPY, notifications, a cancelled statement.
import pg from 'pg'
import QueryStream from 'pg-query-stream'
import { from } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'

const out = (...all) => console.log(JSON.stringify(all))
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 5 })
await pool.query('create table t (id int primary key, owner text, balance numeric(10,2), seen timestamptz, ok boolean, doc jsonb)')
for (let i = 0; i < 3; i++) {
  await pool.query({ name: 'add', text: 'insert into t values ($1, $2, $3, $4, $5, $6)', values: [i, 'o' + i, '10.50', new Date(0), i === 1, { i }] })
}
out((await pool.query('select * from t order by id')).rows)
const many = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.query('select $1::int * 2 as n', [i])))
out(many.map(r => r.rows[0].n))
const c = await pool.connect()
try {
  await c.query('begin')
  await c.query('update t set balance = balance - $1 where id = $2', [1, 0])
  await c.query('insert into t (id) values (0)')
} catch (e) {
  out(e.code, e.constraint)
  await c.query('rollback')
}
let n = 0
for await (const row of c.query(new QueryStream('select i from generate_series(1, 1000) i', [], { batchSize: 100 }))) n += row.i
out(n)
await pipeline(Readable.from(['100\tcopied\t1\n', '101\tcopied\t2\n']), c.query(from('copy t (id, owner, balance) from stdin')))
out((await c.query("select count(*) from t where owner = 'copied'")).rows)
const heard = new Promise(resolve => c.on('notification', m => resolve(m.payload)))
await c.query('listen news')
await pool.query("select pg_notify('news', 'hello')")
out(await heard)
await c.query("set statement_timeout = '50ms'")
await c.query('select pg_sleep(60)').catch(e => out(e.code))
await c.query('reset statement_timeout')
out((await c.query("select repeat('x', 1000000) as x")).rows[0].x.length)
c.release()
await pool.end()
