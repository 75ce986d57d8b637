// Package config holds every setting of Footnote in one typed struct. A setting
// comes from its default, then from footnote.yaml, then from the environment, and
// each has a unit and a bound. Load reports every fault at once, so that an operator
// mends a file in one go.
//
// Kind: words. Imports nothing in-repo; only the wiring in main imports it. It reads
// no file and no environment itself: Load is given both.
package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// Config is the effective configuration. The table in keys.go says what each field
// means, and its default, unit and bound.
type Config struct {
	DataDir string
	Admins  []string
	Log     Log
	Store   Store
	Crawl   Crawl
	Gateway Gateway
	Nightly Nightly
	Tokens  Tokens
}

// Log says what is logged, to standard error.
type Log struct {
	Level string // auto, debug, info, warn, error
	JSON  bool
}

// Store bounds the embedded store.
type Store struct {
	Quota        int64 // bytes of database pages in use
	MaxLibraries int
	MaxPages     int // a library
}

// Crawl bounds what a crawl may do to a site and to this machine.
type Crawl struct {
	MaxPages     int
	PageCap      int
	MaxDepth     int
	Delay        time.Duration
	Scope        string
	Robots       bool
	Workers      int
	MaxRunning   int
	MaxBody      int64 // bytes, decoded
	Timeout      time.Duration
	AllowPrivate []netip.Prefix
	Contact      string
}

// Gateway bounds the message loop.
type Gateway struct {
	LaneDepth     int
	RatePerMinute int
	Timeout       time.Duration
	Drain         time.Duration
}

// Nightly says when the nightly work runs, in local time.
type Nightly struct {
	Schedule    string // five cron fields
	Maintenance string // five cron fields
	Timezone    string // IANA name; empty is the system's
}

// Tokens are the credentials of outside services.
type Tokens struct {
	Discord      Secret
	SlackBot     Secret
	SlackApp     Secret
	SlackSigning Secret
	Telegram     Secret
	Model        Secret
	Embedder     Secret
}

// Source is where settings come from beside the defaults.
type Source struct {
	File    string   // name of the YAML file, for messages
	YAML    []byte   // its content; nil when there is none
	Environ []string // "KEY=value", as os.Environ gives it
}

// Fault is one setting that cannot be used.
type Fault struct {
	Where string // "footnote.yaml: crawl.max_pages" or "FOOTNOTE_CRAWL_MAX_PAGES"
	What  string
}

// Faults is everything that is wrong with a configuration.
type Faults []Fault

// Error lists every fault, one a line.
func (f Faults) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d fault%s in the configuration:", len(f), plural(len(f)))
	for _, x := range f {
		fmt.Fprintf(&b, "\n  %s: %s", x.Where, x.What)
	}
	return b.String()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// Load gives the effective configuration. Its error is Faults with every fault of
// both sources. Warnings name what was set without effect: a variable that no
// version knows, or one for a part that this version does not have yet.
func Load(src Source) (cfg Config, warnings []string, err error) {
	var faults Faults
	keys := table()
	for _, k := range keys {
		if e := k.set(&cfg, k.Default); e != nil {
			return cfg, nil, fmt.Errorf("default of %s: %w", k.Name, e)
		}
	}
	set := func(k key, where, value string) {
		if e := k.set(&cfg, value); e != nil {
			faults = append(faults, Fault{where, e.Error()})
		} else if k.NotYet {
			warnings = append(warnings, where+" is set, but this version does not use it yet")
		}
	}
	values, e := flatten(src.YAML)
	if e != nil {
		faults = append(faults, Fault{src.File, e.Error()})
	}
	for _, v := range values {
		if i := slices.IndexFunc(keys, func(k key) bool { return k.Name == v.name }); i >= 0 {
			set(keys[i], src.File+": "+v.name, v.value)
			continue
		}
		if section := v.name + "."; slices.ContainsFunc(keys, func(k key) bool { return strings.HasPrefix(k.Name, section) }) {
			faults = append(faults, Fault{src.File + ": " + v.name, "is a section; its keys stand below it, indented"})
			continue
		}
		faults = append(faults, Fault{src.File + ": " + v.name, "there is no such key" + nearest(v.name, func(k key) string { return k.Name })})
	}
	for _, kv := range src.Environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "FOOTNOTE_") || name == "FOOTNOTE_CONFIG" {
			continue
		}
		if i := slices.IndexFunc(keys, func(k key) bool { return k.Env == name }); i >= 0 {
			set(keys[i], name, value)
			continue
		}
		if notYet(name) {
			warnings = append(warnings, name+" is set, but this version does not use it yet")
			continue
		}
		warnings = append(warnings, name+" is set, but no setting has that name"+nearest(name, func(k key) string { return k.Env }))
	}
	if len(faults) == 0 {
		faults = cfg.check()
	}
	if len(faults) > 0 {
		return cfg, warnings, faults
	}
	return cfg, warnings, nil
}

// check finds settings that are fine alone and wrong together.
func (c Config) check() Faults {
	var out Faults
	if c.Crawl.MaxPages > c.Crawl.PageCap {
		out = append(out, Fault{"crawl.max_pages", fmt.Sprintf("the default of %d pages is above crawl.page_cap, %d: raise the cap or lower the default", c.Crawl.MaxPages, c.Crawl.PageCap)})
	}
	if c.Crawl.PageCap > c.Store.MaxPages {
		out = append(out, Fault{"crawl.page_cap", fmt.Sprintf("%d pages are more than a library may hold (store.max_pages, %d)", c.Crawl.PageCap, c.Store.MaxPages)})
	}
	return out
}

func nearest(name string, of func(key) string) string {
	best, dist := "", len(name)/3+1
	for _, k := range table() {
		if d := levenshtein.ComputeDistance(name, of(k)); d < dist && of(k) != "" {
			best, dist = of(k), d
		}
	}
	if best == "" {
		return "; `footnote config` lists them all"
	}
	return "; did you mean " + best + "?"
}
