// Trains a LutNetwork: batches as bit planes, the LUTs split among threads, then the images. No two
// threads write the same word and sums are integers, so that the model depends on the configuration
// alone: not on the number of threads, nor on which LutKernel computes.
#pragma once

#include <functional>
#include <memory>

#include "common/core/result.h"
#include "kernels/runtime/weightless/lut_training.h"
#include "kernels/runtime/weightless/network.h"

namespace ridge::weightless {

struct TrainConfig {
  int luts = 2000, bits = 3;
  int candidates = 128;  ///< features each pin chooses among; 1: random wiring, never learned
  /// Epochs after which each pin drops half of its candidates, down to 16; 0: never.
  int halve_every = 1;
  int epochs = 12;
  uint64_t seed = 1;
  int64_t images = 0;    ///< train on so many only; 0: all
  bool hold_out = true;  ///< keep a tenth of the training images back, to choose by
  float rate = 0.02f;    ///< Adam's, falling to 0 along a cosine
  float tau = 0;         ///< logits are scores / tau; 0: 8 (luts / 2000)^0.65
};

class Trainer {
 public:
  /// `data` outlives it.
  Trainer(const TrainConfig& config, const Garments& data, const LutKernel& kernel, int threads);
  ~Trainer();

  int64_t steps() const;
  int64_t done() const;
  /// One batch. Nothing happens once done() == steps().
  void step();
  double loss() const;            ///< cross-entropy of the last batch
  double batch_accuracy() const;  ///< of the last batch, before it was learned
  LutNetwork network() const;
  /// Share of right predictions on the images held out, or on the test set; -1 where there are none.
  double accuracy(bool test);
  const TrainConfig& config() const;
  int candidates() const;  ///< of each pin, those dropped left out; a multiple of 16, or 1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The fastest LutKernel that this CPU has and RIDGE_MAX_ISA allows.
const LutKernel& fastest_lut_kernel();

}  // namespace ridge::weightless
