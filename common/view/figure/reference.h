// How a text names a figure: "h200 gemm.cuda.wide_tile n=4096 dtype=bf16 vs=producer_consumer". docs/teaching.md shows
// authors how; this is the one reader of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::figure {

/// Words with a meaning of their own; every other name=value is a parameter of the rung.
struct Reference {
  std::string text;  ///< as written, without the braces
  std::string
      machine;  ///< "h200": the recording of that machine, always; empty: this machine's run first
  std::string kernel;  ///< "gemm.cuda.wide_tile"
  std::string versus;  ///< vs=, the baseline by its full id; empty: the rung alone
  /// vs=cublaslt,cublas: where `versus` was compared as well as these, the lowest ratio counts: the faster library's.
  std::vector<std::string> or_versus;
  Params set;                        ///< n=4096 dtype=bf16
  CacheMode cache = CacheMode::hot;  ///< cache=
  std::string metric;  ///< metric=, one of metric_names(); of a pair "ratio" where none is named
  std::string unit;    ///< in=: the bare number in this unit ("TFLOP/s", "%"); "number": as it is
  bool at_equal_clock =
      false;  ///< clock=equal: the interleaved rounds, where a sustained verdict leads
  bool shows_interval = true;   ///< interval=no: a printed text leaves it out
  bool has_fixed_size = false;  ///< size=fixed: the words name its size, so it is of no other
  bool is_answer = false;       ///< answer=yes: it is what the part's prediction asks for
};

/// Errors: bad_input, for a word that is neither the machine, the rung nor name=value, or a value that is not known.
Result<Reference> parse_reference(std::string_view text);

/// That `unit` is what the metric is in, and not what in= asks for.
Error wrong_unit(const Reference& reference, const std::string& unit);

/// What can be asked, by the names of assets/metrics.json: "time_per_call", "ceiling.PART".
const std::vector<std::string>& metric_names();

}  // namespace ridge::figure
