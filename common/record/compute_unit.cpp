#include "common/record/compute_unit.h"

#include <fmt/format.h>

#include <string_view>

#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"

namespace ridge {
namespace {

struct SplitRung {
  std::string_view kernel;
  const char* dtype;
  double products;
};

/// Rungs whose products are made of those of another type. Recordings do not carry it: it belongs to the rung's idea.
constexpr SplitRung kSplit[] = {{"gemm.cuda.tf32x3", "tf32", 3}};

}  // namespace

ComputeUnit compute_unit(const Series& series) {
  for (const SplitRung& rung : kSplit) {
    if (original_of(series.kernel) == rung.kernel) return {rung.dtype, rung.products};
  }
  return {dtype_of(series), 1};
}

Ceiling in_counted_flop(Ceiling ceiling, const ComputeUnit& unit) {
  if (unit.products == 1) return ceiling;
  ceiling.value /= unit.products;
  ceiling.median /= unit.products;
  ceiling.name += fmt::format(" / {}", unit.products);
  return ceiling;
}

std::optional<Ceiling> flop_ceiling(const std::vector<Ceiling>& ceilings, const Series& series) {
  std::optional<Ceiling> known = known_flop_ceiling(ceilings, series);
  if (known && !known->doubt.empty()) known.reset();
  return known;
}

std::optional<Ceiling> known_flop_ceiling(const std::vector<Ceiling>& ceilings,
                                          const Series& series) {
  const ComputeUnit unit = compute_unit(series);
  std::vector<Ceiling> all = ceilings;
  for (Ceiling& one : all) one.doubt.clear();  // find_ceiling() passes over those in doubt
  const Ceiling* found = find_ceiling(all, backend_of(series.kernel), "flop", unit.dtype,
                                      static_cast<int>(param_int(series.params, "threads", 1)));
  if (found == nullptr) return std::nullopt;
  return in_counted_flop(ceilings[static_cast<size_t>(found - all.data())], unit);
}

}  // namespace ridge
