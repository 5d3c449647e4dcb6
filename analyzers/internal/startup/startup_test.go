package startup

import "testing"

// program: main calls setup, which starts one janitor and three workers; a
// handler is registered by its value; serve is called by both.
func program() []*Package {
	f := func(line int, name string, root bool, calls ...Call) Func {
		return Func{Name: "app." + name, File: "app.go", First: line, Last: line + 9, Root: root, Calls: calls}
	}
	return []*Package{{
		Funcs: []Func{
			f(10, "main", true, Call{Name: "app.setup"}, Call{Name: "app.serve"}),
			f(20, "setup", false, Call{Name: "app.janitor", Go: true}, Call{Name: "app.worker", Go: true, Loop: true}, Call{Name: "app.open"}),
			f(30, "janitor", false, Call{Name: "app.janitor"}, Call{Name: "app.sweep"}),
			f(40, "worker", false, Call{Name: "app.work"}),
			f(50, "work", false),
			f(60, "handler", false, Call{Name: "app.serve"}, Call{Name: "app.answer"}),
			f(70, "serve", false),
			f(80, "answer", false),
			f(90, "open", false),
			f(100, "sweep", false),
			f(110, "nobody", false),
			{Name: "app.setup$1", File: "app.go", First: 25, Last: 26},
		},
		Taken: []string{"app.handler"},
	}}
}

func TestProgram(t *testing.T) {
	tests := []struct {
		line           int
		before, single bool
	}{
		{12, true, true},    // main
		{22, true, true},    // setup
		{25, false, false},  // a closure of it that nobody is seen to call
		{32, false, true},   // the one janitor
		{42, false, false},  // one of three workers
		{52, false, false},  // what they call
		{62, false, false},  // a handler
		{72, false, false},  // called by main and by a handler
		{82, false, false},  // called by a handler
		{92, true, true},    // called by setup
		{102, false, true},  // called by the janitor
		{112, false, false}, // nobody calls it
		{500, false, false},
	}
	p := New(program())
	for _, tt := range tests {
		if before, single := p.Before("app.go", tt.line), p.Single("app.go", tt.line); before != tt.before || single != tt.single {
			t.Errorf("line %d: before %v, single %v; want %v, %v", tt.line, before, single, tt.before, tt.single)
		}
	}
	if p.Before("other.go", 12) {
		t.Error("a line of another file")
	}
}

func TestLibraryHasNoStart(t *testing.T) {
	pkgs := program()
	pkgs[0].Funcs[0].Name = "app.Main"
	if p := New(pkgs); p.Before("app.go", 22) || p.Single("app.go", 32) {
		t.Error("a package without main has a start")
	}
}
