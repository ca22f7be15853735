// The second kind of rung: a training. The harness sets it up, times its steps, streams its curve
// and judges it by its task metric.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/training_rung.h"
#include "common/record/types.h"

namespace ridge {

class Training {
 public:
  virtual ~Training() = default;  ///< stops and frees everything
  /// One optimisation step; the timed part. Beyond the last of steps() it goes on alike: its energy is measured there.
  virtual Result<void> step() = 0;
  /// Loss and gradient statistics of the last step; called outside the timed part. Shares of the
  /// step's time named input_share, copy_share, wait_share and collective_share, and
  /// activation_share (of memory_bytes()), are what a diagnosis goes by.
  virtual std::map<std::string, double> observe() = 0;
  /// Task metric on held-out data, and whether it meets the rung's limit.
  virtual QualityCheck evaluate() = 0;
  /// The task metric on the way, for the curve. A training whose held-out data may be asked only once
  /// answers with nothing.
  virtual std::map<std::string, double> look() { return evaluate().task.map(); }
  virtual int64_t steps() const = 0;           ///< how many steps make the training
  virtual int64_t items_per_step() const = 0;  ///< samples in a batch
  virtual double flop_per_step() const = 0;
  /// Parameters, activations and all else, asked after the last step; 0: not counted.
  virtual double memory_bytes() const { return 0; }
  /// Values are another type's and the time is not: no speed is shown.
  virtual bool is_emulated() const { return false; }
  /// What a reader has to know beside the figures ("synthetic data: ..."); empty: nothing.
  virtual std::string note() const { return ""; }
};

/// How the trainings of one trainer are made; each rung's config says how it is set up.
struct TrainMaker {
  std::vector<ParamSpec> (*params)(const TrainDesc& desc) = nullptr;
  Result<std::unique_ptr<Training>> (*build)(const TrainDesc& desc, const Params& params,
                                             uint64_t seed) = nullptr;
};

}  // namespace ridge
