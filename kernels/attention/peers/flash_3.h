// What the files of the FlashAttention-3 peer share: its parameters and its kernels' launcher, as its folder hopper/ has
// them. Only what the rung needs is compiled: bf16, head sizes 64 and 128, forward, no windows, pages or splits.
//
// With asserts (no NDEBUG) kernels of CUTLASS call functions, and ptxas then puts a wait after each wgmma. The other
// definitions are those of its own setup.py.
#pragma once

#ifndef NDEBUG
#define NDEBUG
#endif
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#define CUTLASS_ENABLE_GDC_FOR_SM90
#define FLASHATTENTION_DISABLE_APPENDKV
#define FLASHATTENTION_DISABLE_LOCAL
#define FLASHATTENTION_DISABLE_VARLEN

#include <cuda_runtime.h>

#include <cutlass/numeric_types.h>
#include <flash.h>
