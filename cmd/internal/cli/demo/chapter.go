package demo

// chapter is one lesson of the lab: a planted bug that a command of ccheck finds,
// and its mend, of which the same command shows that it holds.
type chapter struct {
	name  string
	title string
	story string // what is wrong, before anything is run
	steps []step
	moral string // what to take home
}

// step is one command of ccheck.
type step struct {
	say  string
	args []string // {{url}} stands for the address of the program beside it
	// want is the exit code that makes the point: 1 for a bug that is found, 0 for
	// a mend that holds.
	want int
	// brief shows the last line alone: the story was told before.
	brief bool
	// serve is the program of the lab that runs beside the command; "" for none.
	serve string
	// server says that the command needs a PostgreSQL, and may share it with the
	// other steps of the chapter.
	server bool
}

// The exit codes of the steps.
const (
	holds = 0
	found = 1
)

// chapters are all of them, in the order of the menu.
func chapters() []chapter {
	return []chapter{doubleSpend(), deadlock(), lag(), lease(), leader(), queue(), clock(), heap(), bleed()}
}

func doubleSpend() chapter {
	wallet := func(say string, want int, extra ...string) step {
		return step{say: say, want: want, server: true, brief: want == holds,
			args: append([]string{"stress", "wallet", "--clients", "50", "--transactions", "4"}, extra...)}
	}
	// Few accounts and large amounts: with the scenario's own, 200 calls may all fit.
	ledger := func(say string, want int, extra ...string) step {
		return step{say: say, want: want, server: true, brief: true,
			args: append([]string{"stress", "ledger", "--clients", "50", "--duration", "2s"}, extra...)}
	}
	return chapter{
		name:  "double-spend",
		title: "One balance, two spenders, and money out of nothing",
		story: `A wallet reads a balance, decides in the application whether it is enough, and
writes the new balance back. Between the read and the write somebody else reads
the same balance: both decide on it, and the later write wipes out the earlier.
Nothing fails and nothing is logged; the money is wrong.`,
		steps: []step{
			wallet("200 calls on ten accounts, as most wallets begin", found),
			wallet("atomic: the UPDATE carries its own condition, and the row count is the decision", holds, "--variant", "atomic"),
			wallet("constraint: the table itself refuses a negative balance", holds, "--variant", "constraint"),
			wallet("optimistic: compare a version when writing back, and start over", holds, "--variant", "optimistic"),
			wallet("pessimistic: SELECT … FOR UPDATE, in the order of the ids", holds, "--variant", "pessimistic"),
			ledger("an append-only ledger loses nothing, and still overdraws: two sums, one decision each", found, "-D", "accounts=3", "-D", "most=100"),
			ledger("ledger: a guarded balance beside the entries", holds, "--variant", "guarded"),
		},
		moral: "Prefer them in this order: atomic statement, constraint, version, lock. `ccheck stress wallet --compare` shows what each\n" +
			"costs at every isolation level; `ccheck scaffold ledger` writes the ledger for your own tables.",
	}
}

func deadlock() chapter {
	return chapter{
		name:  "deadlock",
		title: "Two transfers that wait for each other",
		story: `A pays B while B pays A. Each has locked its own row and waits for the other's.
After deadlock_timeout the server ends one of them with 40P01, and an application
that does not start over shows its caller an error.`,
		steps: []step{
			{say: "every interleaving of two transfers", want: found, server: true, args: []string{"deadlock", "transfer"}},
			{say: "the rows in the order of their ids: no circle can close", want: holds, server: true, brief: true, args: []string{"deadlock", "transfer", "--variant", "ordered"}},
		},
		moral: "Take locks in one order everywhere, and start over on 40P01 all the same. `ccheck deadlock` has four more shapes,\n" +
			"`ccheck deadlock watch` looks at a live server.",
	}
}

func lag() chapter {
	return chapter{
		name:  "lag",
		title: "Read your own writes, from a replica that is behind",
		story: `Reads go to a replica to spare the primary. A replica answers with the past: a
user saves a form and sees the old one, an answer is there before its question,
and money is spent twice on a stale balance.`,
		steps: []step{
			{say: "a primary and two replicas, one of them late", want: found, args: []string{"lag", "--duration", "3s", "--fixes", "0"}},
			{say: "the same, and a session waits until the replica has what it knows", want: holds, brief: true, args: []string{"lag", "--duration", "3s", "--reads", "wait"}},
		},
		moral: "Decide about money on the primary. Where a session reads what it wrote, give it the log position: wait for it on the\n" +
			"replica, or go to the primary. `ccheck lag --primary … --replica …` measures your own.",
	}
}

func lease() chapter {
	return chapter{
		name:  "lease",
		title: "The late writer, and the fencing token that stops it",
		story: `A worker holds a lease and is paused: garbage collection, a slow disk, a laptop
that was closed. The lease is over, another worker takes it and writes. Then the
first one goes on where it was, and writes over it. No time-out can prevent that.`,
		steps: []step{
			{say: "the owner compares the token in the application, then writes", want: found, server: true, args: []string{"lease", "--plant", "compare", "--duration", "0"}},
			{say: "the statement that writes carries the token, and the table refuses an old one", want: holds, server: true, brief: true, args: []string{"lease", "--duration", "0"}},
		},
		moral: "A lease needs a token that grows, and the store must compare it in the statement that writes. `ccheck lease --backend exec`\n" +
			"judges your own worker.",
	}
}

func leader() chapter {
	return chapter{
		name:  "leader",
		title: "Two leaders, and a job that is done twice",
		story: `Three instances elect a leader that does a job at each tick. The leader is killed,
paused and cut off. One that was paused goes on as if it still led, and by then
there is another one.`,
		steps: []step{
			{say: "the job is done without a look at the token and the tick", want: found, server: true, args: []string{"leader", "--plant", "blind"}},
			{say: "the statement that does the job carries the token, and a deposed leader is refused", want: holds, server: true, brief: true, args: []string{"leader"}},
		},
		moral: "Leadership is a lease: what the leader does must carry its token. `ccheck leader --scheme advisory --plant pool` shows what a\n" +
			"pool of connections does to an advisory lock.",
	}
}

func queue() chapter {
	return chapter{
		name:  "queue",
		title: "A job that is done twice, and one that never is",
		story: `Workers take jobs from a table. A worker is killed in the middle of one. If the
job was marked as taken, nobody does it again; if it becomes free too early, two
workers do it, and the customer is charged twice.`,
		steps: []step{
			{say: "read a free job, then mark it: two workers read the same one", want: found, server: true, args: []string{"queue", "select-then-mark"}},
			{say: "FOR UPDATE SKIP LOCKED, held until the job is done", want: holds, server: true, brief: true, args: []string{"queue", "skip-locked"}},
		},
		moral: "Claim in one statement, and hold the claim with the transaction or let it run out. A worker that dies after the effect does\n" +
			"it again all the same: give the effect the key of the job. `ccheck queue` runs nine kinds, `ccheck queue ./jobs` yours.",
	}
}

func clock() chapter {
	return chapter{
		name:  "clock",
		title: "Two clocks, and events in the wrong order",
		story: `Two servers stamp what they write with the time of their own clocks. One clock is
fifty milliseconds ahead. What happened later has the earlier stamp, and "the newest
wins" keeps the older value.`,
		steps: []step{
			{say: "two sessions write one row in turn; the clock of one is ahead", want: found, server: true, args: []string{"clock", "--skew", "50ms", "--events", "3000"}},
			{say: "clocks that agree within their error", want: holds, server: true, brief: true, args: []string{"clock", "--events", "3000"}},
		},
		moral: "Let one server give the order: a sequence, a version, the clock of the database. `ccheck clock --http URL --ntp HOST` measures\n" +
			"how far yours are apart.",
	}
}

func heap() chapter {
	watch := func(say string, want int, serve string) step {
		return step{say: say, want: want, serve: serve, brief: want == holds, args: []string{"heap", "watch", "{{url}}", "--interval", "1s"}}
	}
	return chapter{
		name:  "heap",
		title: "Memory that only grows, and who holds it",
		story: `A server keeps something for each session and forgets to let it go. The curve of
its memory climbs for days until it is killed; after the restart all looks well.`,
		steps: []step{
			watch("a program of the lab that keeps every session, seven snapshots", found, "leak"),
			watch("its twin, which keeps the newest thousand", holds, "bounded"),
		},
		moral: "Give every cache a bound or a time to live. `ccheck heap watch` takes the address of your own pprof, or the process id\n" +
			"of a Node process.",
	}
}

func bleed() chapter {
	ask := func(say string, want int, serve string) step {
		return step{say: say, want: want, serve: serve, brief: want == holds, args: []string{"bleed", "{{url}}/me?user={{user}}"}}
	}
	return chapter{
		name:  "bleed",
		title: "One user sees the page of another",
		story: `A handler notes who asks in a variable of the package, loads the page, and renders
it for whoever is in the variable by then. With one user it is always right. Each
access is atomic, so the race detector is silent.`,
		steps: []step{
			ask("twenty marked users ask a live server at once", found, "bleed"),
			ask("the user is a local variable", holds, "confined"),
		},
		moral: "What belongs to a request stays in the request. `ccheck bleed URL` asks your own server, `ccheck vet` finds such variables\n" +
			"in Go code.",
	}
}
