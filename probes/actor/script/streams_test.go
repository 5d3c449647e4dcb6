package script_test

import (
	"testing"

	"github.com/ccheck/ccheck/probes/actor/script"
)

// TestState checks the first numbers of a stream against another
// implementation of the papers: SplitMix64 twice from the seed, then xoroshiro128**.
func TestState(t *testing.T) {
	for seed, want := range map[uint64][3]uint64{
		0:    {0xDEC90D521E93E35D, 0x6D33AC6F18895E08, 0xAB21904EEC6FA48A},
		5432: {0x5CFEACDB804A2EDA, 0x6957E0FC20D2F7C4, 0x657CF86E334D903F},
	} {
		s := script.NewState(seed)
		got := [3]uint64{s.Uint64(), s.Uint64(), s.Uint64()}
		if got != want {
			t.Errorf("seed %d: got %#X, want %#X", seed, got, want)
		}
	}
}

func TestChooserRefusesWeights(t *testing.T) {
	for _, weights := range [][]int{{}, {0}, {0, 0}, {1, -1}} {
		if _, err := script.NewChooser(script.NewState(1), weights); err == nil {
			t.Errorf("weights %v were taken", weights)
		}
	}
}

// TestDefaultSeedMovesTheChooser: pgbench does not draw default_seed when it is
// given, so the choice of scripts changes.
func TestDefaultSeedMovesTheChooser(t *testing.T) {
	if script.ChooserState(1, 1, 0, true) == script.ChooserState(1, 1, 0, false) {
		t.Error("the stream is the same")
	}
	if script.ChooserState(1, 4, 0, true) != script.ChooserState(1, 3, 0, false) {
		t.Error("without default_seed one number less is drawn")
	}
}
