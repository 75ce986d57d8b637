// Package test holds what belongs to no single room: the architecture as a test, the
// end-to-end scripts, the sites that are crawled, and the measurements over whole
// documentation trees.
package test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "footnote"

// kinds is the map of the house: every package is exactly one kind.
//
// knowledge/fold is a words package of its own because both stores and the search need
// the same versioned rules, and stores may import nothing that decides.
var kinds = []struct{ pattern, kind string }{
	{"gateway", "words"},
	{"gateway/gatewaytest", "test"},
	{"knowledge", "words"},
	{"config", "words"},
	{"adapters/render", "words"},
	{"knowledge/extract", "words"},
	{"knowledge/chunk", "words"},
	{"knowledge/fold", "words"},
	{"commands", "decider"},
	{"inject", "decider"},
	{"knowledge/index", "decider"},
	{"knowledge/search", "decider"},
	{"knowledge/jobs", "decider"},
	{"adapters/*", "doer"},
	{"knowledge/sqlite", "doer"},
	{"knowledge/crawl", "doer"},
	{"knowledge/fetch", "doer"},
	{"scheduler", "doer"},
	{"knowledge/storetest", "test"},
	{"adapters/adaptertest", "test"},
	{"test", "test"},
	{"test/*", "test"},
	{"test/*/*", "test"},
	{"test/*/*/*", "test"},
	{"", "wiring"},
}

// words that each kind may import, beside the exceptions below.
var (
	chatWords    = []string{"gateway"}
	libraryWords = []string{"knowledge", "knowledge/extract", "knowledge/chunk", "knowledge/fold"}
)

// allowed says which in-repo packages one may import.
func allowed(pkg, kind, imp string) bool {
	switch kind {
	case "wiring", "test":
		return kind == "test" || !strings.HasPrefix(imp, "test") // only tests import test
	case "words":
		return imp == "knowledge" && slices.Contains(libraryWords, pkg) && pkg != "knowledge" ||
			imp == "gateway" && pkg == "adapters/render"
	case "decider":
		if strings.HasPrefix(pkg, "knowledge/") {
			return slices.Contains(libraryWords, imp)
		}
		return slices.Contains(chatWords, imp) || slices.Contains(libraryWords, imp) || imp == "knowledge/search"
	case "doer":
		switch {
		case strings.HasPrefix(pkg, "adapters/"):
			return imp == "gateway" || imp == "adapters/render"
		case pkg == "knowledge/crawl":
			return imp == "knowledge" || imp == "knowledge/fetch" || imp == "knowledge/extract"
		case pkg == "knowledge/sqlite":
			return imp == "knowledge" || imp == "knowledge/fold"
		default:
			return imp == "knowledge"
		}
	}
	return false
}

// outside lists what only some kinds may import from outside the repo.
var outside = []struct {
	imp   string
	kinds []string
}{
	{"database/sql", []string{"doer", "test"}},
	{"net/http", []string{"doer", "test", "wiring"}},
	{"os", []string{"doer", "test", "wiring"}},
	{"github.com/mattn/go-sqlite3", []string{"doer"}},
}

type listed struct {
	ImportPath string
	Imports    []string
	Doc        string
	GoFiles    []string
}

func TestArchitecture(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Doc,GoFiles", "./...")
	cmd.Dir = ".."
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) == 0 {
			continue
		}
		seen++
		checkPackage(t, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if seen < 15 {
		t.Errorf("only %d packages seen: is the list right?", seen)
	}
}

func checkPackage(t *testing.T, p listed) {
	t.Helper()
	pkg := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	kind := kindOf(pkg)
	if kind == "" {
		t.Errorf("%s is on no line of the map: which kind is it?", p.ImportPath)
		return
	}
	if p.Doc == "" {
		t.Errorf("%s has no package comment", p.ImportPath)
	}
	for _, imp := range p.Imports {
		if in, ok := strings.CutPrefix(imp, module+"/"); ok {
			if !allowed(pkg, kind, in) {
				t.Errorf("%s (%s) may not import %s (%s)", pkg, kind, in, kindOf(in))
			}
			continue
		}
		for _, o := range outside {
			if imp == o.imp && !slices.Contains(o.kinds, kind) {
				t.Errorf("%s (%s) may not import %s", pkg, kind, imp)
			}
		}
	}
}

func kindOf(pkg string) string {
	for _, k := range kinds {
		if ok, _ := path.Match(k.pattern, pkg); ok {
			return k.kind
		}
	}
	return ""
}

func TestAllowedIsARule(t *testing.T) {
	for _, bad := range [][2]string{
		{"gateway", "knowledge"},
		{"knowledge", "gateway"},
		{"commands", "inject"},
		{"inject", "commands"},
		{"commands", "knowledge/jobs"},
		{"knowledge/sqlite", "knowledge/index"},
		{"adapters/console", "commands"},
		{"knowledge/search", "gateway"},
		{"scheduler", "knowledge/jobs"},
		{"knowledge/fetch", "knowledge/crawl"},
		{"", "test/siteserver"},
	} {
		if allowed(bad[0], kindOf(bad[0]), bad[1]) {
			t.Errorf("%q may import %q", bad[0], bad[1])
		}
	}
}
