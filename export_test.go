package ogive

// Tuned gives a call other thresholds.
var Tuned = tuned
