package scenario

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/stub"
)

// App is the application of a scenario whose actors are HTTP requests. It has
// no scripts: explore runs it.
type App struct {
	Command string // starts it; "" leaves that to the user
	Dir     string // that the command runs in, from the scenario's folder; "" is that folder
	Port    int    // 0 when it is not said
	Ready   string // URL that is answered once it is ready
	Reset   string // command that brings back what is outside of the database
	Env     []string
	Seed    []Source // SQL that is run when it is ready
	Actors  []*web.Actor
	Stubs   []stub.Options
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
	requests := slices.IndexFunc(m.Actors.items, func(n actorNode) bool { return n.HTTP.given() })
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
		l.webActor(a, &m.Actors.items[i])
	}
	for i := range m.Stubs.items {
		l.stub(a, &m.Stubs.items[i])
	}
	for _, given := range []pos{m.Setup.pos, m.Load.pos, m.Variants.pos, m.Isolation.pos} {
		if given.given() {
			l.fail(given, "app.seed has SQL, and app.env what makes another version", "a scenario of an application has no setup, load, isolation and variants")
		}
	}
	return a
}

func (l *loader) webActor(a *App, n *actorNode) {
	if !n.HTTP.given() {
		if n.Name.given() {
			l.fail(n.pos, `add "http: {url: ${APP}/…}"`, "the scenario is of an application, and this actor has no request")
		}
		return
	}
	r := &web.Request{Method: strings.ToUpper(n.HTTP.Method.text), URL: n.HTTP.URL.text}
	if n.Script.given() {
		l.fail(n.Script.pos, "leave one of them out", "an actor has a script or a request, not both")
	}
	for _, h := range n.HTTP.Headers.items {
		r.Headers = append(r.Headers, web.Field{Name: h.key, Value: h.value.text})
	}
	l.body(r, &n.HTTP)
	r.Classes = web.Classes{Accepted: words(n.HTTP.Accepted), Refused: words(n.HTTP.Refused), Failed: words(n.HTTP.Failed)}
	actor := &web.Actor{Name: n.Name.text, Requests: []*web.Request{r}}
	if err := actor.Check(); err != nil {
		l.fail(n.HTTP.pos, "templates are "+web.Templates, "%v", err)
	}
	if u, err := url.Parse(strings.ReplaceAll(r.URL, Base, "http://localhost")); n.HTTP.URL.given() && (err != nil || u.Host == "") {
		l.fail(n.HTTP.URL.pos, "such as ${APP}/orders", "%q is no URL", r.URL)
	}
	a.Actors = append(a.Actors, actor)
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
			pairs = append(pairs, url.QueryEscape(f.key)+"="+escapeForm(f.value.text))
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

// escapeForm writes a value of a form, but for its templates.
func escapeForm(text string) string {
	before, rest, found := strings.Cut(text, "{{")
	inner, after, closed := strings.Cut(rest, "}}")
	if !found || !closed {
		return url.QueryEscape(text)
	}
	return url.QueryEscape(before) + "{{" + inner + "}}" + escapeForm(after)
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
