// CUDA C++ to C++: what the compiler of this build does not read is rewritten in a preprocessed text, line for line.
//
//   kernel<T><<<blocks, threads>>>(a, b)     ::ridge::emulated::launcher(kernel<T>, blocks, threads)(a, b)
//   __shared__ float tile[32][33];           static thread_local float tile[32][33]{};   a block stays on one core
//   extern __shared__ float row[];           float (&row)[] = the block's dynamic shared memory
//   asm volatile("text" : outs : ins);       ::ridge::emulated::Ptx<"text">::run(outs, ins)    device/ptx.h
//   #pragma unroll                           #pragma GCC unroll
//
// Text of system headers is left as it is.
#pragma once

#include <string>
#include <string_view>

namespace ridge::emulated {

/// `preprocessed`: what -E makes, with its line markers. Lines keep their numbers.
std::string rewritten(std::string_view preprocessed);

}  // namespace ridge::emulated
