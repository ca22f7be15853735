// A named stretch of time for profilers (NVTX): Nsight shows lab, rung, phase and sample by our names,
// and lays a sample's range over what it queued on the GPU. Without a tool attached a range is a null
// check; without CUDA it is nothing.
// Source: NVTX 3 (github.com/NVIDIA/NVTX), header only, shipped with the toolkit.
#pragma once

#if RIDGE_HAS_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace ridge::measure {

class Range {
 public:
#if RIDGE_HAS_CUDA
  explicit Range(const char* name) {
    nvtxRangePushA(name);
  }
  ~Range() {
    nvtxRangePop();
  }
#else
  explicit Range(const char*) {}
  ~Range() {}
#endif
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace ridge::measure
