// Sequelize: a model, a transaction at SERIALIZABLE, a unique key.
import { Sequelize, DataTypes, Transaction } from 'sequelize'

const out = (...all) => console.log(JSON.stringify(all))
const db = new Sequelize(process.env.DATABASE_URL, { logging: false, pool: { max: 3 } })
const Account = db.define('account', { owner: { type: DataTypes.STRING, unique: true }, balance: DataTypes.INTEGER }, { timestamps: false })
await db.sync()
await Account.bulkCreate([{ owner: 'a', balance: 100 }, { owner: 'b', balance: 50 }])
await db.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.SERIALIZABLE }, async transaction => {
  const a = await Account.findOne({ where: { owner: 'a' }, lock: true, transaction })
  a.balance -= 30
  await a.save({ transaction })
})
await Account.create({ owner: 'a' }).catch(e => out(e.name, e.original.code))
out(await Account.findAll({ order: ['id'], raw: true }))
await db.close()
