// Judges the three gradients against float64 on the same inputs, O and L among them (backward.h says how they
// lie). Full: every row. Sampled: one row in each tile of kTileRows rows of every head, of dQ, dK and dV, exactly: a
// 64th of the work, and no tile of a kernel is left out. Of every other element that it is a number.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::attention_backward {

inline constexpr int64_t kTileRows = 64;

/// `host` holds all nine buffers of `shape`, each of its size.
QualityCheck check_gradients(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed);

/// O and L of the inputs in `host`, in fp32 on all cores: what a forward pass leaves to its backward pass. A row
/// of scores is in memory at a time; 4 s^2 d multiply-adds for each head of queries.
void run_forward(const Shape& shape, HostBuffers* host);

}  // namespace ridge::attention_backward
