package cpu

// NEON is 128-bit vectors, which every arm64 processor has.
var NEON = true
