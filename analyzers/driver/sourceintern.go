package driver

import (
	"reflect"
	"unique"
)

// intern makes equal strings in a decoded value share their bytes: summaries
// name the same files and functions thousands of times. It follows exported
// fields, as gob does.
func intern(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Len() > 8 {
			v.SetString(unique.Make(v.String()).Value())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			intern(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		if !flat(v.Type().Elem()) {
			for i := range v.Len() {
				intern(v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && !flat(f.Type()) {
				intern(f)
			}
		}
	}
}

// flat reports types that hold no strings at all.
func flat(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 }
