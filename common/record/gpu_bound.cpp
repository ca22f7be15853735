#include "common/record/gpu_bound.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>

namespace ridge {
namespace {

constexpr double kLanes = 32, kSchedulers = 4;  // of a warp; of an SM
constexpr double kSectorBytes = 32, kWavefrontBytes = 128;
constexpr int kRegisters = 65'536, kRegisterStep = 8;  // of an SM; a thread's are a multiple

const Chip kAll[] = {
    {"T4", 40, 1.59e9, 64, 64, 1270e9 / 1.59e9, 320e9, 1024, 16, 64 << 10, 0},
    {"RTX 3060", 28, 1.777e9, 128, 128, 0, 360e9, 1536, 16, 100 << 10, 1 << 10},
    {"A100", 108, 1.41e9, 64, 128, 5120, 1555e9, 2048, 32, 164 << 10, 1 << 10},
    {"H100", 132, 1.98e9, 128, 128, 0, 3350e9, 2048, 32, 228 << 10, 1 << 10},
    {"H200", 132, 1.98e9, 128, 128, 0, 4800e9, 2048, 32, 228 << 10, 1 << 10},
};

bool is_same(char one, char other) {
  return std::tolower(static_cast<unsigned char>(one)) ==
         std::tolower(static_cast<unsigned char>(other));
}

}  // namespace

std::span<const Chip> chips() {
  return kAll;
}

const Chip* find_chip(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAll), std::end(kAll), [&](const Chip& chip) {
    const std::string_view own = chip.name;
    return std::equal(own.begin(), own.end(), name.begin(), name.end(), is_same);
  });
  return found == std::end(kAll) ? nullptr : found;
}

const Chip* chip_of_gpu(std::string_view gpu) {
  static constexpr struct {
    const char *gpu, *chip;
  } kNames[] = {{"Tesla T4", "T4"},
                {"NVIDIA T4", "T4"},
                {"GeForce RTX 3060", "RTX 3060"},
                {"A100-SXM4-40GB", "A100"},
                {"A100-PCIE-40GB", "A100"},
                {"H100 80GB HBM3", "H100"},
                {"H200", "H200"}};
  constexpr std::string_view kMaker = "NVIDIA ";
  for (const auto& one : kNames) {
    const std::string_view name = one.gpu;
    if (gpu == name || (gpu.starts_with(kMaker) && gpu.substr(kMaker.size()) == name))
      return find_chip(one.chip);
  }
  return nullptr;
}

std::string chip_names() {
  std::string names;
  for (const Chip& chip : kAll) names += (names.empty() ? "" : ", ") + std::string(chip.name);
  return names;
}

Occupancy occupancy_of(const CountedLaunch& launch, int registers, const Chip& chip) {
  const int64_t warps = (launch.threads + 31) / 32;
  const int64_t shared = launch.shared_bytes() + chip.block_bytes;
  const int64_t own = (registers + kRegisterStep - 1) / kRegisterStep * kRegisterStep * 32 * warps;
  const struct {
    const char* name;
    int64_t blocks;
  } limits[] = {{"threads", chip.threads / std::max<int64_t>(1, 32 * warps)},
                {"blocks", chip.blocks},
                {"shared memory", shared > 0 ? chip.shared_bytes / shared : chip.blocks},
                {"registers", own > 0 ? kRegisters / own : chip.blocks}};
  const auto* least = std::min_element(
      std::begin(limits), std::end(limits),
      [](const auto& one, const auto& other) { return one.blocks < other.blocks; });
  return {static_cast<int>(least->blocks),
          double(least->blocks) * 32 * double(warps) / double(chip.threads), least->name};
}

std::optional<GpuBound> bound_of(const KernelCounts& counts, const Chip& chip,
                                 const TimedProblem& timed) {
  const LineCounts all = counts.total();
  if (!counts.stopped.empty() || counts.launches.empty() || all.tensor_flop > 0)
    return std::nullopt;
  const MemoryTraffic global = all.counts.global(), shared = all.counts.shared();
  if (global.requests > 0 && global.l1_passes == 0) return std::nullopt;
  int64_t blocks = timed.blocks;
  for (const CountedLaunch& launch : counts.launches)
    if (timed.blocks == 0) blocks = std::max(blocks, launch.blocks);
  const double sm_s = timed.share / (chip.clock_hz * double(std::min<int64_t>(blocks, chip.sms)));
  const double flop = double(all.flop), l1_bytes = chip.l1_bytes;
  const double instructions = flop / 2 / kLanes + double(global.requests) +
                              double(shared.requests) + double(all.counts.branches);
  const double passes = double(shared.wavefronts) + double(global.l1_passes);
  GpuBound bound;
  bound.parts = {
      {"fp32 units", flop / 2 / chip.fma_lanes * sm_s},
      {"instructions", instructions / kSchedulers * sm_s},
      {"L1 and shared memory", passes * kWavefrontBytes / l1_bytes * sm_s},
      {"DRAM", timed.dram_bytes.value_or(double(global.dram_sectors) * kSectorBytes * timed.share) /
                   chip.dram_bytes_per_s}};
  if (chip.l2_bytes_per_clock > 0)
    bound.parts.push_back({"L2", double(global.l2_sectors) * kSectorBytes * timed.share /
                                     (chip.l2_bytes_per_clock * chip.clock_hz)});
  std::stable_sort(bound.parts.begin(), bound.parts.end(),
                   [](const auto& one, const auto& other) { return one.seconds > other.seconds; });
  return bound;
}

}  // namespace ridge
