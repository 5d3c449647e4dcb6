package flow

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// laid is the path, in what a caller gave, of what a decoder has laid over a structure:
// parts that the text does not name stay as they were.
const laid = ".laid"

// LaidOver reports whether a value is what a decoder found in a text that the caller
// gave, and what the structure had before where the text says nothing.
func (v Value) LaidOver() bool {
	return slices.ContainsFunc(v.From, func(p Part) bool {
		return p.Event < 0 && p.Param >= 0 && p.Calc && strings.Contains(p.Source.Path+".", laid+".")
	})
}

// laying are the functions that read a form of a structure into one that is there.
var laying = regexp.MustCompile(`^encoding/(json|xml)\.Unmarshal$|^\(\*encoding/(json|xml)\.Decoder\)\.Decode$` +
	`|^\(\*?github\.com/(gin-gonic/gin|labstack/echo(/v\d+)?|gofiber/fiber(/v\d+)?)\.\w+\)\.(Should|Must)?(Bind\w*|BodyParser)$` +
	`|^github\.com/(go-chi/render|bytedance/sonic|goccy/go-json|json-iterator/go|jinzhu/copier|mitchellh/mapstructure|go-viper/mapstructure/v2)\.(Decode\w*|Unmarshal|Copy)$` +
	`|^github\.com/imdario/mergo\.Merge\w*$`)

// lay lets a decoder put what it reads over a structure that was read before, or that
// the function was given.
func (m *maker) lay(call *ssa.Call) {
	if !laying.MatchString(calledFull(call.Common())) {
		return
	}
	args := arguments(call.Common())
	for i, a := range args {
		if !m.filledBefore(a, call) {
			continue
		}
		for j, o := range args {
			if i != j {
				m.write(call, a, over(m.of(o, call)), false)
			}
		}
	}
}

// filledBefore reports whether a call gets a pointer to a structure that has been read
// from somewhere, or that a caller has.
func (m *maker) filledBefore(v ssa.Value, call *ssa.Call) bool {
	root, path := address(v)
	if path != "" || !pointing(v) {
		return false
	}
	if p, ok := root.(*ssa.Parameter); ok {
		return !isReceiver(p)
	}
	return isStruct(v) && slices.ContainsFunc(m.of(v, call), func(p Part) bool { return p.Event >= 0 })
}

// pointing reports whether a value is a pointer, or may have one in it.
func pointing(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Interface:
		return t.NumMethods() == 0
	}
	return false
}

func isReceiver(p *ssa.Parameter) bool {
	return p.Parent().Signature.Recv() != nil && p == p.Parent().Params[0]
}

// over are the things that a caller gave, as sources of what is laid over others.
func over(parts []Part) (out []Part) {
	for _, p := range parts {
		if p.Event < 0 && p.Param >= 0 {
			out = add(out, Part{Source: Source{Event: -1, Param: p.Param, Path: laid, Calc: true}})
		}
	}
	return out
}
