package leader

import (
	"fmt"
	"strconv"
	"strings"
)

// word begins every line of an instance that is for ccheck.
const word = "ccheck"

// said is what a process of the user's says.
type said struct {
	what  string // leader, follower, ask, done, refused
	token string // of leader
	tick  int64  // of the jobs
}

// hear reads a line of a process. One that does not begin with the word ccheck is
// none of ours, and nil.
func hear(line string) (*said, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != word {
		return nil, nil
	}
	switch what := strings.Join(words[1:min(2, len(words))], ""); {
	case what == "leader" && len(words) == 3:
		return &said{what: what, token: words[2]}, nil
	case what == "follower" && len(words) == 2:
		return &said{what: what}, nil
	case (what == "ask" || what == "done" || what == "refused") && len(words) == 3:
		tick, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("in %q the tick is no whole number", line)
		}
		return &said{what: what, tick: tick}, nil
	}
	return nil, fmt.Errorf("%q says nothing that ccheck knows: it is ccheck leader TOKEN, follower, ask TICK, done TICK or refused TICK", line)
}
