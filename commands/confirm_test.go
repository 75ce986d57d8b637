package commands_test

import (
	"strings"
	"testing"
	"time"

	"footnote/gateway"
	"footnote/knowledge"

	"github.com/google/go-cmp/cmp"
)

// A library is deleted after a question, by the code that the question carries.
func TestDelete(t *testing.T) {
	r := newRoom(t)
	r.furnish(t)
	got := r.say(t, line("/kb delete pg"))
	want := gateway.Reply{
		Text:    "Delete **pg** for good? That is 2 pages, 2 passages, 1 gone. Confirm within 5 minutes: `/kb confirm " + got.Confirm + "`",
		Confirm: got.Confirm,
		Buttons: []gateway.Button{{Label: "Delete pg", Command: "/kb confirm " + got.Confirm, Danger: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("question (-want +got):\n" + diff)
	}
	if len(got.Confirm) != 6 || strings.Trim(got.Confirm, "0123456789abcdef") != "" {
		t.Errorf("code %q is not six hex digits", got.Confirm)
	}
	if _, err := r.db.Library(t.Context(), "pg"); err != nil {
		t.Fatalf("gone before it was confirmed: %v", err)
	}
	done := r.say(t, line("/kb confirm "+strings.ToUpper(got.Confirm)))
	if diff := cmp.Diff(gateway.Reply{Text: "**pg** is deleted: 2 pages, 2 passages, 1 gone."}, done); diff != "" {
		t.Error("answer (-want +got):\n" + diff)
	}
	if _, err := r.db.Library(t.Context(), "pg"); knowledge.CodeOf(err) != knowledge.NotFound {
		t.Errorf("still there: %v", err)
	}
	if got := r.say(t, line("/kb confirm "+got.Confirm)); got.Code != string(knowledge.NotFound) {
		t.Errorf("the code is good twice: %+v", got)
	}
}

func TestRemoveGone(t *testing.T) {
	r := newRoom(t)
	r.furnish(t)
	question := r.say(t, line("/kb gone pg remove"))
	if !strings.HasPrefix(question.Text, "Remove 1 page of **pg** that its site no longer has? Confirm") {
		t.Errorf("question %q", question.Text)
	}
	done := r.say(t, line(question.Buttons[0].Command))
	if diff := cmp.Diff(gateway.Reply{Text: "Removed 1 page of **pg** that were gone."}, done); diff != "" {
		t.Error("answer (-want +got):\n" + diff)
	}
	if lib, _ := r.db.Library(t.Context(), "pg"); lib.Pages != 1 || lib.Gone != 0 {
		t.Errorf("library %+v", lib)
	}
}

// A code is good for whom it was made, where it was shown, for five minutes.
func TestConfirmationMisuse(t *testing.T) {
	elsewhere := func(m gateway.Message) gateway.Message { m.Chat = "other"; return m }
	another := func(m gateway.Message) gateway.Message { m.User.ID = "you"; return m }
	demoted := func(m gateway.Message) gateway.Message { m.User.Admin = false; return m }
	cases := []struct {
		name string
		by   func(gateway.Message) gateway.Message
		want knowledge.Code
		then knowledge.Code // when the right person confirms afterwards
	}{
		{"another admin", another, knowledge.NotFound, ""},
		{"another chat", elsewhere, knowledge.NotFound, ""},
		{"no admin any more", demoted, knowledge.NotAdmin, knowledge.NotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t)
			r.furnish(t)
			yes := line(r.say(t, line("/kb delete pg")).Buttons[0].Command)
			if got := r.say(t, c.by(yes)); got.Code != string(c.want) || !got.Ephemeral {
				t.Errorf("misused: %+v, want %s", got, c.want)
			}
			if _, err := r.db.Library(t.Context(), "pg"); err != nil {
				t.Fatalf("deleted all the same: %v", err)
			}
			if got := r.say(t, yes); got.Code != string(c.then) {
				t.Errorf("used rightly afterwards: %+v, want %q", got, c.then)
			}
		})
	}
	t.Run("expired", func(t *testing.T) {
		r := newRoom(t)
		r.furnish(t)
		m := line("/kb confirm 7f3a91")
		err := r.db.SaveConfirmation(t.Context(), "7f3a91", m.Actor(), m.Conversation(), "delete pg", time.Now().Add(-time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.say(t, m); got.Code != string(knowledge.NotFound) {
			t.Errorf("expired: %+v", got)
		}
	})
	t.Run("the library is gone meanwhile", func(t *testing.T) {
		r := newRoom(t)
		r.furnish(t)
		yes := r.say(t, line("/kb delete pg")).Buttons[0].Command
		if err := r.db.DeleteLibrary(t.Context(), "pg"); err != nil {
			t.Fatal(err)
		}
		if got := r.say(t, line(yes)); got.Code != string(knowledge.NotFound) {
			t.Errorf("got %+v", got)
		}
	})
}
