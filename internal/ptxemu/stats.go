package ptxemu

import "maps"

// Traffic is bytes of global memory as instructions ask for them, which is more than
// what caches let through.
type Traffic struct {
	Read, Written uint64 // an atomic operation counts as both
}

// KernelStats is what launches of a kernel have done.
type KernelStats struct {
	Traffic
	Launches         int64
	Blocks           int64
	Instructions     int64 // of PTX, by each thread
	WarpInstructions int64 // of PTX, by each warp or part of one that had diverged
	Barriers         int64 // of the block, by each thread
}

// add adds what another launch did.
func (s *KernelStats) add(o KernelStats) {
	s.Read += o.Read
	s.Written += o.Written
	s.Launches += o.Launches
	s.Blocks += o.Blocks
	s.Instructions += o.Instructions
	s.WarpInstructions += o.WarpInstructions
	s.Barriers += o.Barriers
}

// Stats is what a device has done since it was made or the statistics were reset.
type Stats struct {
	Kernels                        map[string]KernelStats // by name
	Uploads, Downloads             int64
	BytesUploaded, BytesDownloaded uint64
	Copies, Fills                  int64
}

// Total returns the sum over all kernels.
func (s Stats) Total() KernelStats {
	var sum KernelStats
	for _, k := range s.Kernels {
		sum.add(k)
	}
	return sum
}

func (s Stats) clone() Stats {
	s.Kernels = maps.Clone(s.Kernels)
	return s
}
