// What trains a network, on the CPU or on a GPU.
#pragma once

#include <functional>
#include <memory>

#include "common/harness/data/fashion_mnist.h"
#include "kernels/runtime/networks/model.h"
#include "kernels/runtime/networks/ops.h"

namespace ridge::mixed {

struct TrainerSetup {
  Model model;
  Precision precision;
  int64_t batch = 256;
  int64_t parts = 1;  ///< the batch is done in so many, one after the other
  float momentum = 0.9f;
  int scale_log2 = 0;  ///< of the loss: fixed, or where dynamic scaling begins
  int threads = 1;
  std::vector<float> parameters;  ///< where training begins
  /// CPU: makes of the parameters those that a step multiplies; their gradient goes to the parameters as they are,
  /// as if nothing had been made of them (the straight-through estimator, Bengio et al., arXiv:1308.3432). Null: they
  /// are multiplied as they are.
  std::function<void(std::vector<float>* parameters)> seen;
};

/// What the last step saw.
struct StepReport {
  double loss = 0;       ///< mean of the batch
  int64_t right = 0;     ///< of the batch
  double scale = 1;      ///< of the loss
  int64_t left_out = 0;  ///< steps so far that dynamic scaling left out
  bool finite = true;    ///< all parameters are numbers
};

/// Magnitudes of the gradients of activations as they are stored, loss scale and all.
struct GradientCount {
  std::vector<int64_t> exponents = std::vector<int64_t>(kExponents);
  int64_t zeros = 0;
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  /// One step on `batch` images of `set`. `counts`: gradients are counted on the way.
  virtual Result<void> step(const ImageSet& set, const int32_t* images, float rate,
                            bool counts) = 0;
  virtual Result<StepReport> report() = 0;
  virtual GradientCount counted() = 0;
  /// How many of the images it gets right, in its own precision.
  virtual Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) = 0;
  virtual double memory_bytes() const = 0;
  /// Of memory_bytes(), the outputs of layers that the backward pass reads; 0: not counted.
  virtual double activation_bytes() const { return 0; }
  /// For tests: parameters as they are now; the gradient of the last step, divided by the loss scale.
  virtual std::vector<float> parameters() = 0;
  virtual std::vector<float> gradient() = 0;
};

Result<std::unique_ptr<Trainer>> make_cpu_trainer(TrainerSetup setup);
/// What make_cpu_trainer() would allocate.
double cpu_trainer_bytes(const TrainerSetup& setup);

}  // namespace ridge::mixed
