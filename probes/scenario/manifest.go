package scenario

// manifest is ccheck.yaml as it is written. Its tags are the one source of
// what the decoder accepts and of the published schema: yaml is the key, doc
// its description, need an example for a key that must be there, enum the
// words, min and max the bounds of a number.
type manifest struct {
	Version    number           `yaml:"version" need:"1" min:"1" max:"1" doc:"Version of this format: 1."`
	Name       word             `yaml:"name" doc:"What the scenario is called; the folder's name when left out. Lower-case letters, digits and hyphens."`
	Title      word             `yaml:"title" doc:"One line for lists and reports."`
	Doc        word             `yaml:"doc" doc:"What the scenario shows and why the default version breaks."`
	Setup      few[source]      `yaml:"setup" doc:"SQL that makes the tables and their rows, run once in ccheck's own schema."`
	Reset      source           `yaml:"reset" doc:"SQL that brings back the state after setup. Left out, the tables are emptied and the rows of after setup are copied back."`
	Params     dict[value]      `yaml:"params" doc:"Variables of the scripts and of the SQL here (:name): integers or text."`
	Isolation  word             `yaml:"isolation" enum:"read committed,repeatable read,serializable,rc,rr,ser" doc:"Isolation level of every lane; left out, the run decides."`
	MaxTries   number           `yaml:"max_tries" min:"1" doc:"How often a call is tried when the server answers an error named by @retry; left out, the run decides."`
	Load       loadNode         `yaml:"load" doc:"How hard the scenario is driven when the run does not say otherwise."`
	Actors     list[actorNode]  `yaml:"actors" need:"[…]" doc:"The kinds of call, at least one."`
	App        appNode          `yaml:"app" doc:"The application that the requests of the actors go to. Such a scenario is for explore and stress."`
	Stubs      list[stubNode]   `yaml:"stubs" doc:"HTTP servers that stand in for services which the application calls, and count the calls."`
	Invariants list[ruleNode]   `yaml:"invariants" doc:"What must hold."`
	Variants   dict[changeNode] `yaml:"variants" doc:"Other versions of the scenario, such as its fixes."`
	Fixed      list[word]       `yaml:"fixed" doc:"The variants that claim to be right at every isolation level."`
}

type loadNode struct {
	pos
	Mode    word         `yaml:"mode" enum:"loop,rounds" doc:"loop: every lane makes one call after the other. rounds: every lane makes one call behind a start gate, then the invariants are looked at and the tables reset, again and again."`
	Clients number       `yaml:"clients" min:"1" doc:"Number of lanes."`
	Think   think        `yaml:"think" doc:"Pause of a lane between two statements of a call: 5ms, or a range such as 0-5ms."`
	Lanes   dict[number] `yaml:"lanes" min:"1" doc:"For rounds and for applications: how many lanes run which actor."`
}

type actorNode struct {
	pos
	Name    word             `yaml:"name" need:"…" doc:"Letters, digits and underscores."`
	Script  word             `yaml:"script" doc:"File with a pgbench script."`
	HTTP    httpNode         `yaml:"http" doc:"Request to the application, in the place of a script."`
	Before  list[httpNode]   `yaml:"before" doc:"Requests that it needs first, such as a login; sent once in each lane. Their cookies are kept, and {{answer PATH}} is a value that they were answered."`
	Command word             `yaml:"command" doc:"Command line for sh, in the place of a script: DATABASE_URL and PG* name the database, {{lane}}, {{uuid}} and {{now}} are filled in for each call. Exit code 0 means yes."`
	Refused few[number]      `yaml:"refused" doc:"Exit codes of the command that mean no, as a rule of the business. Other codes are errors."`
	Weight  number           `yaml:"weight" min:"0" doc:"Share of the calls in a loop, 1 when left out."`
	Params  dict[value]      `yaml:"params" doc:"Variables of this actor, over those of the scenario."`
	Effects list[effectNode] `yaml:"effects" doc:"What one accepted call does, exactly once, and a refused call not at all."`
}

type effectNode struct {
	pos
	Table  word `yaml:"table" need:"…" doc:"Table of the changed row."`
	Key    word `yaml:"key" need:"id" doc:"Column that tells the row."`
	Column word `yaml:"column" need:"…" doc:"Column that changes."`
	At     expr `yaml:"at" need:"':id'" doc:"Value of the key: a pgbench expression over the call's variables."`
	Add    expr `yaml:"add" need:"':amount'" doc:"What is added to the column: a pgbench expression over the call's variables."`
}

type ruleNode struct {
	pos
	Name  word      `yaml:"name" need:"…" doc:"The rule in words, as reports tell it."`
	SQL   word      `yaml:"sql" doc:"Query that must return no row; the columns of a row tell the violation."`
	File  word      `yaml:"file" doc:"File with that query, instead of sql."`
	When  word      `yaml:"when" enum:"running,end" doc:"running (the default): in every consistent snapshot. end: when all lanes have stopped; may use :ok_ACTOR, :refused_ACTOR, :failed_ACTOR and :unknown_ACTOR."`
	Fixes few[word] `yaml:"fixes" doc:"The mend in your own words, best first."`
}

type changeNode struct {
	pos
	Title     word        `yaml:"title" doc:"One line for lists and tables."`
	Doc       word        `yaml:"doc" doc:"Why this version is right, or wrong."`
	Scripts   dict[word]  `yaml:"scripts" doc:"Other script files: actor: file."`
	Setup     few[source] `yaml:"setup" doc:"SQL run after the scenario's own setup."`
	Reset     source      `yaml:"reset" doc:"Another reset."`
	Isolation word        `yaml:"isolation" enum:"read committed,repeatable read,serializable,rc,rr,ser" doc:"Isolation level of this version at every run."`
	MaxTries  number      `yaml:"max_tries" min:"1" doc:"How often a call of this version is tried."`
}

func (n *loadNode) decode(d *decoder, at node)   { n.pos = at.pos; d.object(at, n) }
func (n *actorNode) decode(d *decoder, at node)  { n.pos = at.pos; d.object(at, n) }
func (n *effectNode) decode(d *decoder, at node) { n.pos = at.pos; d.object(at, n) }
func (n *ruleNode) decode(d *decoder, at node)   { n.pos = at.pos; d.object(at, n) }
func (n *changeNode) decode(d *decoder, at node) { n.pos = at.pos; d.object(at, n) }
