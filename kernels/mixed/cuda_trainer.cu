// ridge: arch=80 needs=cublas
//
// A training step on a GPU: products by cuBLAS, a convolution as a product of unfolded rows, as many images
// at a time as stay in the L2; everything else is a kernel of cuda_kernels.h. From the second step on all of
// it is one CUDA graph: what changes from step to step lies in device memory, the loss scale too, so that
// the host is asked for nothing.
//
// Operands and what is stored are of type T, sums within a product fp32, and so are the gradients of weights
// as they come out of it.
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/gemm/blas.h"
#include "kernels/mixed/cuda_kernels.h"
#include "kernels/mixed/trainer.h"

namespace ridge::mixed {
namespace {

using Kind = Layer::Kind;

constexpr int kThreads = 256, kSumBlocks = 1056;
/// Unfolded rows at a time: what is written is read from the L2 (50 MB of an H200).
constexpr int64_t kUnfoldedBytes = 24 << 20;

unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

Error error_of(const Status& status) {
  return {status.sticky ? ErrorCode::worker : ErrorCode::unavailable, status.what,
          status.expression != nullptr ? status.expression : "", ""};
}
#define RIDGE_TRY_STATUS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return error_of(ridge_status)
#define RIDGE_PASS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return ridge_status

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(memory_); }
  Status make(int64_t bytes, double* total) {
    if (bytes == 0) return {};
    RIDGE_CUDA_CHECK(cudaMalloc(&memory_, static_cast<size_t>(bytes)));
    RIDGE_CUDA_CHECK(cudaMemset(memory_, 0, static_cast<size_t>(bytes)));
    *total += double(bytes);
    return {};
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

template <class T>
constexpr cudaDataType_t kType = CUDA_R_32F;
template <>
constexpr cudaDataType_t kType<__half> = CUDA_R_16F;
template <>
constexpr cudaDataType_t kType<__nv_bfloat16> = CUDA_R_16BF;

/// A row of unfolded pixels: of one channel nine numbers, made 16 for the tensor cores.
int wide_of(const Layer& layer) {
  return layer.kind == Kind::conv ? (layer.inputs() + 7) / 8 * 8 : layer.inputs();
}

int64_t unfolded_images(const Layer& layer, int64_t images, size_t bytes) {
  const int64_t one = layer.pixels() * std::max(wide_of(layer), 9 * layer.out) * int64_t(bytes);
  int64_t count = images;
  while (count % 2 == 0 && count * one > kUnfoldedBytes) count /= 2;
  return count;
}

struct DeviceSet {
  const ImageSet* set = nullptr;
  DeviceBuffer pixels, labels;
};

template <class T>
class CudaTrainer final : public Trainer {
 public:
  explicit CudaTrainer(TrainerSetup setup)
      : setup_(std::move(setup)),
        outputs_plan_(outputs_of(setup_.model, setup_.precision.checkpointing)),
        images_(setup_.batch / setup_.parts) {}
  ~CudaTrainer() override;
  Status make();

  Result<void> step(const ImageSet& set, const int32_t* images, float rate, bool counts) override;
  Result<StepReport> report() override;
  GradientCount counted() override;
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override;
  double memory_bytes() const override { return bytes_; }
  std::vector<float> parameters() override { return host(master_, 1); }
  std::vector<float> gradient() override { return host(gradient_, used_scale_); }

 private:
  std::vector<float> host(const DeviceBuffer& from, double divisor) const;
  Status upload(const ImageSet& set, const DeviceSet** found);
  Status enqueue(bool counts);
  Status cast_weights();
  Status load(const DeviceSet& set, int64_t first);
  T* output(size_t l) const;
  const T* input(size_t l) const { return l == 0 ? x_.as<T>() : output(l - 1); }
  Status forward(size_t l);
  Status unfold(const T* x, const Layer& layer, int channels, int wide, int64_t images);
  template <int items>
  void finish(T* y, int64_t count, const Layer& layer);
  Status backward(size_t l, int part, bool counts);
  Status grow(size_t l, const T* slope, int part);
  Status slope_of_input(size_t l, const T* slope, T* out);
  Status update();
  Status sum_bias(const Layer& layer, const T* slope, const T* out, int64_t rows);
  /// A pool follows, which adds the bias.
  bool is_pooled(size_t l) const {
    return l + 1 < setup_.model.layers.size() && setup_.model.layers[l + 1].kind == Kind::pool;
  }
  /// C = op(A) op(B), row-major; C of T or of fp32.
  Status product(int64_t m, int64_t n, int64_t k, const T* a, bool turn_a, const T* b, bool turn_b,
                 void* c, bool wide_c, float beta);

  TrainerSetup setup_;
  Outputs outputs_plan_;
  int64_t images_;
  double bytes_ = 0, used_scale_ = 1;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  bool warm_ = false, fresh_ = false;
  DeviceBuffer master_, velocity_, gradient_, weights_, mirrored_, grown_, x_, labels_, losses_,
      slope_[2], unfolded_, sums_, workspace_, state_, order_, exponents_;
  std::vector<std::unique_ptr<DeviceBuffer>> outputs_, between_;
  std::vector<int64_t> weight_at_;  ///< of a layer in weights_: rows are wide_of() long
  DeviceSet sets_[2];
  int32_t* pinned_ = nullptr;
  const DeviceSet* set_ = nullptr;
  StepReport report_;
  int current_ = 0;
};

// ---- made once -----------------------------------------------------------------------------------

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
  RIDGE_CUBLAS_CHECK(cublasCreate(&blas_));
  RIDGE_CUBLAS_CHECK(cublasSetStream(blas_, stream_));
  RIDGE_PASS(workspace_.make(blas::kWorkspaceBytes, &bytes_));
  RIDGE_CUBLAS_CHECK(cublasSetWorkspace(blas_, workspace_.as<void>(), blas::kWorkspaceBytes));
  const Model& model = setup_.model;
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  int64_t wide_weights = 0, grown = 0, unfolded = 0;
  int widest = kClasses;
  for (const Layer& layer : model.layers) {
    weight_at_.push_back(wide_weights);
    if (layer.kind == Kind::pool) continue;
    const int64_t size = int64_t{layer.out} * wide_of(layer);
    wide_weights += (size + 15) / 16 * 16;
    grown = std::max(grown, size), widest = std::max(widest, layer.out);
    if (layer.kind == Kind::conv)
      unfolded = std::max(unfolded, unfolded_images(layer, images_, sizeof(T)) * layer.pixels() *
                                        std::max(wide_of(layer), 9 * layer.out));
  }
  for (DeviceBuffer* buffer : {&master_, &velocity_, &gradient_})
    RIDGE_PASS(buffer->make(model.parameters * 4, &bytes_));
  RIDGE_PASS(weights_.make(wide_weights * kItem, &bytes_));
  if (unfolded > 0) RIDGE_PASS(mirrored_.make(wide_weights * kItem, &bytes_));
  RIDGE_PASS(grown_.make(grown * 4, &bytes_));
  RIDGE_PASS(x_.make(images_ * kGarmentPixels * kItem, &bytes_));
  RIDGE_PASS(labels_.make(images_, &bytes_));
  RIDGE_PASS(losses_.make(images_ * 4, &bytes_));
  for (DeviceBuffer& slope : slope_)
    RIDGE_PASS(slope.make(images_ * model.largest() * kItem, &bytes_));
  RIDGE_PASS(unfolded_.make(unfolded * kItem, &bytes_));
  RIDGE_PASS(sums_.make(int64_t{kSumBlocks} * widest * 4, &bytes_));
  RIDGE_PASS(state_.make(sizeof(DeviceState), &bytes_));
  RIDGE_PASS(order_.make(setup_.batch * 4, &bytes_));
  RIDGE_PASS(exponents_.make((kExponents + 1) * 8, &bytes_));
  for (const auto& [sizes, to] :
       {std::pair(&outputs_plan_.own, &outputs_), std::pair(&outputs_plan_.between, &between_)}) {
    for (const int64_t size : *sizes) {
      to->push_back(std::make_unique<DeviceBuffer>());
      RIDGE_PASS(to->back()->make(images_ * size * kItem, &bytes_));
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

// ---- pieces of a step ----------------------------------------------------------------------------

// cuBLAS is column-major: a row-major matrix is its transpose there, and C^T = op(B)^T op(A)^T.
template <class T>
Status CudaTrainer<T>::product(int64_t m, int64_t n, int64_t k, const T* a, bool turn_a, const T* b,
                               bool turn_b, void* c, bool wide_c, float beta) {
  const float one = 1;
  const cublasComputeType_t compute = setup_.precision.multiplied == Element::tf32
                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
  const auto lda = static_cast<int>(turn_a ? m : k), ldb = static_cast<int>(turn_b ? k : n);
  RIDGE_CUBLAS_CHECK(cublasGemmEx(blas_, turn_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                  turn_a ? CUBLAS_OP_T : CUBLAS_OP_N, static_cast<int>(n),
                                  static_cast<int>(m), static_cast<int>(k), &one, b, kType<T>, ldb,
                                  a, kType<T>, lda, &beta, c, wide_c ? CUDA_R_32F : kType<T>,
                                  static_cast<int>(n), compute, CUBLAS_GEMM_DEFAULT));
  return {};
}

template <class T>
Status CudaTrainer<T>::cast_weights() {
  for (size_t l = 0; l < setup_.model.layers.size(); ++l) {
    const Layer& layer = setup_.model.layers[l];
    if (layer.kind == Kind::pool) continue;
    const int wide = wide_of(layer);
    T* w = weights_.as<T>() + weight_at_[l];
    cast_kernel<<<blocks_for(int64_t{layer.out} * wide), kThreads, 0, stream_>>>(
        master_.as<float>() + layer.weight, layer.out, layer.inputs(), wide, w);
    if (layer.kind == Kind::conv && l > 0)
      mirror_kernel<<<blocks_for(layer.weights()), kThreads, 0, stream_>>>(
          w, layer.in, layer.out, wide, mirrored_.as<T>() + weight_at_[l]);
  }
  return RIDGE_CUDA_LAUNCHED(cast_kernel);
}

template <class T>
Status CudaTrainer<T>::load(const DeviceSet& set, int64_t first) {
  const int32_t* order = order_.as<int32_t>() + first;
  load_kernel<<<blocks_for(images_ * 196), kThreads, 0, stream_>>>(set.pixels.as<uint8_t>(), order,
                                                                   images_, x_.as<T>());
  load_kernel_labels<<<blocks_for(images_), kThreads, 0, stream_>>>(set.labels.as<uint8_t>(), order,
                                                                    images_, labels_.as<uint8_t>());
  return RIDGE_CUDA_LAUNCHED(load_kernel);
}

template <class T>
T* CudaTrainer<T>::output(size_t l) const {
  const int64_t place = outputs_plan_.place[l];
  return place < 0 ? outputs_[l]->template as<T>() : between_[size_t(place)]->template as<T>();
}

template <class T>
Status CudaTrainer<T>::unfold(const T* x, const Layer& layer, int channels, int wide,
                              int64_t images) {
  const int64_t rows = images * layer.pixels();
  if (channels % Pack<T>::kItems == 0) {
    const int units = channels / Pack<T>::kItems, wide_units = wide / Pack<T>::kItems;
    unfold_kernel<<<blocks_for(rows * wide_units), kThreads, 0, stream_>>>(
        reinterpret_cast<const Pack<T>*>(x), layer.side, units, wide_units, rows,
        unfolded_.as<Pack<T>>());
  } else {
    unfold_kernel<<<blocks_for(rows * wide), kThreads, 0, stream_>>>(x, layer.side, channels, wide,
                                                                     rows, unfolded_.as<T>());
  }
  return RIDGE_CUDA_LAUNCHED(unfold_kernel);
}

template <class T>
template <int items>
void CudaTrainer<T>::finish(T* y, int64_t count, const Layer& layer) {
  const float* bias = master_.as<float>() + layer.bias;
  const unsigned blocks = blocks_for(count / items);
  if (layer.relu)
    finish_kernel<T, true, items><<<blocks, kThreads, 0, stream_>>>(y, count, layer.out, bias);
  else
    finish_kernel<T, false, items><<<blocks, kThreads, 0, stream_>>>(y, count, layer.out, bias);
}

template <class T>
Status CudaTrainer<T>::forward(size_t l) {
  const Layer& layer = setup_.model.layers[l];
  T* y = output(l);
  if (layer.kind == Kind::pool) {
    const int units = layer.in / Pack<T>::kItems;
    const int64_t count = images_ * layer.out_size() / Pack<T>::kItems;
    pool_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(
        reinterpret_cast<const Pack<T>*>(input(l)),
        master_.as<float>() + setup_.model.layers[l - 1].bias, layer.side, units, count,
        reinterpret_cast<Pack<T>*>(y));
    return RIDGE_CUDA_LAUNCHED(pool_kernel);
  }
  const T* w = weights_.as<T>() + weight_at_[l];
  const int wide = wide_of(layer);
  if (layer.kind == Kind::dense) {
    RIDGE_PASS(product(images_, layer.out, wide, input(l), false, w, true, y, false, 0));
  } else {
    const int64_t few = unfolded_images(layer, images_, sizeof(T));
    for (int64_t i = 0; i < images_; i += few) {
      RIDGE_PASS(unfold(input(l) + i * layer.in_size(), layer, layer.in, wide, few));
      RIDGE_PASS(product(few * layer.pixels(), layer.out, wide, unfolded_.as<T>(), false, w, true,
                         y + i * layer.out_size(), false, 0));
    }
  }
  if (is_pooled(l)) return {};
  const int64_t count = images_ * layer.out_size();
  if (layer.out % Pack<T>::kItems == 0)
    finish<Pack<T>::kItems>(y, count, layer);
  else
    finish<2>(y, count, layer);
  return RIDGE_CUDA_LAUNCHED(finish_kernel);
}

/// Of a convolution before a pool: from the pool's side, where a quarter as much is to be read.
template <class T>
Status CudaTrainer<T>::sum_bias(const Layer& layer, const T* slope, const T* out, int64_t rows) {
  column_sums_kernel<<<kSumBlocks, kThreads, kThreads * 4, stream_>>>(slope, out, rows, layer.out,
                                                                      sums_.as<float>());
  add_sums_kernel<<<blocks_for(int64_t{layer.out} * 32), kThreads, 0, stream_>>>(
      sums_.as<float>(), kSumBlocks, layer.out, gradient_.as<float>() + layer.bias);
  return RIDGE_CUDA_LAUNCHED(add_sums_kernel);
}

/// The gradient of the weights: products sum into grown_, which then joins the others.
template <class T>
Status CudaTrainer<T>::grow(size_t l, const T* slope, int part) {
  const Layer& layer = setup_.model.layers[l];
  const int wide = wide_of(layer);
  float* gradient = gradient_.as<float>() + layer.weight;
  if (layer.kind == Kind::dense && setup_.precision.master)
    return product(layer.out, wide, images_, slope, true, input(l), false, gradient, true,
                   part > 0 ? 1.0f : 0.0f);
  const int64_t few =
      layer.kind == Kind::dense ? images_ : unfolded_images(layer, images_, sizeof(T));
  for (int64_t i = 0; i < images_; i += few) {
    const T* x = input(l) + i * layer.in_size();
    if (layer.kind == Kind::conv) {
      RIDGE_PASS(unfold(x, layer, layer.in, wide, few));
      x = unfolded_.as<T>();
    }
    RIDGE_PASS(product(layer.out, wide, few * layer.pixels(), slope + i * layer.out_size(), true, x,
                       false, grown_.as<void>(), true, i > 0 ? 1.0f : 0.0f));
  }
  compact_kernel<T><<<blocks_for(layer.weights()), kThreads, 0, stream_>>>(
      grown_.as<float>(), layer.out, layer.inputs(), wide, !setup_.precision.master, gradient);
  return RIDGE_CUDA_LAUNCHED(compact_kernel);
}

template <class T>
Status CudaTrainer<T>::slope_of_input(size_t l, const T* slope, T* out) {
  const Layer& layer = setup_.model.layers[l];
  if (layer.kind == Kind::dense)
    return product(images_, layer.in, layer.out, slope, false, weights_.as<T>() + weight_at_[l],
                   false, out, false, 0);
  const int64_t few = unfolded_images(layer, images_, sizeof(T));
  for (int64_t i = 0; i < images_; i += few) {
    RIDGE_PASS(unfold(slope + i * layer.out_size(), layer, layer.out, 9 * layer.out, few));
    RIDGE_PASS(product(few * layer.pixels(), layer.in, 9 * layer.out, unfolded_.as<T>(), false,
                       mirrored_.as<T>() + weight_at_[l], false, out + i * layer.in_size(), false,
                       0));
  }
  return {};
}

template <class T>
Status CudaTrainer<T>::backward(size_t l, int part, bool counts) {
  const Layer& layer = setup_.model.layers[l];
  T *slope = slope_[current_].as<T>(), *next = slope_[1 - current_].as<T>();
  constexpr int kItems = Pack<T>::kItems;
  const auto packed = [](const T* memory) { return reinterpret_cast<const Pack<T>*>(memory); };
  if (layer.kind == Kind::pool) {
    const int64_t count = images_ * layer.out_size() / kItems;
    unpool_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(
        packed(input(l)), packed(output(l)), packed(slope), layer.side, layer.in / kItems, count,
        reinterpret_cast<Pack<T>*>(next));
    current_ = 1 - current_;
    RIDGE_PASS(RIDGE_CUDA_LAUNCHED(unpool_kernel));
    return sum_bias(setup_.model.layers[l - 1], slope, output(l), count * kItems / layer.in);
  }
  const int64_t count = images_ * layer.out_size();
  if (counts)
    count_kernel<<<256, kThreads, 0, stream_>>>(slope, count, exponents_.as<unsigned long long>());
  if (layer.relu)
    mask_kernel<<<blocks_for(count / kItems), kThreads, 0, stream_>>>(
        packed(output(l)), count / kItems, reinterpret_cast<Pack<T>*>(slope));
  if (!is_pooled(l)) RIDGE_PASS(sum_bias(layer, slope, nullptr, images_ * layer.pixels()));
  RIDGE_PASS(grow(l, slope, part));
  if (l == 0) return {};
  RIDGE_PASS(slope_of_input(l, slope, next));
  current_ = 1 - current_;
  return {};
}

template <class T>
Status CudaTrainer<T>::update() {
  const int64_t count = setup_.model.parameters;
  auto* state = state_.as<DeviceState>();
  overflow_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(gradient_.as<float>(), count, state);
  update_kernel<T><<<blocks_for(count), kThreads, 0, stream_>>>(
      gradient_.as<float>(), count, setup_.precision.master, state, velocity_.as<float>(),
      master_.as<float>());
  scale_kernel<<<1, 1, 0, stream_>>>(state);
  return RIDGE_CUDA_LAUNCHED(update_kernel);
}

/// A step from order_ and the rate in state_ on.
template <class T>
Status CudaTrainer<T>::enqueue(bool counts) {
  auto* state = state_.as<DeviceState>();
  const size_t layers = setup_.model.layers.size();
  clear_kernel<<<1, 1, 0, stream_>>>(state);
  RIDGE_CUDA_CHECK(
      cudaMemsetAsync(gradient_.as<void>(), 0, size_t(setup_.model.parameters) * 4, stream_));
  RIDGE_PASS(cast_weights());
  for (int part = 0; part < setup_.parts; ++part) {
    RIDGE_PASS(load(*set_, part * images_));
    for (size_t l = 0; l < layers; ++l) RIDGE_PASS(forward(l));
    current_ = 0;
    softmax_kernel<<<blocks_for(images_), kThreads, 0, stream_>>>(
        output(layers - 1), labels_.as<uint8_t>(), images_, state, slope_[0].as<T>(),
        losses_.as<float>());
    sum_losses_kernel<<<1, 256, 0, stream_>>>(losses_.as<float>(), images_, state);
    RIDGE_PASS(RIDGE_CUDA_LAUNCHED(sum_losses_kernel));
    Status status;
    const auto keep = [&](const Status& one) {
      if (status.ok()) status = one;
    };
    outputs_plan_.backward([&](size_t l) { keep(forward(l)); },
                           [&](size_t l) { keep(backward(l, part, counts)); });
    RIDGE_PASS(status);
  }
  return update();
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

Result<std::unique_ptr<Trainer>> make_cuda_trainer(TrainerSetup setup) {
  switch (setup.precision.stored) {
    case Element::fp16:
      return make_of<__half>(std::move(setup));
    case Element::bf16:
      return make_of<__nv_bfloat16>(std::move(setup));
    default:
      return make_of<float>(std::move(setup));
  }
}

/// What CudaTrainer::make() adds up, before it is asked for.
double cuda_trainer_bytes(const TrainerSetup& setup) {
  const int64_t images = setup.batch / setup.parts;
  const Element stored = setup.precision.stored;
  const double item = stored == Element::fp16 || stored == Element::bf16 ? 2 : 4;
  const Outputs outputs = outputs_of(setup.model, setup.precision.checkpointing);
  double unfolded = 0;
  for (const Layer& layer : setup.model.layers) {
    if (layer.kind != Kind::conv) continue;
    unfolded = std::max(unfolded, double(unfolded_images(layer, images, size_t(item)) *
                                         layer.pixels() * std::max(wide_of(layer), 9 * layer.out)));
  }
  const double of_image = double(outputs.total() + 2 * setup.model.largest() + kGarmentPixels);
  return double(blas::kWorkspaceBytes) + double(setup.model.parameters) * (12 + 2 * item) +
         item * (unfolded + double(images) * of_image) + 9.0 * double(images);
}

}  // namespace
}  // namespace ridge::mixed

namespace ridge {

const TrainMaker kMixedCuda = {.params = mixed::mixed_params,
                               .build = [](const TrainDesc& desc, const Params& params, uint64_t) {
                                 return mixed::build_mixed(desc, params, mixed::make_cuda_trainer,
                                                           mixed::cuda_trainer_bytes);
                               }};

}  // namespace ridge
