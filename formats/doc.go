// Package formats opens every file that ogive reads: those of package tensorio, and
// the formats that need libraries.
//
//	npy npz csv tsv raw netcdf   as tensorio reads them
//	json                         JSON lines, an array of objects, an object of arrays, an array of numbers
//	parquet                      Apache Parquet
//	arrow                        Apache Arrow files and streams, Feather version 2
//	hlog                         HdrHistogram logs
//
// A value that is null or absent is missing; see tensorio.Column. docs/command.md
// says what becomes of each type.
//
// Each may be compressed with gzip or zstd, once or more often. Formats are found by
// their first bytes, those that have no mark of their own by the name's ending.
package formats
