// Package ent is what generated code imports.
package ent

type Query any
