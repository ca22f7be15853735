// What a chip needs at least for what was counted, and how many blocks its SMs hold: against sums by hand.
#include <string>

#include "common/record/gpu_bound.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

/// Rungs that read a column a lane: 32 passes a request.
KernelCounts counts_of(int64_t blocks, int64_t requests, int64_t passes, int64_t flop) {
  KernelCounts counts;
  counts.launches.push_back({.blocks = blocks, .threads = 256});
  LineCounts line{.line = 1, .flop = flop};
  line.counts.global_reads = {.requests = requests, .sectors = passes, .l1_passes = passes};
  counts.lines.push_back(line);
  return counts;
}

double seconds_of(const GpuBound& bound, const std::string& name) {
  for (const GpuBound::Part& part : bound.parts) {
    if (part.name == name) return part.seconds;
  }
  return -1;
}

}  // namespace

TEST_CASE("an SM holds as many blocks as its threads, shared memory, registers and slots allow") {
  const Chip& h200 = *find_chip("h200");
  const auto held = [&](int64_t threads, int64_t shared, int registers, const Chip& chip) {
    const Occupancy one = occupancy_of(
        {.blocks = 1, .threads = threads, .dynamic_shared_bytes = shared}, registers, chip);
    return std::to_string(one.blocks) + " " + one.limit;
  };
  CHECK(held(256, 0, 0, h200) == "8 threads");
  CHECK(held(256, 0, 32, h200) == "8 threads");
  CHECK(held(256, 0, 33, h200) == "6 registers");  // 40 a thread: they come by eights
  CHECK(held(256, 48 << 10, 0, h200) == "4 shared memory");
  CHECK(held(256, 227 << 10, 0, h200) == "1 shared memory");
  CHECK(held(32, 0, 0, h200) == "32 blocks");
  CHECK(held(1024, 0, 0, *find_chip("RTX 3060")) == "1 threads");
  CHECK(occupancy_of({.blocks = 1, .threads = 1024}, 0, *find_chip("rtx 3060")).share ==
        Approx(2 / 3.0));
  CHECK(held(33, 0, 0, h200) == "32 threads");  // two warps
  CHECK(find_chip("H20") == nullptr);
}

TEST_CASE("a bound is the longest of a chip's parts") {
  const Chip& h200 = *find_chip("H200");
  const double clocks = 1 / h200.clock_hz;
  const auto uneven = bound_of(counts_of(1320, 1320, 32 * 1320, 64 * 1320), h200);
  REQUIRE(uneven);
  CHECK(seconds_of(*uneven, "L1 and shared memory") == Approx(10 * 32 * clocks));
  CHECK(seconds_of(*uneven, "instructions") == Approx(10 * 2 / 4.0 * clocks));
  CHECK(seconds_of(*uneven, "fp32 units") == Approx(10 * 32 / 128.0 * clocks));
  CHECK(seconds_of(*uneven, "L2") == -1);  // not published
  CHECK(uneven->seconds() == seconds_of(*uneven, "L1 and shared memory"));
  // Fewer blocks than SMs leave some without work.
  CHECK(bound_of(counts_of(1, 1320, 32 * 1320, 0), h200)->seconds() == Approx(1320 * 32 * clocks));
  // A problem of eight times the work, with blocks for all SMs, and more bytes than time for them.
  const auto timed = bound_of(counts_of(1, 1320, 32 * 1320, 0), h200,
                              {.share = 8, .blocks = 4096, .dram_bytes = h200.dram_bytes_per_s});
  CHECK(seconds_of(*timed, "L1 and shared memory") == Approx(80 * 32 * clocks));
  CHECK(timed->parts.front().name == std::string("DRAM"));
  CHECK(timed->seconds() == Approx(1));
}

TEST_CASE("a T4 takes two clocks for what an A100 takes one for, in shared memory") {
  KernelCounts counts;
  counts.launches.push_back({.blocks = 1, .threads = 256});
  LineCounts line{.line = 1};
  line.counts.shared_reads = {.requests = 100, .wavefronts = 300};
  counts.lines.push_back(line);
  const Chip &t4 = *find_chip("T4"), &a100 = *find_chip("A100");
  CHECK(bound_of(counts, t4)->seconds() == Approx(600 / t4.clock_hz));
  CHECK(bound_of(counts, a100)->seconds() == Approx(300 / a100.clock_hz));
}

TEST_CASE("there is no bound of what was stopped, or of products of Tensor Cores") {
  KernelCounts counts = counts_of(1, 1, 1, 64);
  counts.lines.front().tensor_flop = 64;
  CHECK_FALSE(bound_of(counts, *find_chip("A100")));
  counts.lines.front().tensor_flop = 0;
  CHECK(bound_of(counts, *find_chip("A100")));
  counts.stopped = "it was stopped";
  CHECK_FALSE(bound_of(counts, *find_chip("A100")));
  // Requests without a pass of the L1: a file from before these were counted.
  CHECK_FALSE(bound_of(counts_of(1, 1, 0, 64), *find_chip("A100")));
}

TEST_CASE("a GPU is a chip of the table by its whole name") {
  const auto chip = [](const char* gpu) {
    const Chip* found = chip_of_gpu(gpu);
    return std::string(found == nullptr ? "none" : found->name);
  };
  CHECK(chip("NVIDIA H200") == "H200");
  CHECK(chip("NVIDIA H100 80GB HBM3") == "H100");
  CHECK(chip("NVIDIA GeForce RTX 3060") == "RTX 3060");
  CHECK(chip("Tesla T4") == "T4");
  for (const char* other : {"NVIDIA GeForce RTX 3060 Ti", "NVIDIA T400", "NVIDIA H100 PCIe",
                            "NVIDIA GH200 480GB", "NVIDIA A100-SXM4-80GB", "H20", ""})
    CHECK(chip(other) == "none");
}
