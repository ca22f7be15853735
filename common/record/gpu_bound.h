// How long a chip needs at least for what a kernel was counted by (kernel_counts.h): of each of its parts the work over the
// rate, all parts at once, none waiting for another. Latency, waits at barriers and uneven blocks are left out, and so are
// instructions that are not counted (addresses, loops), so a kernel takes longer. Where nvcc joins loads that stand apart in
// the text, it may take less.
//
// Chips: NVIDIA's whitepapers of Turing, Ampere GA102 and A100, the data sheets of H100 and H200 SXM; CUDA C++ Programming
// Guide, "Technical Specifications per Compute Capability". L2 of a T4: Jia et al., Dissecting the NVIDIA Turing T4 GPU via
// Microbenchmarking (2019).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/kernel_counts.h"

namespace ridge {

struct Chip {
  const char* name;  ///< "H200"
  int sms;
  double clock_hz;            ///< boost
  int fma_lanes;              ///< fp32, of an SM
  int l1_bytes;               ///< of L1 and shared memory together, of an SM and clock
  double l2_bytes_per_clock;  ///< of all slices; 0: not published
  double dram_bytes_per_s;
  int threads, blocks;   ///< that an SM holds at most
  int64_t shared_bytes;  ///< of an SM
  int64_t block_bytes;   ///< of them what each block takes besides its own
};

std::span<const Chip> chips();
/// By its name, in capitals or not; null: there is none.
const Chip* find_chip(std::string_view name);
/// Of a GPU by the name that its driver gives: "NVIDIA A100-SXM4-40GB". A chip with other rates, a GeForce RTX 3060 Ti or an
/// H100 PCIe, is none of the table.
const Chip* chip_of_gpu(std::string_view gpu);
/// "T4, RTX 3060, A100, H100, H200"
std::string chip_names();

/// Blocks that an SM holds at once.
struct Occupancy {
  int blocks = 0;
  double share = 0;   ///< of the threads that it could hold
  std::string limit;  ///< "threads", "blocks", "shared memory", "registers": the first that is full
};
/// `registers` of a thread; 0: not known, and no limit.
Occupancy occupancy_of(const CountedLaunch& launch, int registers, const Chip& chip);

/// A larger problem that a kernel was timed at.
struct TimedProblem {
  double share = 1;                  ///< its work over that of the problem that was counted
  int64_t blocks = 0;                ///< 0: not known
  std::optional<double> dram_bytes;  ///< at least
};

struct GpuBound {
  struct Part {
    const char* name;  ///< "L1 and shared memory"
    double seconds;
  };
  std::vector<Part> parts;  ///< the longest first; those that the chip's figures are known of
  double seconds() const { return parts.empty() ? 0 : parts.front().seconds; }
};
/// Nothing, where a launch was stopped, where Tensor Cores do its products, whose rate depends on the type, and of counts
/// that were kept before passes of the L1 were counted.
std::optional<GpuBound> bound_of(const KernelCounts& counts, const Chip& chip,
                                 const TimedProblem& timed = {});

}  // namespace ridge
