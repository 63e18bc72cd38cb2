package cpu

import "golang.org/x/sys/cpu"

// What the processor can do, as far as the kernels ask.
var (
	// AVX2 is 256-bit integer vectors with the bit instructions of that time.
	AVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

	// FMA is AVX2 with fused multiply-add and conversions of float16.
	FMA = AVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

	// AVX512 is 512-bit vectors of every element size, with masks.
	AVX512 = AVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL

	// AVX512VBMI2 is compression of 16-bit lanes on top of that.
	AVX512VBMI2 = AVX512 && cpu.X86.HasAVX512VBMI2

	// AVX512Bits is counting and transposing bits of bytes on top of AVX512.
	AVX512Bits = AVX512 && cpu.X86.HasAVX512BITALG && cpu.X86.HasAVX512GFNI
)
