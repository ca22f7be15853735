// Kernels and pipelines whose bottleneck is known by construction, for the test of the diagnosis. One
// problem serves all kernels: each of n inputs goes through a chain of `steps` multiply-adds, and y
// holds 16 sums of the ends. What differs is what the kernel is short of. For one file of a test
// program: it registers the family.
#pragma once

#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"

namespace ridge::synthetic {

constexpr float kScale = 0.999f, kShift = 0.001f;
constexpr int kSums = 16;

class Chains : public Problem {
 public:
  Chains(int64_t n, int64_t steps, int threads) : n_(n), steps_(steps), threads_(threads) {}
  Shape shape() const override {
    Shape shape;
    shape.dim[0] = n_;
    shape.dim[1] = steps_;
    shape.threads = threads_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    return {{"x", size_t(n_) * 4, false, DType::fp32}, {"y", kSums * 4, true, DType::fp32}};
  }
  double flop() const override { return 2.0 * double(n_) * double(steps_); }
  double bytes_min() const override { return 4.0 * double(n_); }
  /// Cheap and not zero: normals for 128 MiB would take a second.
  void generate(uint64_t seed, HostBuffers* host) const override {
    auto* x = reinterpret_cast<float*>((*host)[0].data());
    auto state = static_cast<uint32_t>(seed * 2654435761u + 1);
    for (int64_t i = 0; i < n_; ++i) {
      state = state * 1664525u + 1013904223u;
      x[i] = static_cast<float>(state >> 8) * 0x1p-24f;
    }
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    const auto* x = reinterpret_cast<const float*>(host[0].data());
    const double scale = std::pow(double(kScale), double(steps_));
    const double shift = double(kShift) * (1 - scale) / (1 - double(kScale));
    double sums[kSums] = {};
    for (int64_t i = 0; i < n_; ++i) sums[i % kSums] += x[i] * scale + shift;
    quality::ErrorSum errors;
    for (int i = 0; i < kSums; ++i) {
      errors.add(quality::load(host[1].data(), i, DType::fp32), sums[i], 0.01 * sums[i] + 1e-6);
    }
    return errors.finish("y", 1e-4);
  }

 private:
  int64_t n_, steps_;
  int threads_;
};

inline std::vector<ParamSpec> params() {
  std::vector<ParamSpec> specs(3);
  const char* names[] = {"n", "steps", "threads"};
  for (int i = 0; i < 3; ++i) {
    specs[size_t(i)].name = names[i];
    specs[size_t(i)].max = 1 << 30;
    specs[size_t(i)].fallback = int64_t{1};
  }
  return specs;
}
inline Result<std::unique_ptr<Problem>> make_problem(const Params& p) {
  return std::unique_ptr<Problem>(new Chains(param_int(p, "n"), param_int(p, "steps"),
                                             static_cast<int>(param_int(p, "threads"))));
}
inline std::vector<Params> awkward() {
  return {};
}
inline Params shrink(const Params& p, double) {
  return p;
}
RIDGE_FAMILY(synthetic, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink);

// ---- kernels -------------------------------------------------------------------------------------

typedef float Vec __attribute__((vector_size(16)));

struct Call {
  explicit Call(const Launch& launch)
      : x(static_cast<const float*>(launch.buffers[0])),
        y(static_cast<float*>(launch.buffers[1])),
        n(launch.shape.dim[0]),
        steps(launch.shape.dim[1]) {}
  const float* x;
  float* y;
  int64_t n, steps;
};

inline float chain(float v, int64_t steps) {
  for (int64_t s = 0; s < steps; ++s) v = v * kScale + kShift;
  return v;
}

/// Each multiply-add waits for the one before: one chain after the other.
inline Status dependent_chain(const Launch& launch) {
  const Call call(launch);
  std::memset(call.y, 0, kSums * 4);
  for (int64_t i = 0; i < call.n; ++i) call.y[i % kSums] += chain(call.x[i], call.steps);
  return {};
}

/// 12 vectors of chains at once: every unit has work in every cycle. n is a multiple of 48.
inline Status fma_bound(const Launch& launch) {
  const Call call(launch);
  std::memset(call.y, 0, kSums * 4);
  const Vec a = Vec{} + kScale, b = Vec{} + kShift;
  for (int64_t i = 0; i < call.n; i += 48) {
    Vec v[12];
    std::memcpy(v, call.x + i, sizeof v);
    Vec v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3], v4 = v[4], v5 = v[5], v6 = v[6], v7 = v[7],
        v8 = v[8], v9 = v[9], v10 = v[10], v11 = v[11];
    for (int64_t s = 0; s < call.steps; ++s) {
      v0 = v0 * a + b, v1 = v1 * a + b, v2 = v2 * a + b, v3 = v3 * a + b;
      v4 = v4 * a + b, v5 = v5 * a + b, v6 = v6 * a + b, v7 = v7 * a + b;
      v8 = v8 * a + b, v9 = v9 * a + b, v10 = v10 * a + b, v11 = v11 * a + b;
    }
    const Vec out[12] = {v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11};
    for (int j = 0; j < 48; ++j) call.y[(i + j) % kSums] += out[j / 4][j % 4];
  }
  return {};
}

/// Reads far more than a cache holds and does one multiply-add to each. steps is 1, n a multiple of 32.
inline Status stream(const Launch& launch) {
  const Call call(launch);
  const Vec a = Vec{} + kScale, b = Vec{} + kShift;
  double sums[kSums] = {};
  for (int64_t begin = 0; begin < call.n; begin += 1 << 16) {  // fp32 sums stay short
    const int64_t end = std::min(call.n, begin + (1 << 16));
    Vec part[8] = {};  // one chain of additions a vector of two lines: none is waited for
    for (int64_t i = begin; i < end; i += 32) {
      Vec v[8];
      std::memcpy(v, call.x + i, sizeof v);
      for (int j = 0; j < 8; ++j) part[j] += v[j] * a + b;
    }
    for (int j = 0; j < 4; ++j) part[j] += part[j + 4];
    for (int j = 0; j < kSums; ++j) sums[j] += double(part[j / 4][j % 4]);
  }
  for (int j = 0; j < kSums; ++j) call.y[j] = static_cast<float>(sums[j]);
  return {};
}

/// Runs `part(thread, threads)` on so many threads.
template <class Part>
void on_threads(int threads, const Part& part) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { part(t); });
  part(0);
  for (std::thread& other : others) other.join();
}

/// Every thread holds the one lock while it works: all but one wait.
inline Status lock_contention(const Launch& launch) {
  const Call call(launch);
  std::memset(call.y, 0, kSums * 4);
  std::mutex lock;
  const int threads = launch.shape.threads;
  on_threads(threads, [&](int thread) {
    for (int64_t i = thread; i < call.n; i += threads) {
      const std::lock_guard hold(lock);
      call.y[i % kSums] += chain(call.x[i], call.steps);
    }
  });
  return {};
}

/// One thread has all the work; the others wait at the join.
inline Status uneven_shares(const Launch& launch) {
  on_threads(launch.shape.threads, [&](int thread) {
    if (thread == 0) dependent_chain(launch);
  });
  return {};
}

inline KernelDesc kernel(const char* id, Status (*launch)(const Launch&)) {
  KernelDesc desc;
  desc.id = id;
  desc.launch = launch;
  return desc;
}
inline const KernelDesc kDependentChain = kernel("synthetic.cpu.dependent_chain", dependent_chain);
inline const KernelDesc kFmaBound = kernel("synthetic.cpu.fma_bound", fma_bound);
inline const KernelDesc kStream = kernel("synthetic.cpu.stream", stream);
inline const KernelDesc kLockContention = kernel("synthetic.cpu.lock_contention", lock_contention);
inline const KernelDesc kUnevenShares = kernel("synthetic.cpu.uneven_shares", uneven_shares);

}  // namespace ridge::synthetic
