package gateway

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// verdict is what a limiter says of one message.
type verdict int

const (
	allowed      verdict = iota
	limitedFirst         // the first refusal since the person was last allowed
	limitedAgain
)

// maxPeople bounds the people a limiter remembers.
const maxPeople = 10_000

// limiter gives each person so many messages a minute, all at once if they like. It
// forgets those who have been silent long enough to have their full measure again.
type limiter struct {
	perMinute int

	mu     sync.Mutex
	people map[string]*person
	swept  time.Time
}

type person struct {
	bucket *rate.Limiter
	told   bool
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, people: make(map[string]*person)}
}

func (l *limiter) allow(actor string, now time.Time) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.people[actor]
	if p == nil {
		l.sweep(now)
		p = &person{bucket: rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)}
		l.people[actor] = p
	}
	switch {
	case p.bucket.AllowN(now, 1):
		p.told = false
		return allowed
	case p.told:
		return limitedAgain
	}
	p.told = true
	return limitedFirst
}

// sweep makes room for one more person.
func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) >= time.Minute {
		l.swept = now
		for actor, p := range l.people {
			if p.bucket.TokensAt(now) >= float64(l.perMinute) {
				delete(l.people, actor)
			}
		}
	}
	for actor := range l.people {
		if len(l.people) < maxPeople {
			return
		}
		delete(l.people, actor)
	}
}
