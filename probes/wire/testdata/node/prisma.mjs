// Prisma without an engine of its own, over node-postgres: nested writes, an
// interactive transaction, its retry, a batch, raw SQL with a lock.
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './prisma/index.js'

const out = (...all) => console.log(JSON.stringify(all))
const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) })
await db.$executeRawUnsafe('create table account (id serial primary key, owner text not null unique, balance numeric(12,2) not null)')
await db.$executeRawUnsafe('create table entry (id serial primary key, amount numeric(12,2) not null, "accountId" int not null references account)')
await db.account.create({ data: { owner: 'a', balance: '100.50', entries: { create: [{ amount: '100.50' }] } } })
await db.account.createMany({ data: [{ owner: 'b', balance: 50 }, { owner: 'c', balance: 0 }] })
await db.$transaction(async tx => {
  const [a] = await tx.$queryRaw`select id, balance from account where owner = ${'a'} for update`
  await tx.account.update({ where: { id: a.id }, data: { balance: { decrement: 30 } } })
  await tx.account.update({ where: { owner: 'b' }, data: { balance: { increment: 30 } } })
}, { isolationLevel: 'Serializable' })
await db.$transaction(async tx => {
  await tx.account.update({ where: { owner: 'a' }, data: { balance: 0 } })
  throw new Error('on second thoughts')
}).catch(e => out(e.message))
await db.account.create({ data: { owner: 'a', balance: 1 } }).catch(e => out(e.code))
out(await db.$transaction([db.account.count(), db.entry.aggregate({ _sum: { amount: true } })]))
out(await db.account.upsert({ where: { owner: 'c' }, create: { owner: 'c', balance: 1 }, update: { balance: 2 } }))
out(await db.account.updateMany({ where: { balance: { gte: 10 } }, data: { balance: { decrement: 5 } } }))
out(await db.account.findMany({ orderBy: { id: 'asc' }, include: { entries: true } }))
await db.$disconnect()
