package stream

import (
	"iter"

	"github.com/ogive-go/ogive"
)

// AddAll adds every chunk of a sequence, as [State.Add] does without weights: a pass over
// the data, or over a worker's part of them. It ends at the first error, the sequence's or
// one of Add, whose chunk is not added; those before it are. [tensorio.Chunks] is such a
// sequence of a file's blocks.
//
// [tensorio.Chunks]: https://pkg.go.dev/github.com/ogive-go/ogive/tensorio#Chunks
func (s *State) AddAll(chunks iter.Seq2[*ogive.Tensor, error]) error {
	for chunk, err := range chunks {
		if err == nil {
			err = s.Add(chunk, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Of answers for all the data of a sequence: passes over it until the result is known,
// and the result. It goes through the sequence once for each pass, so that this must yield
// the same data each time, as [tensorio.Chunks] does of a file that does not change:
//
//	median, err := s.Of(tensorio.Chunks("samples.npy", tensorio.Options{}, 0))
//
// The errors are those of AddAll, [State.Next] and [State.Result].
//
// [tensorio.Chunks]: https://pkg.go.dev/github.com/ogive-go/ogive/tensorio#Chunks
func (s *State) Of(chunks iter.Seq2[*ogive.Tensor, error]) (*ogive.Tensor, error) {
	for again := true; again; {
		err := s.AddAll(chunks)
		if err == nil {
			again, err = s.Next()
		}
		if err != nil {
			return nil, err
		}
	}
	return s.Result()
}
