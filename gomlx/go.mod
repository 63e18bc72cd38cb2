module github.com/ogive-go/ogive/gomlx

go 1.26.5

require (
	github.com/gomlx/compute v0.1.2
	github.com/gomlx/gomlx v0.28.2
	github.com/ogive-go/ogive v0.0.0
	github.com/pkg/errors v0.9.1
)

require (
	github.com/go-logr/logr v1.4.3 // indirect
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
	golang.org/x/sys v0.43.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

replace github.com/ogive-go/ogive => ../
