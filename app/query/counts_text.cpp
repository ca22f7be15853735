#include "app/query/counts_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/error_map.h"
#include "common/record/stale_words.h"
#include "common/view/diagram/warp_request.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

double per_request(int64_t count, const MemoryTraffic& traffic) {
  return traffic.requests > 0 ? double(count) / double(traffic.requests) : 0;
}

std::string count_cell(int64_t count) {
  return count > 0 ? format_count(double(count)) : "";
}

std::string ratio_cell(double ratio, bool is_there) {
  return is_there ? format_tick(ratio) : "";
}

/// Line `number` of a text, from 1, without white space before it; cut where it is long.
std::string source_line(const std::string& text, int number) {
  constexpr size_t kMost = 48;
  size_t begin = 0;
  for (int line = 1; line < number && begin != text.npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != text.npos) ++begin;
  }
  if (number < 1 || begin == text.npos || begin >= text.size()) return "";
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  line.erase(0, line.find_first_not_of(" \t"));
  return line.size() > kMost ? line.substr(0, kMost - 3) + "..." : line;
}

std::vector<std::string> row_of(const LineCounts& line, const std::string& name,
                                const std::string& code) {
  const MemoryTraffic global = line.counts.global(), shared = line.counts.shared();
  return {name,
          count_cell(global.requests),
          ratio_cell(global.sectors_per_request(), global.requests > 0),
          count_cell(shared.requests),
          ratio_cell(shared.wavefronts_per_request(), shared.requests > 0),
          count_cell(shared.conflicts),
          count_cell(line.counts.barriers),
          count_cell(line.counts.copies),
          count_cell(line.counts.split_branches),
          count_cell(line.flop),
          code};
}

}  // namespace

std::string margin_text(const LineCounts& line) {
  const MemoryTraffic global = line.counts.global(), shared = line.counts.shared();
  if (shared.conflicts > 0)
    return format_tick(per_request(shared.conflicts, shared)) + " conflicts/request";
  if (global.requests > 0) return format_tick(global.sectors_per_request()) + " sectors/request";
  if (shared.requests > 0) return format_count(double(shared.requests)) + " shared req.";
  if (line.counts.barriers > 0) return format_count(double(line.counts.barriers)) + " barriers";
  if (line.counts.split_branches > 0)
    return format_count(double(line.counts.split_branches)) + " split branches";
  return line.flop > 0 ? format_quantity(double(line.flop), "FLOP") : "";
}

std::vector<std::string> line_facts(const LineCounts& line) {
  std::vector<std::string> facts;
  const auto traffic = [&](const char* what, const MemoryTraffic& one) {
    if (one.requests == 0) return;
    std::string text =
        fmt::format("{}: {} requests of {}", what, format_count(double(one.requests)),
                    format_bytes(double(one.bytes)));
    if (one.sectors > 0)
      text += fmt::format(", {} sectors: {} a request", format_count(double(one.sectors)),
                          format_tick(one.sectors_per_request()));
    if (one.wavefronts > 0)
      text +=
          fmt::format(", {} wavefronts, {} of them conflicts", format_count(double(one.wavefronts)),
                      format_count(double(one.conflicts)));
    facts.push_back(std::move(text));
  };
  const SiteCounts& c = line.counts;
  traffic("global loads", c.global_reads), traffic("global stores", c.global_writes);
  traffic("global atomics", c.global_atomics), traffic("shared loads", c.shared_reads);
  traffic("shared stores", c.shared_writes), traffic("shared atomics", c.shared_atomics);
  const auto count = [&](int64_t number, const char* what) {
    if (number > 0) facts.push_back(format_count(double(number)) + " " + what);
  };
  count(c.barriers, "barriers of blocks"), count(c.copies, "asynchronous copies of threads");
  if (c.branches > 0)
    facts.push_back(fmt::format("{} branches of warps, {} of them split",
                                format_count(double(c.branches)),
                                format_count(double(c.split_branches))));
  count(line.flop, "FLOP");
  return facts;
}

std::string fault_text(const CountedFault& fault) {
  std::string text = fault.kind.text();
  if (fault.line > 0) text += fmt::format(" at line {}", fault.line);
  if (fault.other_line > 0) text += fmt::format(" (the other at line {})", fault.other_line);
  return text + ": " + fault.detail;
}

std::string outcome_text(const KernelCounts& counts) {
  if (!counts.stopped.empty()) return "stopped: " + counts.stopped;
  if (!counts.check) return "not checked";
  return counts.check->passed ? "its check passed" : "its check failed: " + counts.check->reason;
}

std::string wrong_text(const KernelCounts& counts) {
  const bool is_known = counts.check && !counts.check->passed && counts.check->errors;
  return is_known ? error_map_text(*counts.check->errors) + "\n" : "";
}

bool is_clean(const KernelCounts& counts) {
  return counts.stopped.empty() && counts.check && counts.check->passed && counts.faults.empty();
}

std::string counts_text(const KernelCounts& counts, const std::string& source) {
  std::string text =
      fmt::format("{}  {}\n{}: {}\n", counts.kernel, params_in_words(counts.kernel, counts.params),
                  with_stale(kCountedHere, counts.stale), outcome_text(counts));
  text += wrong_text(counts);
  for (const CountedLaunch& launch : counts.launches)
    text += fmt::format("{} blocks of {} threads, {} of shared memory\n",
                        format_count(double(launch.blocks)), launch.threads,
                        format_bytes(double(launch.shared_bytes())));
  for (const CountedFault& fault : counts.faults) text += fault_text(fault) + "\n";
  if (counts.lines.empty()) return text;
  std::vector<std::vector<std::string>> rows;
  for (const LineCounts& line : counts.lines)
    rows.push_back(row_of(line, line.line > 0 ? std::to_string(line.line) : "headers",
                          source_line(source, line.line)));
  rows.push_back(row_of(counts.total(), "all", ""));
  // The code stands on the left of its column: padded here, as the table aligns to the right.
  size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row.back().size());
  for (auto& row : rows) row.back().resize(widest, ' ');
  return text + "\n" +
         table(
             {"line", "global requests", "sectors/request", "shared requests", "wavefronts/request",
              "conflicts", "barriers", "copies", "split branches", "FLOP", "code"},
             rows);
}

std::string steps_text(const WarpSteps& steps, int64_t most) {
  const auto count = static_cast<size_t>(std::clamp<int64_t>(most, 0, std::ssize(steps.requests)));
  std::string text = fmt::format("{}, {}\n", diagram::steps_words(steps, count), kCountedHere);
  for (size_t i = 0; i < count; ++i) text += diagram::request_words(steps, i) + "\n";
  return text;
}

}  // namespace ridge::app
