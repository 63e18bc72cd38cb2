module github.com/ogive-go/ogive/capi

go 1.26.0

require github.com/ogive-go/ogive v0.0.0

require golang.org/x/sys v0.49.0 // indirect

replace github.com/ogive-go/ogive => ../
