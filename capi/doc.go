// Command capi is libogive, the operations of package ogive for C and what calls C:
//
//	go build -buildmode=c-shared -o libogive.so ./capi
//	go build -buildmode=c-archive -o libogive.a ./capi
//
// ogive.h has its documentation. Without cgo the command does nothing.
package main

func main() {}
