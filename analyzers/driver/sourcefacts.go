package driver

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/ccheck/ccheck/analyzers/internal/exportdata"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// factKey is where a fact belongs: to an object, or to a package when there is
// no object.
type factKey struct {
	pkg *types.Package
	obj types.Object
	typ reflect.Type
}

// universe holds the types of packages as those that import them see them, read
// from export data, and the facts about them. Units share one, so that every
// package is read once; a variant of a package for a test needs its own. What has
// been read cannot be given back but as a whole, places included: the names in
// export data are parts of its text.
type universe struct {
	fset  *token.FileSet
	store store
	bytes atomic.Int64 // of export data
	first atomic.Int64 // of the first unit

	mu      sync.RWMutex
	types   map[string]*types.Package // by path
	entered map[string]bool           // by ID
	facts   map[factKey]analysis.Fact
	pool    *flow.Pool
}

func newUniverse(s store) *universe {
	return &universe{fset: token.NewFileSet(), store: s, types: map[string]*types.Package{}, entered: map[string]bool{}, facts: map[factKey]analysis.Fact{}, pool: flow.NewPool()}
}

// enter makes what u imports known, and all that these import in turn: export
// data that is read later must not add to a package that somebody is looking at.
// It returns the imports by the paths that the source has.
func (w *universe) enter(u *unit) (map[string]*types.Package, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	units := map[string]*unit{}
	gather(u, units)
	imports := map[string]*types.Package{}
	for _, path := range sortedKeys(u.Imports) {
		if err := w.read(u.Imports[path], units); err != nil {
			return nil, err
		}
		if p := w.types[u.Imports[path].PkgPath]; p != nil {
			imports[path] = p
		}
	}
	w.first.CompareAndSwap(0, w.bytes.Load())
	return imports, nil
}

func gather(u *unit, all map[string]*unit) {
	for _, d := range u.deps {
		if all[d.ID] == nil {
			all[d.ID] = d
			gather(d, all)
		}
	}
}

// read reads the export data of a package, and the facts where it is a unit.
func (w *universe) read(p *packages.Package, units map[string]*unit) error {
	if w.entered[p.ID] || p.PkgPath == "unsafe" || p.ExportFile == "" {
		return nil
	}
	w.entered[p.ID] = true
	for _, path := range sortedKeys(p.Imports) {
		if err := w.read(p.Imports[path], units); err != nil {
			return err
		}
	}
	if err := w.export(p); err != nil {
		return fmt.Errorf("reading the export data of %s: %w", p.PkgPath, err)
	}
	if u := units[p.ID]; u != nil {
		if err := w.learn(u); err != nil {
			return fmt.Errorf("reading what is known about %s: %w", p.PkgPath, err)
		}
	}
	return nil
}

func (w *universe) export(p *packages.Package) error {
	if known := w.types[p.PkgPath]; known != nil && known.Complete() {
		return nil
	}
	f, err := os.Open(p.ExportFile)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		w.bytes.Add(info.Size())
	}
	r, err := gcexportdata.NewReader(f) //lint:ignore SA1019 a compiler's archive is what go list -export names
	if err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	_, err = gcexportdata.Read(bytes.NewReader(exportdata.Own(data, w.declared)), w.fset, w.types, p.PkgPath)
	return err
}

// declared reports whether an object was read before.
func (w *universe) declared(path, name string) bool {
	p := w.types[path]
	return p != nil && p.Complete() && p.Scope().Lookup(name) != nil
}

// storedFact is a fact outside of a type universe.
type storedFact struct {
	Object objectpath.Path // "" for the package
	Fact   analysis.Fact
}

// learn decodes the facts of a unit. One about an object that its export data
// does not hold can be of no use to others.
func (w *universe) learn(u *unit) error {
	pkg := w.types[u.PkgPath]
	k, err := w.store.known(u)
	if err != nil || len(k.Facts) == 0 || pkg == nil {
		return err
	}
	var stored []storedFact
	if err := decode(k.Facts, &stored); err != nil {
		return err
	}
	for _, s := range stored {
		intern(reflect.ValueOf(s.Fact))
		if f, ok := s.Fact.(*flow.Fact); ok {
			for _, sum := range f.Summaries {
				w.pool.Share(sum)
			}
		}
		key := factKey{pkg: pkg, typ: reflect.TypeOf(s.Fact)}
		if s.Object != "" {
			obj, err := objectpath.Object(pkg, s.Object)
			if err != nil {
				continue
			}
			key.obj = obj
		}
		w.facts[key] = s.Fact
	}
	return nil
}

// encodeFacts is the other direction.
func encodeFacts(facts map[factKey]analysis.Fact) ([]byte, error) {
	stored := make([]storedFact, 0, len(facts))
	paths := new(objectpath.Encoder)
	for k, f := range facts {
		s := storedFact{Fact: f}
		if k.obj != nil {
			path, err := paths.For(k.obj)
			if err != nil {
				continue // local to a function: nobody else can name it
			}
			s.Object = path
		}
		stored = append(stored, s)
	}
	if len(stored) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(stored)
	return b.Bytes(), err
}

// registerFacts tells gob the types of all facts.
func registerFacts(list []*analysis.Analyzer) {
	for _, a := range list {
		for _, f := range a.FactTypes {
			gob.Register(f)
		}
	}
}

// giveFacts lets a pass ask for facts and add its own.
func (p *program) giveFacts(pass *analysis.Pass) {
	pass.ImportObjectFact = func(obj types.Object, to analysis.Fact) bool {
		return p.copyFact(factKey{obj.Pkg(), obj, reflect.TypeOf(to)}, to)
	}
	pass.ImportPackageFact = func(pkg *types.Package, to analysis.Fact) bool {
		return p.copyFact(factKey{pkg, nil, reflect.TypeOf(to)}, to)
	}
	pass.ExportObjectFact = func(obj types.Object, f analysis.Fact) {
		if obj.Pkg() != p.pkg {
			panic(fmt.Sprintf("it exports a fact about %v, which is of another package", obj))
		}
		p.own[factKey{p.pkg, obj, reflect.TypeOf(f)}] = f
	}
	pass.ExportPackageFact = func(f analysis.Fact) { p.own[factKey{p.pkg, nil, reflect.TypeOf(f)}] = f }
	pass.AllObjectFacts = func() (all []analysis.ObjectFact) {
		p.eachFact(pass.Analyzer, func(k factKey, f analysis.Fact) {
			if k.obj != nil {
				all = append(all, analysis.ObjectFact{Object: k.obj, Fact: f})
			}
		})
		return all
	}
	pass.AllPackageFacts = func() (all []analysis.PackageFact) {
		p.eachFact(pass.Analyzer, func(k factKey, f analysis.Fact) {
			if k.obj == nil {
				all = append(all, analysis.PackageFact{Package: k.pkg, Fact: f})
			}
		})
		return all
	}
}

func (p *program) copyFact(key factKey, to analysis.Fact) bool {
	f, ok := p.own[key]
	if !ok && key.pkg != p.pkg {
		p.world.mu.RLock()
		f, ok = p.world.facts[key]
		p.world.mu.RUnlock()
	}
	if ok {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(f).Elem())
	}
	return ok
}

// eachFact calls do for the facts of the analyzer's types, of this package and
// of those that it imports: others share the universe but were not looked for.
func (p *program) eachFact(a *analysis.Analyzer, do func(factKey, analysis.Fact)) {
	types := map[reflect.Type]bool{}
	for _, f := range a.FactTypes {
		types[reflect.TypeOf(f)] = true
	}
	for k, f := range p.own {
		if types[k.typ] {
			do(k, f)
		}
	}
	p.world.mu.RLock()
	defer p.world.mu.RUnlock()
	for k, f := range p.world.facts {
		if types[k.typ] && p.seen[k.pkg.Path()] {
			do(k, f)
		}
	}
}
