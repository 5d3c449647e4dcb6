package delivery

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/queue"
)

// jobs is a queue in memory behind three endpoints. A claim lasts for ever where
// lease is 0.
type jobs struct {
	lease time.Duration

	mu    sync.Mutex
	next  int
	ready []string
	held  map[string]time.Time
}

func (j *jobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch r.URL.Path {
	case "/enqueue":
		j.next++
		key := fmt.Sprint(j.next)
		j.ready = append(j.ready, key)
		fmt.Fprintf(w, `{"job": %q}`, key)
	case "/claim":
		j.claim(w)
	case "/ack":
		var body struct{ Job string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		delete(j.held, body.Job)
	}
}

func (j *jobs) claim(w http.ResponseWriter) {
	for key, until := range j.held {
		if j.lease > 0 && time.Now().After(until) {
			j.held[key] = time.Now().Add(j.lease)
			fmt.Fprintf(w, `{"job": %q}`, key)
			return
		}
	}
	if len(j.ready) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	key := j.ready[0]
	j.ready = j.ready[1:]
	j.held[key] = time.Now().Add(j.lease)
	fmt.Fprintf(w, `{"job": %q}`, key)
}

// An application's queue is driven by its endpoints: one that forgets the jobs of
// workers that died, and one whose claims run out.
func TestEndpoints(t *testing.T) {
	for name, want := range map[string]report.Verdict{"forgets": report.Faulty, "runs out": report.Clean} {
		t.Run(name, func(t *testing.T) {
			q := &jobs{held: map[string]time.Time{}}
			if want == report.Clean {
				q.lease = time.Second
			}
			server := httptest.NewServer(q)
			defer server.Close()
			res := judged(t, queue.Options{
				URL: server.URL, Seed: 1, Path: filepath.Join(t.TempDir(), "run.jsonl"),
				Producers: 4, Workers: 8, Jobs: 200, Kills: 6, Patience: 3 * time.Second,
			})
			if res.Verdict != want {
				t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
			}
			for _, f := range res.Findings {
				if f.Claim != done {
					t.Errorf("%s: %s", f.Claim, f.Message)
				}
			}
		})
	}
}
