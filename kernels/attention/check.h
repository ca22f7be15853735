// Judges attention's output against float64 on the same inputs (attention.h says how they lie). Full:
// every row. Sampled: at most kSampledRows rows exactly, spread over the heads, and of every element
// whether it lies between the least and the largest value of its column, as any weighted mean does.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::attention {

inline constexpr int64_t kSampledRows = 96;

/// `host` holds Q, K, V and O of `shape`, each of its size.
QualityCheck check_heads(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed);

/// Which keys a head's queries look at; of query `asked.input` its scores, weights and online softmax. inspect.cpp
Result<Inspection> inspect(const Params& params, const InspectAsked& asked);

}  // namespace ridge::attention
