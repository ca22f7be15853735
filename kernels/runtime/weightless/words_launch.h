// What the bit-sliced rungs of the GPU share around their tables: a model and planes in device memory,
// scores made classes.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/weightless/weightless.h"
#include "kernels/runtime/weightless/words.h"

namespace ridge::words {

/// Device memory that goes with its owner.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(pointer_); }
  Status allocate(size_t bytes) {
    bytes_ = bytes;
    RIDGE_CUDA_CHECK(cudaMalloc(&pointer_, bytes));
    return {};
  }
  template <class T>
  Status upload(const T* data, size_t count) {
    if (const Status s = allocate(count * sizeof(T)); !s.ok()) return s;
    RIDGE_CUDA_CHECK(cudaMemcpy(pointer_, data, bytes_, cudaMemcpyHostToDevice));
    return {};
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(pointer_);
  }
  size_t bytes() const { return bytes_; }

 private:
  void* pointer_ = nullptr;
  size_t bytes_ = 0;
};

/// Thresholds as the encoder wants them: [level][bit][column of four pixels], byte q 0xff where that bit of
/// pixel q's threshold is 0.
std::vector<Word> keep_masks(const LutModel& model);

/// The planes of a launch: as they lie, or made here from its pixels by a kernel before.
class Planes {
 public:
  Status prepare(const Shape& shape);
  Status get(const Classify& job, cudaStream_t stream, const Word** planes) const;
  size_t bytes() const { return thresholds_.bytes() + encoded_.bytes(); }

 private:
  DeviceMemory thresholds_, encoded_;
};

/// scores: [class][counter][words]; classes of `images` images.
Status write_classes(const Word* scores, int counters, long long words, long long images,
                     unsigned char* classes, cudaStream_t stream);

/// Words of 32 images in whole tiles.
inline long long padded_words(const Shape& shape) {
  return (shape.dim[kLutImages] + kTile - 1) / kTile * kTileOfWords;
}

/// prepare() and release() of a rung whose state is a `State` with Status prepare(const Shape&, Plan*).
template <class State>
Status prepare_state(const Shape& shape, Plan* plan) {
  auto* state = new State;
  if (const Status status = state->prepare(shape, plan); !status.ok()) {
    delete state;
    return status;
  }
  plan->state = state;
  plan->release = [](void* made) { delete static_cast<State*>(made); };
  return {};
}

}  // namespace ridge::words
