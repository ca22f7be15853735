// What a rung of the mixed family computes in: the types of what is stored and multiplied, and how the
// loss is scaled. C-like: rung files include nothing more.
//
// Micikevicius et al., Mixed Precision Training, ICLR 2018 (arXiv:1710.03740); FP8 Formats for Deep
// Learning (arXiv:2209.05433).
#pragma once

#include "common/harness/kernel/training_rung.h"

namespace ridge {

/// Element types of this family: those of DType, and the fp8 of gradients.
enum class Element : uint8_t { fp32, tf32, fp16, bf16, e4m3, e5m2 };

/// none: as it is. fixed: by a constant. dynamic: halved and the step left out where a gradient
/// overflows, doubled after 200 steps without.
enum class LossScale : uint8_t { none, fixed, dynamic };

struct Precision {
  /// Activations, gradients and the weights that are multiplied are rounded to this after each operation;
  /// sums within a product are fp32's, as a tensor core's.
  Element stored = Element::fp32;
  /// What the operands of a product are rounded to beside that: tf32, or fp8 with a scale for each tensor
  /// (forward; gradients that flow back have e5m2).
  Element multiplied = Element::fp32;
  bool master = true;  ///< weights and momentum in fp32 beside; else they too are `stored`
  LossScale scale = LossScale::none;
  bool emulated = false;  ///< values are rounded, the speed is not the type's
  bool checkpointing =
      false;  ///< keeps the outputs of every few layers and computes the others again
  bool accumulation = false;  ///< the batch in parts, their gradients summed
};

extern const TrainMaker kMixedCpu, kMixedCuda, kMixedPytorch;
/// Why PyTorch is not here; null where it is.
const char* mixed_pytorch_unavailable();

}  // namespace ridge
