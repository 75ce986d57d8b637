package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/knowledge"
)

func testTurns(t *testing.T, open Open) {
	t.Run("the latest turn of a conversation", func(t *testing.T) {
		k := newKit(t, open, roomy())
		_, err := k.LatestTurn(t.Context(), "c1")
		wantCode(t, err, knowledge.NotFound)
		turn := knowledge.Turn{
			Conversation: "c1", Actor: "console:me", Question: "how?", Outcome: "extractive", At: instant(), Latency: 42 * time.Millisecond,
			Passages: []knowledge.Citation{{Chunk: 1 << 32, Library: "go", Title: "T", Section: "S", URL: "u", Evidence: 0.5, Channel: "words", Cited: true}},
		}
		silent := knowledge.Turn{Conversation: "c1", Question: "and?", Outcome: "nothing", At: instant().Add(time.Minute)}
		for _, save := range []knowledge.Turn{turn, {Conversation: "c2", Question: "other", At: instant()}} {
			if err := k.SaveTurn(t.Context(), save); err != nil {
				t.Fatal(err)
			}
		}
		got, err := k.LatestTurn(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(turn, got, cmpopts.IgnoreFields(knowledge.Turn{}, "ID")); diff != "" {
			t.Errorf("turn (-want +got):\n%s", diff)
		}
		if err := k.SaveTurn(t.Context(), silent); err != nil {
			t.Fatal(err)
		}
		if got, err := k.LatestTurn(t.Context(), "c1"); err != nil || !cmp.Equal(silent, got, cmpopts.IgnoreFields(knowledge.Turn{}, "ID")) {
			t.Errorf("turn = %+v, %v, want the silent one", got, err)
		}
	})
	t.Run("a key is seen once, until it has had its time", func(t *testing.T) {
		k := newKit(t, open, roomy())
		seen := func(at time.Time) bool {
			t.Helper()
			was, err := k.Seen(t.Context(), "telegram:1", at)
			if err != nil {
				t.Fatal(err)
			}
			return was
		}
		if seen(instant()) || !seen(instant()) || !seen(instant().Add(time.Hour)) {
			t.Error("a key must be new once and seen from then on")
		}
		if was, err := k.Seen(t.Context(), "telegram:2", instant()); err != nil || was {
			t.Errorf("another key = %v, %v, want new", was, err)
		}
		if err := k.Maintain(t.Context(), instant().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if !seen(instant()) {
			t.Error("a day later the key is forgotten")
		}
		if err := k.Maintain(t.Context(), instant().Add(31*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if seen(instant()) {
			t.Error("a month later the key is still there")
		}
	})
	t.Run("a confirmation is one person's, once, in time", func(t *testing.T) {
		k := newKit(t, open, roomy())
		expires := instant().Add(5 * time.Minute)
		save := func() {
			t.Helper()
			if err := k.SaveConfirmation(t.Context(), "ABC", "me", "here", "delete go", expires); err != nil {
				t.Fatal(err)
			}
		}
		take := func(code, actor, conversation string, at time.Time) string {
			t.Helper()
			action, ok, err := k.TakeConfirmation(t.Context(), code, actor, conversation, at)
			if err != nil || ok != (action != "") {
				t.Fatalf("take = %q, %v, %v", action, ok, err)
			}
			return action
		}
		save()
		for name, got := range map[string]string{
			"wrong code":  take("ABD", "me", "here", instant()),
			"wrong actor": take("ABC", "you", "here", instant()),
			"wrong chat":  take("ABC", "me", "there", instant()),
			"too late":    take("ABC", "me", "here", expires),
		} {
			if got != "" {
				t.Errorf("%s: confirmed %q", name, got)
			}
		}
		if got := take("ABC", "me", "here", instant()); got != "delete go" {
			t.Errorf("confirmed %q, want the action", got)
		}
		if got := take("ABC", "me", "here", instant()); got != "" {
			t.Errorf("confirmed %q a second time", got)
		}
		save()
		if err := k.Maintain(t.Context(), expires); err != nil {
			t.Fatal(err)
		}
		if got := take("ABC", "me", "here", instant()); got != "" {
			t.Errorf("an expired code outlived maintenance: %q", got)
		}
	})
	t.Run("settings", func(t *testing.T) {
		k := newKit(t, open, roomy())
		if v, err := k.Setting(t.Context(), "inject"); err != nil || v != "" {
			t.Errorf("unset = %q, %v", v, err)
		}
		for _, want := range []string{"off", "on", ""} {
			if err := k.SetSetting(t.Context(), "inject", want); err != nil {
				t.Fatal(err)
			}
			if v, err := k.Setting(t.Context(), "inject"); err != nil || v != want {
				t.Errorf("setting = %q, %v, want %q", v, err, want)
			}
		}
	})
	t.Run("maintenance keeps turns for thirty days", func(t *testing.T) {
		k := newKit(t, open, roomy())
		if err := k.SaveTurn(t.Context(), knowledge.Turn{Conversation: "c", Question: "q", At: instant()}); err != nil {
			t.Fatal(err)
		}
		if err := k.Maintain(t.Context(), instant().Add(29*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := k.LatestTurn(t.Context(), "c"); err != nil {
			t.Errorf("after 29 days: %v", err)
		}
		if err := k.Maintain(t.Context(), instant().Add(31*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, err := k.LatestTurn(t.Context(), "c")
		wantCode(t, err, knowledge.NotFound)
	})
	t.Run("maintenance keeps few jobs", func(t *testing.T) {
		k := newKit(t, open, roomy())
		oldest := k.fill("rare", "apple")
		var ids []int64
		for range 40 {
			j := k.start("go", knowledge.JobRefresh)
			k.publish(visit(j, "x", knowledge.Unfetched, knowledge.Refuse(knowledge.ConnectError, "down")))
			k.publish(page(j, "y", "pear"))
			k.finish(j)
			if err := k.MarkAnnounced(t.Context(), j.ID); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, j.ID)
		}
		if err := k.Maintain(t.Context(), instant()); err != nil {
			t.Fatal(err)
		}
		if _, err := k.LatestJob(t.Context(), "rare"); err != nil {
			t.Errorf("the latest job %d of a library: %v", oldest.ID, err)
		}
		_, err := k.Job(t.Context(), ids[0])
		wantCode(t, err, knowledge.NotFound)
		last := ids[len(ids)-1]
		if list, _, err := k.Failures(t.Context(), last, 10); err != nil || len(list) != 1 {
			t.Errorf("failures of the last job = %v, %v, want them kept", list, err)
		}
		if done, _, err := k.Frontier(t.Context(), last); err != nil || len(done) != 1 {
			t.Errorf("frontier of an ended job = %v, %v, want the failure alone", done, err)
		}
	})
}
