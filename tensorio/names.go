package tensorio

import "sync"

// places are where names stand in a list that does not change: tables have as many
// columns as a file says, so that lists of them are not searched.
type places struct {
	once  sync.Once
	at    map[string]int
	again map[string]int // the second place, of names that have one
}

// of returns the first place of a name in the list, which is the same in all calls; -1 if
// it is not there.
func (p *places) of(list []string, name string) int {
	p.once.Do(func() {
		p.at = make(map[string]int, len(list))
		for i, s := range list {
			if _, ok := p.at[s]; !ok {
				p.at[s] = i
			} else if _, ok := p.again[s]; !ok {
				if p.again == nil {
					p.again = map[string]int{}
				}
				p.again[s] = i
			}
		}
	})
	if i, ok := p.at[name]; ok {
		return i
	}
	return -1
}
