// ridge: needs=jpeg
//
// A GPU as the device: copies on one stream, steps on another, a multilayer perceptron by cuBLAS.
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/core/format.h"
#include "common/core/late_library.h"
#include "common/harness/kernel/cuda_error.h"
#include "kernels/pipeline/device_kernels.h"
#include "kernels/pipeline/engine.h"
#include "kernels/pipeline/nvjpeg.h"
#include "kernels/pipeline/stream_queue.h"

namespace ridge::pipeline {
namespace {

constexpr int kHidden = 4096;
constexpr float kRate = 0.02f;

/// A lost context ends the worker; anything else, no memory say, this rung.
Error cuda_error(cudaError_t code, const char* what) {
  cudaGetLastError();
  return {cuda_error_is_sticky(code) ? ErrorCode::worker : ErrorCode::unavailable,
          cudaGetErrorString(code), what, ""};
}
#define RIDGE_TRY_CUDA(call) \
  if (const cudaError_t code = (call); code != cudaSuccess) return cuda_error(code, #call)

// ---- the device ----------------------------------------------------------------------------------

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using OnDevice = std::unique_ptr<T, Free>;

template <class T>
Result<OnDevice<T>> on_device(size_t count) {
  void* memory = nullptr;
  RIDGE_TRY_CUDA(cudaMalloc(&memory, count * sizeof(T)));
  return OnDevice<T>(static_cast<T*>(memory));
}

struct Layer {
  int in = 0, out = 0;
  OnDevice<float> weights, input, gradient;
};

class CudaDevice final : public TrainDevice {
 public:
  explicit CudaDevice(const DeviceSetup& setup) : setup_(setup), on_device_(setup.geometry) {}
  ~CudaDevice() override;
  Result<void> set_up();

  Result<std::byte*> host_memory(size_t bytes) override;
  bool decodes() const override { return decoder_ != nullptr; }
  Result<void> queue_copy(int slot, const Batch& batch) override;
  Result<void> finish_copy() override;
  double copy_s() override { return copy_s_; }
  Result<void> queue_step(int slot) override;
  Result<void> finish_step() override;
  double loss() override;
  Result<std::vector<float>> weights(int l) override;
  Result<std::vector<float>> seen(int slot, int i) override;
  double seen_tolerance() const override { return 1e-4; }
  Result<double> bus_bytes_per_s() override;
  double hidden_share() const override {
    const double hidden = hidden_flop(setup_.layers, kHidden);
    return hidden / (hidden + first_flop(setup_.geometry.features(), kHidden));
  }
  /// 6 FLOP an image for each weight, which is read or written four times: 0.4 FLOP/byte an image, and
  /// TF32 of an H200 has 100 to the byte. (Measured with batches of 64 and 128: see the lesson.)
  bool step_is_fixed() const override { return setup_.geometry.batch <= 128; }
  double held_bytes() const override {
    return set_ != nullptr ? double(picture_bytes()) * double(setup_.images) : 0;
  }
  size_t picture_bytes() const {
    return size_t(on_device_.side) * size_t(on_device_.side) * kChannels;
  }
  std::string name() const override {
    if (set_ != nullptr) return name_ + ", which holds the set";
    return name_ + (setup_.pinned ? ", pinned" : ", pageable") +
           (decoder_ ? ", " + decoder_->name() : "");
  }

 private:
  Result<void> make_layers();
  Result<void> hold_set();
  Result<void> decode(int slot, const Batch& batch);
  void pool(int slot, float* out);
  void forward(const Layer& l, float* out, bool is_last);
  void backward(const Layer& l, float* by_input);
  void update(Layer* l);

  DeviceSetup setup_;
  Geometry on_device_;  ///< what lies there: decoded where it decodes
  std::string name_;
  cudaStream_t copies_ = nullptr, steps_ = nullptr;
  StreamQueue copying_, stepping_;
  cublasHandle_t blas_ = nullptr;
  std::vector<OnDevice<std::byte>> slots_;
  std::vector<Layer> layers_;
  OnDevice<float> loss_, pooled_;
  OnDevice<uint8_t> set_;  ///< all pictures, where they are held here
  std::unique_ptr<NvJpeg> decoder_;
  std::vector<void*> pinned_;
  std::vector<std::vector<std::byte>> pageable_;
  OnDevice<std::byte> probe_;
  void* probe_host_ = nullptr;
  double copy_s_ = 0;
};

CudaDevice::~CudaDevice() {
  if (blas_ != nullptr) cublasDestroy(blas_);
  if (steps_ != nullptr && steps_ != copies_) cudaStreamDestroy(steps_);
  if (copies_ != nullptr) cudaStreamDestroy(copies_);
  for (void* memory : pinned_) cudaFreeHost(memory);
  if (probe_host_ != nullptr) cudaFreeHost(probe_host_);
}

Result<void> CudaDevice::set_up() {
  int device = 0;
  cudaDeviceProp properties;
  RIDGE_TRY_CUDA(cudaGetDevice(&device));
  RIDGE_TRY_CUDA(cudaGetDeviceProperties(&properties, device));
  name_ = properties.name;
  RIDGE_TRY_CUDA(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
  steps_ = copies_;
  if (setup_.own_stream) RIDGE_TRY_CUDA(cudaStreamCreateWithFlags(&steps_, cudaStreamNonBlocking));
  RIDGE_TRY_CUDA(copying_.open(copies_));
  RIDGE_TRY_CUDA(stepping_.open(steps_));
  if (const std::string& why = missing_library("cublas"); !why.empty())
    return Error{ErrorCode::unavailable, "the network's step " + why, name_, ""};
  if (cublasCreate(&blas_) != CUBLAS_STATUS_SUCCESS ||
      cublasSetStream(blas_, steps_) != CUBLAS_STATUS_SUCCESS ||
      cublasSetMathMode(blas_, CUBLAS_TF32_TENSOR_OP_MATH) != CUBLAS_STATUS_SUCCESS)
    return Error{ErrorCode::worker, "cuBLAS does not start", name_, ""};
  if (setup_.geometry.carried == Carried::jpeg) {
    RIDGE_TRY(decoder_, NvJpeg::make(setup_.geometry.batch));
    on_device_.carried = Carried::pixels;
    on_device_.image_bytes = picture_bytes();
  }
  if (setup_.set != nullptr) RIDGE_TRY_VOID(hold_set());
  for (int i = 0; i < setup_.buffers; ++i) {
    RIDGE_TRY(auto slot, on_device<std::byte>(on_device_.batch_bytes()));
    // A batch that only passes by is stepped on as it lies there: its labels have to be some.
    RIDGE_TRY_CUDA(cudaMemset(slot.get(), 0, on_device_.batch_bytes()));
    slots_.push_back(std::move(slot));
  }
  return make_layers();
}

Result<void> CudaDevice::make_layers() {
  const auto batch = static_cast<size_t>(setup_.geometry.batch);
  for (int l = 0; l <= setup_.layers; ++l) {
    Layer layer;
    layer.in = l == 0 ? setup_.geometry.features() : kHidden;
    layer.out = l == setup_.layers ? kClasses : kHidden;
    const float range = std::sqrt(6.0f / static_cast<float>(layer.in));
    const uint64_t key = random_key(static_cast<uint64_t>(l));
    std::vector<float> weights(size_t(layer.in) * size_t(layer.out));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = range * (2 * random_unit(key, i) - 1);
    RIDGE_TRY(layer.weights, on_device<float>(weights.size()));
    RIDGE_TRY(layer.input, on_device<float>(batch * size_t(layer.in)));
    RIDGE_TRY(layer.gradient, on_device<float>(batch * size_t(layer.out)));
    RIDGE_TRY_CUDA(cudaMemcpy(layer.weights.get(), weights.data(), weights.size() * sizeof(float),
                              cudaMemcpyHostToDevice));
    layers_.push_back(std::move(layer));
  }
  RIDGE_TRY(loss_, on_device<float>(1));
  RIDGE_TRY(pooled_, on_device<float>(batch * size_t(setup_.geometry.features())));
  RIDGE_TRY_CUDA(cudaMemset(loss_.get(), 0xff, sizeof(float)));
  return {};
}

Result<std::byte*> CudaDevice::host_memory(size_t bytes) {
  if (!setup_.pinned) {
    pageable_.emplace_back(bytes);
    return pageable_.back().data();
  }
  void* memory = nullptr;
  RIDGE_TRY_CUDA(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  pinned_.push_back(memory);
  return static_cast<std::byte*>(memory);
}

/// The whole set, once: from then on a batch is the numbers of its pictures.
Result<void> CudaDevice::hold_set() {
  const size_t picture = picture_bytes(), bytes = picture * size_t(setup_.images);
  size_t free = 0, total = 0;
  RIDGE_TRY_CUDA(cudaMemGetInfo(&free, &total));
  if (double(bytes) > 0.8 * double(free))
    return Error{ErrorCode::unavailable,
                 "the decoded images take " + format_bytes(double(bytes)) + " of the " +
                     format_bytes(double(free)) + " that the GPU has free",
                 "the set on the GPU", "choose fewer or smaller images"};
  RIDGE_TRY(set_, on_device<uint8_t>(bytes));
  for (int64_t i = 0; i < setup_.images; ++i) {
    const uint8_t* pixels = setup_.set->pixels(static_cast<int32_t>(i));
    if (pixels != nullptr)
      RIDGE_TRY_CUDA(
          cudaMemcpy(set_.get() + picture * size_t(i), pixels, picture, cudaMemcpyHostToDevice));
  }
  return {};
}

Result<void> CudaDevice::queue_copy(int slot, const Batch& batch) {
  if (decoder_ != nullptr) return decode(slot, batch);
  RIDGE_TRY_CUDA(copying_.begin());
  RIDGE_TRY_CUDA(cudaMemcpyAsync(slots_[size_t(slot)].get(), batch.base,
                                 setup_.geometry.batch_bytes(), cudaMemcpyHostToDevice, copies_));
  RIDGE_TRY_CUDA(copying_.end());
  return {};
}

Result<void> CudaDevice::finish_copy() {
  if (decoder_ == nullptr) RIDGE_TRY_CUDA(copying_.finish(&copy_s_));
  return {};
}

/// Done when it returns: nvJPEG's state is one batch's. The files as they are read, in one call; where it fails, one by one, and who fails is skipped.
Result<void> CudaDevice::decode(int slot, const Batch& batch) {
  std::byte* to = slots_[size_t(slot)].get();
  Record* records = batch.records();
  std::vector<NvJpeg::Item> items;
  const NvJpeg::Item* good = nullptr;
  for (int i = 0; i < setup_.geometry.batch; ++i) {
    auto* rgb = reinterpret_cast<unsigned char*>(to) + on_device_.payload_at() +
                on_device_.image_bytes * size_t(i);
    items.push_back({batch.image(i), records[i].bytes, rgb});
    if (records[i].label >= 0 && !decoder_->readable(items.back(), on_device_.side))
      records[i].label = -1;
  }
  for (int i = 0; i < setup_.geometry.batch && good == nullptr; ++i) {
    if (records[i].label >= 0) good = &items[size_t(i)];
  }
  // A batch has no holes: another image stands in the place of a skipped one, unseen.
  for (int i = 0; i < setup_.geometry.batch && good != nullptr; ++i) {
    if (records[i].label < 0)
      items[size_t(i)].file = good->file, items[size_t(i)].bytes = good->bytes;
  }
  if (good != nullptr && !decoder_->decode(items, on_device_.side, copies_)) {
    for (int i = 0; i < setup_.geometry.batch; ++i) {
      if (!decoder_->decode_one(items[size_t(i)], on_device_.side, copies_)) records[i].label = -1;
    }
  }
  RIDGE_TRY_CUDA(copying_.begin());
  RIDGE_TRY_CUDA(cudaMemcpyAsync(to, records, sizeof(Record) * size_t(setup_.geometry.batch),
                                 cudaMemcpyHostToDevice, copies_));
  RIDGE_TRY_CUDA(copying_.end());
  double ignored_s = 0;
  RIDGE_TRY_CUDA(copying_.finish(&ignored_s));
  return {};
}

// ---- a step --------------------------------------------------------------------------------------

constexpr int kThreads = 256;
unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

void CudaDevice::pool(int slot, float* out) {
  const dim3 grid(blocks_for(on_device_.features()), static_cast<unsigned>(on_device_.batch));
  if (on_device_.carried == Carried::tensor) {
    pool_tensor_kernel<<<grid, kThreads, 0, steps_>>>(slots_[size_t(slot)].get(), on_device_, out);
  } else {
    pool_pixels_kernel<<<grid, kThreads, 0, steps_>>>(slots_[size_t(slot)].get(), set_.get(),
                                                      on_device_, out);
  }
}

// cuBLAS is column-major: a row-major matrix is its transpose there.
void CudaDevice::forward(const Layer& l, float* out, bool is_last) {
  const float one = 1, zero = 0;
  const int batch = setup_.geometry.batch;
  cublasSgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_N, l.out, batch, l.in, &one, l.weights.get(), l.out,
              l.input.get(), l.in, &zero, out, l.out);
  const int64_t count = int64_t(batch) * l.out;
  if (!is_last) relu_kernel<<<blocks_for(count), kThreads, 0, steps_>>>(out, count);
}

void CudaDevice::backward(const Layer& l, float* by_input) {
  const float one = 1, zero = 0;
  const int batch = setup_.geometry.batch;
  cublasSgemm(blas_, CUBLAS_OP_T, CUBLAS_OP_N, l.in, batch, l.out, &one, l.weights.get(), l.out,
              l.gradient.get(), l.out, &zero, by_input, l.in);
  const int64_t count = int64_t(batch) * l.in;
  mask_kernel<<<blocks_for(count), kThreads, 0, steps_>>>(by_input, l.input.get(), count);
}

/// Weights less rate times their gradient, in the product itself.
void CudaDevice::update(Layer* l) {
  const float one = 1, less = -kRate;
  cublasSgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_T, l->out, l->in, setup_.geometry.batch, &less,
              l->gradient.get(), l->out, l->input.get(), l->in, &one, l->weights.get(), l->out);
}

Result<void> CudaDevice::queue_step(int slot) {
  RIDGE_TRY_CUDA(stepping_.begin());
  pool(slot, layers_[0].input.get());
  for (size_t l = 0; l < layers_.size(); ++l) {
    const bool is_last = l + 1 == layers_.size();
    forward(layers_[l], is_last ? layers_[l].gradient.get() : layers_[l + 1].input.get(), is_last);
  }
  softmax_kernel<<<1, kThreads, 0, steps_>>>(slots_[size_t(slot)].get(),
                                             layers_.back().gradient.get(), setup_.geometry.batch,
                                             loss_.get());
  for (size_t l = layers_.size(); l-- > 0;) {
    if (l > 0) backward(layers_[l], layers_[l - 1].gradient.get());
    update(&layers_[l]);
  }
  RIDGE_TRY_CUDA(cudaGetLastError());
  RIDGE_TRY_CUDA(stepping_.end());
  return {};
}

Result<void> CudaDevice::finish_step() {
  double ignored_s = 0;
  RIDGE_TRY_CUDA(stepping_.finish(&ignored_s));
  return {};
}

double CudaDevice::loss() {
  float loss = NAN;
  const bool read =
      cudaMemcpy(&loss, loss_.get(), sizeof loss, cudaMemcpyDeviceToHost) == cudaSuccess;
  return read ? loss : NAN;
}

Result<std::vector<float>> CudaDevice::weights(int l) {
  const Layer& layer = layers_[size_t(l)];
  std::vector<float> values(size_t(layer.in) * size_t(layer.out));
  RIDGE_TRY_CUDA(cudaMemcpy(values.data(), layer.weights.get(), values.size() * sizeof(float),
                            cudaMemcpyDeviceToHost));
  return values;
}

Result<std::vector<float>> CudaDevice::seen(int slot, int i) {
  const auto features = static_cast<size_t>(on_device_.features());
  std::vector<float> pooled(features);
  pool(slot, pooled_.get());
  RIDGE_TRY_CUDA(cudaStreamSynchronize(steps_));
  RIDGE_TRY_CUDA(cudaMemcpy(pooled.data(), pooled_.get() + size_t(i) * features,
                            features * sizeof(float), cudaMemcpyDeviceToHost));
  return pooled;
}

/// A copy of 256 MiB from pinned memory, by events: what a copy of a batch is held against.
Result<double> CudaDevice::bus_bytes_per_s() {
  constexpr size_t kBytes = size_t{256} << 20;
  if (probe_host_ == nullptr) {
    RIDGE_TRY(probe_, on_device<std::byte>(kBytes));
    RIDGE_TRY_CUDA(cudaHostAlloc(&probe_host_, kBytes, cudaHostAllocDefault));
    std::fill_n(static_cast<unsigned char*>(probe_host_), kBytes, static_cast<unsigned char>(1));
  }
  double best_s = INFINITY;
  for (int i = 0; i < 3; ++i) {
    double took_s = 0;
    RIDGE_TRY_CUDA(copying_.begin());
    RIDGE_TRY_CUDA(
        cudaMemcpyAsync(probe_.get(), probe_host_, kBytes, cudaMemcpyHostToDevice, copies_));
    RIDGE_TRY_CUDA(copying_.end());
    RIDGE_TRY_CUDA(copying_.finish(&took_s));
    best_s = std::min(best_s, took_s);
  }
  return double(kBytes) / best_s;
}

}  // namespace

Result<std::unique_ptr<TrainDevice>> make_cuda_train_device(const DeviceSetup& setup) {
  auto device = std::make_unique<CudaDevice>(setup);
  RIDGE_TRY_VOID(device->set_up());
  return std::unique_ptr<TrainDevice>(std::move(device));
}

}  // namespace ridge::pipeline

namespace ridge {

extern const PipelineMaker kCudaLoader;
const PipelineMaker kCudaLoader = {
    .params = pipeline::loader_params,
    .build = [](const PipelineDesc& desc, const Params& params, uint64_t seed,
                const FamilyProgress& progress) {
      return pipeline::build_loader(desc, params, seed, progress, pipeline::make_cuda_train_device);
    }};

}  // namespace ridge
