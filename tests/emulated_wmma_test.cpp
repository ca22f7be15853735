// WMMA on the CPU: products are right in every shape, layout and type, lanes hold what nvcc gives them, and loads and
// products are counted by what a GPU does for them.
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "tests/catch.h"
#include "tests/emulated_rungs.h"
#include "worker/emulated/emulated_rung.h"
#include "worker/emulated/line_counts.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr const char* kBegin = R"(// ridge: arch=80
#include <mma.h>
#include <cuda_bf16.h>
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/problems/gemm.h"
namespace {
using namespace ridge;
using namespace nvcuda;
__device__ void expect(bool is_right) {
  if (!is_right) *reinterpret_cast<int*>(16) = 1;  // a fault that names the line
}
)";

/// A rung whose kernel has this body: 64 threads unless told, x and y of n floats each.
std::string planted_text(const std::string& body, int threads = 64) {
  return kBegin + (R"(__global__ void planted(const float* x, float* y, int n) {
  const int t = static_cast<int>(threadIdx.x);
)" + body + R"(}
Status launch(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  planted<<<1, )") +
         std::to_string(threads) + R"(>>>(g.a, g.c, static_cast<int>(g.n * g.n));
  return RIDGE_CUDA_LAUNCHED(planted);
}
}  // namespace
RIDGE_KERNEL(gemm, cuda, planted, .dtypes = "fp32", .launch = launch);
)";
}

Rung built(const std::string& text) {
  const auto rung = worker::EmulatedRung::build("gemm.cuda.planted", text, [] { return false; });
  INFO((rung ? "" : rung.error().sentence()));
  REQUIRE(rung);
  return *rung;
}

/// A whole GEMM, a warp for each tile of C, in all shapes and four choices of layouts. `types` names T of the fragments,
/// Memory of A and B, Sum, Out of C, is_b_transposed, and kK. The first product writes C, each other one must give
/// the same bits.
std::string product_text(const std::string& types, const std::string& dtype) {
  return kBegin + types + R"(
template <class Layout, int rows, int columns>
constexpr int ldm = (std::is_same_v<Layout, wmma::row_major> ? columns : rows) + 16 / sizeof(Memory);
template <class Layout>
__device__ int at(int row, int column, int ld) {
  return std::is_same_v<Layout, wmma::row_major> ? row * ld + column : column * ld + row;
}
template <int M, int N, int K, class LayoutA, class LayoutB, class LayoutC>
__global__ void product(const Memory* a, const Memory* b, Out* c, int m, int n, int k, bool is_first) {
  constexpr int kLdA = ldm<LayoutA, M, K>, kLdB = ldm<LayoutB, K, N>, kLdC = ldm<LayoutC, M, N>;
  constexpr auto layout_c =
      std::is_same_v<LayoutC, wmma::row_major> ? wmma::mem_row_major : wmma::mem_col_major;
  __shared__ __align__(32) Memory tile_a[48 * 48], tile_b[48 * 48];
  __shared__ __align__(32) Sum tile_c[48 * 48];
  const int row0 = blockIdx.y * M, column0 = blockIdx.x * N;
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fc, again;
  wmma::fill_fragment(fc, 0);
  for (int k0 = 0; k0 < k; k0 += K) {
    for (int i = threadIdx.x; i < M * K; i += 32)
      tile_a[at<LayoutA>(i / K, i % K, kLdA)] = a[(row0 + i / K) * k + k0 + i % K];
    for (int i = threadIdx.x; i < K * N; i += 32) {
      const int p = k0 + i / N, column = column0 + i % N;
      tile_b[at<LayoutB>(i / N, i % N, kLdB)] = b[is_b_transposed ? column * k + p : p * n + column];
    }
    __syncwarp();
    wmma::load_matrix_sync(fa, tile_a, kLdA);
    wmma::load_matrix_sync(fb, tile_b, kLdB);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  wmma::store_matrix_sync(tile_c, fc, kLdC, layout_c);
  __syncwarp();
  wmma::load_matrix_sync(again, tile_c, kLdC, layout_c);
  for (int i = 0; i < fc.num_elements; ++i) expect(float(again.x[i]) == float(fc.x[i]));
  for (int i = threadIdx.x; i < M * N; i += 32) {
    const Out value = Out(tile_c[at<LayoutC>(i / N, i % N, kLdC)]);
    Out& here = c[(row0 + i / N) * n + column0 + i % N];
    if (is_first) here = value;
    expect(float(here) == float(value));
  }
}
template <class A, class B, class C, int M, int N, int K>
void one(const Launch& launch, bool is_first) {
  const Gemm g = gemm_of(launch);
  product<M, N, K, A, B, C><<<dim3(g.n / N, g.m / M), 32>>>(
      static_cast<const Memory*>(launch.buffers[0]), static_cast<const Memory*>(launch.buffers[1]),
      static_cast<Out*>(launch.buffers[2]), g.m, g.n, g.k, is_first);
}
template <int M, int N, int K>
void shape(const Launch& launch, bool is_first) {
  using R = wmma::row_major;
  using C = wmma::col_major;
  one<R, R, R, M, N, K>(launch, is_first);
  one<R, C, C, M, N, K>(launch, false);
  one<C, R, C, M, N, K>(launch, false);
  one<C, C, R, M, N, K>(launch, false);
}
template <int K>
Status shapes(const Launch& launch) {
  shape<16, 16, K>(launch, true);
  if constexpr (K == 16) {
    shape<32, 8, K>(launch, false);
    shape<8, 32, K>(launch, false);
  }
  return RIDGE_CUDA_LAUNCHED(product);
}
}  // namespace
RIDGE_KERNEL(gemm, cuda, planted, .dtypes = ")" +
         dtype + R"(", .launch = shapes<kK>);
)";
}

}  // namespace

TEST_CASE("the WMMA rung passes its gate, and its products are counted to the last one") {
  const std::vector<std::vector<int64_t>> shapes = {{128, 128, 128}, {1, 1, 1},      {1, 77, 300},
                                                    {31, 37, 41},    {63, 64, 65},   {65, 63, 64},
                                                    {129, 127, 65},  {127, 129, 128}};
  const auto blocks = emulated::code_of_blocks(rung_of("gemm.cuda.wmma")->object());
  REQUIRE(blocks);
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const auto& s : shapes) {
      INFO(dtype << " " << s[0] << " x " << s[1] << " x " << s[2]);
      const auto call = call_of(
          "gemm.cuda.wmma", {{"m", s[0]}, {"n", s[1]}, {"k", s[2]}, {"dtype", std::string(dtype)}});
      const auto padded = [](int64_t size, int64_t tile) {
        return (size + tile - 1) / tile * tile;
      };
      CHECK(emulated::flop_of(call.launches.back(), *blocks) ==
            2 * padded(s[0], 128) * padded(s[1], 128) * padded(s[2], 32));
    }
  }
}

TEST_CASE("the WMMA rung's lines have what nvcc makes of them") {
  // From shared memory fp16 is read by ldmatrix, 4 x 8 lines of 16 bytes at once; bf16 4 bytes a lane (nvcc 13.0, sm_90).
  const std::string text = find_source("gemm.cuda.wmma")->text;
  for (const bool is_half : {true, false}) {
    const auto call = call_of(
        "gemm.cuda.wmma", {{"n", int64_t{128}}, {"dtype", std::string(is_half ? "fp16" : "bf16")}});
    const auto lines =
        emulated::line_counts_of(rung_of("gemm.cuda.wmma")->object(), call.launches.back());
    REQUIRE(lines);
    int64_t flop = 0, products = 0;
    const int64_t fragments_a = 8 * 4 * 2 * 4;  // of 8 warps, 4 tiles of 2 steps, 4 in each
    for (const auto& [line, counts] : *lines) {
      const std::string at = line_text(text, line);
      const MemoryTraffic shared = counts.counts.shared();
      INFO(at);
      if (at.starts_with("wmma::load_matrix_sync(a[i]")) {
        CHECK(shared.requests == fragments_a * (is_half ? 1 : 4));
        CHECK(shared.wavefronts == fragments_a * 4);
        CHECK(shared.conflicts == 0);
      }
      if (at.find("wmma::mma_sync") != at.npos) products += counts.flop;
      flop += counts.flop;
    }
    CHECK(products == 2 * 128 * 128 * 128);
    CHECK(flop == products);
  }
}

TEST_CASE("WMMA products are right in every shape, layout and type") {
  struct Types {
    const char* dtype;
    const char* text;
    int shapes;
    int64_t k = 48;
  };
  const Types all[] = {
      {"fp16",
       "using T = __half; using Memory = __half; using Sum = float; using Out = Half;\n"
       "constexpr bool is_b_transposed = false; constexpr int kK = 16;",
       3},
      {"fp16",
       "using T = __half; using Memory = __half; using Sum = __half; using Out = Half;\n"
       "constexpr bool is_b_transposed = false; constexpr int kK = 16;",
       3, 16},  // one product, rounded once
      {"bf16",
       "using T = __nv_bfloat16; using Memory = T; using Sum = float; using Out = Bfloat;\n"
       "constexpr bool is_b_transposed = false; constexpr int kK = 16;",
       3},
      {"int8",
       "using T = signed char; using Memory = T; using Sum = int; using Out = int;\n"
       "constexpr bool is_b_transposed = true; constexpr int kK = 16;",
       3},
      {"tf32",
       "using T = wmma::precision::tf32; using Memory = float; using Sum = float; using Out = "
       "float;\n"
       "constexpr bool is_b_transposed = true; constexpr int kK = 8;",
       1},
  };
  for (const Types& one : all) {
    INFO(one.text);
    const Rung rung = built(product_text(one.text, one.dtype));
    const FamilyDesc* family = find_family("gemm");
    const auto params = resolve_params(
        family->params(),
        {{"m", int64_t{64}}, {"n", int64_t{32}}, {"k", one.k}, {"dtype", std::string(one.dtype)}},
        "gemm");
    REQUIRE(params);
    std::vector<emulated::LaunchCounts> stopped;
    const auto call = rung->call(*family, *params, cpu(), &stopped);
    const std::string faults = faults_of(*rung, call ? call->launches : stopped);
    INFO(faults);
    INFO((call ? "" : call.error().sentence()));
    REQUIRE(call);
    INFO(call->check.reason);
    CHECK(call->check.passed);
    CHECK(faults.empty());
    REQUIRE(call->launches.size() == static_cast<size_t>(4 * one.shapes));
    const auto blocks = emulated::code_of_blocks(rung->object());
    REQUIRE(blocks);
    for (const auto& launch : call->launches)
      CHECK(emulated::flop_of(launch, *blocks) == 2 * 64 * 32 * one.k);
  }
}

TEST_CASE("lanes hold what nvcc gives them") {
  const Rung rung = built(planted_text(R"(
  __shared__ __align__(32) __half s[512];
  __shared__ __align__(32) signed char bytes[256];
  __shared__ __align__(32) float words[256];
  for (int i = t; i < 512; i += 64) s[i] = i;
  for (int i = t; i < 256; i += 64) bytes[i] = static_cast<signed char>(i - 128), words[i] = float(i);
  __syncthreads();
  const int group = t % 32 / 4, q = t % 4;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::row_major> wide;
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::row_major> narrow;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> byte;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> word;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> sum;
  wmma::load_matrix_sync(a, s, 16);
  wmma::load_matrix_sync(b, s, 16);
  wmma::load_matrix_sync(wide, s, 32);
  wmma::load_matrix_sync(narrow, s, 16);
  wmma::load_matrix_sync(byte, bytes, 16);
  wmma::load_matrix_sync(word, words, 8);
  wmma::load_matrix_sync(sum, words, 32, wmma::mem_row_major);
  for (int i = 0; i < 16; ++i) {
    const int core = i / 2 % 4, e = 2 * q + i % 2;
    expect(float(a.x[i]) == (group + core % 2 * 8) * 16 + core / 2 * 8 + e);
    expect(float(b.x[i]) == (core % 2 * 8 + e) * 16 + group + core / 2 * 8);
    expect(float(wide.x[i]) == (core / 2 * 8 + e) * 32 + group + i / 8 * 16 + core % 2 * 8);
    expect(float(narrow.x[i]) == group * 16 + core % 2 * 8 + e);
  }
  for (int i = 0; i < 8; ++i) {
    expect(byte.x[i] == (group + i / 4 * 8) * 16 + 4 * q + i % 4 - 128);
    expect(sum.x[i] == float((2 * q + i % 2) * 32 + group + i / 2 * 8));
  }
  for (int i = 0; i < 4; ++i) expect(word.x[i] == float((group + i % 2 * 8) * 8 + q + i / 2 * 4));
  expect(a.num_elements == 16 && byte.num_elements == 8 && word.num_elements == 4);
)"));
  CHECK(faults_of(*rung, launches_of(*rung)) == "");
}

TEST_CASE("a load and a store are the accesses that nvcc makes of them") {
  struct Access {
    const char* statement;
    bool is_shared;
    int64_t requests;
    int64_t cost;  ///< wavefronts of shared memory, or sectors
  };
  const Access all[] = {
      {"wmma::load_matrix_sync(a, s, 64);", true, 1,
       32},  // rows of 128 bytes: all in the same banks
      {"wmma::load_matrix_sync(a, s, 72);", true, 1, 4},
      {"wmma::load_matrix_sync(b, s, 72);", true, 1, 4},
      {"wmma::load_matrix_sync(tall, s, 24);", true, 2, 8},
      {"wmma::load_matrix_sync(brain, reinterpret_cast<const __nv_bfloat16*>(s), 72);", true, 4, 4},
      {"wmma::load_matrix_sync(byte, reinterpret_cast<const signed char*>(s), 16);", true, 1, 2},
      {"wmma::load_matrix_sync(down, reinterpret_cast<const signed char*>(s), 16);", true, 8, 16},
      {"wmma::load_matrix_sync(a, reinterpret_cast<const __half*>(x), 16);", false, 4, 32},
      {"wmma::load_matrix_sync(b, reinterpret_cast<const __half*>(x), 16);", false, 4, 32},
      {"wmma::load_matrix_sync(down, reinterpret_cast<const signed char*>(x), 16);", false, 8, 32},
      {"wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);", false, 4, 32},
      {"wmma::store_matrix_sync(y, sum, 16, wmma::mem_col_major);", false, 8, 32},
      {"wmma::store_matrix_sync(reinterpret_cast<__half*>(y), small, 16, wmma::mem_row_major);",
       false, 4, 32},
  };
  std::string body = R"(
  __shared__ __align__(32) __half s[16 * 72];
  for (int i = t; i < 16 * 72; i += 32) s[i] = 1;
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> tall;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> brain;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> byte;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> down;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> small;
)";
  for (const Access& one : all) body += std::string(one.statement) + "\n__syncwarp();\n";
  const std::string text = planted_text(body, 32);
  const Rung rung = built(text);
  const auto launches = launches_of(*rung);
  CHECK(faults_of(*rung, launches) == "");
  const auto lines = emulated::line_counts_of(rung->object(), launches.front());
  REQUIRE(lines);
  for (const Access& one : all) {
    INFO(one.statement);
    bool is_found = false;
    for (const auto& [line, counts] : *lines) {
      if (line_text(text, line) != one.statement) continue;
      is_found = true;
      const MemoryTraffic made = one.is_shared ? counts.counts.shared() : counts.counts.global();
      CHECK(made.requests == one.requests);
      CHECK((one.is_shared ? made.wavefronts : made.sectors) == one.cost);
    }
    CHECK(is_found);
  }
}

TEST_CASE("16-bit numbers and TF32 are rounded as on a GPU") {
  const Rung rung = built(planted_text(R"(
  if (t > 0) return;
  const auto half = [](float v) { return __half_as_ushort(__float2half(v)); };
  const auto brain = [](float v) { return __bfloat16_as_ushort(__float2bfloat16(v)); };
  expect(half(1.0f + 0x1p-11f) == 0x3c00 && half(1.0f + 3 * 0x1p-11f) == 0x3c02);  // ties
  expect(half(1.0f + 0x1.002p-11f) == 0x3c01 && half(65519.0f) == 0x7bff && half(65520.0f) == 0x7c00);
  expect(half(0x1p-24f) == 1 && half(0x1p-25f) == 0 && half(0x1.8p-24f) == 2 && half(-0.0f) == 0x8000);
  expect(brain(1.0f + 0x1p-8f) == 0x3f80 && brain(1.0f + 3 * 0x1p-8f) == 0x3f82);
  expect(brain(1.0f + 0x1.002p-8f) == 0x3f81 && brain(3.4e38f) == 0x7f80 && brain(-0.0f) == 0x8000);
  const float nan = __int_as_float(0x7f800001);
  expect((half(nan) & 0x7fff) > 0x7c00 && (brain(nan) & 0x7fff) > 0x7f80);
  expect(float(__half(1) / __half(3)) == 0x1.554p-2f);
  expect(wmma::__float_to_tf32(1.0f + 0x1p-11f) == 1.0f + 0x1p-10f);  // ties go away from zero
  expect(wmma::__float_to_tf32(-1.0f - 0x1.ffp-12f) == -1.0f);
)"));
  CHECK(faults_of(*rung, launches_of(*rung)) == "");
}

TEST_CASE(
    "int8 wraps or saturates, TF32 is truncated, and an accumulator that nothing filled has NaNs") {
  const Rung rung = built(planted_text(R"(
  wmma::fragment<wmma::matrix_a, 16, 16, 16, unsigned char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, unsigned char, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c, d;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> empty;
  wmma::fill_fragment(a, 255);
  wmma::fill_fragment(b, 1);
  wmma::fill_fragment(c, 0x7fffffff);
  wmma::mma_sync(d, a, b, c, true);
  expect(d.x[0] == 0x7fffffff);
  wmma::mma_sync(d, a, b, c);
  expect(d.x[7] == int(0x80000000u + 16 * 255 - 1));
  expect(empty.x[0] != empty.x[0]);
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> finer;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> one;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(finer, 1.0f + 0x1p-11f);  // TF32 lacks this bit
  wmma::fill_fragment(one, 1.0f);
  wmma::fill_fragment(sum, 0x1p-12f);
  wmma::mma_sync(sum, finer, one, sum);
  expect(sum.x[3] == 8.0f + 0x1p-12f);
)"));
  CHECK(faults_of(*rung, launches_of(*rung)) == "");
}

TEST_CASE("a fault of a WMMA kernel is found") {
  struct Planted {
    const char* name;
    FaultKind kind;
    const char* body;  ///< the fault shows at the line with "//A"; what it met is at "//B"
    int threads = 64;
  };
  const Planted planted[] = {
      {"a lane that does not multiply", FaultKind::missing_lanes,
       "if (t != 31) wmma::mma_sync(c, a, b, c); //A\n"},
      {"half a warp that loads", FaultKind::missing_lanes,
       "if (t < 16)\nwmma::load_matrix_sync(a, s, 16); //A\nelse\n__syncthreads();\n"},
      {"half a warp that loads something else", FaultKind::missing_lanes,
       "if (t % 32 < 16)\nwmma::load_matrix_sync(a, s, 16); //A\nelse\n"
       "wmma::load_matrix_sync(b, s, 16);\n"},
      {"half a warp", FaultKind::missing_lanes, "wmma::mma_sync(c, a, b, c); //A\n", 16},
      {"an address for each lane", FaultKind::refused,
       "wmma::load_matrix_sync(a, s + t % 32 * 8, 16); //A\n"},
      {"an address that is not aligned", FaultKind::misaligned,
       "wmma::load_matrix_sync(a, s + 4, 16); //A\n"},
      {"rows that are not aligned", FaultKind::misaligned,
       "wmma::load_matrix_sync(a, s, 12); //A\n"},
      {"rows of bf16 that are not aligned", FaultKind::misaligned,
       "wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> d;\n"
       "wmma::load_matrix_sync(d, reinterpret_cast<const __nv_bfloat16*>(s), 20); //A\n"},
      {"rows of bytes that are not aligned", FaultKind::misaligned,
       "wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> d;\n"
       "wmma::load_matrix_sync(d, reinterpret_cast<const signed char*>(s), 24); //A\n"},
      {"behind the end", FaultKind::out_of_bounds,
       "wmma::load_matrix_sync(a, reinterpret_cast<const __half*>(x + n) - 128, 16); //A\n"},
      {"no __syncwarp before a load", FaultKind::race,
       "s[t] = 2; //B\nwmma::load_matrix_sync(a, s, 16); //A\n"},
      {"no __syncwarp after a store", FaultKind::race,
       "if (t < 32) {\nwmma::store_matrix_sync(p, c, 16, wmma::mem_row_major); //B\n"
       "y[t] = p[255 - t]; //A\n}\n"},
  };
  for (const Planted& one : planted) {
    INFO(one.name);
    const std::string text = planted_text(std::string(R"(
__shared__ __align__(32) __half s[1024];
__shared__ __align__(32) float p[256];
for (int i = t; i < 1024; i += static_cast<int>(blockDim.x)) s[i] = 1;
__syncthreads();
wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
wmma::fill_fragment(c, 0);
)") + one.body,
                                          one.threads);
    const Rung rung = built(text);
    const auto launches = launches_of(*rung);
    REQUIRE(!launches.empty());
    const std::string faults = faults_of(*rung, launches);
    INFO(faults);
    bool is_found = false;
    for (const emulated::Fault& fault : launches.front().faults) {
      const auto lines = emulated::lines_of(rung->object(), {fault.at, fault.other});
      REQUIRE(lines);
      const std::string at = line_text(text, lines->at(fault.at).own.line);
      const std::string other =
          fault.other == nullptr ? "//B" : line_text(text, lines->at(fault.other).own.line);
      is_found |=
          fault.kind == one.kind && at.find("//A") != at.npos && other.find("//B") != other.npos;
    }
    CHECK(is_found);
  }
}
