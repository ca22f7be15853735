#include "common/view/report/apart.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::report {
namespace {

/// Of one problem's work, whichever rung did it.
constexpr double kSameWork = 1e-6;

std::string size_of(const Series& series) {
  const std::string size = size_text(series.params, series.size_param);
  return size.empty() ? to_string(series.params) : size;
}

/// Operations where they are counted, else the bytes that it has to touch.
std::pair<double, const char*> work_of(const Series& series) {
  if (series.flop > 0) return {series.flop, "FLOP"};
  if (series.bytes_min > 0) return {series.bytes_min, "B"};
  return {0, ""};
}

std::string of_kind(const Series& series) {
  return "“" + series.kernel + "” is a " + series.kind.text();
}

class Differences {
 public:
  void add(const char* what, const std::string& baseline, const std::string& candidate) {
    if (baseline == candidate) return;
    text_ += fmt::format("{}{} ({}, then {})", text_.empty() ? "" : ", ", what, named(baseline),
                         named(candidate));
  }
  const std::string& text() const { return text_; }

 private:
  static std::string named(const std::string& text) { return text.empty() ? "not said" : text; }
  std::string text_;
};

std::string clock_of(const Series& series) {
  return series.sm_clock_hz ? format_quantity(*series.sm_clock_hz, "Hz") : "";
}

std::string flags_of(const Run& run, const Series& series) {
  const KernelInfo* info = run.kernel(series.kernel);
  return info ? info->flags : "";
}

}  // namespace

std::string why_not_beside(const Series& baseline, const Series& candidate) {
  if (baseline.kind != candidate.kind) return of_kind(baseline) + " and " + of_kind(candidate);
  const auto [base, base_unit] = work_of(baseline);
  const auto [work, unit] = work_of(candidate);
  const bool is_one_family = family_of(baseline.kernel) == family_of(candidate.kernel);
  // Families differ in how they solve a problem: one counts operations, one looks up tables. A lab holds both.
  if (!is_one_family && baseline.lab != candidate.lab)
    return fmt::format("“{}” and “{}” solve different problems", baseline.kernel, candidate.kernel);
  if (!is_one_family || std::string(base_unit) != unit || base == 0) return {};
  if (baseline.flop == 0 && baseline.dtype != candidate.dtype)
    return {};  // fewer bytes, the same work
  if (std::abs(work / base - 1) < kSameWork) return {};
  const std::string sizes =
      size_of(baseline) == size_of(candidate)
          ? ""
          : fmt::format(" ({}, and {})", size_of(baseline), size_of(candidate));
  return fmt::format("one call of the baseline is {}, one of the candidate {}{}",
                     format_quantity(base, base_unit), format_quantity(work, unit), sizes);
}

std::string differences_sentence(const Run& baseline_run, const Series& baseline,
                                 const Run& candidate_run, const Series& candidate) {
  const auto &a = baseline_run.environment(), &b = candidate_run.environment();
  if (!a || !b) return {};
  Differences all;
  all.add("machine", a->machine(), b->machine());
  all.add("operating system", a->os, b->os);
  all.add("commit", a->commit, b->commit);
  all.add("compiler", a->compiler, b->compiler);
  all.add("CUDA", a->cuda, b->cuda);
  all.add("flags", flags_of(baseline_run, baseline), flags_of(candidate_run, candidate));
  all.add("cache", baseline.cache.text(), candidate.cache.text());
  all.add("clock", clock_of(baseline), clock_of(candidate));
  if (all.text().empty()) return {};
  return std::string(&baseline_run == &candidate_run ? "The two rungs" : "The two runs") +
         " also differ in " + all.text() + ".";
}

}  // namespace ridge::report
