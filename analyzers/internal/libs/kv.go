package libs

// Operations on a key-value server. Key is the key, Val what is stored; Note
// is the command as the server's manual names it.
const (
	KVRead   Op = "kv.read"   // answers with a value, its existence, or a size
	KVWrite  Op = "kv.write"  // stores whatever was there before
	KVAdd    Op = "kv.add"    // puts one more into a collection
	KVDelete Op = "kv.delete" // removes whatever is there
	KVIncr   Op = "kv.incr"
	KVExpire Op = "kv.expire"
	KVClaim  Op = "kv.claim"  // stores only where nothing is, and tells
	KVAtomic Op = "kv.atomic" // reads and writes in one step: a script, GETDEL, a compare
	KVWatch  Op = "kv.watch"  // Fn runs under optimistic locking
	KVLead   Op = "kv.lead"   // waits to become leader or holder of a lock with a lease
)

type command struct {
	name string
	op   Op
	key  int // counted after the context
	val  int
	note string
}

var redisCommands = []command{
	{"Get", KVRead, 0, None, "GET"}, {"Exists", KVRead, 0, None, "EXISTS"}, {"MGet", KVRead, 0, None, "MGET"}, {"GetEx", KVRead, 0, None, "GETEX"},
	{"TTL", KVRead, 0, None, "TTL"}, {"PTTL", KVRead, 0, None, "PTTL"}, {"Type", KVRead, 0, None, "TYPE"}, {"StrLen", KVRead, 0, None, "STRLEN"},
	{"HGet", KVRead, 0, None, "HGET"}, {"HGetAll", KVRead, 0, None, "HGETALL"}, {"HMGet", KVRead, 0, None, "HMGET"}, {"HExists", KVRead, 0, None, "HEXISTS"}, {"HLen", KVRead, 0, None, "HLEN"},
	{"SIsMember", KVRead, 0, 1, "SISMEMBER"}, {"SMembers", KVRead, 0, None, "SMEMBERS"}, {"SCard", KVRead, 0, None, "SCARD"},
	{"LLen", KVRead, 0, None, "LLEN"}, {"LRange", KVRead, 0, None, "LRANGE"}, {"LIndex", KVRead, 0, None, "LINDEX"},
	{"ZScore", KVRead, 0, None, "ZSCORE"}, {"ZCard", KVRead, 0, None, "ZCARD"}, {"ZCount", KVRead, 0, None, "ZCOUNT"}, {"ZRange", KVRead, 0, None, "ZRANGE"}, {"ZRank", KVRead, 0, None, "ZRANK"},
	{"ZRangeByScore", KVRead, 0, None, "ZRANGEBYSCORE"}, {"GetBit", KVRead, 0, None, "GETBIT"},
	{"ZRangeWithScores", KVRead, 0, None, "ZRANGE"}, {"ZRangeByScoreWithScores", KVRead, 0, None, "ZRANGEBYSCORE"}, {"ZRevRange", KVRead, 0, None, "ZREVRANGE"}, {"ZRevRangeWithScores", KVRead, 0, None, "ZREVRANGE"},
	{"ZRevRangeByScore", KVRead, 0, None, "ZREVRANGEBYSCORE"}, {"ZRevRangeByScoreWithScores", KVRead, 0, None, "ZREVRANGEBYSCORE"}, {"ZRevRank", KVRead, 0, None, "ZREVRANK"}, {"ZMScore", KVRead, 0, None, "ZMSCORE"}, {"ZLexCount", KVRead, 0, None, "ZLEXCOUNT"},
	{"HKeys", KVRead, 0, None, "HKEYS"}, {"HVals", KVRead, 0, None, "HVALS"}, {"HStrLen", KVRead, 0, None, "HSTRLEN"}, {"SMIsMember", KVRead, 0, None, "SMISMEMBER"}, {"SRandMember", KVRead, 0, None, "SRANDMEMBER"}, {"BitCount", KVRead, 0, None, "BITCOUNT"}, {"XLen", KVRead, 0, None, "XLEN"},
	{"Set", KVWrite, 0, 1, "SET"}, {"SetEx", KVWrite, 0, 1, "SETEX"}, {"SetEX", KVWrite, 0, 1, "SETEX"}, {"SetXX", KVWrite, 0, 1, "SET XX"}, {"HSet", KVWrite, 0, 1, "HSET"}, {"HMSet", KVWrite, 0, 1, "HMSET"},
	{"LSet", KVWrite, 0, 2, "LSET"}, {"SetBit", KVWrite, 0, 2, "SETBIT"},
	{"SAdd", KVAdd, 0, 1, "SADD"}, {"LPush", KVAdd, 0, 1, "LPUSH"}, {"RPush", KVAdd, 0, 1, "RPUSH"}, {"ZAdd", KVAdd, 0, 1, "ZADD"},
	{"Del", KVDelete, 0, None, "DEL"}, {"Unlink", KVDelete, 0, None, "UNLINK"}, {"HDel", KVDelete, 0, None, "HDEL"}, {"SRem", KVDelete, 0, 1, "SREM"}, {"ZRem", KVDelete, 0, None, "ZREM"}, {"LRem", KVDelete, 0, None, "LREM"}, {"LTrim", KVDelete, 0, None, "LTRIM"},
	{"Incr", KVIncr, 0, None, "INCR"}, {"IncrBy", KVIncr, 0, 1, "INCRBY"}, {"IncrByFloat", KVIncr, 0, 1, "INCRBYFLOAT"}, {"Decr", KVIncr, 0, None, "DECR"}, {"DecrBy", KVIncr, 0, 1, "DECRBY"},
	{"HIncrBy", KVIncr, 0, 2, "HINCRBY"}, {"HIncrByFloat", KVIncr, 0, 2, "HINCRBYFLOAT"}, {"ZIncrBy", KVIncr, 0, 1, "ZINCRBY"},
	{"Expire", KVExpire, 0, 1, "EXPIRE"}, {"PExpire", KVExpire, 0, 1, "PEXPIRE"}, {"ExpireAt", KVExpire, 0, 1, "EXPIREAT"}, {"PExpireAt", KVExpire, 0, 1, "PEXPIREAT"}, {"ExpireNX", KVExpire, 0, 1, "EXPIRE NX"},
	{"SetNX", KVClaim, 0, 1, "SET NX"}, {"HSetNX", KVClaim, 0, 2, "HSETNX"}, {"SetArgs", KVAtomic, 0, 1, "SET options"},
	{"GetDel", KVAtomic, 0, None, "GETDEL"}, {"GetSet", KVAtomic, 0, 1, "GETSET"}, {"Eval", KVAtomic, 1, None, "EVAL"}, {"EvalSha", KVAtomic, 1, None, "EVALSHA"},
	{"LPop", KVAtomic, 0, None, "LPOP"}, {"RPop", KVAtomic, 0, None, "RPOP"}, {"SPop", KVAtomic, 0, None, "SPOP"}, {"ZPopMin", KVAtomic, 0, None, "ZPOPMIN"},
}

// redisTypes declare the commands: v9 splits its interface by kind of value,
// older versions have one.
var redisTypes = []string{
	"cmdable", "statefulCmdable", "Cmdable", "GenericCmdable", "StringCmdable", "HashCmdable", "SetCmdable", "SortedSetCmdable", "ListCmdable", "BitMapCmdable", "StreamCmdable", "ScriptingFunctionsCmdable",
}

// redisPaths are the import paths of one code base; before v8 commands took no context.
var redisPaths = []struct {
	path string
	ctx  int
}{{"github.com/redis/go-redis/v9", 1}, {"github.com/go-redis/redis/v9", 1}, {"github.com/go-redis/redis/v8", 1}, {"github.com/go-redis/redis/v7", 0}, {"github.com/go-redis/redis", 0}}

var redisResults = []string{
	"baseCmd", "Cmd", "StringCmd", "IntCmd", "BoolCmd", "StatusCmd", "FloatCmd", "SliceCmd", "StringSliceCmd", "DurationCmd", "MapStringStringCmd", "StringStringMapCmd", "ZSliceCmd", "IntSliceCmd", "FloatSliceCmd", "BoolSliceCmd",
}

func redisRows() []Row {
	var rows []Row
	for _, p := range redisPaths {
		for _, t := range redisTypes {
			for _, c := range redisCommands {
				rows = append(rows, c.row(p.path, t, p.ctx))
			}
		}
		for _, t := range redisResults {
			for _, m := range []string{"Result", "Val", "Err", "Int", "Int64", "Uint64", "Float64", "Bool", "Bytes", "Text", "Time"} {
				rows = append(rows, New(p.path, t, m, Pass))
			}
		}
		for _, t := range []string{"Client", "ClusterClient", "Ring", "UniversalClient"} {
			rows = append(rows, calling(p.path, t, "Watch", KVWatch, None, p.ctx))
		}
		for _, m := range []string{"Run", "RunRO", "Eval", "EvalSha"} {
			r := keyed(p.path, "Script", m, KVAtomic, 1+p.ctx, None)
			r.Args = r.Key + 1
			rows = append(rows, r)
		}
		rows = append(rows, New(p.path, "", "NewScript", Pass))
	}
	return rows
}

func (c command) row(path, typ string, ctx int) Row {
	r := New(path, typ, c.name, c.op)
	r.Key, r.Note = c.key+ctx, c.note
	if c.val != None {
		r.Val = c.val + ctx
	}
	switch c.name {
	case "Set", "SetNX", "SetArgs":
		r.Args = r.Val + 1 // the time to live, the options
	case "Eval":
		r.On, r.Args = ctx, r.Key+1 // the script, and what it is given
	}
	return r
}

const etcd = "go.etcd.io/etcd/client/v3"

func etcdRows() []Row {
	var rows []Row
	for _, path := range []string{etcd, "go.etcd.io/etcd/clientv3", "github.com/coreos/etcd/clientv3"} {
		for _, t := range []string{"KV", "kv"} {
			for _, c := range []command{{"Get", KVRead, 0, None, "Get"}, {"Put", KVWrite, 0, 1, "Put"}, {"Delete", KVDelete, 0, None, "Delete"}} {
				rows = append(rows, c.row(path, t, 1))
			}
		}
		txn := New(path, "Txn", "Commit", KVAtomic)
		txn.Note = "Txn"
		rows = append(rows, txn,
			keyed(path+"/concurrency", "Election", "Campaign", KVLead, None, 1), New(path+"/concurrency", "Mutex", "Lock", KVLead), New(path+"/concurrency", "Mutex", "TryLock", KVLead))
	}
	return rows
}

func memcacheRows() []Row {
	const path = "github.com/bradfitz/gomemcache/memcache"
	return []Row{
		command{"Get", KVRead, 0, None, "get"}.row(path, "Client", 0), command{"Set", KVWrite, 0, 0, "set"}.row(path, "Client", 0),
		command{"Delete", KVDelete, 0, None, "delete"}.row(path, "Client", 0), command{"Replace", KVWrite, 0, 0, "replace"}.row(path, "Client", 0),
		command{"Add", KVClaim, 0, 0, "add"}.row(path, "Client", 0), command{"CompareAndSwap", KVAtomic, 0, 0, "cas"}.row(path, "Client", 0),
		command{"Increment", KVIncr, 0, 1, "incr"}.row(path, "Client", 0), command{"Decrement", KVIncr, 0, 1, "decr"}.row(path, "Client", 0),
		command{"Touch", KVExpire, 0, 1, "touch"}.row(path, "Client", 0),
	}
}

// lockRows are libraries of locks with a lease.
func lockRows() []Row {
	var rows []Row
	for _, path := range []string{"github.com/bsm/redislock", "github.com/bsm/redislock/v9"} {
		rows = append(rows, keyed(path, "Client", "Obtain", KVLead, 1, None), keyed(path, "", "Obtain", KVLead, 2, None), New(path, "Lock", "Release", KVAtomic), New(path, "Lock", "Refresh", KVAtomic))
	}
	for _, v := range []string{"", "/v3", "/v4"} {
		path := "github.com/go-redsync/redsync" + v
		for _, m := range []string{"Lock", "LockContext", "TryLock", "TryLockContext"} {
			rows = append(rows, New(path, "Mutex", m, KVLead))
		}
		rows = append(rows, New(path, "Mutex", "Unlock", KVAtomic), New(path, "Mutex", "UnlockContext", KVAtomic))
	}
	return rows
}
