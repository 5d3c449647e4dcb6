package fenced

import "github.com/ccheck/ccheck/analyzers/report"

// mends are the reference's own steps, by store and claim. A command or an
// application of the user's gets those of PostgreSQL.
var mends = map[string]map[string]string{
	"postgresql": {
		lateWrite: `UPDATE resource SET value = $2, token = $3 WHERE key = $1 AND token <= $3`,
		growing: `INSERT INTO lease AS l (name, holder, token, until) VALUES ($1, $2, nextval('lease_token'), clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = nextval('lease_token'), until = clock_timestamp() + $3::interval
WHERE l.holder IS NULL OR l.until <= clock_timestamp() RETURNING token`,
		onceEach: `UPDATE cron SET tick = $1, token = $2 WHERE tick < $1 AND token <= $2`,
		onlyOwners: `UPDATE lease SET until = clock_timestamp() + $4::interval WHERE name = $1 AND holder = $2 AND token = $3 AND until > clock_timestamp();
UPDATE lease SET holder = NULL WHERE name = $1 AND holder = $2 AND token = $3 AND until > clock_timestamp()`,
	},
	"redis": {
		lateWrite: `EVAL "if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2]) return 1" 1 data value token`,
		growing: `EVAL "if redis.call('EXISTS', KEYS[1]) == 1 then return false end local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. token, 'PX', ARGV[2]) return token" 2 lock counter owner ttl`,
		onceEach: `EVAL "if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') or tonumber(ARGV[1]) <= tonumber(redis.call('HGET', KEYS[1], 'tick') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'tick', ARGV[1], 'token', ARGV[2]) return 1" 1 cron tick token`,
		onlyOwners: `EVAL "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('PEXPIRE', KEYS[1], ARGV[2])" 1 lock owner:token ttl
EVAL "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])" 1 lock owner:token`,
	},
	"etcd": {
		lateWrite: `Txn If Value(data/token) > padded(token) Then nothing Else Put(data, value), Put(data/token, padded(token))`,
		growing:   `Txn If CreateRevision(lock) = 0 Then Put(lock, owner, lease); the token is the revision in the answer's header`,
		onceEach:  `Txn If Value(cron/token) < padded(token + 1) and Value(cron/tick) < padded(tick) Then Put(cron/tick, …), Put(cron/token, …)`,
		onlyOwners: `LeaseKeepAlive(lease), which answers TTL 0 when it is lost;
Txn If CreateRevision(lock) = token Then Delete(lock)`,
	},
}

// notes say what else is needed.
var notes = map[string]string{
	lateWrite:  "look at the answer: no row, or 0, is the refusal, and the owner must stop; where the resource is another system, keep the token there",
	growing:    "the counter has no time to live and is never set back; the sequence is drawn where the row is locked, not before",
	onceEach:   "look at the answer: no row, or 0, means that it was done, or that a later leader was here; make the effect part of the same transaction",
	onlyOwners: "look at the answer: a renewal that is refused means that the work must stop",
}

var titles = map[string]string{
	lateWrite:  "Compare the token in the step that writes",
	growing:    "Take the token from a counter at the store, in the step that gives the lease",
	onlyOwners: "Name owner and token in the step that renews or gives back",
	onceEach:   "Compare tick and token in the step that does the job",
	oneOwner:   "Let the store's clock judge the end of a lease, in the step that gives it to the next one",
}

func fixes(kind, claim string) []report.Fix {
	switch claim {
	case deposed:
		claim = onceEach
	case oneLeader:
		claim = oneOwner
	}
	own, ok := mends[kind]
	if !ok {
		own = mends["postgresql"]
	}
	first := report.Fix{Kind: report.Atomic, Title: titles[claim], SQL: own[claim], Note: notes[claim]}
	if claim == oneOwner {
		first.SQL = own[growing]
	}
	all := []report.Fix{first}
	if claim == onlyOwners || claim == oneOwner {
		all = append(all, report.Fix{
			Kind: report.Constraint, Title: "Fence the resource, whatever the lock does", SQL: own[lateWrite],
			Note: "two owners then cost work, and no data",
		})
	}
	return all
}
