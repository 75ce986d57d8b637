package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultsAreInBounds(t *testing.T) {
	cfg, warnings, err := Load(Source{})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load of nothing: %v, warnings %q", err, warnings)
	}
	if cfg.Crawl.MaxPages != 200 || cfg.Crawl.PageCap != 1000 || cfg.Crawl.MaxDepth != 10 || cfg.Crawl.Delay != 300*time.Millisecond || !cfg.Crawl.Robots {
		t.Errorf("crawl defaults: %+v", cfg.Crawl)
	}
	if cfg.Store.Quota != 1<<30 || cfg.Store.MaxLibraries != 500 || cfg.Store.MaxPages != 5000 {
		t.Errorf("store defaults: %+v", cfg.Store)
	}
}

func TestEnvironmentWinsOverFile(t *testing.T) {
	cfg, _, err := Load(Source{
		File:    "footnote.yaml",
		YAML:    []byte("data_dir: /srv/a\nadmins: [slack:U1, telegram:7]\ncrawl:\n  max_pages: 50\n  delay: 1s\n  robots: off\n  allow_private:\n    - 10.1.2.3/16\n    - ::1\nstore:\n"),
		Environ: []string{"FOOTNOTE_CRAWL_MAX_PAGES=60", "FOOTNOTE_STORE_QUOTA=2 MiB", "FOOTNOTE_CRAWL_DELAY=250", "PATH=/bin", "FOOTNOTE_CONFIG=x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{cfg.DataDir, cfg.Admins, cfg.Crawl.MaxPages, cfg.Crawl.Delay, cfg.Crawl.Robots, cfg.Store.Quota, fmt.Sprint(cfg.Crawl.AllowPrivate)}
	want := []any{
		"/srv/a",
		[]string{"slack:U1", "telegram:7"},
		60, 250 * time.Millisecond, false, int64(2 << 20),
		fmt.Sprint([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")}),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	_, _, err := Load(Source{
		File: "footnote.yaml",
		YAML: []byte("crawl:\n  max_page: 3\n  max_pages: many\n  scope: planet\nlog:\n  json: perhaps\nstore: 3\n"),
		Environ: []string{
			"FOOTNOTE_CRAWL_MAX_DEPTH=1000", "FOOTNOTE_CRAWL_DELAY=soon", "FOOTNOTE_STORE_QUOTA=2TiB", "FOOTNOTE_CRAWL_ALLOW_PRIVATE=home",
			"FOOTNOTE_ADMINS=bob", "FOOTNOTE_NIGHTLY_SCHEDULE=02:00", "FOOTNOTE_NIGHTLY_MAINTENANCE=99 3 * * *", "FOOTNOTE_NIGHTLY_TIMEZONE=Mars/Base", "FOOTNOTE_DATA_DIR= ",
			"FOOTNOTE_GATEWAY_DRAIN=0",
		},
	})
	faults, ok := errors.AsType[Faults](err)
	if !ok {
		t.Fatalf("error is %T: %v", err, err)
	}
	for _, want := range []string{
		"crawl.max_page: there is no such key; did you mean crawl.max_pages?",
		`crawl.max_pages: "many" is not a whole number of pages`,
		`"planet" is not one of tree, prefix, domain, exact`,
		"store: is a section; its keys stand below it",
		`log.json: "perhaps" is neither on nor off`,
		"FOOTNOTE_CRAWL_MAX_DEPTH: 1000 links is out of bounds: 1 to 100",
		`FOOTNOTE_CRAWL_DELAY: "soon" is not a duration`,
		"FOOTNOTE_GATEWAY_DRAIN: 0s is out of bounds: 1ms to 5m",
		`FOOTNOTE_STORE_QUOTA: "2TiB" is not a size`,
		`FOOTNOTE_CRAWL_ALLOW_PRIVATE: "home" is not an address range`,
		`FOOTNOTE_ADMINS: "bob" is not a person`,
		"FOOTNOTE_NIGHTLY_SCHEDULE", "FOOTNOTE_NIGHTLY_MAINTENANCE", "FOOTNOTE_NIGHTLY_TIMEZONE", "FOOTNOTE_DATA_DIR: it is empty",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault says %q in:\n%v", want, err)
		}
	}
	if len(faults) != 15 {
		t.Errorf("%d faults, want 15:\n%v", len(faults), err)
	}
}

func TestFaultsOfSettingsTogether(t *testing.T) {
	for name, env := range map[string][]string{
		"default above cap":       {"FOOTNOTE_CRAWL_MAX_PAGES=500", "FOOTNOTE_CRAWL_PAGE_CAP=100"},
		"cap above library limit": {"FOOTNOTE_STORE_MAX_PAGES=300"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Load(Source{Environ: env}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestBadYAML(t *testing.T) {
	for name, doc := range map[string]string{"not a mapping": "- a\n", "broken": "crawl: [\n", "scalar": "7"} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Load(Source{File: "f.yaml", YAML: []byte(doc)}); err == nil || !strings.Contains(err.Error(), "f.yaml") {
				t.Errorf("error %v does not name the file", err)
			}
		})
	}
}

func TestUnknownAndLaterVariablesWarn(t *testing.T) {
	_, warnings, err := Load(Source{Environ: []string{"FOOTNOTE_CRAWL_MAXPAGES=3", "FOOTNOTE_MODEL_URL=http://x", "FOOTNOTE_TELEGRAM_TOKEN=12:ab"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FOOTNOTE_CRAWL_MAXPAGES is set, but no setting has that name; did you mean FOOTNOTE_CRAWL_MAX_PAGES?",
		"FOOTNOTE_MODEL_URL is set, but this version does not use it yet",
		"FOOTNOTE_TELEGRAM_TOKEN is set, but this version does not use it yet",
	}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Error(d)
	}
}

func TestSecretsNeverShow(t *testing.T) {
	const token = "xoxb-very-private"
	cfg, _, err := Load(Source{Environ: []string{"FOOTNOTE_SLACK_BOT_TOKEN=" + token}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Tokens.SlackBot.Reveal() != token || !cfg.Tokens.SlackBot.IsSet() || cfg.Tokens.Discord.IsSet() {
		t.Fatal("the secret itself is lost")
	}
	var out bytes.Buffer
	if err := cfg.Print(&out); err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(js)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "secret", cfg.Tokens.SlackBot, "tokens", cfg.Tokens)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "cfg", cfg)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&out, verb, cfg)
		fmt.Fprintf(&out, verb, cfg.Tokens.SlackBot)
	}
	if strings.Contains(out.String(), token) || strings.Contains(out.String(), fmt.Sprintf("%x", token)) {
		t.Error("the token shows in", out.String())
	}
	_, _, err = Load(Source{Environ: []string{"FOOTNOTE_SLACK_BOT_TOKEN=" + token + " x"}})
	if err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("a bad token's fault is %v", err)
	}
}

func TestPrintedConfigLoadsBack(t *testing.T) {
	cfg, _, err := Load(Source{Environ: []string{"FOOTNOTE_CRAWL_ALLOW_PRIVATE=127.0.0.0/8,::1/128", "FOOTNOTE_CRAWL_CONTACT=mail: ops@example.org # us", "FOOTNOTE_ADMINS=slack:U1", "FOOTNOTE_CRAWL_ROBOTS=0"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := cfg.Print(&out); err != nil {
		t.Fatal(err)
	}
	again, _, err := Load(Source{File: "printed", YAML: out.Bytes()})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if d := cmp.Diff(fmt.Sprint(cfg), fmt.Sprint(again)); d != "" {
		t.Error(d)
	}
	for _, k := range table() {
		if !strings.Contains(out.String(), k.Env) {
			t.Errorf("%s is not printed", k.Env)
		}
	}
}
