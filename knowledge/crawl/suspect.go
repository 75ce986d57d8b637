package crawl

import (
	"bytes"
	"net/url"
	"strings"

	"footnote/knowledge"
	"footnote/knowledge/extract"
)

// shortText is how much text, in bytes of Markdown, a page has at most that is an
// excuse and not a document. A reference page on "404 Not Found" is longer.
const shortText = 1000

// formText is the same for a login form. It is less, since a page may carry a form in
// its furniture and be a short document beside it.
const formText = 300

// suspect recognises pages that came with status 200 and are none: bot walls, login
// forms, soft 404s and shells that only JavaScript fills. They are failures, so that
// they never replace a good copy.
func suspect(u *url.URL, doc extract.Document, body []byte) *knowledge.Error {
	if len(doc.Markdown) > shortText {
		return nil
	}
	title := strings.ToLower(doc.Title)
	if title == "" && len(doc.Headings) > 0 {
		title = strings.ToLower(doc.Headings[0].Text)
	}
	lower := bytes.ToLower(body)
	has := func(text string) bool { return bytes.Contains(lower, []byte(text)) }
	switch {
	case containsAny(title, "just a moment", "attention required", "verify you are human", "are you a robot", "checking your browser", "ddos-guard", "security check") ||
		has("/cdn-cgi/challenge-platform/") || has("enable javascript and cookies to continue"):
		return knowledge.Refuse(knowledge.PageNotIngested, "%s is behind a bot wall; ask its owner to let FootnoteBot in", u)
	case len(doc.Markdown) <= formText && (signIn(title) || has(`type="password"`) || has(`type=password`) || has(`type='password'`)):
		return knowledge.Refuse(knowledge.PageNotIngested, "%s is a login page; only public pages can be read", u)
	case notFound(title):
		return knowledge.Refuse(knowledge.PageNotIngested, "%s says that the page does not exist, though with status 200", u)
	case strings.TrimSpace(doc.Markdown) == "" && has("<script") && shell(lower):
		return knowledge.Refuse(knowledge.PageNotIngested, "%s shows nothing without JavaScript", u)
	}
	return nil
}

func signIn(title string) bool {
	for _, words := range []string{"sign in", "log in", "login", "signin", "anmelden", "connexion", "iniciar sesión", "تسجيل الدخول"} {
		if title == words || strings.HasPrefix(title, words+" ") && containsAny(title, "|", " - ", " to ", "·", "–") {
			return true
		}
	}
	return false
}

func notFound(title string) bool {
	return title == "404" || title == "not found" || strings.HasPrefix(title, "404 ") || strings.HasPrefix(title, "404:") ||
		strings.HasPrefix(title, "error 404") ||
		containsAny(title, "page not found", "not found | ", "not found - ", "page introuvable", "seite nicht gefunden", "página no encontrada", "الصفحة غير موجودة",
			"page does not exist", "page doesn't exist", "page can't be found", "page cannot be found", "page could not be found")
}

// shell says that a page waits for a script to fill it.
func shell(lower []byte) bool {
	for _, mark := range []string{`id="root"`, `id="app"`, `id="__next"`, `id="__nuxt"`, `id=root`, `id=app`, "<noscript"} {
		if bytes.Contains(lower, []byte(mark)) {
			return true
		}
	}
	return false
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
