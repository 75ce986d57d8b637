package siteserver

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a resolver that knows these names alone: host name to address. It speaks
// real DNS over a pipe, so that a client under test resolves names as it always does
// and nothing leaves the process. It lets one server be two hosts.
func Names(hosts map[string]netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answerNames(server, hosts)
		return client, nil
	}}
}

// answerNames serves length-prefixed DNS (a pipe is a stream) until the client hangs up.
func answerNames(conn net.Conn, hosts map[string]netip.Addr) {
	defer func() { _ = conn.Close() }()
	for {
		query, err := readMessage(conn)
		if err != nil {
			return
		}
		reply, err := resolve(query, hosts)
		if err != nil {
			return
		}
		if _, err := conn.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...)); err != nil {
			return
		}
	}
}

func readMessage(conn net.Conn) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	msg := make([]byte, int(size[0])<<8|int(size[1]))
	_, err := io.ReadFull(conn, msg)
	return msg, err
}

func resolve(query []byte, hosts map[string]netip.Addr) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	addr, known := hosts[strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))]
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: dnsmessage.ClassINET, TTL: 0}
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA && addr.Is4():
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && addr.Is6():
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
	}
	return m.Pack()
}
