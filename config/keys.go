package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// key is one setting as people meet it.
type key struct {
	Name    string // in footnote.yaml, dotted
	Env     string
	Default string
	Unit    string // "pages", "bytes"; empty when there is none
	Bound   string // "1 to 5000"
	Help    string
	Secret  bool
	NotYet  bool // accepted and checked, used by a later version

	set func(*Config, string) error
	get func(Config) string
}

// table is every setting, in the order of the file.
func table() []key {
	return []key{
		str("data_dir", "FOOTNOTE_DATA_DIR", "./data", "where knowledge.db and the terminal's history live", notEmpty, func(c *Config) *string { return &c.DataDir }),
		list("admins", "FOOTNOTE_ADMINS", "", "who may change libraries: slack:U1, slack:T1/U1, discord:42, telegram:7; the terminal's user always may", adminID, func(c *Config) *[]string { return &c.Admins }),

		enum("log.level", "FOOTNOTE_LOG_LEVEL", "auto", []string{"auto", "debug", "info", "warn", "error"}, "what is logged, to standard error; auto is warn beside a script's replies, else info", func(c *Config) *string { return &c.Log.Level }),
		boolean("log.json", "FOOTNOTE_LOG_JSON", "off", "log as JSON lines", func(c *Config) *bool { return &c.Log.JSON }),

		size("store.quota", "FOOTNOTE_STORE_QUOTA", "1GiB", 1<<20, 1<<40, "database pages in use; at the quota new pages are refused", func(c *Config) *int64 { return &c.Store.Quota }),
		number("store.max_libraries", "FOOTNOTE_STORE_MAX_LIBRARIES", "500", "libraries", 500, "archived ones included", func(c *Config) *int { return &c.Store.MaxLibraries }),
		number("store.max_pages", "FOOTNOTE_STORE_MAX_PAGES", "5000", "pages", 5000, "in one library", func(c *Config) *int { return &c.Store.MaxPages }),

		number("crawl.max_pages", "FOOTNOTE_CRAWL_MAX_PAGES", "200", "pages", 5000, "what /kb crawl takes when it is given no number", func(c *Config) *int { return &c.Crawl.MaxPages }),
		number("crawl.page_cap", "FOOTNOTE_CRAWL_PAGE_CAP", "1000", "pages", 5000, "the most that /kb crawl may be given", func(c *Config) *int { return &c.Crawl.PageCap }),
		number("crawl.max_depth", "FOOTNOTE_CRAWL_MAX_DEPTH", "10", "links", 100, "away from the start page", func(c *Config) *int { return &c.Crawl.MaxDepth }),
		duration("crawl.delay", "FOOTNOTE_CRAWL_DELAY", "300ms", 0, time.Minute, "between two requests to one host, start to start; robots.txt may ask for more", func(c *Config) *time.Duration { return &c.Crawl.Delay }),
		enum("crawl.scope", "FOOTNOTE_CRAWL_SCOPE", "tree", []string{"tree", "prefix", "domain", "exact"}, "which addresses a crawl may follow", func(c *Config) *string { return &c.Crawl.Scope }),
		boolean("crawl.robots", "FOOTNOTE_CRAWL_ROBOTS", "on", "obey robots.txt (RFC 9309)", func(c *Config) *bool { return &c.Crawl.Robots }),
		number("crawl.workers", "FOOTNOTE_CRAWL_WORKERS", "4", "fetches", 32, "under way at once in one crawl", func(c *Config) *int { return &c.Crawl.Workers }),
		number("crawl.max_running", "FOOTNOTE_CRAWL_MAX_RUNNING", "4", "crawls", 32, "running at once", func(c *Config) *int { return &c.Crawl.MaxRunning }),
		size("crawl.max_body", "FOOTNOTE_CRAWL_MAX_BODY", "10MiB", 1<<10, 1<<28, "the largest page, decoded", func(c *Config) *int64 { return &c.Crawl.MaxBody }),
		duration("crawl.timeout", "FOOTNOTE_CRAWL_TIMEOUT", "30s", time.Second, 10*time.Minute, "for one page, from the request to its last byte", func(c *Config) *time.Duration { return &c.Crawl.Timeout }),
		prefixes("crawl.allow_private", "FOOTNOTE_CRAWL_ALLOW_PRIVATE", "", "private address ranges that may be crawled, as CIDRs: 10.1.0.0/16, ::1/128", func(c *Config) *[]netip.Prefix { return &c.Crawl.AllowPrivate }),
		str("crawl.contact", "FOOTNOTE_CRAWL_CONTACT", "", "address or mail that the user agent names, for site owners", anything, func(c *Config) *string { return &c.Crawl.Contact }),

		number("gateway.lane_depth", "FOOTNOTE_GATEWAY_LANE_DEPTH", "16", "messages", 1000, "waiting in one conversation; one more is refused", func(c *Config) *int { return &c.Gateway.LaneDepth }),
		number("gateway.rate_per_minute", "FOOTNOTE_GATEWAY_RATE_PER_MINUTE", "30", "messages", 10000, "that one person may send; the terminal is not limited", func(c *Config) *int { return &c.Gateway.RatePerMinute }),
		duration("gateway.timeout", "FOOTNOTE_GATEWAY_TIMEOUT", "2m", time.Second, time.Hour, "for answering one message", func(c *Config) *time.Duration { return &c.Gateway.Timeout }),
		duration("gateway.drain", "FOOTNOTE_GATEWAY_DRAIN", "10s", time.Millisecond, 5*time.Minute, "for finishing what is under way at shutdown; a second signal cuts it short", func(c *Config) *time.Duration { return &c.Gateway.Drain }),

		str("nightly.schedule", "FOOTNOTE_NIGHTLY_SCHEDULE", "0 2 * * *", "cron fields: minute hour day month weekday; refreshes the libraries with nightly on", cronFields, func(c *Config) *string { return &c.Nightly.Schedule }),
		str("nightly.maintenance", "FOOTNOTE_NIGHTLY_MAINTENANCE", "30 3 * * *", "cron fields; checks the keyword index, drops what is past its time, gives space back", cronFields, func(c *Config) *string { return &c.Nightly.Maintenance }),
		str("nightly.timezone", "FOOTNOTE_NIGHTLY_TIMEZONE", "", "IANA name such as Europe/Berlin; empty is the system's", timezone, func(c *Config) *string { return &c.Nightly.Timezone }),

		secret("discord.token", "FOOTNOTE_DISCORD_TOKEN", func(c *Config) *Secret { return &c.Tokens.Discord }),
		secret("slack.bot_token", "FOOTNOTE_SLACK_BOT_TOKEN", func(c *Config) *Secret { return &c.Tokens.SlackBot }),
		secret("slack.app_token", "FOOTNOTE_SLACK_APP_TOKEN", func(c *Config) *Secret { return &c.Tokens.SlackApp }),
		secret("slack.signing_secret", "FOOTNOTE_SLACK_SIGNING_SECRET", func(c *Config) *Secret { return &c.Tokens.SlackSigning }),
		secret("telegram.token", "FOOTNOTE_TELEGRAM_TOKEN", func(c *Config) *Secret { return &c.Tokens.Telegram }),
		secret("model.key", "FOOTNOTE_MODEL_KEY", func(c *Config) *Secret { return &c.Tokens.Model }),
		secret("embedder.key", "FOOTNOTE_EMBEDDER_KEY", func(c *Config) *Secret { return &c.Tokens.Embedder }),
	}
}

// notYet names the variables that a later version reads: setting one is no mistake.
func notYet(env string) bool {
	return slices.Contains([]string{
		"FOOTNOTE_HTTP_ADDR", "FOOTNOTE_STORE", "FOOTNOTE_KB_AUTO_INJECT", "FOOTNOTE_KB_SMART_SEARCH", "FOOTNOTE_KB_TOP_K", "FOOTNOTE_RERANK_URL",
		"FOOTNOTE_EMBEDDER", "FOOTNOTE_EMBEDDER_MODEL", "FOOTNOTE_EMBEDDER_DIMENSIONS", "FOOTNOTE_MODEL_URL", "FOOTNOTE_MODEL",
		"FOOTNOTE_DISCORD_API_URL", "FOOTNOTE_SLACK_API_URL", "FOOTNOTE_TELEGRAM_API_URL",
	}, env)
}

// The constructors below make a row of the table for each type of setting.

func str(name, env, def, help string, check func(string) error, at func(*Config) *string) key {
	return key{
		Name: name, Env: env, Default: def, Help: help,
		set: func(c *Config, v string) error {
			if err := check(v); err != nil {
				return err
			}
			*at(c) = v
			return nil
		},
		get: func(c Config) string { return *at(&c) },
	}
}

func enum(name, env, def string, of []string, help string, at func(*Config) *string) key {
	bound := strings.Join(of, ", ")
	k := str(name, env, def, help, func(v string) error {
		if !slices.Contains(of, v) {
			return fmt.Errorf("%q is not one of %s", v, bound)
		}
		return nil
	}, at)
	k.Bound = bound
	return k
}

func list(name, env, def, help string, check func(string) error, at func(*Config) *[]string) key {
	return key{
		Name: name, Env: env, Default: def, Help: help, Bound: "comma-separated",
		set: func(c *Config, v string) error {
			var out []string
			for _, x := range split(v) {
				if err := check(x); err != nil {
					return err
				}
				out = append(out, x)
			}
			*at(c) = out
			return nil
		},
		get: func(c Config) string { return strings.Join(*at(&c), ",") },
	}
}

func prefixes(name, env, def, help string, at func(*Config) *[]netip.Prefix) key {
	return key{
		Name: name, Env: env, Default: def, Help: help, Bound: "comma-separated",
		set: func(c *Config, v string) error {
			var out []netip.Prefix
			for _, x := range split(v) {
				p, err := netip.ParsePrefix(x)
				if a, e := netip.ParseAddr(x); e == nil {
					p, err = netip.PrefixFrom(a, a.BitLen()), nil
				}
				if err != nil {
					return fmt.Errorf("%q is not an address range such as 10.1.0.0/16", x)
				}
				out = append(out, p.Masked())
			}
			*at(c) = out
			return nil
		},
		get: func(c Config) string {
			var out []string
			for _, p := range *at(&c) {
				out = append(out, p.String())
			}
			return strings.Join(out, ",")
		},
	}
}

// number is a whole number from 1 to high: the parts take 0 for their own default.
func number(name, env, def, unit string, high int, help string, at func(*Config) *int) key {
	return key{
		Name: name, Env: env, Default: def, Unit: unit, Bound: fmt.Sprintf("1 to %d", high), Help: help,
		set: func(c *Config, v string) error {
			n, err := strconv.Atoi(strings.TrimSpace(v))
			if err != nil {
				return fmt.Errorf("%q is not a whole number of %s", v, unit)
			}
			if n < 1 || n > high {
				return fmt.Errorf("%d %s is out of bounds: 1 to %d", n, unit, high)
			}
			*at(c) = n
			return nil
		},
		get: func(c Config) string { return strconv.Itoa(*at(&c)) },
	}
}

func boolean(name, env, def, help string, at func(*Config) *bool) key {
	return key{
		Name: name, Env: env, Default: def, Bound: "on, off", Help: help,
		set: func(c *Config, v string) error {
			switch strings.ToLower(strings.TrimSpace(v)) {
			case "on", "true", "1", "yes":
				*at(c) = true
			case "off", "false", "0", "no":
				*at(c) = false
			default:
				return fmt.Errorf("%q is neither on nor off", v)
			}
			return nil
		},
		get: func(c Config) string {
			if *at(&c) {
				return "on"
			}
			return "off"
		},
	}
}

func duration(name, env, def string, low, high time.Duration, help string, at func(*Config) *time.Duration) key {
	return key{
		Name: name, Env: env, Default: def, Unit: "duration, or a bare number of milliseconds", Bound: short(low) + " to " + short(high), Help: help,
		set: func(c *Config, v string) error {
			d, err := time.ParseDuration(strings.TrimSpace(v))
			if n, e := strconv.Atoi(strings.TrimSpace(v)); e == nil {
				d, err = time.Duration(n)*time.Millisecond, nil
			}
			if err != nil {
				return fmt.Errorf("%q is not a duration such as 300ms or 2m", v)
			}
			if d < low || d > high {
				return fmt.Errorf("%s is out of bounds: %s to %s", short(d), short(low), short(high))
			}
			*at(c) = d
			return nil
		},
		get: func(c Config) string { return short(*at(&c)) },
	}
}

// short spells a duration without zero parts: 2m, not 2m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

var sizeRE = regexp.MustCompile(`^(\d+)\s*(B|KiB|MiB|GiB|)$`)

func size(name, env, def string, low, high int64, help string, at func(*Config) *int64) key {
	return key{
		Name: name, Env: env, Default: def, Unit: "bytes, or KiB, MiB, GiB", Bound: byteSize(low) + " to " + byteSize(high), Help: help,
		set: func(c *Config, v string) error {
			m := sizeRE.FindStringSubmatch(strings.TrimSpace(v))
			if m == nil {
				return fmt.Errorf("%q is not a size such as 512MiB", v)
			}
			n, err := strconv.ParseInt(m[1], 10, 40)
			shift := map[string]uint{"KiB": 10, "MiB": 20, "GiB": 30}[m[2]]
			if err != nil || n > high>>shift || n<<shift < low {
				return fmt.Errorf("%s is out of bounds: %s to %s", v, byteSize(low), byteSize(high))
			}
			*at(c) = n << shift
			return nil
		},
		get: func(c Config) string { return byteSize(*at(&c)) },
	}
}

func byteSize(n int64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift && n&(1<<u.shift-1) == 0 {
			return strconv.FormatInt(n>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// secret rows belong to parts that this version does not have.
func secret(name, env string, at func(*Config) *Secret) key {
	return key{
		Name: name, Env: env, Secret: true, NotYet: true, Help: "credential; never printed",
		set: func(c *Config, v string) error {
			if strings.ContainsAny(v, " \t\r\n") {
				return fmt.Errorf("the value holds white space: was it pasted with something else?")
			}
			*at(c) = Secret{v}
			return nil
		},
		get: func(c Config) string { return at(&c).String() },
	}
}

func split(v string) []string {
	return strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}

func anything(string) error { return nil }

func notEmpty(v string) error {
	if strings.TrimSpace(v) == "" {
		return fmt.Errorf("it is empty")
	}
	return nil
}

var adminRE = regexp.MustCompile(`^(slack|discord|telegram):[A-Za-z0-9_/:-]+$`)

func adminID(v string) error {
	if !adminRE.MatchString(v) {
		return fmt.Errorf("%q is not a person such as slack:U1, slack:T1/U1, discord:42 or telegram:7", v)
	}
	return nil
}

func cronFields(v string) error {
	if n := len(strings.Fields(v)); n != 5 {
		return fmt.Errorf("%q has %d cron fields, not 5 (minute hour day month weekday)", v, n)
	}
	if _, err := cron.ParseStandard(v); err != nil {
		return fmt.Errorf("%q is not a time: %w", v, err)
	}
	return nil
}

func timezone(v string) error {
	if _, err := time.LoadLocation(v); err != nil {
		return fmt.Errorf("%q is not a time zone such as Europe/Berlin", v)
	}
	return nil
}
