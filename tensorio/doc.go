// Package tensorio reads and writes tensors: npy, npz, csv and tsv tables, and raw
// memory; it reads netCDF classic files. Arrays are memory-mapped where the platform can
// and their elements lie as the machine wants them, and copied otherwise.
//
// [Open] reads a file and [Read] a stream; both give a [File] of one or more
// tensors. [Chunks] walks a file that is larger than memory, and an [Array] reads any
// box of it. [Save] writes one tensor so that the old file stays until the new one is
// complete. [ReadNPY], [WriteNPY] and [WriteNPZ] work on streams.
//
// A table has a [Column] for each of its columns: values, of the dtype that holds them
// exactly, and which are missing. A text is parsed when a column is first asked for, or in
// runs of rows by [File.Batches]. A [Table] is how other packages hand over theirs.
//
// A file is data from a stranger. Sizes are checked before memory is
// allocated, and every error wraps ogive.ErrFormat and names the file and the
// place: the byte offset, the member, or the line and column.
// Errors of the operating system are wrapped too, for errors.Is with
// fs.ErrNotExist and the like. What the caller asked wrongly (an unknown
// format, a column that does not exist) is ogive.ErrOption.
//
// A mapping lasts as long as tensors over it do; a slice of its memory alone
// does not hold it. It is copy-on-write: writing
// to such a tensor does not change the file. Changing the file underneath
// changes the elements, and shortening it takes memory away: the function of this
// module that reads it next returns an ErrFormat that names the file. Code that reads the
// memory itself, by ogive.Values or Bytes, does so within [Guard], or such an access ends
// the program. [File.Unchanged] tells whether the file is still what was opened.
//
// Names and values in messages are shortened, and control characters in them escaped
// ([Shown]); those that functions return are the file's own.
//
// A new format is one file and one row of the table in format.go.
package tensorio
