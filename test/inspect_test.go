package test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/mattn/go-sqlite3" // reads the store beside the program that is under test
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"
)

// cmdOpens follows the link of every hit in the --json output in FILE and checks that the
// page has the place that the link names: opens FILE.
func cmdOpens(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: opens FILE")
	}
	opened := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var reply struct {
			Hits []struct {
				URL string `json:"url"`
			} `json:"hits"`
		}
		ts.Check(json.Unmarshal([]byte(line), &reply))
		for _, hit := range reply.Hits {
			ts.Check(openLink(hit.URL))
			opened++
		}
	}
	if opened == 0 {
		ts.Fatalf("%s has no hits", args[0])
	}
	ts.Logf("%d links open at their place", opened)
}

// openLink fetches a page of a loopback site and looks for the link's anchor in it. A link
// without an anchor opens at the top.
func openLink(link string) error {
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	resp, err := http.Get(link)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", link, resp.Status)
	}
	if u.Fragment == "" {
		return nil
	}
	for tokens := html.NewTokenizer(bytes.NewReader(body)); tokens.Next() != html.ErrorToken; {
		for _, a := range tokens.Token().Attr {
			if (a.Key == "id" || a.Key == "name") && a.Val == u.Fragment {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: the page has no such place", link)
}

// cmdSound checks the store in a data folder that no process has open: sound DIR. SQLite
// finds it whole, the keyword index agrees with itself and with the chunks, and no page is
// half published. It works on a copy, since FTS5 checks itself by a write.
func cmdSound(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: sound DIR")
	}
	db := copyOfStore(ts, args[0])
	defer db.Close()
	var verdict string
	ts.Check(db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict))
	if verdict != "ok" {
		ts.Fatalf("integrity_check: %s", verdict)
	}
	if _, err := db.Exec(`INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')`); err != nil {
		ts.Fatalf("integrity-check of the keyword index: %v", err)
	}
	for what, query := range map[string]string{
		"rows whose parent is missing":          `SELECT count(*) FROM pragma_foreign_key_check`,
		"chunks without their keyword row":      `SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunks_fts_docsize) AND page NOT IN (SELECT page FROM visits WHERE gone = 1)`,
		"keyword rows without their chunk":      `SELECT count(*) FROM chunks_fts_docsize WHERE id NOT IN (SELECT id FROM chunks)`,
		"keyword rows of pages that are gone":   `SELECT count(*) FROM chunks WHERE id IN (SELECT id FROM chunks_fts_docsize) AND page IN (SELECT page FROM visits WHERE gone = 1)`,
		"chunks without their page":             `SELECT count(*) FROM chunks WHERE page NOT IN (SELECT id FROM pages)`,
		"pages without their visit":             `SELECT count(*) FROM pages WHERE id NOT IN (SELECT page FROM visits)`,
		"pages that lack chunks or have others": `SELECT count(*) FROM pages p WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.page = p.id AND c.id BETWEEN p.first_chunk AND p.first_chunk + p.chunks - 1)`,
		"pages without text":                    `SELECT count(*) FROM pages WHERE markdown = '' OR chunks = 0`,
	} {
		var n int
		ts.Check(db.QueryRow(query).Scan(&n))
		if n > 0 {
			ts.Fatalf("%d %s", n, what)
		}
	}
	var pages, chunks int
	ts.Check(db.QueryRow(`SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM chunks)`).Scan(&pages, &chunks))
	if pages == 0 || chunks == 0 {
		ts.Fatalf("%s holds no pages", args[0])
	}
	ts.Logf("%d pages and %d chunks are sound", pages, chunks)
}

// cmdSnapshot writes every row of the tables that hold pages, chunks and words, so that two
// moments can be compared: snapshot DIR FILE.
func cmdSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: snapshot DIR FILE")
	}
	db := copyOfStore(ts, args[0])
	defer db.Close()
	var out bytes.Buffer
	for _, table := range []string{"libraries", "pages", "chunks", "chunks_fts_data", "chunks_fts_idx", "chunks_fts_docsize"} {
		columns := "*"
		if table == "libraries" {
			columns = "number, id, next_chunk" // when a library was last checked does change
		}
		ts.Check(dumpTable(&out, db, table, columns))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o600))
}

// dumpTable writes a table's rows in order.
func dumpTable(out *bytes.Buffer, db *sql.DB, table, columns string) error {
	rows, err := db.Query(`SELECT ` + columns + ` FROM ` + table + ` ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(any)
	}
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s", table)
		for _, v := range values {
			fmt.Fprintf(out, " %q", fmt.Append(nil, *v.(*any)))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s: %d rows\n", table, n)
	return rows.Err()
}

// copyOfStore opens a copy of the store in dir, the write-ahead log included.
func copyOfStore(ts *testscript.TestScript, dir string) *sql.DB {
	to, err := os.MkdirTemp(ts.Getenv("WORK"), "store-")
	ts.Check(err)
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join(ts.MkAbs(dir), "knowledge.db"+suffix))
		if suffix != "" && os.IsNotExist(err) {
			continue
		}
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(to, "knowledge.db"+suffix), data, 0o600))
	}
	db, err := sql.Open("sqlite3", filepath.Join(to, "knowledge.db"))
	ts.Check(err)
	return db
}

// cmdConfirmed writes the command that answers the question in FILE, the --json output of
// a conversation: confirmed FILE TO.
func cmdConfirmed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: confirmed FILE TO")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var reply struct {
			Confirm string `json:"confirm"`
		}
		ts.Check(json.Unmarshal([]byte(line), &reply))
		if reply.Confirm != "" {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte("/kb confirm "+reply.Confirm+"\n"), 0o600))
			return
		}
	}
	ts.Fatalf("%s asks for no confirmation", args[0])
}

// cmdAbsent checks that no row of the store in a data folder holds any of the texts:
// absent DIR TEXT...
func cmdAbsent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: absent DIR TEXT...")
	}
	db := copyOfStore(ts, args[0])
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
	ts.Check(err)
	defer rows.Close()
	for rows.Next() {
		var table string
		ts.Check(rows.Scan(&table))
		var out bytes.Buffer
		ts.Check(dumpTable(&out, db, table, "*"))
		for _, text := range args[1:] {
			for line := range strings.Lines(out.String()) {
				if strings.Contains(strings.ToLower(line), strings.ToLower(text)) {
					ts.Fatalf("%q is still there: %.300s", text, line)
				}
			}
		}
	}
	ts.Check(rows.Err())
}

// cmdRecorded writes the addresses whose outcome the journal in a data folder holds:
// recorded DIR FILE.
func cmdRecorded(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: recorded DIR FILE")
	}
	db := copyOfStore(ts, args[0])
	defer db.Close()
	rows, err := db.Query(`SELECT url FROM job_pages WHERE outcome <> '' ORDER BY url`)
	ts.Check(err)
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var address string
		ts.Check(rows.Scan(&address))
		out.WriteString(address + "\n")
	}
	ts.Check(rows.Err())
	if out.Len() == 0 {
		ts.Fatalf("the journal of %s holds no outcome", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o600))
}

// cmdOnce checks that each address in FILE was asked for once: once FILE.
func cmdOnce(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: once FILE")
	}
	asked := map[string]int{}
	for _, h := range site(ts).Hits() {
		asked[ts.Getenv("SITE")+h.Path]++
	}
	addresses := strings.Fields(ts.ReadFile(args[0]))
	for _, address := range addresses {
		if n := asked[address]; n != 1 {
			ts.Fatalf("%d requests for %s, want one", n, address)
		}
	}
	ts.Logf("%d addresses were asked for once", len(addresses))
}
