package fetch

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"footnote/knowledge"
)

// reserved is a range of the IANA special-purpose registries.
type reserved struct {
	prefix netip.Prefix
	what   string
}

// reservedRanges is the data of the guard: what is not the public internet. Ranges
// within a range come first, so that the sentence names the nearest.
func reservedRanges() []reserved {
	var out []reserved
	for _, r := range [][2]string{
		{"0.0.0.0/32", "unspecified"},
		{"0.0.0.0/8", "this network"},
		{"10.0.0.0/8", "private"},
		{"100.64.0.0/10", "carrier-grade NAT"},
		{"127.0.0.0/8", "loopback"},
		{"169.254.169.254/32", "cloud metadata"},
		{"169.254.0.0/16", "link-local"},
		{"172.16.0.0/12", "private"},
		{"192.0.0.0/24", "protocol assignments"},
		{"192.0.2.0/24", "documentation"},
		{"192.88.99.0/24", "6to4 relay"},
		{"192.168.0.0/16", "private"},
		{"198.18.0.0/15", "benchmarking"},
		{"198.51.100.0/24", "documentation"},
		{"203.0.113.0/24", "documentation"},
		{"224.0.0.0/4", "multicast"},
		{"255.255.255.255/32", "broadcast"},
		{"240.0.0.0/4", "reserved"},
		{"::/128", "unspecified"},
		{"::1/128", "loopback"},
		{"::/96", "IPv4-compatible"},
		{"::ffff:0:0:0/96", "IPv4-translated"},
		{"64:ff9b:1::/48", "local NAT64"},
		{"100::/64", "discard"},
		{"2001::/32", "Teredo"},
		{"2001:db8::/32", "documentation"},
		{"2001::/23", "protocol assignments"},
		{"2002::/16", "6to4"},
		{"3fff::/20", "documentation"},
		{"5f00::/16", "segment routing"},
		{"fd00:ec2::254/128", "cloud metadata"},
		{"fc00::/7", "private"},
		{"fe80::/10", "link-local"},
		{"fec0::/10", "site-local"},
		{"ff00::/8", "multicast"},
	} {
		out = append(out, reserved{netip.MustParsePrefix(r[0]), r[1]})
	}
	return out
}

// guard decides which addresses may be connected to.
type guard struct {
	ranges []reserved
	allow  []netip.Prefix
	global netip.Prefix // all of IPv6 that is handed out as global unicast
	nat64  netip.Prefix
}

func newGuard(allow []netip.Prefix) *guard {
	return &guard{
		ranges: reservedRanges(), allow: allow,
		global: netip.MustParsePrefix("2000::/3"), nat64: netip.MustParsePrefix("64:ff9b::/96"),
	}
}

// check refuses an address that is not public and that the operator has not allowed.
// host is what the address was found under, for the sentence.
func (g *guard) check(addr netip.Addr, host string) *knowledge.Error {
	addr = addr.WithZone("").Unmap() // a prefix never contains an address with a zone
	for _, p := range g.allow {
		if p.Contains(addr) {
			return nil
		}
	}
	if g.nat64.Contains(addr) { // as public as the IPv4 address inside
		b := addr.As16()
		return g.check(netip.AddrFrom4([4]byte(b[12:])), host)
	}
	for _, r := range g.ranges {
		if r.prefix.Contains(addr) {
			return blocked(addr, host, r.what, r.prefix)
		}
	}
	if addr.Is6() && !g.global.Contains(addr) {
		return blocked(addr, host, "not global unicast", netip.PrefixFrom(addr, addr.BitLen()))
	}
	return nil
}

func blocked(addr netip.Addr, host, what string, prefix netip.Prefix) *knowledge.Error {
	at := addr.String()
	if host != "" && host != at {
		at = "the host " + host + " is " + at + ", which"
	}
	return knowledge.Refuse(knowledge.SecurityBlocked,
		"%s is not a public address (%s); an operator can allow it with crawl.allow_private or FOOTNOTE_CRAWL_ALLOW_PRIVATE=%s",
		at, what, prefix)
}

// control is called by net.Dialer with the very address that is about to be
// connected to, after name resolution: what was checked is what is used.
func (g *guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return knowledge.Refuse(knowledge.SecurityBlocked, "%s is not an internet address", address)
	}
	if refusal := g.check(to.Addr(), ""); refusal != nil {
		return refusal
	}
	return nil
}

// CheckHost resolves a host (as in url.URL.Hostname) and refuses it when any of its
// addresses may not be connected to, or when it has none. It is advice given early,
// for a good sentence: the guard itself stands at every connection.
func (c *Client) CheckHost(ctx context.Context, host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if refusal := c.guard.check(addr, host); refusal != nil {
			return refusal
		}
		return nil
	}
	addrs, err := c.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unreachable(host, err)
	}
	for _, addr := range addrs {
		if refusal := c.guard.check(addr, host); refusal != nil {
			return refusal
		}
	}
	return nil
}

// resolverOr is the system's resolver where none was given.
func resolverOr(r *net.Resolver) *net.Resolver {
	if r == nil {
		return net.DefaultResolver
	}
	return r
}

// trimDot drops the root dot of a fully qualified name.
func trimDot(host string) string { return strings.TrimSuffix(host, ".") }
