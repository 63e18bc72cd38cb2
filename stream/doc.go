// Package stream computes exact order statistics of data that do not fit into memory,
// in passes over them: quantiles, percentiles and medians, with or without NaNs, with
// integer weights. The answer has the bits of the in-memory operation on all of the data,
// whatever the chunks, their order, the number of workers and the budget.
//
//	s, err := stream.New(ogive.OpMedian, dtype.Float64, 64<<20)
//	for again := true; again; again, err = s.Next() {
//		for chunk := range data {
//			s.Add(chunk, nil)
//		}
//	}
//	median, err := s.Result()
//
// A [State] is mergeable: Fork it for each worker, let each Add a part of the data, and
// Merge them back before Next. States travel between machines as bytes, by
// MarshalBinary. [State.Of] takes the chunks of a file. [Reduce] reads an array piece by piece and answers along any axes.
//
// # How it works
//
// Elements become integer keys in the order of the values, as in memory. Keys are listed
// while 7/16 of the budget hold them. Beyond that they are counted in a histogram whose
// bins are runs of 2^s keys; s is the smallest for which the bins from the least key to
// the largest fit into the rest, so that counts depend on nothing but the values.
// When a pass ends, the bins with the wanted order statistics are known, and how many
// values are below: the next pass lists or counts the keys of these bins alone. No
// sample is drawn, and no order of the data is a bad one.
package stream
