# go-sqlite3 compiles FTS5 only under this tag; everything below inherits it.
export GOFLAGS := $(filter-out -tags=sqlite_fts5,$(GOFLAGS)) -tags=sqlite_fts5
export CGO_ENABLED := 1

LINT   := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFMT  := mvdan.cc/gofumpt@v0.12.0
CORPORA ?= $(CURDIR)/.corpora
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: run build test lint bench nightly fuzz corpora clean

run: build ## start the gateway with the terminal, data in ./data
	./bin/footnote serve

build: ## the one binary, bin/footnote
	go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/footnote .

test: ## unit, integration and end-to-end tests
	go vet ./...
	go test -race -count=1 -timeout 15m ./...

lint: ## formatting, modern Go, and the linters of .golangci.yml
	@out=$$(go run $(GOFMT) -modpath footnote -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofumpt'd:"; echo "$$out"; exit 1; fi
	@out=$$(go fix -diff ./... 2>&1); if [ -n "$$out" ]; then echo "$$out"; exit 1; fi
	go run $(LINT) run --allow-parallel-runners ./...

corpora: ## Debian's documentation packages, unpacked below .corpora, for bench and nightly
	sh test/corpora.sh $(CORPORA)

bench: corpora ## benchmarks; the crawl beside a mirror made by wget in the same run
	FOOTNOTE_CORPORA=$(CORPORA) go test -run '^$$' -bench . -benchtime 3x -timeout 60m ./knowledge/... ./test/...

nightly: corpora ## whole documentation trees, crawled, searched and measured; then every fuzz target for a minute
	FOOTNOTE_CORPORA=$(CORPORA) go test -count=1 -timeout 60m -v -run 'Nightly|Corpora' ./test/... ./knowledge/...
	$(MAKE) fuzz FUZZTIME=60s

FUZZTIME ?= 10s
fuzz: ## every fuzz target in turn
	@set -e; for f in $$(git grep -l 'func Fuzz' -- '*_test.go'); do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$f); do \
	    echo "== $$(dirname $$f) $$t"; go test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f); done; done

clean:
	rm -rf bin coverage.out
