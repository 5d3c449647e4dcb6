// TypeORM: an entity without decorators, a transaction, an optimistic version.
import 'reflect-metadata'
import { DataSource, EntitySchema } from 'typeorm'

const out = (...all) => console.log(JSON.stringify(all))
const Account = new EntitySchema({ name: 'account', columns: {
  id: { type: Number, primary: true, generated: true }, owner: { type: String, unique: true }, balance: { type: Number }, version: { type: Number, version: true } } })
const db = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [Account], synchronize: true })
await db.initialize()
const accounts = db.getRepository(Account)
await accounts.save([{ owner: 'a', balance: 100 }, { owner: 'b', balance: 50 }])
await db.transaction(async m => {
  const a = await m.findOne(Account, { where: { owner: 'a' }, lock: { mode: 'pessimistic_write' } })
  a.balance -= 30
  await m.save(Account, a)
})
await accounts.insert({ owner: 'a', balance: 1 }).catch(e => out(e.code))
out(await accounts.find({ order: { id: 'ASC' } }))
await db.destroy()
