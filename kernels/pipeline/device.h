// Where the network is trained: a GPU, or on the CPU a second thread pool with memory of its own, into
// which memcpy copies. The lesson is the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "kernels/pipeline/batch.h"

namespace ridge::pipeline {

class ImageSource;

struct DeviceSetup {
  Geometry geometry;
  int buffers = 1;          ///< batches it holds
  int layers = 4;           ///< hidden layers of the network: how long a step takes
  int threads = 1;          ///< CPU: of its pool
  bool pinned = false;      ///< GPU: host_memory() can be read by the device
  bool own_stream = false;  ///< GPU: copies do not wait for the step before
  ImageSource* set =
      nullptr;         ///< Carried::number: the decoded pictures, which the device is to hold
  int64_t images = 0;  ///< of that set
};

class TrainDevice {
 public:
  /// One under way and one behind it: the device is never without work while its host wakes up.
  static constexpr int kMaxQueued = 2;
  virtual ~TrainDevice() = default;
  /// For the host's batches; freed with the device.
  virtual Result<std::byte*> host_memory(size_t bytes) = 0;
  /// Carried::jpeg: decodes as it copies.
  virtual bool decodes() const { return false; }
  /// Buffer `slot` gets the batch: queued, at most kMaxQueued at a time. One that decodes marks what it
  /// cannot decode, before it returns: its label becomes -1.
  virtual Result<void> queue_copy(int slot, const Batch& batch) = 0;
  /// Returns when the oldest copy queued is there.
  virtual Result<void> finish_copy() = 0;
  /// Of the last copy finished, by the bus's own clock; 0: it has none.
  virtual double copy_s() { return 0; }
  /// One step of SGD on what buffer `slot` holds: queued as copies are.
  virtual Result<void> queue_step(int slot) = 0;
  virtual Result<void> finish_step() = 0;
  /// Cross-entropy of the last step, mean over its images; NaN before the first.
  virtual double loss() = 0;
  /// Of layer `l`, row-major: inputs x outputs.
  virtual Result<std::vector<float>> weights(int l) = 0;
  /// The pooled input of image `i` as the network saw it in the last step, to be compared with a
  /// serial computation: geometry.features() values.
  virtual Result<std::vector<float>> seen(int slot, int i) = 0;
  /// How exactly seen() must agree, given the same pixels: 0 for the same arithmetic.
  virtual double seen_tolerance() const { return 0; }
  /// The most that the bus gives a copy of this size, measured now; 0: no bus.
  virtual Result<double> bus_bytes_per_s() { return 0.0; }
  /// Of a step's arithmetic, the part in hidden layers; the rest is in the pixels.
  virtual double hidden_share() const = 0;
  /// Whether a step takes as long whatever is in its batch: it waits for its weights.
  virtual bool step_is_fixed() const { return false; }
  /// Of its memory what holds the set.
  virtual double held_bytes() const { return 0; }
  virtual std::string name() const = 0;
};

/// FLOP of one image's step: the first layer has no gradient by its input.
constexpr double first_flop(double features, double hidden) {
  return 4 * features * hidden;
}
constexpr double hidden_flop(double layers, double hidden) {
  return 6 * (layers - 1) * hidden * hidden;
}

Result<std::unique_ptr<TrainDevice>> make_cpu_train_device(const DeviceSetup& setup);
Result<std::unique_ptr<TrainDevice>> make_cuda_train_device(
    const DeviceSetup& setup);  ///< device.cu

/// The network's input: the mean over kPool x kPool pixels of each plane, normalised.
void pool_tensor(const float* planes, const Geometry& g, float* out);
void pool_pixels(const uint8_t* rgb, const Record& record, const Geometry& g, float* out);

}  // namespace ridge::pipeline
