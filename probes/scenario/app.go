package scenario

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/stub"
)

// App is the application of a scenario whose actors are HTTP requests and
// commands. It has no scripts: explore runs it, and stress in rounds.
type App struct {
	Command string // starts it; "" leaves that to the user
	Dir     string // that the command runs in, from the scenario's folder; "" is that folder
	Port    int    // 0 when it is not said
	Ready   string // URL that is answered once it is ready
	Reset   string // command that brings back what is outside of the database
	Env     []string
	Seed    []Source // SQL that is run when it is ready
	Actors  []*web.Actor
	// Commands are run with the environment of the application, in Dir.
	Commands []*command.Actor
	Stubs    []stub.Options
}

// Names are the names of the actors, whatever they are.
func (s *Scenario) Names() []string {
	names := actorNames(s.Actors)
	if s.App == nil {
		return names
	}
	for _, a := range s.App.Actors {
		names = append(names, a.Name)
	}
	for _, a := range s.App.Commands {
		names = append(names, a.Name)
	}
	return names
}

// Base stands for the address of the application in the URL of a request.
const Base = "${APP}"

type appNode struct {
	pos
	Command word        `yaml:"command" doc:"Command line that starts the application; left out, you start it yourself."`
	Dir     word        `yaml:"dir" doc:"Folder that the command runs in, from the scenario's folder."`
	Port    number      `yaml:"port" min:"1" max:"65535" doc:"Port that the application listens on; ${APP} in a URL stands for it."`
	Ready   word        `yaml:"ready" doc:"URL that is answered once the application is ready."`
	Reset   word        `yaml:"reset" doc:"Command that brings back what is outside of the database, run between schedules."`
	Env     dict[value] `yaml:"env" doc:"Variables of the application; {{stub NAME}} is the URL of a stub."`
	Seed    few[source] `yaml:"seed" doc:"SQL, run when the application is ready."`
}

type httpNode struct {
	pos
	Method   word        `yaml:"method" doc:"GET when left out, or POST with a body."`
	URL      word        `yaml:"url" need:"${APP}/…" doc:"Where the request goes. Here and in headers and bodies {{lane}}, {{uuid}}, {{now}} and {{hmac_sha256 SECRET body}} are filled in for each call."`
	Headers  dict[value] `yaml:"headers" doc:"Headers of the request."`
	JSON     document    `yaml:"json" doc:"Body as a JSON document."`
	Form     dict[value] `yaml:"form" doc:"Body as the fields of a form."`
	Body     word        `yaml:"body" doc:"Body as it is."`
	Accepted few[value]  `yaml:"accepted" doc:"Answers that mean yes: 201, 2xx. Left out: 2xx and 3xx."`
	Refused  few[value]  `yaml:"refused" doc:"Answers that mean no, as a rule of the business. Left out: 4xx."`
	Failed   few[value]  `yaml:"failed" doc:"Answers that are errors. Left out: everything else."`
}

type stubNode struct {
	pos
	Name   word   `yaml:"name" need:"…" doc:"What {{stub NAME}} calls it."`
	Key    word   `yaml:"key" doc:"What calls are counted by: header:NAME, json:PATH, path or body; method and path when left out."`
	Status number `yaml:"status" min:"100" max:"599" doc:"Status of the answer, 200 when left out."`
	Body   word   `yaml:"body" doc:"Body of the answer."`
	Delay  think  `yaml:"delay" doc:"Time before the answer."`
}

// document is any value, as JSON.
type document struct {
	pos
	text string
}

func (v *document) decode(d *decoder, at node) {
	var any any
	err := yaml.NodeToValue(at.Node, &any)
	b, jsonErr := json.Marshal(any)
	if err = errors.Join(err, jsonErr); err != nil {
		d.fail(at.pos, "", "%sthis is no JSON document", d.about())
		return
	}
	*v = document{at.pos, string(b)}
}

// app resolves the application of a scenario; nil when its actors are scripts.
func (l *loader) app(m *manifest, params []Param) *App {
	requests := slices.IndexFunc(m.Actors.items, func(n actorNode) bool { return n.HTTP.given() || n.Command.given() })
	if !m.App.given() && !m.Stubs.given() && requests < 0 {
		return nil
	}
	n := &m.App
	a := &App{
		Command: n.Command.text, Dir: n.Dir.text, Port: n.Port.n, Ready: n.Ready.text, Reset: n.Reset.text,
		Seed: l.sources(n.Seed, params),
	}
	for _, e := range n.Env.items {
		a.Env = append(a.Env, e.key+"="+e.value.text)
	}
	for i := range m.Actors.items {
		l.appActor(a, &m.Actors.items[i])
	}
	for i := range m.Stubs.items {
		l.stub(a, &m.Stubs.items[i])
	}
	for _, given := range []pos{m.Setup.pos, m.Variants.pos, m.Isolation.pos} {
		if given.given() {
			l.fail(given, "app.seed has SQL, and app.env what makes another version", "a scenario of an application has no setup, isolation and variants")
		}
	}
	return a
}

// appActor resolves an actor that is a request or a command.
func (l *loader) appActor(a *App, n *actorNode) {
	given := 0
	for _, at := range []pos{n.HTTP.pos, n.Script.pos, n.Command.pos} {
		if at.given() {
			given++
		}
	}
	switch {
	case given > 1:
		l.fail(n.pos, "leave the others out", "an actor has a script, a request or a command, and no two of them")
	case n.HTTP.given():
		l.webActor(a, n)
	case n.Command.given():
		l.commandActor(a, n)
	case n.Name.given():
		l.fail(n.pos, `add "http: {url: ${APP}/…}" or "command: …"`, "the scenario is of an application, and this actor has no request")
	}
	if n.Before.given() && !n.HTTP.given() {
		l.fail(n.Before.pos, "add http, or leave before out", "before has requests that come before one, and there is none")
	}
	if n.Refused.given() && !n.Command.given() {
		l.fail(n.Refused.pos, "those of a request belong under http", "refused has exit codes of a command, and there is none")
	}
}

// commandActor resolves an actor that is a command line.
func (l *loader) commandActor(a *App, n *actorNode) {
	c := &command.Actor{Name: n.Name.text, Command: n.Command.text}
	for _, code := range n.Refused.items {
		if code.n < 1 || code.n > 255 {
			l.fail(code.pos, "0 is accepted, and what is not named here has failed", "exit code %d is none of a refusal", code.n)
		}
		c.Refused = append(c.Refused, code.n)
	}
	if strings.TrimSpace(c.Command) == "" {
		l.fail(n.Command.pos, "", "the command is empty")
	}
	if _, err := web.Fill(c.Command, 1); err != nil {
		l.fail(n.Command.pos, "templates are lane, uuid and now", "%v", err)
	}
	a.Commands = append(a.Commands, c)
}

// appLoad is how an application is driven: always in rounds.
func (l *loader) appLoad(n *loadNode, s *Scenario) Workload {
	if n.Think.given() {
		l.fail(n.Think.pos, "--db-delay delays the statements of an application", "an application thinks for itself")
	}
	if n.Mode.text == string(Loop) {
		l.fail(n.Mode.pos, "leave mode out", "an application is driven in rounds")
	}
	own := *n
	own.Mode.text, own.Mode.pos = string(Rounds), n.pos
	var actors []Actor
	for _, name := range s.Names() {
		actors = append(actors, Actor{Name: name})
	}
	return l.load(&own, actors)
}

// webActor resolves an actor that is a request, with those before it.
func (l *loader) webActor(a *App, n *actorNode) {
	actor := &web.Actor{Name: n.Name.text}
	for i := range n.Before.items {
		actor.Requests = append(actor.Requests, l.request(&n.Before.items[i]))
	}
	actor.Requests = append(actor.Requests, l.request(&n.HTTP))
	if err := actor.Check(); err != nil {
		l.fail(n.HTTP.pos, "templates are "+web.Templates, "%v", err)
	}
	a.Actors = append(a.Actors, actor)
}

func (l *loader) request(n *httpNode) *web.Request {
	r := &web.Request{Method: strings.ToUpper(n.Method.text), URL: n.URL.text}
	for _, h := range n.Headers.items {
		r.Headers = append(r.Headers, web.Field{Name: h.key, Value: h.value.text})
	}
	l.body(r, n)
	r.Classes = web.Classes{Accepted: words(n.Accepted), Refused: words(n.Refused), Failed: words(n.Failed)}
	if u, err := url.Parse(strings.ReplaceAll(r.URL, Base, "http://localhost")); n.URL.given() && (err != nil || u.Host == "") {
		l.fail(n.URL.pos, "such as ${APP}/orders", "%q is no URL", r.URL)
	}
	return r
}

// body takes the one form of body that is given.
func (l *loader) body(r *web.Request, n *httpNode) {
	kind, given := "", 0
	if n.JSON.given() {
		kind, r.Body = "application/json", n.JSON.text
		given++
	}
	if n.Form.given() {
		var pairs []string
		for _, f := range n.Form.items {
			pairs = append(pairs, url.QueryEscape(f.key)+"="+web.Escape(f.value.text))
		}
		kind, r.Body = "application/x-www-form-urlencoded", strings.Join(pairs, "&")
		given++
	}
	if n.Body.given() {
		r.Body = n.Body.text
		given++
	}
	if given > 1 {
		l.fail(n.pos, "leave the others out", "json, form and body all are the body of the request")
	}
	typed := slices.ContainsFunc(r.Headers, func(h web.Field) bool { return strings.EqualFold(h.Name, "Content-Type") })
	if kind != "" && !typed {
		r.Headers = append(r.Headers, web.Field{Name: "Content-Type", Value: kind})
	}
}

func words(from few[value]) []string {
	var list []string
	for _, v := range from.items {
		list = append(list, v.text)
	}
	return list
}

func (l *loader) stub(a *App, n *stubNode) {
	o := stub.Options{Name: n.Name.text, Key: n.Key.text, Status: n.Status.n, Body: n.Body.text, Delay: n.Delay.Max}
	if err := o.Check(); err != nil {
		l.fail(n.Key.pos, "such as header:Idempotency-Key", "%v", err)
	}
	if slices.ContainsFunc(a.Stubs, func(other stub.Options) bool { return other.Name == o.Name }) {
		l.fail(n.Name.pos, "", "two stubs are called %q", o.Name)
	}
	a.Stubs = append(a.Stubs, o)
}

func (n *appNode) decode(d *decoder, at node)  { n.pos = at.pos; d.object(at, n) }
func (n *httpNode) decode(d *decoder, at node) { n.pos = at.pos; d.object(at, n) }
func (n *stubNode) decode(d *decoder, at node) { n.pos = at.pos; d.object(at, n) }
