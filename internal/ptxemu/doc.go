// Package ptxemu is a CUDA driver that interprets kernels: the very PTX that ships is
// run by every go test, on any machine, and is checked while it runs.
//
// # What it does
//
// [New] returns a [Driver], which implements the interfaces of package cudrv. A module
// is parsed and all its kernels are decoded when it is loaded; an instruction that is
// not supported is an error there, which names its line. A warp of 32 threads executes
// each instruction together, under a mask. Lanes that diverge meet again because those
// at the least place of the code go first; operations of a warp wait for the lanes that
// they name. Blocks start in random order, several at a time, and their warps take turns
// in random order: the seed of [Options] makes it all happen again.
//
// # What it finds
//
// A kernel that does one of these ends with a [Fault], which names the block, the thread
// and the line, and costs the device, as with the real driver:
//   - an access to global memory that is not wholly inside one allocation, or to shared
//     or local memory outside the kernel's, or one that is misaligned
//   - a read of shared memory that the block has not written, or of a register that has
//     no value; one that LLVM marks as implicitly defined has
//   - two threads that use the same shared memory, one of them writing, with no barrier
//     of the block between, nor one of their warp; atomic and volatile accesses may meet
//     each other, and so may stores that change nothing
//   - a barrier that some threads reach while others wait elsewhere, and an operation of
//     a warp that names lanes which never come
//   - a trap, and more instructions than a launch is allowed
//
// Fresh global memory is filled with rubbish that would be noticed, in each allocation
// with another, as the scratch memory of package crew is in tests. Launches with too many
// threads, too much shared memory or a wrong number of arguments are refused.
//
// # What it counts
//
// [Device.Stats] tells the instructions that each kernel executed and the bytes of
// global memory it asked for, [Device.Traffic] the latter for one allocation, so that
// tests can bound both for each element.
//
// # What it cannot show
//
// Memory is sequentially consistent, so a missing fence between blocks is not found, nor
// is a race in global memory. A barrier for a part of a block counts as one for all of it
// where races are concerned. Blocks that wait for others which are not on the device yet
// wait for ever, as on a device that has no room for them. Nothing is asynchronous: what
// is enqueued has happened. The driver's own compiler, occupancy, caches and speed are
// not there.
//
// A block has one dimension. Calls are expanded, so device functions cannot be recursive, nor called
// through pointers. Textures, half precision arithmetic, approximate functions (sin,
// ex2, div.full), roundings of arithmetic other than to nearest, asynchronous copies,
// clusters and tensor operations are not supported.
package ptxemu
