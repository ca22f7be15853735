// ridge: arch=80 needs=cublas
//
// A training step on a GPU: products of dense layers by cuBLAS, convolutions by kernels of our own that pool on the
// way (cuda_conv.h); everything else is a kernel of cuda_kernels.h. From the second step on all of it is one CUDA
// graph: what changes from step to step lies in device memory, the loss scale too, so that
// the host is asked for nothing.
//
// Operands and what is stored are of type T, sums within a product fp32, and so are the gradients of weights
// as they come out of it.
#include <cmath>
#include <cstring>
#include <string>

#include "common/core/late_library.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/mixed/cuda_conv_launch.h"
#include "kernels/mixed/cuda_layers.h"

namespace ridge::mixed {
namespace {

// ---- made once -----------------------------------------------------------------------------------

DeviceSizes::DeviceSizes(const TrainerSetup& setup)
    : outputs(outputs_of(setup.model, setup.precision.checkpointing, true)),
      images(setup.batch / setup.parts) {
  const auto& layers = setup.model.layers;
  for (size_t l = 0; l < layers.size(); ++l) {
    weight_at.push_back(weights);
    const Layer& layer = layers[l];
    if (!setup.model.is_pooled(l)) slope = std::max(slope, images * layer.out_size());
    if (layer.kind == Kind::pool) continue;
    weights += (layer.weights() + 15) / 16 * 16;
    if (layer.kind == Kind::dense) {
      if (!setup.precision.master) parts = std::max(parts, layer.weights());
      continue;
    }
    if (reads_one(layer)) first = layer.weights();
    if (setup.model.is_pooled(l)) places += images * layer.out_size() / 4;
    parts = std::max(parts, grow_pieces(layer) * (layer.weights() + layer.out));
  }
}

double DeviceSizes::bytes(const TrainerSetup& setup, size_t item) const {
  const int64_t numbers = (first > 0 ? 2 : 1) * weights + images * kGarmentPixels + 2 * slope +
                          images * outputs.total();
  int widest = kClasses;
  for (const Layer& layer : setup.model.layers) widest = std::max(widest, layer.out);
  const bool fp8 = setup.precision.multiplied == Element::e4m3;
  return double(blas::kWorkspaceBytes) + (fp8 ? Fp8Layers::bytes(setup.model, images) : 0) +
         double(item) * double(numbers) +
         4.0 * double(3 * setup.model.parameters + parts + first + kSumBlocks * widest) +
         double(places) + 5.0 * double(images) + 4.0 * double(setup.batch) +
         double(sizeof(DeviceState)) + 8.0 * (kExponents + 1);
}

template <class T>
CudaTrainer<T>::~CudaTrainer() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  if (blas_ != nullptr) cublasDestroy(blas_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  cudaFreeHost(pinned_);
}

template <class T>
Status CudaTrainer<T>::make() {
  RIDGE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  if (const std::string& why = missing_library("cublas"); !why.empty()) return refuse(why.c_str());
  RIDGE_CUBLAS_CHECK(cublasCreate(&blas_));
  RIDGE_CUBLAS_CHECK(cublasSetStream(blas_, stream_));
  RIDGE_PASS(workspace_.make(blas::kWorkspaceBytes, &bytes_));
  RIDGE_CUBLAS_CHECK(cublasSetWorkspace(blas_, workspace_.as<void>(), blas::kWorkspaceBytes));
  const Model& model = setup_.model;
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  const int64_t images = images_;
  for (DeviceBuffer* buffer : {&master_, &velocity_, &gradient_})
    RIDGE_PASS(buffer->make(model.parameters * 4, &bytes_));
  RIDGE_PASS(weights_.make(sizes_.weights * kItem, &bytes_));
  if (sizes_.first > 0) RIDGE_PASS(mirrored_.make(sizes_.weights * kItem, &bytes_));
  RIDGE_PASS(parts_.make(sizes_.parts * 4, &bytes_));
  RIDGE_PASS(first_.make(sizes_.first * 4, &bytes_));
  RIDGE_PASS(x_.make(images * kGarmentPixels * kItem, &bytes_));
  RIDGE_PASS(labels_.make(images, &bytes_));
  RIDGE_PASS(losses_.make(images * 4, &bytes_));
  for (DeviceBuffer& slope : slope_) RIDGE_PASS(slope.make(sizes_.slope * kItem, &bytes_));
  int widest = kClasses;
  for (size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& layer = model.layers[l];
    widest = std::max(widest, layer.out);
    places_.push_back(is_pooled(l) ? std::make_unique<DeviceBuffer>() : nullptr);
    if (is_pooled(l)) RIDGE_PASS(places_[l]->make(images * layer.out_size() / 4, &bytes_));
  }
  if (setup_.precision.multiplied == Element::e4m3) {
    fp8_ = std::make_unique<Fp8Layers>();
    RIDGE_PASS(fp8_->make(model, images, blas_, workspace_.as<void>(), stream_, &bytes_));
  }
  RIDGE_PASS(sums_.make(int64_t{kSumBlocks} * widest * 4, &bytes_));
  RIDGE_PASS(state_.make(sizeof(DeviceState), &bytes_));
  RIDGE_PASS(order_.make(setup_.batch * 4, &bytes_));
  RIDGE_PASS(exponents_.make((kExponents + 1) * 8, &bytes_));
  for (const auto& [sizes, to] :
       {std::pair(&sizes_.outputs.own, &outputs_), std::pair(&sizes_.outputs.between, &between_)}) {
    for (const int64_t size : *sizes) {
      to->push_back(std::make_unique<DeviceBuffer>());
      RIDGE_PASS(to->back()->make(images * size * kItem, &bytes_));
    }
  }
  RIDGE_CUDA_CHECK(cudaMallocHost(&pinned_, static_cast<size_t>(setup_.batch) * 4));
  std::vector<float> begin = setup_.parameters;
  if (!setup_.precision.master)
    for (float& w : begin) w = round_to(w, rounding_of(setup_.precision.stored));
  RIDGE_CUDA_CHECK(
      cudaMemcpy(master_.as<void>(), begin.data(), begin.size() * 4, cudaMemcpyDefault));
  DeviceState state = {};
  state.momentum = setup_.momentum;
  state.scale = std::ldexp(1.0f, setup_.scale_log2);
  state.inverse_batch = 1 / static_cast<float>(setup_.batch);
  state.dynamic = setup_.precision.scale == LossScale::dynamic ? 1 : 0;
  state.finite = 1;
  RIDGE_CUDA_CHECK(cudaMemcpy(state_.as<void>(), &state, sizeof state, cudaMemcpyDefault));
  return {};
}

template <class T>
Status CudaTrainer<T>::upload(const ImageSet& set, const DeviceSet** found) {
  for (DeviceSet& one : sets_) {
    *found = &one;
    if (one.set == &set) return {};
    if (one.set != nullptr) continue;
    double data_bytes = 0;  // the data set is no part of the training's memory
    RIDGE_PASS(one.pixels.make(int64_t(set.pixels.size()), &data_bytes));
    RIDGE_PASS(one.labels.make(int64_t(set.labels.size()), &data_bytes));
    RIDGE_CUDA_CHECK(
        cudaMemcpy(one.pixels.as<void>(), set.pixels.data(), set.pixels.size(), cudaMemcpyDefault));
    RIDGE_CUDA_CHECK(
        cudaMemcpy(one.labels.as<void>(), set.labels.data(), set.labels.size(), cudaMemcpyDefault));
    one.set = &set;
    return {};
  }
  return {"more than two data sets", "upload", __FILE__, __LINE__, false};
}

template <class T>
std::vector<float> CudaTrainer<T>::host(const DeviceBuffer& from, double divisor) const {
  std::vector<float> all(static_cast<size_t>(setup_.model.parameters), NAN);
  cudaMemcpy(all.data(), from.as<void>(), all.size() * 4, cudaMemcpyDefault);
  for (float& value : all) value = static_cast<float>(value / divisor);
  return all;
}

// ---- a step --------------------------------------------------------------------------------------

template <class T>
Result<void> CudaTrainer<T>::step(const ImageSet& set, const int32_t* images, float rate,
                                  bool counts) {
  const DeviceSet* before = set_;
  RIDGE_TRY_STATUS(upload(set, &set_));
  std::memcpy(pinned_, images, size_t(setup_.batch) * 4);
  const auto run = [&]() -> Status {
    RIDGE_CUDA_CHECK(cudaMemcpyAsync(order_.as<void>(), pinned_, size_t(setup_.batch) * 4,
                                     cudaMemcpyDefault, stream_));
    begin_kernel<<<1, 1, 0, stream_>>>(state_.as<DeviceState>(), rate);
    if (counts)
      RIDGE_CUDA_CHECK(cudaMemsetAsync(exponents_.as<void>(), 0, (kExponents + 1) * 8, stream_));
    if (counts || !warm_) {
      RIDGE_PASS(enqueue(counts));
    } else {
      if (graph_ == nullptr || before != set_) {
        cudaGraph_t graph = nullptr;
        if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
        graph_ = nullptr;
        RIDGE_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        const Status status = enqueue(false);
        RIDGE_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
        RIDGE_PASS(status);
        const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
        cudaGraphDestroy(graph);
        RIDGE_CUDA_CHECK(made);
      }
      RIDGE_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    }
    RIDGE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return {};
  };
  RIDGE_TRY_STATUS(run());
  warm_ = true, fresh_ = true;
  return {};
}

template <class T>
Result<StepReport> CudaTrainer<T>::report() {
  if (!fresh_) return report_;
  DeviceState state;
  const Status status = [&]() -> Status {
    RIDGE_CUDA_CHECK(cudaMemcpy(&state, state_.as<void>(), sizeof state, cudaMemcpyDefault));
    return {};
  }();
  RIDGE_TRY_STATUS(status);
  used_scale_ = state.scale;
  report_ = {state.loss, state.right, state.scale, state.left_out, state.finite != 0};
  fresh_ = false;
  return report_;
}

template <class T>
GradientCount CudaTrainer<T>::counted() {
  GradientCount count;
  unsigned long long all[kExponents + 1] = {};
  cudaMemcpy(all, exponents_.as<void>(), sizeof all, cudaMemcpyDefault);
  for (int i = 0; i < kExponents; ++i) count.exponents[size_t(i)] = int64_t(all[i]);
  count.zeros = int64_t(all[kExponents]);
  return count;
}

template <class T>
Result<int64_t> CudaTrainer<T>::right(const ImageSet& set, const int32_t* images, int64_t count) {
  (void)report();
  const DeviceSet* device_set = nullptr;
  RIDGE_TRY_STATUS(upload(set, &device_set));
  int64_t right = 0;
  const auto block = [&](int64_t first) -> Status {
    auto* state = state_.as<DeviceState>();
    const int64_t some = std::min(images_, count - first);
    for (int64_t i = 0; i < images_; ++i) pinned_[i] = images[first + std::min(i, some - 1)];
    RIDGE_CUDA_CHECK(cudaMemcpyAsync(order_.as<void>(), pinned_, size_t(images_) * 4,
                                     cudaMemcpyDefault, stream_));
    clear_kernel<<<1, 1, 0, stream_>>>(state);
    RIDGE_PASS(load(*device_set, 0));
    for (size_t l = 0; l < setup_.model.layers.size(); ++l) RIDGE_PASS(forward(l));
    softmax_kernel<<<blocks_for(some), kThreads, 0, stream_>>>(
        output(setup_.model.layers.size() - 1), labels_.as<uint8_t>(), some, state,
        slope_[0].as<T>(), losses_.as<float>());
    sum_losses_kernel<<<1, 256, 0, stream_>>>(losses_.as<float>(), some, state);
    DeviceState found;
    RIDGE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    RIDGE_CUDA_CHECK(cudaMemcpy(&found, state, sizeof found, cudaMemcpyDefault));
    right += found.right;
    return {};
  };
  RIDGE_TRY_STATUS(cast_weights());
  for (int64_t first = 0; first < count; first += images_) RIDGE_TRY_STATUS(block(first));
  return right;
}

template <class T>
Result<std::unique_ptr<Trainer>> make_of(TrainerSetup setup) {
  for (const Layer& layer : setup.model.layers) {
    if (layer.kind == Kind::pool && layer.in % Pack<T>::kItems != 0)
      return Error{ErrorCode::unavailable, "channels go by eights on a GPU", "width",
                   "set a multiple of 128"};
  }
  auto trainer = std::make_unique<CudaTrainer<T>>(std::move(setup));
  RIDGE_TRY_STATUS(trainer->make());
  return std::unique_ptr<Trainer>(std::move(trainer));
}

/// Why a training cannot be in fp8 here; null: it can.
const char* no_fp8(const TrainerSetup& setup) {
  if (setup.precision.multiplied != Element::e4m3) return nullptr;
  int device = 0, major = 0, minor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (10 * major + minor < 89) return "this GPU has no fp8 tensor cores";
  for (const Layer& layer : setup.model.layers)
    if (goes_fp8(layer, setup.batch / setup.parts)) return nullptr;
  return "no product of this network can be in fp8 on a GPU: a dense layer's sides must be "
         "multiples of 16";
}

}  // namespace

Result<std::unique_ptr<Trainer>> make_cuda_trainer(TrainerSetup setup) {
  if (const char* why = no_fp8(setup))
    return Error{ErrorCode::unavailable, why, "fp8", "take the model mlp, or the rung bf16"};
  switch (setup.precision.stored) {
    case Element::fp16:
      return make_of<__half>(std::move(setup));
    case Element::bf16:
      return make_of<__nv_bfloat16>(std::move(setup));
    default:
      return make_of<float>(std::move(setup));
  }
}

double cuda_trainer_bytes(const TrainerSetup& setup) {
  const Element stored = setup.precision.stored;
  return DeviceSizes(setup).bytes(setup,
                                  stored == Element::fp16 || stored == Element::bf16 ? 2 : 4);
}

}  // namespace ridge::mixed

namespace ridge {

const TrainMaker kMixedCuda = {.params = mixed::mixed_params,
                               .build = [](const TrainDesc& desc, const Params& params, uint64_t) {
                                 return mixed::build_mixed(desc, params, mixed::make_cuda_trainer,
                                                           mixed::cuda_trainer_bytes);
                               }};

}  // namespace ridge
