package fold

import "strings"

// isStop says that a word (lower case, no diacritics) is a function word, so common
// in questions that it says nothing about their subject. One list serves all languages: a
// word that is a content word in another of them is left out of it.
func isStop(w string, langs []*folder) bool {
	for _, f := range langs {
		if isStopIn(w, f.lang) {
			return true
		}
	}
	switch w {
	// English: questions, pronouns, prepositions, auxiliaries.
	case "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
		"can", "could", "cannot", "did", "do", "does", "doing", "done", "for", "from", "had", "has", "have", "having",
		"he", "her", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "may",
		"me", "might", "mine", "must", "my", "no", "not", "of", "on", "or", "our", "ours", "please", "shall", "she",
		"should", "so", "some", "such", "tell", "than", "that", "the", "their", "them", "then", "there", "these",
		"they", "this", "those", "to", "too", "us", "was", "we", "were", "what", "when", "where", "whether", "which",
		"while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your", "yours",
		"don", "doesn", "didn", "isn", "aren", "wasn", "weren", "couldn", "shouldn", "wouldn", "hasn", "haven", "ain",
		"ve", "ll", "re", "e.g", "i.e", "etc":
		return true
	// German.
	case "der", "das", "dem", "den", "ein", "eine", "einen", "einem", "einer", "eines", "und", "oder", "aber",
		"ist", "sind", "wird", "werden", "wie", "wann", "wer", "wen", "wem", "wo", "warum", "wieso", "welche",
		"welcher", "welches", "ich", "er", "sie", "wir", "ihr", "es", "mich", "mir", "dich", "nicht", "kein", "keine", "mit", "von",
		"zu", "zum", "zur", "im", "auf", "aus", "bei", "fur", "uber", "kann", "konnen", "habe", "haben", "sich":
		return true
	// French.
	case "le", "la", "les", "un", "une", "du", "et", "ou", "sont", "que", "qui", "quoi", "quel", "quelle", "quels",
		"quelles", "pourquoi", "quand", "je", "tu", "il", "elle", "nous", "vous", "ils", "elles", "ne", "pas", "dans", "sur",
		"avec", "au", "aux", "ce", "cette", "ces", "mon", "ma", "mes", "peut", "puis", "faut":
		return true
	// Spanish, Portuguese, Italian.
	case "el", "los", "las", "unos", "unas", "y", "o", "como", "cual", "cuales", "cuando", "donde", "quien",
		"por", "para", "sobre", "lo", "se", "sus", "mi", "um", "uma", "da",
		"na", "nos", "qual", "quais", "quando", "onde", "quem", "porque", "gli", "uno", "di", "della", "delle",
		"dei", "nel", "nella", "che", "chi", "dove", "perche", "sono":
		return true
	// Dutch, Swedish.
	case "het", "een", "en", "van", "te", "voor", "niet", "zijn", "wat", "hoe", "waarom", "waar", "wanneer", "ik",
		"och", "att", "det", "som", "hur", "vad", "nar", "varfor", "jag", "ett", "inte", "av":
		return true
	// Russian.
	case "и", "в", "во", "не", "что", "он", "на", "я", "с", "со", "как", "а", "то", "все", "она", "так", "его", "но", "да", "ты",
		"к", "у", "же", "вы", "за", "бы", "по", "ее", "мне", "было", "вот", "от", "меня", "о", "из", "ему", "когда", "где", "кто",
		"почему", "какой", "какая", "какие", "какое", "это", "для", "или", "если", "ли", "можно", "мы", "при", "до":
		return true
	// Arabic, as arabicLetters writes it.
	case "في", "من", "علي", "الي", "عن", "مع", "هو", "هي", "هم", "ما", "ماذا", "متي", "اين", "كيف", "لماذا", "كم", "هل", "اي", "ايه",
		"الذي", "التي", "الذين", "هذا", "هذه", "ذلك", "تلك", "كان", "كانت", "ان", "انه", "او", "ثم", "لم", "لن", "لا", "قد", "و", "ال", "كل", "بين",
		"منذ", "حتي", "عند", "لدي", "بعد", "قبل", "مما", "بماذا", "اذا", "لمن", "به", "بها", "له", "لها", "فيه", "فيها", "منها", "منه":
		return true
	// Chinese and Japanese bigrams of questions.
	case "什么", "怎么", "如何", "为什", "哪个", "哪里", "什麼", "怎麼", "です", "ます", "ですか", "何で":
		return true
	}
	return false
}

// quantity says that a word and what follows ask how much or which, as "how many" does:
// the number of connections are the connections.
func quantity(w, after string) bool {
	switch w {
	case "number", "amount", "kind", "kinds", "sort", "sorts":
		return strings.HasPrefix(after, " of ")
	}
	return false
}

// isStopIn is for function words of one language that mean something in another.
func isStopIn(w, lang string) bool {
	switch lang {
	case "fr":
		return w == "comment" || w == "on" || w == "est" || w == "des"
	case "de":
		return w == "die" || w == "was" || w == "war" || w == "man" || w == "des"
	case "es":
		return w == "con" || w == "sin" || w == "del" || w == "al" || w == "su"
	case "it":
		return w == "con" || w == "per" || w == "non" || w == "del" || w == "al" || w == "ha" || w == "ho"
	case "pt":
		return w == "os" || w == "com" || w == "em" || w == "dos" || w == "das" || w == "nas" || w == "ao"
	case "nl":
		return w == "die" || w == "met" || w == "op" || w == "aan"
	case "sv":
		return w == "ar" || w == "pa" || w == "den"
	}
	return false
}
