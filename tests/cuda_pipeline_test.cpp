// The data loader's GPU rungs: each delivers the seeded epoch intact, as the CPU's do; a file that the GPU
// cannot decode is named, skipped and counted.
#include <cublas_v2.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "common/core/late_library.h"
#include "common/core/registration.h"
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/pipeline/engine.h"
#include "tests/catch.h"
#include "tests/cuda_support.h"
#include "tests/network_reference.h"

namespace fs = std::filesystem;
using namespace ridge;
using namespace ridge::pipeline;

namespace {

const SpanSink kNoSpans = [](const Span&) {};
const FamilyProgress kSilent = [](const std::string&, double) { return true; };

const fs::path& cache() {
  static const fs::path folder = [] {
    const fs::path path =
        fs::temp_directory_path() / ("ridge-cuda-pipeline-" + std::to_string(getpid()));
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
    return path;
  }();
  return folder;
}

Params small(const PipelineDesc& desc) {
  Params params;
  for (const ParamSpec& spec : desc.maker->params(desc)) params[spec.name] = spec.fallback;
  params["images"] = int64_t{200};
  params["side"] = int64_t{64};
  params["batch"] = int64_t{16};
  params["layers"] = int64_t{2};
  return params;
}

}  // namespace

namespace {

/// Has every GPU rung deliver its seeded epoch twice and more, runs its stages alone, and checks what came.
void deliver(int64_t images) {
  if (measure::gpu() == nullptr) return;
  cache();
  const char* only = std::getenv("RIDGE_SANITIZE");
  int rungs = 0;
  for (const PipelineDesc* desc : registered_pipelines()) {
    if (desc->backend != Backend::cuda || desc->external) continue;
    if (only && std::string_view(desc->id).find(only) == std::string_view::npos) continue;
    INFO(desc->id);
    Params params = small(*desc);
    params["images"] = images;
    auto pipeline = desc->maker->build(*desc, params, 1, kSilent);
    if (!pipeline) {
      INFO(pipeline.error().sentence());
      CHECK(pipeline.error().code == ErrorCode::unavailable);  // no nvJPEG
      continue;
    }
    ++rungs;
    for (int64_t items = 0; items < 2 * images + images / 2;) {
      const auto window = (*pipeline)->run_window(0, kNoSpans);
      REQUIRE(window.ok());
      items += window->items;
    }
    for (size_t s = 0; s < (*pipeline)->stages().size(); ++s)
      CHECK((*pipeline)->run_stage(s, 0.01).ok());
    REQUIRE((*pipeline)->run_window(0, kNoSpans).ok());
    const QualityCheck check = (*pipeline)->check();
    INFO(check.reason);
    CHECK(check.passed);
    CHECK(check.task.at("images_skipped") == 0);
  }
  CHECK((only || rungs >= 10));
  fs::remove_all(cache());
}

}  // namespace

TEST_CASE("every GPU rung delivers the seeded epoch, intact") {
  deliver(200);
}

namespace {

RIDGE_REGISTERED(late_libraries, ridge_late_libraries, LateLibrary)

std::vector<float> from_device(const float* data, size_t count) {
  std::vector<float> copy(count);
  REQUIRE(cudaMemcpy(copy.data(), data, count * sizeof(float), cudaMemcpyDefault) == cudaSuccess);
  return copy;
}

/// cublasSgemm by the host, columns without padding: C (m x n) = alpha op(A) op(B) + beta C.
cublasStatus_t sgemm_on_host(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                             int n, int k, const float* alpha, const float* a, int lda,
                             const float* b, int ldb, const float* beta, float* c, int ldc) {
  const bool is_a_turned = op_a != CUBLAS_OP_N, is_b_turned = op_b != CUBLAS_OP_N;
  REQUIRE((lda == (is_a_turned ? k : m) && ldb == (is_b_turned ? n : k) && ldc == m));
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<float> left = from_device(a, size_t(m) * k),
                           right = from_device(b, size_t(k) * n);
  std::vector<float> out =
      *beta != 0 ? from_device(c, size_t(m) * n) : std::vector<float>(size_t(m) * n);
  for (float& value : out) value *= *beta;
  for (int j = 0; j < n; ++j) {
    for (int p = 0; p < k; ++p) {
      const float factor = *alpha * right[is_b_turned ? size_t(p) * n + j : size_t(j) * k + p];
      for (int i = 0; i < m; ++i)
        out[size_t(j) * m + i] +=
            factor * left[is_a_turned ? size_t(i) * k + p : size_t(p) * m + i];
    }
  }
  REQUIRE(cudaMemcpy(c, out.data(), out.size() * sizeof(float), cudaMemcpyDefault) == cudaSuccess);
  return CUBLAS_STATUS_SUCCESS;
}

/// From here on the host computes the network's products. initcheck does not see everything that cuBLAS's kernels write, so it
/// reports each kernel of ours that reads it. Here only our kernels are to be checked.
void make_products_on_host() {
  REQUIRE(missing_library("cublas").empty());
  int replaced = 0;
  for (const LateLibrary* library : late_libraries()) {
    for (size_t i = 0; i < library->functions.size(); ++i) {
      if (std::string_view(library->functions[i]) != "cublasSgemm_v2") continue;
      library->slots[i] = reinterpret_cast<void*>(sgemm_on_host);
      ++replaced;
    }
  }
  REQUIRE(replaced == 1);
}

}  // namespace

TEST_CASE("every GPU rung of the data loader runs under the sanitizer", "[.sanitizer]") {
  if (measure::gpu() == nullptr) return;
  make_products_on_host();
  deliver(40);
}

TEST_CASE("a file that the GPU cannot decode is named, skipped and counted") {
  if (measure::gpu() == nullptr) return;
  cache();
  const PipelineDesc* desc = find_pipeline("pipeline.cuda.decode");
  REQUIRE(desc != nullptr);
  const auto set = file_set(200, 64, kSilent);
  REQUIRE(set.ok());
  const size_t size = (*set)->bytes[7];
  std::ofstream((*set)->path(7), std::ios::binary) << std::string(size, 'x');
  auto pipeline = desc->maker->build(*desc, small(*desc), 1, kSilent);
  if (!pipeline) return;  // no nvJPEG
  for (int64_t items = 0; items < 400;) {
    const auto window = (*pipeline)->run_window(0, kNoSpans);
    REQUIRE(window.ok());
    items += window->items;
  }
  CHECK((*pipeline)->note().find("skipped, first 00007.jpg: the GPU cannot decode it") !=
        std::string::npos);
  CHECK((*pipeline)->check().task.at("images_misplaced") == 0);
  fs::remove_all(cache());
}

TEST_CASE("the GPU's network: scores, gradients and weights against float64") {
  if (measure::gpu() == nullptr) return;
  DeviceSetup setup;
  setup.geometry = test::network_geometry(5);
  setup.layers = 2;
  const auto device = make_cuda_train_device(setup);
  REQUIRE(device.ok());
  // Factors of ten bits (TF32) move some units across zero: 1.4e-3 on an H200. A row of five left out
  // would be an error of 0.1.
  test::check_network(device->get(), setup, 3e-3, 1e-2);
}
