package search

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// benchSet is a retrieval set: a corpus, questions, and what answers them.
type benchSet struct {
	name    string
	byPage  bool
	docs    []knowledge.Hit
	keys    map[docPlace]string // what the judgements call a document: its id, or its page's
	queries []benchQuery
}

type docPlace struct {
	url     string
	ordinal int
}

func (set benchSet) key(h knowledge.Hit) string { return set.keys[docPlace{h.PageURL, h.Ordinal}] }

type benchQuery struct {
	ID, Text   string
	Answerable bool
	relevant   map[string]float64
}

func readBench(t *testing.T, dir string) benchSet {
	t.Helper()
	set := benchSet{name: filepath.Base(dir), keys: map[docPlace]string{}}
	ordinals := map[string]int{}
	var meta struct{ Unit string }
	data, err := os.ReadFile(filepath.Join(dir, "meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	set.byPage = meta.Unit == "page"
	qrels := "qrels.dev.tsv"
	if _, err := os.Stat(filepath.Join(dir, "qrels_page.dev.tsv")); err == nil {
		set.byPage, qrels = true, "qrels_page.dev.tsv"
	}
	relevant := map[string]map[string]float64{}
	lines(t, filepath.Join(dir, qrels), func(line string) {
		var grade float64
		f := strings.Split(line, "\t")
		if _, err := fmt.Sscan(f[2], &grade); err != nil {
			return // the header
		}
		if relevant[f[0]] == nil {
			relevant[f[0]] = map[string]float64{}
		}
		relevant[f[0]][f[1]] = grade
	})
	lines(t, filepath.Join(dir, "corpus.jsonl.gz"), func(line string) {
		var d struct{ ID, Title, Text, Lang, Page, URL string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		path := strings.Split(d.Title, " › ")
		h := knowledge.Hit{Library: strings.ToLower(set.name), Lang: d.Lang, PageTitle: path[0], PageURL: d.ID, Chunk: knowledge.Chunk{Path: path, Text: d.Text}}
		key := d.ID
		if d.Page != "" {
			h.PageURL = d.Page
			if set.byPage {
				key = d.Page
			}
		}
		h.Ordinal = ordinals[h.PageURL]
		ordinals[h.PageURL]++
		set.docs = append(set.docs, h)
		set.keys[docPlace{h.PageURL, h.Ordinal}] = key
	})
	lines(t, filepath.Join(dir, "queries.dev.jsonl"), func(line string) {
		var q benchQuery
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		q.relevant = relevant[q.ID]
		set.queries = append(set.queries, q)
	})
	return set
}

func lines(t *testing.T, path string, each func(string)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		each(s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

// figures are what a set measured. Ranking figures are over the answerable questions and
// what was shown; silence is the share of questions that got no hit.
type figures struct {
	Questions, Unanswerable int
	Found, MRR, NDCG        float64 // among the first 5; at 10; at 10
	Silent, WronglySilent   float64 // of the unanswerable, of the answerable
}

func (f figures) String() string {
	return fmt.Sprintf("%4d questions (%3d unanswerable)  found@5 %.3f  MRR %.3f  nDCG@10 %.3f  silent %.3f  wrongly silent %.3f",
		f.Questions, f.Unanswerable, f.Found, f.MRR, f.NDCG, f.Silent, f.WronglySilent)
}

func (set benchSet) run(t *testing.T, s *Searcher) figures {
	t.Helper()
	f := figures{Questions: len(set.queries)}
	for _, q := range set.queries {
		r, err := s.Search(t.Context(), knowledge.Query{Text: q.Text, Limit: 10})
		if err != nil {
			t.Fatalf("search %q: %v", q.Text, err)
		}
		if !q.Answerable {
			f.Unanswerable++
			if len(r.Hits) == 0 {
				f.Silent++
			}
			continue
		}
		if len(r.Hits) == 0 {
			f.WronglySilent++
		}
		var keys []string
		for _, h := range append(r.Hits, r.Related...) {
			if key := set.key(h); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		f.NDCG += ndcg(q.relevant, keys)
		if i := slices.IndexFunc(keys, func(k string) bool { return q.relevant[k] > 0 }); i >= 0 {
			f.MRR += 1 / float64(i+1)
			if i < 5 {
				f.Found++
			}
		}
	}
	answerable := float64(max(1, f.Questions-f.Unanswerable))
	f.Found, f.MRR, f.NDCG, f.WronglySilent = f.Found/answerable, f.MRR/answerable, f.NDCG/answerable, f.WronglySilent/answerable
	f.Silent /= float64(max(1, f.Unanswerable))
	return f
}

// ndcg is trec_eval's at 10: linear gain, discount 1/log2(rank+1), ideal cut at 10.
func ndcg(relevant map[string]float64, run []string) float64 {
	var gain, ideal float64
	for i, key := range run[:min(10, len(run))] {
		gain += max(0, relevant[key]) / math.Log2(float64(i+2))
	}
	var grades []float64
	for _, g := range relevant {
		grades = append(grades, max(0, g))
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	for i, g := range grades[:min(10, len(grades))] {
		ideal += g / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

func TestNDCG(t *testing.T) {
	tests := []struct {
		name     string
		relevant map[string]float64
		run      []string
		want     float64
	}{
		{"second place", map[string]float64{"d1": 1}, []string{"d9", "d1", "d5"}, 0.6309297536},
		{"graded, negative and unjudged", map[string]float64{"a": 2, "b": 1, "c": 1, "x": 0, "n": -1}, []string{"b", "x", "a", "n"}, 0.6387878865},
		{
			"more relevant than places",
			map[string]float64{"r1": 1, "r2": 1, "r3": 1, "r4": 1, "r5": 1, "r6": 1, "r7": 1, "r8": 1, "r9": 1, "r10": 1, "r11": 1, "r12": 1},
			[]string{"r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "z", "r10", "r11"},
			0.9363792118,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ndcg(tt.relevant, tt.run); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %.10f, want %.10f", got, tt.want)
			}
		})
	}
}

// stored puts a set into a real store.
func (set benchSet) stored(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "bench.db"), Quota: 1 << 30, MaxLibraries: 1, MaxPages: 20000, MaxRunning: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := time.Now()
	job, err := db.StartJob(t.Context(), knowledge.Job{Library: strings.ToLower(set.name), Title: set.name, Kind: knowledge.JobCrawl, Owner: "bench", LeaseUntil: now.Add(time.Hour), StartedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]knowledge.Hit{}
	for _, h := range set.docs {
		pages[h.PageURL] = append(pages[h.PageURL], h)
	}
	for _, url := range slices.Sorted(maps.Keys(pages)) {
		first := pages[url][0]
		p := knowledge.Publication{
			Job:     job,
			Visited: knowledge.Visited{Requested: url, URL: url, Outcome: knowledge.Fetched, At: now},
			Page:    knowledge.Page{Library: first.Library, URL: url, Title: first.PageTitle, Lang: first.Lang, Digest: url},
		}
		for _, h := range pages[url] {
			p.Chunks = append(p.Chunks, h.Chunk)
		}
		if _, err := db.Publish(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestBench prints the figures of every set below a folder, through a real store;
// floors.json is tuned by it.
func TestBench(t *testing.T) {
	dir := os.Getenv("FOOTNOTE_BENCH")
	if dir == "" {
		t.Skip("FOOTNOTE_BENCH names no folder of retrieval sets")
	}
	only := os.Getenv("FOOTNOTE_BENCH_SETS")
	sets, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range sets {
		if !e.IsDir() || only != "" && !slices.Contains(strings.Split(only, ","), e.Name()) {
			continue
		}
		set := readBench(t, filepath.Join(dir, e.Name()))
		t.Logf("%-12s %s", e.Name(), set.run(t, New(set.stored(t))))
	}
}
