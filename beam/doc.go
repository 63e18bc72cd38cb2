// Package ogivebeam computes exact order statistics of data that lie in many files, or are
// in a pipeline, as Apache Beam transforms: on Flink, Spark, Dataflow and every other
// runner, or in this process with Prism.
//
// [Quantiles] and [QuantilesPerKey] read arrays (npy, raw), texts, Parquet and the other
// tables of package formats from Beam's file systems; [Describe] counts and describes;
// [FromPCollection] takes values from the pipeline. The answers have the bits of the
// in-memory operation on all of the data, for every division into files and parts, every
// runner and number of workers: the passes are those of package stream, whose states merge
// in any order, and nothing is sampled.
//
//	p, s := beam.NewPipelineWithRoot()
//	answers := ogivebeam.Quantiles(s, []string{"gs://bucket/day-*.npy"}, ogivebeam.Options{
//		Op: ogive.OpNaNQuantile, Q: []rank.Q{rank.Ratio(1, 2), rank.Ratio(99, 100)},
//	})
//
// # How it works
//
// Files are listed and looked at, and what does not fit together is an error before any
// values are read. They are divided into parts: rows of an array, row groups of Parquet,
// bytes of a text, cut where its rows end. Where only the values tell a column's dtype a
// survey of them finds it. Then come the passes: a worker adds its parts to states and
// emits these at the end of a bundle, a Combine merges them, and what comes out is the
// answer or what the next pass begins with, a side input of it. As many passes are laid
// out as any data may take; those that turn out not to be needed read nothing.
//
// A bundle that is retried gives the same states. Files of other than local file systems
// are copied to a temporary file where they are read, and are not divided.
package ogivebeam
