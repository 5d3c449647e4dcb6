package flow

// Linked is a finding of the whole-program step.
type Linked struct {
	Rule string
	Found
}

// Link resolves the interfaces of the given packages (all those of the module)
// to the types that implement them, and runs the judgements again over the
// functions that gained something. What a judgement had found before is not
// returned again.
func Link(pkgs []*Package, pairings []Pairing) []Linked {
	return nil
}
