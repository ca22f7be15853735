#include "app/query/bound_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

bool is_of(const Run& run, const Chip& chip) {
  if (!run.environment()) return false;
  return std::any_of(run.environment()->gpus.begin(), run.environment()->gpus.end(),
                     [&](const auto& gpu) { return chip_of_gpu(gpu.name) == &chip; });
}

double share_of(double work, double counted) {
  return work > 0 && counted > 0 ? work / counted : 0;
}

/// Its work over that of the problem that was counted; 0: it is another problem, or has no time.
double share_of(const Series& series, const KernelCounts& counts) {
  if (!series.stats || series.stale || series.status != SeriesStatus::ok) return 0;
  for (const auto& [name, value] : counts.params) {
    const auto found = series.params.find(name);
    if (found == series.params.end()) return 0;
    // Rows of another alignment lie in other banks: of a size that is counted only its multiples are known.
    const auto* size = std::get_if<int64_t>(&value);
    const auto* other = std::get_if<int64_t>(&found->second);
    const bool is_multiple = size && other && *size > 0 && *other % *size == 0;
    if (!is_multiple && found->second != value) return 0;
  }
  // A tile that hangs over the edge of a small problem computes more than was asked for: of a large one it does not.
  const double counted = std::max(counts.problem_flop, double(counts.total().flop));
  const double share = share_of(series.flop, counted);
  return share > 0 ? share : share_of(series.bytes_min, counts.problem_bytes);
}

RecordedTime recorded_time_of(const Series& series, double share) {
  RecordedTime found{.series = &series,
                     .seconds = 1e-9 * series.stats->median_ns,
                     .registers = 0,
                     .problem = {.share = share}};
  if (series.bytes_min > 0) found.problem.dram_bytes = series.bytes_min;
  if (!series.resources) return found;
  for (const DeviceKernel& kernel : series.resources->kernels) {
    int64_t blocks = 1;
    for (const int64_t side : kernel.grid) blocks *= side;
    found.problem.blocks = std::max(found.problem.blocks, blocks);
    found.registers = std::max(found.registers, kernel.registers);
  }
  return found;
}

std::string occupancy_text(const ChipBound& bound) {
  const Occupancy& one = bound.occupancy;
  if (one.blocks == 0) return "does not fit: " + one.limit;
  return fmt::format("{}: {} by {}", format_share(one.share), one.blocks, one.limit);
}

std::string part_cell(const GpuBound& bound, std::string_view name) {
  const auto found = std::find_if(bound.parts.begin(), bound.parts.end(),
                                  [&](const GpuBound::Part& part) { return part.name == name; });
  return found == bound.parts.end() ? "not published" : format_time_ns(1e9 * found->seconds);
}

/// The recording took less than what was counted for as much work: the count is no lower bound. Half a percent is what a
/// smaller problem's edges leave in a count that is scaled.
bool is_beaten(const ChipBound& bound) {
  constexpr double kScaled = 0.995;
  return bound.timed && bound.recorded.seconds < kScaled * bound.timed->seconds();
}

/// Which part was counted too high, and why: DRAM's bytes are the recorded problem's, the rest is of the source's accesses.
std::string too_high_text(const GpuBound::Part& part) {
  return std::string("so the time of ") + part.name + " is counted too high and is no lower bound" +
         (std::string_view(part.name) == "DRAM" ? ""
                                                : ": a compiler may join loads of neighbouring "
                                                  "words, which are counted one by one as "
                                                  "the source has them");
}

std::string recorded_text(const ChipBound& bound, const Params& counted) {
  const RecordedTime& there = bound.recorded;
  const GpuBound::Part& longest = bound.timed->parts.front();
  std::string size =
      size_difference(there.series->lab, there.series->params, counted, there.series->size_param);
  if (size.empty()) size = "the same size";
  const std::string took = format_time_ns(1e9 * there.seconds);
  const std::string needs = format_time_ns(1e9 * bound.timed->seconds());
  const double ratio = there.seconds / bound.timed->seconds();
  return is_beaten(bound)
             ? fmt::format("recorded {} at {}: {:.2f} times the {} counted for as much work, {}",
                           took, size, ratio, needs, too_high_text(longest))
             : fmt::format("recorded {} at {}: {:.2f} times the {} that as much work needs, by {}",
                           took, size, ratio, needs, longest.name);
}

}  // namespace

RecordedTime recorded_time(const KernelCounts& counts, const Chip& chip,
                           std::span<const Recording> recordings) {
  RecordedTime best;
  for (const Recording& recording : recordings) {
    if (!is_of(*recording.run, chip)) continue;
    for (const Series* series : recording.run->series_of_kernel(counts.kernel)) {
      const double share = share_of(*series, counts);
      if (share > best.problem.share || (best.series == nullptr && share > 0))
        best = recorded_time_of(*series, share);
    }
  }
  return best;
}

std::optional<ChipBound> chip_bound(const KernelCounts& counts, const Chip& chip,
                                    std::span<const Recording> recordings) {
  auto counted = bound_of(counts, chip);
  if (!counted) return std::nullopt;
  ChipBound bound{.chip = &chip,
                  .counted = std::move(*counted),
                  .occupancy = {},
                  .has_registers = false,
                  .recorded = recorded_time(counts, chip, recordings),
                  .timed = std::nullopt};
  bound.has_registers = bound.recorded.registers > 0;
  for (const CountedLaunch& launch : counts.launches) {
    const Occupancy one = occupancy_of(launch, bound.recorded.registers, chip);
    if (&launch == &counts.launches.front() || one.share < bound.occupancy.share)
      bound.occupancy = one;
  }
  if (bound.recorded.series != nullptr)
    bound.timed = bound_of(counts, chip, bound.recorded.problem);
  return bound;
}

std::string bound_line(const ChipBound& bound, const Params& counted) {
  std::string text = fmt::format(
      "{}: {} {}, by {}", bound.chip->name, format_time_ns(1e9 * bound.counted.seconds()),
      is_beaten(bound) ? "counted" : "at least", bound.counted.parts.front().name);
  return bound.timed ? text + "; " + recorded_text(bound, counted) : text;
}

std::string bounds_text(std::span<const ChipBound> bounds, const Params& counted) {
  if (bounds.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  std::string recorded;
  bool is_without = false;
  const bool is_least = std::none_of(bounds.begin(), bounds.end(), is_beaten);
  for (const ChipBound& one : bounds) {
    rows.push_back({one.chip->name});
    for (const char* part : {"fp32 units", "instructions", "L1 and shared memory", "L2", "DRAM"})
      rows.back().push_back(part_cell(one.counted, part));
    rows.back().push_back(occupancy_text(one) + (one.has_registers ? "" : " *"));
    is_without |= !one.has_registers;
    if (one.timed) recorded += fmt::format("{}: {}\n", one.chip->name, recorded_text(one, counted));
  }
  std::string text = std::string("What a chip needs ") +
                     (is_least ? "at least" : "for the accesses as the source has them") +
                     ", counted here and not timed: its parts at once, none waiting.\n" +
                     table({"chip", "fp32 units", "instructions", "L1 and shared", "L2", "DRAM",
                            "warps an SM holds"},
                           rows);
  if (is_without) text += "* without registers: no recording of that chip knows them\n";
  return text + recorded;
}

}  // namespace ridge::app
