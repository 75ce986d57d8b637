// Command siteserver serves documentation trees on loopback, for test scripts.
//
//	siteserver -mount /pg=./html -robots auto -sitemap index -cases
//
// Its first line of output is the address it listens on.
//
// Kind: test support.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"footnote/test/siteserver"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "siteserver:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	addr, cfg, err := parse(args)
	if err != nil {
		return err
	}
	to, err := netip.ParseAddrPort(addr)
	if err != nil || !to.Addr().IsLoopback() {
		return fmt.Errorf("%s: only loopback addresses are listened on", addr)
	}
	handler, err := siteserver.New(cfg)
	if err != nil {
		return err
	}
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(to))
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", l.Addr())
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(l)
}

func parse(args []string) (addr string, cfg siteserver.Config, err error) {
	f := flag.NewFlagSet("siteserver", flag.ContinueOnError)
	f.StringVar(&addr, "addr", "127.0.0.1:0", "loopback `address` to listen on")
	rules := f.String("rules", "", "JSON `file` with a list of rules")
	robots := f.String("robots", "auto", `"auto", "none" or a file`)
	f.StringVar(&cfg.Sitemap, "sitemap", "", "flat, index or gzip; empty for none")
	f.DurationVar(&cfg.Delay, "delay", 0, "wait before every answer")
	f.BoolVar(&cfg.Gzip, "gzip", false, "compress text")
	f.BoolVar(&cfg.NoValidators, "no-validators", false, "send no ETag and no Last-Modified")
	f.BoolVar(&cfg.Cases, "cases", false, "serve /__case/")
	f.Func("mount", "`at=dir`: put the files under dir at the URL path at (repeatable)", func(v string) error {
		at, dir, ok := strings.Cut(v, "=")
		if !ok {
			return errors.New("want at=dir")
		}
		cfg.Mounts = append(cfg.Mounts, siteserver.Mount{At: at, Dir: dir})
		return nil
	})
	if err := f.Parse(args); err != nil {
		return "", cfg, err
	}
	if cfg.Robots, err = robotsText(*robots); err != nil {
		return "", cfg, err
	}
	if *rules != "" {
		b, err := os.ReadFile(*rules)
		if err != nil {
			return "", cfg, err
		}
		if err := json.Unmarshal(b, &cfg.Rules); err != nil {
			return "", cfg, fmt.Errorf("read rules: %w", err)
		}
	}
	return addr, cfg, nil
}

func robotsText(option string) (string, error) {
	switch option {
	case "none":
		return "", nil
	case "auto":
		return option, nil
	}
	b, err := os.ReadFile(option)
	return string(b), err
}
