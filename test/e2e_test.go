package test

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"footnote/test/siteserver"
)

// binary is the program under test, built once from this checkout.
var binary string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "footnote-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "footnote")
	build := exec.Command("go", "build", "-o", binary, "footnote")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestScripts runs the conversations in testdata/scripts with the built program
// against sites served on loopback.
func TestScripts(t *testing.T) {
	dependOnSources(t)
	testscript.Run(t, scripts("testdata/scripts"))
}

// TestNightlyScripts runs the conversations over whole documentation trees.
func TestNightlyScripts(t *testing.T) {
	if os.Getenv("FOOTNOTE_CORPORA") == "" {
		t.Skip("FOOTNOTE_CORPORA names no folder of documentation trees; make nightly does")
	}
	testscript.Run(t, scripts("testdata/nightly"))
}

// dependOnSources has the test cache look at every folder of the module: the go command
// builds and lists it in processes of its own, of which the cache knows nothing.
func dependOnSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != ".." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			here, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("SITES", filepath.Join(here, "testdata", "sites"))
			env.Setenv("CORPORA", filepath.Join(os.Getenv("FOOTNOTE_CORPORA"), "usr", "share", "doc"))
			env.Setenv("FOOTNOTE_DATA_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("FOOTNOTE_CRAWL_ALLOW_PRIVATE", "127.0.0.1/32")
			env.Setenv("FOOTNOTE_CRAWL_DELAY", "0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"site":      cmdSite,
			"set":       cmdSet,
			"served":    cmdServed,
			"expand":    cmdExpand,
			"waitfor":   cmdWaitFor,
			"confirmed": cmdConfirmed,
			"absent":    cmdAbsent,
			"opens":     cmdOpens,
			"recorded":  cmdRecorded,
			"once":      cmdOnce,
			"sound":     cmdSound,
			"snapshot":  cmdSnapshot,
			"resetlog": func(ts *testscript.TestScript, _ bool, _ []string) {
				site(ts).Reset()
			},
		},
	}
}

// cmdSite serves folders and sets $SITE to the address:
//
//	site [-robots TEXT|auto] [-sitemap KIND] [-delay DURATION] [-cases] [AT=DIR ...]
func cmdSite(ts *testscript.TestScript, _ bool, args []string) {
	var cfg siteserver.Config
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") {
			at, dir, _ := strings.Cut(arg, "=")
			cfg.Mounts = append(cfg.Mounts, siteserver.Mount{At: at, Dir: ts.MkAbs(dir)})
			continue
		}
		if arg == "-cases" {
			cfg.Cases = true
			continue
		}
		if len(args) == 0 {
			ts.Fatalf("site: %s needs a value", arg)
		}
		value := args[0]
		args = args[1:]
		switch arg {
		case "-robots":
			cfg.Robots = strings.ReplaceAll(value, `\n`, "\n")
		case "-sitemap":
			cfg.Sitemap = value
		case "-delay":
			d, err := time.ParseDuration(value)
			ts.Check(err)
			cfg.Delay = d
		default:
			ts.Fatalf("site: unknown option %s", arg)
		}
	}
	s, err := siteserver.New(cfg)
	ts.Check(err)
	srv := httptest.NewServer(s)
	ts.Defer(srv.Close)
	ts.Setenv("SITE", srv.URL)
	ts.Setenv("SITEPORT", srv.URL[strings.LastIndex(srv.URL, ":")+1:])
	sites.put(ts, s)
}

// cmdSet replaces a page while it is served: set PATH FILE, or set PATH gone.
func cmdSet(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: set PATH FILE|gone")
	}
	if args[1] == "gone" {
		site(ts).Set(args[0], nil)
		return
	}
	site(ts).Set(args[0], []byte(ts.ReadFile(args[1])))
}

// cmdServed checks the requests for paths that match:
//
//	served REGEXP total N     there were N
//	served REGEXP again N     at most N were for a path that had been asked for before
func cmdServed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: served REGEXP total|again N")
	}
	re := regexp.MustCompile(args[0])
	limit, err := strconv.Atoi(args[2])
	ts.Check(err)
	total, per := 0, map[string]int{}
	for _, h := range site(ts).Hits() {
		if re.MatchString(h.Path) {
			total++
			if per[h.Path]++; per[h.Path] > 1 {
				ts.Logf("again: %s", h.Path)
			}
		}
	}
	ts.Logf("%d requests for %d paths that match %s", total, len(per), args[0])
	switch {
	case args[1] == "total" && total != limit:
		ts.Fatalf("%d requests match %s, want %d", total, args[0], limit)
	case args[1] == "again" && (total == 0 || total-len(per) > limit):
		ts.Fatalf("%d requests for %d paths match %s, want at most %d for a path asked for before", total, len(per), args[0], limit)
	}
}

// cmdExpand replaces $NAME and ${NAME} in a file of the script: expand FILE.
func cmdExpand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(name, []byte(os.Expand(ts.ReadFile(name), ts.Getenv)), 0o600))
}

// cmdWaitFor waits until N requests have matched: waitfor REGEXP N.
func cmdWaitFor(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: waitfor REGEXP N")
	}
	re := regexp.MustCompile(args[0])
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		n := 0
		for _, h := range site(ts).Hits() {
			if re.MatchString(h.Path) {
				n++
			}
		}
		if n >= want {
			return
		}
	}
	ts.Fatalf("%d requests for %s did not come within a minute", want, args[0])
}

// siteMap keeps each script's server.
type siteMap struct{ m sync.Map }

var sites siteMap

func (s *siteMap) put(ts *testscript.TestScript, site *siteserver.Server) { s.m.Store(ts, site) }

func site(ts *testscript.TestScript) *siteserver.Server {
	s, ok := sites.m.Load(ts)
	if !ok {
		ts.Fatalf("no site is served: the script has to begin with site")
	}
	return s.(*siteserver.Server)
}
