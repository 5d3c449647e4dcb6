// postgres.js: pipelined statements, binary parameters described first, a
// transaction, a cursor.
import postgres from 'postgres'

const out = (...all) => console.log(JSON.stringify(all))
const sql = postgres(process.env.DATABASE_URL, { max: 4, onnotice: () => {} })
await sql`create table t (id int primary key, owner text, balance numeric(10,2), tags text[])`
for (let i = 0; i < 3; i++) await sql`insert into t ${sql({ id: i, owner: 'o' + i, balance: '10.50', tags: ['a', 'b c'] })}`
out(await sql`select * from t order by id`)
out((await Promise.all(Array.from({ length: 30 }, (_, i) => sql`select ${i}::int * 2 as n`))).map(r => r[0].n))
await sql.begin(async tx => {
  await tx`update t set balance = balance - ${1} where id = ${0}`
  await tx`insert into t (id) values (0)`
}).catch(e => out(e.code))
out(await sql.begin(tx => [tx`select 1 as one`, tx`select 2 as two`]))
let n = 0
await sql`select i from generate_series(1, 1000) i`.cursor(50, rows => { for (const r of rows) n += r.i })
out(n)
out((await sql.unsafe('select 1 as a; select 2 as b')).map(r => r[0]))
const q = sql`select pg_sleep(60)`
setTimeout(() => q.cancel(), 100)
await q.catch(e => out(e.code))
await sql.end()
