// What follows from a series and the ceilings of its machine. Computed in one place, so that the
// window, the reports and the JSON document agree to the last digit.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/record/types.h"

namespace ridge {

class Run;

/// Work that has a ceiling of its own: how much of it a second.
struct WorkRate {
  std::string resource;  ///< as Ceiling::resource: "exp"
  double per_s = 0;      ///< from the median
  std::optional<Interval> per_s_ci;
  std::optional<Utilization> share;  ///< of the matching ceiling; source "derived"
  std::string no_share_reason;
  bool is_doubted = false;  ///< no share, since that ceiling is in doubt
};

struct Derived {
  std::optional<double> flop_per_s, bytes_per_s;  ///< from the median; bytes are the least possible
  std::optional<Interval> flop_per_s_ci, bytes_per_s_ci;
  /// Of the matching FLOP ceiling, or of logic instructions'; source "derived".
  std::optional<Utilization> compute;
  /// Of the matching DRAM ceiling; of the L2's where the plan counts what comes from there.
  std::optional<Utilization> bandwidth;
  std::string no_compute_reason, no_bandwidth_reason;
  /// No share, since that ceiling is in doubt.
  bool is_compute_doubted = false, is_bandwidth_doubted = false;
  /// Why it is not held to that bandwidth although its share is known; empty: it may be what binds.
  std::string bandwidth_aside;
  bool above_compute = false;  ///< faster than that ceiling lets what is counted be
  /// No share of DRAM, since it moved more than that ceiling lets pass, though no cache holds its bytes.
  bool above_bandwidth = false;
  /// Where that ceiling is in doubt: the share that it would be, which says only whether memory may bind.
  std::optional<double> doubted_bandwidth;
  std::vector<WorkRate> work;  ///< of Series::work
  /// Null where it was not counted.
  const WorkRate* rate_of(const std::string& resource) const;
  std::optional<double> energy_per_flop_j;
};

/// Of a result of this run.
Derived derive(const Series& series, const Run& run);
/// The same with other ceilings than those of its run. `environment`: hot data that stay in its GPU's L2 are held to that,
/// where its rate was measured, in place of DRAM.
Derived derive(const Series& series, const std::vector<Ceiling>& ceilings,
               const std::optional<Environment>& environment);
/// Whether its buffers stay in the last-level cache of this machine from call to call.
bool stays_cached(const Series& series, const std::optional<Environment>& environment);

/// "the ceiling … is in doubt: …" where a share is missing for that; else empty.
std::string doubted_ceiling(const Derived& derived);
/// The ceiling that it comes nearest to, of compute, bandwidth and exponentials; null: none of what may bind it was measured.
const Utilization* nearest_ceiling(const Derived& derived);
/// Why there is none.
const std::string& no_ceiling_reason(const Derived& derived);
/// "97.1 %" of compute, "74.0 % of DRAM read" of another; empty: no share is known.
std::string nearest_ceiling_text(const Derived& derived);
/// Whether this share reads above 100 %: as "101 %" or more.
bool reads_over(const std::optional<Utilization>& share);
/// Whether one of its shares reads above 100 %, or would where the rung is faster than its ceiling lets it be.
bool is_over_ceiling(const Derived& derived);
/// What that means, for wherever such a share stands.
inline constexpr const char* kOverCeiling =
    "over 100 %: the ceiling was measured in a busier moment than the rung, or the rung does less "
    "than is counted";

/// How far a median may be off, as a share of it: half of its interval; of too few samples for one, half of what lies
/// between the fastest and the slowest of them. 0: one sample, or none.
double spread_of(const Stats& stats);
/// Whether a quotient with this median is a figure: two samples at least, and a spread of at most 30 %.
bool is_steady(const Stats& stats);

/// "2.1 Texp/s, 62 %"; empty where no exponentials were counted.
std::string exponentials_text(const Derived& derived);

/// "1.12 J ±0.8 %, 1.01 pJ/FLOP"; empty where no energy was measured.
std::string energy_text(const Series& series, const Derived& derived);

/// The first part of a kernel id, the problem that it is checked against: "gemm".
std::string_view family_of(std::string_view kernel);
/// The second part of a kernel id.
OpenEnum<Backend> backend_of(std::string_view kernel);
/// What it computed in: its own type, else its parameter's, else fp32.
std::string dtype_of(const Series& series);

/// Series::unavailable of "stats" where values are a type's and the time is not: it has no speed.
inline constexpr const char* kEmulated = "emulated";
bool is_emulated(const Series& series);

/// The ceiling that bounds `resource` for this backend, dtype and thread count; null if none was
/// measured, or if the one that was is in doubt. A CPU ceiling of more threads never stands in for one of fewer.
const Ceiling* find_ceiling(const std::vector<Ceiling>& ceilings, const OpenEnum<Backend>& backend,
                            const std::string& resource, const std::string& dtype, int threads);

/// Of one of what a call works off, an operation or an image: its median time, with the interval.
struct ItemTime {
  double s = 0;
  std::optional<Interval> ci_s;
};
/// None where nothing is counted, or it has no time.
std::optional<ItemTime> item_time(const Series& series);
/// Of counted things a second, from the interval of the time of one.
std::optional<Interval> item_rate_interval(const Series& series);

/// The unit of the rate at which work of this data type is done: "OP/s" of integers, "FLOP/s" of others.
const char* rate_unit(const std::string& dtype);
/// A value of the ceiling as people read it: "130 GFLOP/s", of integers "520 GOP/s".
std::string ceiling_text(const Ceiling& ceiling, double value);

/// "of 14:03 UTC, 12 min before this run", where an earlier run measured it; empty: this run did.
std::string ceiling_age(const Ceiling& ceiling);
/// The same of all that a run has: "ceilings of 14:03 UTC, 12 min before this run"; empty: this run measured all of them.
std::string ceilings_age(const std::vector<Ceiling>& ceilings);

/// "measured", "measured, in doubt", with ceiling_age(), ceiling_clock(), ceiling_samples() and ceiling_load(): how far its
/// value is to be believed.
std::string ceiling_source(const Ceiling& ceiling);
/// "at 1755 MHz", the SM clock of its fastest sample; empty: not recorded.
std::string ceiling_clock(const Ceiling& ceiling);
/// "best of 12, median 41.2 GB/s": how far the fastest sample lies from the others; empty: not recorded.
std::string ceiling_samples(const Ceiling& ceiling);
/// "busy machine: others used 1.3 CPUs meanwhile", so the true ceiling is higher; empty: it was quiet, or it is not recorded.
std::string ceiling_load(const Ceiling& ceiling);

}  // namespace ridge
