// Package dtype names the element types of ogive's tensors and holds what
// depends on the type alone: size and class, exact conversions, and the table
// of result types.
//
// Sixteen-bit floats have no Go type; [F16] and [BF16] are structs around
// their bits, so that no arithmetic happens on them by accident.
package dtype
