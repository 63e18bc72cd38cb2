// Command ogive computes order statistics and element tests of arrays and
// tables in files: quantiles, medians, their indices and their inverse,
// histograms, infinities, membership.
//
// One path serves every command. A file family of flags is parsed into a
// struct, which says alone what is wanted; run then reads the operands
// (input.go), prepares and runs one plan for each (compute.go), and writes the
// result (output.go, which lays it out by sheet.go, look.go or json.go). What says
// something of all values of a column or a group (describe, rank, hist, assert)
// reads them by survey.go and compares them by values.go. Groups of rows
// (groups.go) and files larger than memory (memory.go, passes.go) take the
// place of the plans alone. Pictures (plots.go, fan.go, report.go) are drawn by package
// plot of quantiles (samples.go) and counts (counts.go). Nothing but main ends the process, and exit.go
// alone knows exit statuses.
package main
