// Package archtest holds the architecture's rules as tests: who imports whom,
// how long a file may be, and which words a finished program does not contain.
// It parses source files instead of running the go command, so that files for
// other platforms count and the test cache sees every change.
package archtest
