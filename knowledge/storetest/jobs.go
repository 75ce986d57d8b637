package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/knowledge"
)

func testJobs(t *testing.T, open Open) {
	t.Run("a job comes back as it was started", func(t *testing.T) {
		k := newKit(t, open, roomy())
		started := k.start("go", knowledge.JobCrawl)
		want := job("go", knowledge.JobCrawl)
		want.ID, want.State, want.UpdatedAt = started.ID, knowledge.Running, instant()
		if diff := cmp.Diff(want, started); diff != "" {
			t.Errorf("started (-want +got):\n%s", diff)
		}
		got, err := k.Job(t.Context(), started.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	})
	t.Run("one job a library", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		for _, kind := range []knowledge.JobKind{knowledge.JobAdd, knowledge.JobCrawl, knowledge.JobRefresh} {
			_, err := k.StartJob(t.Context(), job("go", kind))
			wantCode(t, err, knowledge.LibraryBusy)
		}
		running, err := k.RunningJobs(t.Context())
		if err != nil || len(running) != 1 || running[0].ID != j.ID {
			t.Errorf("running = %v, %v", running, err)
		}
		k.finish(j)
		second := k.start("go", knowledge.JobRefresh)
		latest, err := k.LatestJob(t.Context(), "go")
		if err != nil || latest.ID != second.ID || second.ID <= j.ID {
			t.Errorf("latest = %d, %v, want %d", latest.ID, err, second.ID)
		}
	})
	t.Run("an unknown job is refused", func(t *testing.T) {
		k := newKit(t, open, roomy())
		_, err := k.Job(t.Context(), 99)
		wantCode(t, err, knowledge.NotFound)
		_, err = k.LatestJob(t.Context(), "go")
		wantCode(t, err, knowledge.NotFound)
		_, err = k.ResumeJob(t.Context(), 99, "me", instant(), "")
		wantCode(t, err, knowledge.NotFound)
	})
	t.Run("an ended job is announced once", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		quiet := job("quiet", knowledge.JobRefresh)
		quiet.ReplyTo = ""
		q, err := k.StartJob(t.Context(), quiet)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := k.Unannounced(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("unannounced while running = %v, %v", list, err)
		}
		if err := k.FinishJob(t.Context(), j.ID, j.Owner, knowledge.Failed, knowledge.ConnectError, "docs.example is down"); err != nil {
			t.Fatal(err)
		}
		k.finish(q)
		list, err := k.Unannounced(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("unannounced = %v, %v, want the job that has an address", list, err)
		}
		got := list[0]
		if got.State != knowledge.Failed || got.Code != knowledge.ConnectError || got.Reason != "docs.example is down" || got.EndedAt.IsZero() {
			t.Errorf("ended job = %+v", got)
		}
		if err := k.MarkAnnounced(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		if list, err := k.Unannounced(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("unannounced after the announcement = %v, %v", list, err)
		}
	})
	t.Run("a lost lease stops every write", testLeaseLost(open))
	t.Run("recover takes the dead and spares the living", testRecover(open))
	t.Run("resume goes on where the job stopped", testResume(open))
}

func testLeaseLost(open Open) func(t *testing.T) {
	return func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		k.publish(page(j, "a", "apple"))
		if err := k.RenewLease(t.Context(), j.ID, j.Owner, instant().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got, _ := k.Job(t.Context(), j.ID); !got.LeaseUntil.Equal(instant().Add(time.Hour)) {
			t.Errorf("lease until %v", got.LeaseUntil)
		}
		recovered, err := k.RecoverJobs(t.Context(), knowledge.Owner{Install: "team", Host: "beta", Process: "1@1"},
			func(string) bool { return true }, instant().Add(2*time.Hour))
		if err != nil || len(recovered) != 1 {
			t.Fatalf("recovered = %v, %v", recovered, err)
		}
		lost := func(doing string, err error) {
			t.Helper()
			if !errors.Is(err, knowledge.ErrLeaseLost) {
				t.Errorf("%s: %v, want ErrLeaseLost", doing, err)
			}
		}
		check := func(when string) {
			t.Helper()
			_, err := k.Publish(t.Context(), page(j, "b", "banana"))
			lost(when+": publish", err)
			_, err = k.Publish(t.Context(), visit(j, "c", knowledge.Unfetched, nil))
			lost(when+": publish a failure", err)
			lost(when+": renew", k.RenewLease(t.Context(), j.ID, j.Owner, instant()))
			lost(when+": finish", k.FinishJob(t.Context(), j.ID, j.Owner, knowledge.Completed, "", ""))
		}
		check("after recovery")
		if _, err := k.ResumeJob(t.Context(), j.ID, "team/beta/1@1", instant().Add(3*time.Hour), ""); err != nil {
			t.Fatal(err)
		}
		check("under another owner")
		if got := k.search("banana"); len(got) != 0 {
			t.Errorf("the old owner's page was stored: %v", got)
		}
		if done, _, _ := k.Frontier(t.Context(), j.ID); len(done) != 1 {
			t.Errorf("done = %v, want the one page", done)
		}
	}
}

func testRecover(open Open) func(t *testing.T) {
	return func(t *testing.T) {
		k := newKit(t, open, roomy())
		owners := map[string]knowledge.Owner{
			"living":    {Install: "team", Host: "alpha", Process: "1@1"},
			"dead":      {Install: "team", Host: "alpha", Process: "2@1"},
			"elsewhere": {Install: "team", Host: "beta", Process: "2@1"},
			"lapsed":    {Install: "team", Host: "beta", Process: "3@1"},
			"neighbour": {Install: "other", Host: "alpha", Process: "2@1"},
			"alphabet":  {Install: "team", Host: "alphabet", Process: "2@1"},
		}
		for library, owner := range owners {
			j := job(library, knowledge.JobCrawl)
			j.Owner = owner.String()
			if library == "lapsed" {
				j.LeaseUntil = instant().Add(-time.Minute)
			}
			if _, err := k.StartJob(t.Context(), j); err != nil {
				t.Fatal(err)
			}
		}
		recovered, err := k.RecoverJobs(t.Context(), knowledge.Owner{Install: "team", Host: "alpha", Process: "9@9"},
			func(process string) bool { return process == "1@1" }, instant())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]knowledge.JobState{}
		for _, j := range recovered {
			got[j.Library] = j.State
			stored, err := k.Job(t.Context(), j.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(stored, j); diff != "" {
				t.Errorf("%s differs from its row (-row +given):\n%s", j.Library, diff)
			}
			if j.Reason == "" || j.EndedAt.IsZero() {
				t.Errorf("%s has no reason or end: %+v", j.Library, j)
			}
		}
		want := map[string]knowledge.JobState{"dead": knowledge.Interrupted, "lapsed": knowledge.Interrupted}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("recovered (-want +got):\n%s", diff)
		}
		if running, _ := k.RunningJobs(t.Context()); len(running) != 4 {
			t.Errorf("%d jobs run on, want 4", len(running))
		}
	}
}

func testResume(open Open) func(t *testing.T) {
	return func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		first := page(j, "a", "apple")
		first.Visited.Found = []knowledge.Pending{{URL: address("b"), Depth: 1}}
		k.publish(first)
		_, err := k.ResumeJob(t.Context(), j.ID, j.Owner, instant(), "")
		wantCode(t, err, knowledge.LibraryBusy)
		if err := k.FinishJob(t.Context(), j.ID, j.Owner, knowledge.Cancelled, "", "you asked for it"); err != nil {
			t.Fatal(err)
		}
		if err := k.MarkAnnounced(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		if err := k.Maintain(t.Context(), instant().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		other := k.start("go", knowledge.JobRefresh)
		_, err = k.ResumeJob(t.Context(), j.ID, j.Owner, instant(), "")
		wantCode(t, err, knowledge.LibraryBusy)
		k.finish(other)

		got, err := k.ResumeJob(t.Context(), j.ID, "team/alpha/200@2", instant().Add(time.Hour), "")
		if err != nil {
			t.Fatal(err)
		}
		want := j
		want.Owner, want.LeaseUntil = "team/alpha/200@2", instant().Add(time.Hour)
		want.Counts = knowledge.Counts{New: 1, Chunks: 1}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(knowledge.Job{}, "UpdatedAt")); diff != "" {
			t.Errorf("resumed (-want +got):\n%s", diff)
		}
		done, pending, err := k.Frontier(t.Context(), j.ID)
		if err != nil || !cmp.Equal(done, []string{address("a")}) || !cmp.Equal(pending, []knowledge.Pending{{URL: address("b"), Depth: 1}}) {
			t.Errorf("frontier = %v, %v, %v", done, pending, err)
		}
		second := page(got, "b", "banana")
		k.publish(second)
		if c := k.counts(j.ID); c.New != 2 {
			t.Errorf("counts after the resume = %+v, want 2 new", c)
		}
		k.finish(got)
		_, err = k.ResumeJob(t.Context(), j.ID, j.Owner, instant(), "")
		wantCode(t, err, knowledge.ResumeRefused)
	}
}
