// CUDA rungs on the CPU: they run right, and what they are counted by is what a count by hand gives.
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/emulated_rungs.h"
#include "tests/family_problem.h"
#include "tests/program.h"
#include "worker/emulated/caches.h"
#include "worker/emulated/counted_call.h"
#include "worker/emulated/emulated_rung.h"
#include "worker/emulated/line_counts.h"
#include "worker/emulated/requests.h"
#include "worker/emulated/rewrite.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A rung whose kernel has this body: 64 threads a block, x and y of n floats, and 64 floats of dynamic shared memory.
std::string planted_text(const std::string& body, int blocks = 1) {
  return R"(// ridge: arch=80
#include <cstdint>
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/problems/gemm.h"
namespace {
using namespace ridge::device;
__global__ void planted(const float* x, float* y, int n) {
  const int t = static_cast<int>(threadIdx.x);
)" + body +
         R"(}
ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
)" + "  planted<<<" +
         std::to_string(blocks) + R"(, 64, 256>>>(g.a, g.c, static_cast<int>(g.n * g.n));
  return RIDGE_CUDA_LAUNCHED(planted);
}
}  // namespace
RIDGE_KERNEL(gemm, cuda, planted, .dtypes = "fp32", .launch = launch);
)";
}

MemoryTraffic sum_of(const worker::EmulatedCall& call, MemoryTraffic SiteCounts::*part) {
  MemoryTraffic all;
  for (const auto& [site, counts] : call.launches.back().sites) all.add(counts.*part);
  return all;
}

/// A rung's launch as the counters of an H200 saw it: a line of tests/counters_h200.csv, and its columns by name.
struct Counted {
  std::string kernel;
  Params params;
  std::map<std::string, double> of;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  return cells;
}

Params params_of(const std::string& settings) {
  Params params;
  std::istringstream words(settings);
  for (std::string word; words >> word;) {
    const size_t sign = word.find('=');
    const std::string name = word.substr(0, sign), value = word.substr(sign + 1);
    if (value.find_first_not_of("0123456789") == value.npos)
      params[name] = int64_t{std::stoll(value)};
    else
      params[name] = value;
  }
  return params;
}

std::vector<Counted> counted_on_h200(const std::string& name = "counters_h200.csv") {
  std::istringstream file(read_all(variable("RIDGE_SOURCE") + "/tests/" + name));
  std::vector<std::string> columns;
  std::vector<Counted> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    REQUIRE(cells.size() == columns.size());
    Counted one{.kernel = cells[0], .params = params_of(cells[1]), .of = {}};
    for (size_t i = 2; i < cells.size(); ++i) one.of[columns[i]] = std::stod(cells[i]);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

TEST_CASE("GEMM's fp32 ladder runs right, at a whole size and at an edge") {
  for (const char* name : {"naive", "coalesced", "shared_tile", "register_tile_1d",
                           "register_tile_2d", "vectorised", "cp_async", "warp_tile"}) {
    const std::string kernel = "gemm.cuda." + std::string(name);
    call_of(kernel, {{"n", int64_t{77}}});
    const auto call = call_of(kernel, {{"n", int64_t{128}}});
    const auto blocks = emulated::code_of_blocks(rung_of(kernel)->object());
    REQUIRE(blocks);
    // Of a block of 128 x 256 half is outside, and its 128 x 128 results are multiplied by one more.
    const int64_t whole = 2 * 128 * 128 * 128;
    const bool is_wide = kernel.ends_with("warp_tile");
    INFO(kernel);
    CHECK(emulated::flop_of(call.launches.back(), *blocks) ==
          (is_wide ? 2 * whole + 128 * 128 : whole));
  }
}

TEST_CASE("transposes, sums and rows run right") {
  for (const char* kernel : {"transpose.cuda.naive", "transpose.cuda.shared_tile",
                             "transpose.cuda.padded", "transpose.cuda.vectors"}) {
    for (const char* dtype : {"fp32", "bf16"})
      call_of(kernel, {{"m", int64_t{128}}, {"n", int64_t{256}}, {"dtype", std::string(dtype)}});
  }
  for (const char* kernel :
       {"rows.cuda.naive", "rows.cuda.passes", "rows.cuda.shared_row", "rows.cuda.registers"}) {
    for (const char* op : {"softmax", "layernorm"})
      call_of(kernel, {{"m", int64_t{16}}, {"n", int64_t{512}}, {"op", std::string(op)}});
  }
  for (const char* kernel : {"sums.cuda.coalesced", "sums.cuda.stride", "sums.cuda.one_block"})
    call_of(kernel, {{"kib", int64_t{1024}}});
}

TEST_CASE("convolution's and attention's first rungs run right") {
  // Direct takes what the tiles do not.
  for (const char* kernel :
       {"conv.cuda.direct", "conv.cuda.shared_tile", "conv.cuda.implicit_gemm"})
    call_of(kernel, {{"n", int64_t{2}}, {"h", int64_t{12}}, {"c", int64_t{16}}});
  call_of("attention.cuda.online", {{"sequence", int64_t{128}}, {"d", int64_t{64}}});
}

TEST_CASE("every other rung that can be emulated runs right, at the size that is counted") {
  for (const std::string kernel :
       {"attention.cuda.stored", "attention_backward.cuda.stored", "chain.cuda.fused",
        "conv.cuda.depthwise", "copy.cuda.streamed", "roofline.cuda.fmas"}) {
    const FamilyDesc* family = find_family(kernel.substr(0, kernel.find('.')));
    REQUIRE(family);
    const auto params = resolve_params(family->params_of(kernel), {}, kernel);
    REQUIRE(params);
    const auto size = worker::countable(*family, *params);
    REQUIRE(size);
    call_of(kernel, *size);
  }
}

TEST_CASE("a request's sectors are those that a count by hand gives") {
  // A warp of naive reads 32 rows of A, and one element of B together; one of coalesced the other way round.
  const auto sectors = [](const std::string& kernel, MemoryTraffic SiteCounts::*part) {
    std::multiset<double> found;
    const auto call = call_of(kernel, {{"n", int64_t{128}}});
    for (const auto& [site, counts] : call.launches.back().sites) {
      if ((counts.*part).requests > 0) found.insert((counts.*part).sectors_per_request());
    }
    return found;
  };
  CHECK(sectors("gemm.cuda.naive", &SiteCounts::global_reads) == std::multiset<double>{1, 32});
  CHECK(sectors("gemm.cuda.naive", &SiteCounts::global_writes) == std::multiset<double>{32});
  CHECK(sectors("gemm.cuda.coalesced", &SiteCounts::global_reads) == std::multiset<double>{1, 4});
  CHECK(sectors("gemm.cuda.shared_tile", &SiteCounts::global_reads) == std::multiset<double>{4, 4});
  CHECK(sectors("gemm.cuda.vectorised", &SiteCounts::global_reads) ==
        std::multiset<double>{16, 16});
}

TEST_CASE("a sector goes to DRAM once, and to L2 once for each block that needs it") {
  const auto call = call_of("gemm.cuda.naive", {{"n", int64_t{128}}});
  const MemoryTraffic reads = sum_of(call, &SiteCounts::global_reads),
                      writes = sum_of(call, &SiteCounts::global_writes);
  const int64_t matrix = 128 * 128 * 4 / 32, blocks = 16, rows = 32 * 128 * 4 / 32;
  CHECK(reads.l1_passes == reads.sectors);  // 32 rows, all in one bank; or one word for all
  CHECK(reads.dram_sectors == 2 * matrix);
  CHECK(reads.l2_sectors == blocks * 2 * rows);  // 32 rows of A, 32 columns of B
  CHECK(writes.l2_sectors == writes.sectors);
  CHECK(writes.dram_sectors == matrix);
}

TEST_CASE("a cache keeps what it has room for, by sector, and lets the oldest go") {
  emulated::SectorCache cache(64 << 10);
  const uint64_t sectors = (64 << 10) / emulated::kSectorBytes;
  const auto missed = [&](uint64_t count, uint64_t step) {
    int64_t misses = 0;
    for (uint64_t i = 0; i < count; ++i) misses += cache.read(i * step) ? 0 : 1;
    return misses;
  };
  CHECK(missed(sectors / 2, 1) == int64_t(sectors / 2));
  CHECK(missed(sectors / 2, 1) <= int64_t(sectors / 50));  // a hash does not fill all sets alike
  CHECK(missed(4 * sectors, 1) >= int64_t(3 * sectors));
  cache.clear();
  CHECK(missed(32, 256) == 32);  // rows of 8 KiB: one set, were it not for the hash
  CHECK(missed(32, 256) == 0);
  CHECK_FALSE(cache.write(5));
  CHECK(cache.write(5));
}

TEST_CASE("an L1 takes as many passes as an H200 takes clocks, whatever lies between the lanes") {
  std::istringstream file(read_all(variable("RIDGE_SOURCE") + "/tests/l1_passes_h200.csv"));
  int strides = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("stride")) continue;
    const std::vector<std::string> cells = cells_of(line);
    const uint64_t stride = std::stoull(cells.at(0));
    std::vector<uint64_t> at(32);
    for (uint64_t lane = 0; lane < 32; ++lane) at[lane] = lane * stride;
    const int lines = emulated::sectors_of(at, 4).lines();
    const int passes = emulated::l1_passes_of(at, ~0u, 4, lines);
    INFO(stride << " bytes: " << passes << " passes, " << cells.at(1) << " clocks");
    // Up to two clocks more, where lines are many and banks are not.
    CHECK(passes <= std::stod(cells.at(1)) + 0.01);
    CHECK(passes >= std::stod(cells.at(1)) - 2);
    ++strides;
  }
  CHECK(strides > 30);
}

TEST_CASE("what is counted here is what an H200's counters say") {
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
  for (const Counted& there : counted_on_h200()) {
    const auto call = call_of(there.kernel, there.params);
    SiteCounts here;
    for (const auto& [site, counts] : call.launches.back().sites) here.add(counts);
    const auto at = [&](const char* column) { return there.of.at(column); };
    INFO(there.kernel);
    // Convolution's edges give neighbouring lanes different iterations: docs/emulated.md, Limits.
    if (!there.kernel.starts_with("conv.")) {
      CHECK(double(here.global_reads.requests) == at("read_requests"));
      CHECK(double(here.global_reads.sectors) == at("read_sectors"));
    }
    // Of stores of 16 bytes a lane the counter has two and a half times as many requests, and as many times the sectors.
    CHECK(here.global_writes.sectors_per_request() ==
          ratio(at("write_sectors"), at("write_requests")));
    const auto conflicts = double(here.shared().conflicts);
    CHECK(std::abs(conflicts - at("conflicts")) <= 0.02 * at("shared_wavefronts"));
    // An exponential is other instructions on a GPU than on a CPU.
    if (there.kernel.starts_with("rows.") || there.kernel.starts_with("attention.")) continue;
    const auto blocks = emulated::code_of_blocks(rung_of(there.kernel)->object());
    REQUIRE(blocks);
    CHECK(double(emulated::flop_of(call.launches.back(), *blocks)) == at("flop"));
  }
}

TEST_CASE(
    "ten puzzles that were named before they were profiled ask an H200 for what is counted here") {
  const std::vector<Counted> all = counted_on_h200("puzzle_counters_h200.csv");
  REQUIRE(all.size() == 10);
  for (const Counted& there : all) {
    const auto call = call_of(there.kernel, there.params);
    SiteCounts here;
    for (const auto& [site, counts] : call.launches.back().sites) here.add(counts);
    const auto at = [&](const char* column) { return there.of.at(column); };
    INFO(there.kernel);
    CHECK(double(here.global_reads.requests) == at("read_requests"));
    CHECK(double(here.global_reads.sectors) == at("read_sectors"));
    CHECK(here.global_writes.sectors_per_request() ==
          Approx(at("write_sectors") / at("write_requests")));
    CHECK(double(here.shared().conflicts) == at("conflicts"));
    const auto blocks = emulated::code_of_blocks(rung_of(there.kernel)->object());
    REQUIRE(blocks);
    CHECK(double(emulated::flop_of(call.launches.back(), *blocks)) == at("flop"));
  }
}

TEST_CASE("every line of a rung has its own counts") {
  const auto call = call_of("gemm.cuda.shared_tile", {{"n", int64_t{128}}});
  const auto lines =
      emulated::line_counts_of(rung_of("gemm.cuda.shared_tile")->object(), call.launches.back());
  REQUIRE(lines);
  const std::string text = find_source("gemm.cuda.shared_tile")->text;
  std::map<std::string, LineCounts> at;
  int64_t barriers = 0;
  for (const auto& [line, counts] : *lines) {
    at[line_text(text, line)] = counts;
    barriers += counts.counts.barriers;
  }
  // 16 blocks of 32 warps, four tiles each.
  const int64_t warps = 16 * 32, tiles = 4;
  CHECK(at["tile_a[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;"]
            .counts.global()
            .requests == warps * tiles);
  CHECK(at["tile_b[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;"]
            .counts.shared()
            .requests == warps * tiles);
  CHECK(at["if (row < m && col < n) c[row * n + col] = acc;"].counts.global().requests == warps);
  CHECK(barriers == 16 * tiles * 2);
  const LineCounts& inner =
      at["for (int i = 0; i < kTile; ++i) acc += tile_a[ty][i] * tile_b[i][tx];"];
  CHECK(inner.counts.shared().requests == warps * tiles * 64);
  CHECK(inner.flop == 2 * 128 * 128 * 128);
}

TEST_CASE("a warp's requests are kept in the order in which its lanes make them") {
  constexpr int64_t n = 64;
  const auto call = call_of("gemm.cuda.naive", {{"n", n}});
  const auto& steps = call.launches.back().steps;
  // Its warp reads an element of each matrix in each of n iterations, then stores: all of that is fewer than are kept.
  CHECK(call.launches.back().steps_made == 2 * n + 1);
  REQUIRE(std::ssize(steps) == 2 * n + 1);
  for (int64_t i = 0; i < n; ++i) {
    // Lanes are rows of C: 32 rows of A apart, at one column, and one element of B for all.
    const WarpRequest &a = steps[size_t(2 * i)].request, &b = steps[size_t(2 * i + 1)].request;
    CHECK(a == WarpRequest{.access = WarpAccess::read,
                           .lane_bytes = 4,
                           .buffer = "A",
                           .offsets = std::to_string(4 * i) + "+256x32",
                           .cost = 32});
    CHECK(b == WarpRequest{.access = WarpAccess::read,
                           .lane_bytes = 4,
                           .buffer = "B",
                           .offsets = std::to_string(4 * n * i) + "+0x32",
                           .cost = 1});
  }
  CHECK(steps.back().request.access == WarpAccess::write);
  CHECK(steps.back().request.buffer == "C");
  CHECK(steps.back().request.cost == 32);
}

TEST_CASE("a warp that makes many requests keeps the first, and says how many there were") {
  const auto call = call_of("gemm.cuda.naive", {{"n", int64_t{256}}});
  CHECK(call.launches.back().steps_made == 2 * 256 + 1);
  CHECK(call.launches.back().steps.size() == kMostWarpRequests);
}

TEST_CASE("a warp's log has its shared requests, conflicts and all") {
  const Params shape = {{"m", int64_t{64}}, {"n", int64_t{64}}, {"dtype", std::string("fp32")}};
  const auto call = call_of("transpose.cuda.shared_tile", shape);
  int shared_reads = 0;
  for (const emulated::WarpStep& step : call.launches.back().steps) {
    const WarpRequest& request = step.request;
    if (!request.is_shared || request.access != WarpAccess::read) continue;
    ++shared_reads;
    CHECK(request.cost == 32);
    CHECK(request.conflicts == 31);
    CHECK(request.buffer == "shared memory");
    CHECK(request.offsets.ends_with("+128x32"));
  }
  CHECK(shared_reads > 0);
}

TEST_CASE("branches of a warp keep their order, and lanes that ask for nothing are named") {
  const auto rung = worker::EmulatedRung::build(
      "gemm.cuda.planted",
      planted_text("  if (t % 2 == 0) y[t] = x[t];\n  else y[t] = x[64 + t];\n"
                   "  __syncthreads();\n  if (t < 3) y[t] += 1;\n"),
      [] { return false; });
  REQUIRE(rung);
  const auto launches = launches_of(**rung);
  REQUIRE(launches.size() == 1);
  const auto& steps = launches.front().steps;
  REQUIRE(steps.size() >= 4);
  // What comes behind the barrier is last, whichever lanes made it.
  const WarpRequest& last = steps.back().request;
  CHECK(last.offsets == "0+4x3 .29");
  CHECK(last.access == WarpAccess::write);
  const auto offsets = decode_offsets(steps.front().request.offsets);
  REQUIRE(offsets);
  CHECK((*offsets)[0] == 0);
  CHECK(steps.front().request.access == WarpAccess::read);
}

TEST_CASE("a tile's columns lie in one bank until its rows are one word longer") {
  const Params shape = {{"m", int64_t{128}}, {"n", int64_t{128}}, {"dtype", std::string("fp32")}};
  const MemoryTraffic tile =
      sum_of(call_of("transpose.cuda.shared_tile", shape), &SiteCounts::shared_reads);
  CHECK(tile.wavefronts_per_request() == 32);
  CHECK(tile.conflicts == 31 * tile.requests);
  const MemoryTraffic padded =
      sum_of(call_of("transpose.cuda.padded", shape), &SiteCounts::shared_reads);
  CHECK(padded.requests == tile.requests);
  CHECK(padded.conflicts == 0);
}

TEST_CASE("wavefronts depend on the width of an access") {
  std::vector<uint64_t> at(32);
  int needed = 0;
  const auto passes = [&](uint64_t step, uint32_t bytes) {
    for (uint64_t lane = 0; lane < 32; ++lane) at[lane] = lane * step;
    return emulated::wavefronts_of(at, ~0u, bytes, &needed);
  };
  CHECK(passes(4, 4) == 1);
  CHECK(passes(0, 4) == 1);  // a broadcast
  CHECK(passes(2, 2) == 1);  // two lanes a word
  CHECK(passes(8, 4) == 2);
  CHECK(passes(132, 4) == 1);
  CHECK(passes(8, 8) == 2);  // 256 bytes
  CHECK(needed == 2);
  CHECK(passes(16, 16) == 4);  // 512 bytes
  CHECK(needed == 4);
  CHECK(passes(0, 16) == 2);   // half warps, 16 bytes each
  CHECK(passes(32, 16) == 8);  // every other 16 bytes: two words a bank
  CHECK(needed == 4);
}

TEST_CASE("a branch is split where the lanes of a warp go different ways") {
  struct Branched {
    const char* name;
    const char* body;  ///< of two warps; the branch is at "//A"
    int64_t branches, splits;
  };
  // n / 64 is 4, which the compiler does not know.
  const Branched all[] = {
      {"odd and even lanes",
       "if (t % 2 == 0) { //A\ny[t] = x[t];\n} else {\ny[128 - t] = 2 * x[t];\n}\n", 2, 2},
      {"whole warps", "if (t < 32) //A\ny[t] = x[t];\n", 2, 0},
      {"the last lane alone", "if (t == 31) //A\ny[t] = x[t];\n", 2, 1},
      {"a loop that all lanes leave together",
       "for (int i = 0; i < n / 64; ++i) //A\ny[t] += x[i];\n", 8, 0},
      {"a loop of 1 to 4 steps a lane",
       "const int m = t % (n / 64) + 1;\nfor (int i = 0; i < m; ++i) //A\ny[t] += x[i];\n", 8, 6},
  };
  for (const Branched& one : all) {
    INFO(one.name);
    const std::string text = planted_text(one.body);
    const auto rung = worker::EmulatedRung::build("gemm.cuda.planted", text, [] { return false; });
    INFO((rung ? "" : rung.error().sentence()));
    REQUIRE(rung);
    const auto lines = emulated::line_counts_of((*rung)->object(), launches_of(**rung).front());
    REQUIRE(lines);
    SiteCounts at;
    for (const auto& [line, counts] : *lines) {
      if (line_text(text, line).find("//A") != std::string::npos) at.add(counts.counts);
    }
    CHECK(at.branches == one.branches);
    CHECK(at.split_branches == one.splits);
  }
}

// ---- planted faults ------------------------------------------------------------------------------------------------

TEST_CASE("a planted fault is found, and both its lines are named") {
  struct Planted {
    const char* name;
    FaultKind kind;
    const char* body;  ///< the fault shows at the line with "//A"; what it met is at "//B"
    int blocks = 1;
    const char* said = "";  ///< in its sentence
  };
  const Planted planted[] = {
      {"no barrier", FaultKind::race,
       "__shared__ float s[64];\ns[t] = x[t]; //B\ny[t] = s[63 - t]; //A\n"},
      {"two writers", FaultKind::race,
       "__shared__ float s[64];\ns[t / 2] = x[t]; //A //B\n__syncthreads();\ny[t] = s[t / 2];\n"},
      {"no barrier before the next tile", FaultKind::race,
       "__shared__ float s[64];\ns[t] = x[t];\n__syncthreads();\nfloat v = s[63 - t]; //B\n"
       "s[t] = v; //A\n__syncthreads();\ny[t] = s[t];\n"},
      {"no __syncwarp", FaultKind::race,
       "__shared__ float s[64];\ns[t] = x[t]; //B\ny[t] = s[t ^ 1]; //A\n"},
      {"a shuffle is no barrier", FaultKind::race,
       "__shared__ float s[64];\ns[t] = x[t]; //B\n__shfl_xor_sync(~0u, t, 1);\ny[t] = s[t ^ 1]; "
       "//A\n"},
      {"unwritten", FaultKind::unwritten,
       "__shared__ float s[64];\nif (t < 32) s[t] = x[t];\n__syncthreads();\ny[t] = s[t]; //A\n"},
      {"a copy that was not waited for", FaultKind::unwritten,
       "__shared__ float s[64];\ncp_async_4(shared_address(s + t), x + t, "
       "true);\ncp_async_commit();\n"
       "__syncthreads();\ny[t] = s[t]; //A\n"},
      {"device memory without a barrier", FaultKind::race,
       "y[t] = x[t]; //B\ny[64 + t] = y[63 - t]; //A\n", 1, "writes, without a barrier"},
      {"device memory between blocks", FaultKind::race,
       "const int i = 64 * blockIdx.x + t;\ny[i] = x[i]; //A //B\n__syncthreads();\n"
       "y[128 + i] = y[(i + 64) % 128]; //A //B\n",
       2, ": blocks run in any order"},
      {"a sum of blocks without an atomic operation", FaultKind::race,
       "if (t == 0) y[0] += x[blockIdx.x]; //A //B\n", 4, "C[0], which thread 0 of block"},
      {"in place, while another block still reads", FaultKind::race,
       "const int i = 64 * blockIdx.x + t;\nconst float before = y[(i + 1) % 256]; //A //B\n"
       "__syncthreads();\ny[i] = before + x[i]; //A //B\n",
       4, ": blocks run in any order"},
      {"behind the end", FaultKind::out_of_bounds, "y[t] = x[n + t]; //A\n", 1,
       "reads A[256]: A has 256 elements"},
      {"before the begin", FaultKind::out_of_bounds, "y[t - 1] = 0; //A\n", 1,
       "writes C[-1]: C has 256 elements"},
      {"behind a shared array", FaultKind::out_of_bounds,
       "__shared__ float s[64], r[64];\nr[t] = 0;\ns[t] = x[t];\n__syncthreads();\n"
       "y[t] = s[t + 1] + r[t]; //A\n",
       1, "reads s[64] of shared memory: s has 64 elements"},
      {"before a shared array", FaultKind::out_of_bounds,
       "__shared__ float r[64];\n__shared__ float s[64];\nr[t] = s[t] = x[t];\n__syncthreads();\n"
       "y[t] = s[t] + r[t - 1]; //A\n"},
      {"behind a matrix in shared memory", FaultKind::out_of_bounds,
       "__shared__ float s[8][8];\n__shared__ float4 v[2];\nif (t < 2) v[t] = float4{};\n"
       "s[t % 8][t / 8 + 1] = x[t]; //A\n__syncthreads();\ny[t] = s[t / 8][t % 8];\n"},
      {"a wild pointer", FaultKind::out_of_bounds,
       "y[t] = *reinterpret_cast<const float*>(16); //A\n"},
      {"behind dynamic shared memory", FaultKind::out_of_bounds,
       "extern __shared__ float d[];\nd[t + 200] = x[t]; //A\ny[t] = d[t + 200];\n"},
      {"misaligned", FaultKind::misaligned,
       "const float4 v = *reinterpret_cast<const float4*>(x + 1 + t); //A\ny[t] = v.x + v.y + v.z "
       "+ v.w;\n"},
      {"two barriers", FaultKind::divergent_barrier,
       "if (t < 40) {\n  __syncthreads(); //B\n  y[t] = 1;\n} else {\n  y[t] = 2;\n  "
       "__syncthreads(); //A\n}\n"},
      {"lanes that do not come", FaultKind::missing_lanes,
       "if (t % 32 < 16) y[t] = __shfl_sync(~0u, x[t], 0); //A\n"},
      {"an endless loop", FaultKind::endless, "while (x[t] == x[t]) y[t] = 1; //A\n"},
      {"assembly that is not emulated", FaultKind::refused,
       "asm volatile(\"nanosleep.u32 20;\"); //A\n"},
  };
  for (const Planted& one : planted) {
    INFO(one.name);
    const std::string text = planted_text(one.body, one.blocks);
    const auto rung = worker::EmulatedRung::build("gemm.cuda.planted", text, [] { return false; });
    INFO((rung ? "" : rung.error().sentence()));
    REQUIRE(rung);
    const auto launches = launches_of(**rung);
    REQUIRE(!launches.empty());
    const std::string faults = faults_of(**rung, launches);
    INFO(faults);
    bool is_found = false;
    for (const emulated::Fault& fault : launches.front().faults) {
      const auto lines = emulated::lines_of((*rung)->object(), {fault.at, fault.other});
      REQUIRE(lines);
      const std::string at = line_text(text, lines->at(fault.at).own.line);
      const std::string other =
          fault.other == nullptr ? "//B" : line_text(text, lines->at(fault.other).own.line);
      is_found |= fault.kind == one.kind && at.find("//A") != at.npos &&
                  other.find("//B") != other.npos &&
                  fault.detail.find(one.said) != std::string::npos;
    }
    CHECK(is_found);
  }
}

TEST_CASE("what is synchronised is no race") {
  const char* bodies[] = {
      "float* z = y + 64 * blockIdx.x;\nz[t] = x[t];\n__syncthreads();\nx = z + (63 - t);\n"
      "const float v = *x;\n__syncthreads();\nz[t] = v;\n",
      "float* z = y + 64 * blockIdx.x;\nz[t] = x[t];\n__syncwarp();\nconst float v = z[t ^ 1];\n"
      "__syncwarp();\nz[t] = v;\n",
      "y[0] = x[0];\n",  // the same value from all
      "atomicAdd(y + t % 4, x[t]);\n",
      // The last block to come reads what the others wrote.
      "static unsigned count;\n__shared__ bool is_last;\ny[64 * blockIdx.x + t] = x[t];\n"
      "__threadfence();\n__syncthreads();\n"
      "if (t == 0) is_last = atomicAdd(&count, 1u) % gridDim.x == gridDim.x - 1;\n"
      "__syncthreads();\nif (is_last) y[192 + t] = y[t] + y[64 + t] + y[128 + t];\n",
      "__shared__ float s[64];\ns[t] = x[t];\n__syncthreads();\ny[t] = s[63 - t];\n",
      "__shared__ float s[64];\ns[t] = x[t];\n__syncwarp();\ny[t] = s[t ^ 1];\n",
      "__shared__ float s[64];\ns[t] = x[t];\n__syncwarp(t % 32 < 16 ? 0xffffu : "
      "0xffff0000u);\ny[t] = s[t ^ 1];\n",
      "__shared__ int s[2];\nif (t < 2) s[t] = 0;\n__syncthreads();\natomicAdd(s + t % 2, "
      "1);\n__syncthreads();\n"
      "y[t] = s[0];\n",
      "__shared__ float s[64];\ncp_async_4(shared_address(s + t), x + t, "
      "true);\ncp_async_commit();\n"
      "cp_async_wait<0>();\n__syncthreads();\ny[t] = s[63 - t];\n",
  };
  for (const char* body : bodies) {
    INFO(body);
    const auto rung = worker::EmulatedRung::build("gemm.cuda.planted", planted_text(body, 3),
                                                  [] { return false; });
    INFO((rung ? "" : rung.error().sentence()));
    REQUIRE(rung);
    CHECK(faults_of(**rung, launches_of(**rung)) == "");
  }
}

TEST_CASE("what a compiler of C++ does not read is rewritten, line for line") {
  using emulated::rewritten;
  // Before and behind a shared array lies one that nobody may use.
  const auto before = [](int token) {
    const std::string name = "ridge_before_" + std::to_string(token);
    return "static thread_local char " + name +
           "[4096] __attribute__((used, aligned(16))){}; ::ridge::emulated::shared_guard(" + name +
           "); ";
  };
  const auto beside = [](const std::string& name) {
    return ", ridge_beside_" + name + "[::ridge::emulated::beside<decltype(" + name +
           ")>] __attribute__((used)){}";
  };
  const auto told = [](const std::string& name) {
    return " ::ridge::emulated::shared_array(\"" + name + "\", " + name + ", ridge_beside_" + name +
           ");";
  };
  CHECK(rewritten("f<int, 2><<<dim3(a, b), 32>>>({x}, y);") ==
        "::ridge::emulated::launcher(f<int, 2>, dim3(a, b), 32)({x}, y);");
  CHECK(rewritten("n::k<<<(m + 1) / 2, 32, 0,\n  s>>>(x);") ==
        "::ridge::emulated::launcher(n::k, (m + 1) / 2, 32, 0,\n  s)(x);");
  CHECK(rewritten("__shared__ float s[2][3], t;") ==
        before(0) + "static thread_local float s[2][3]{}" + beside("s") + ", t{}" + beside("t") +
            ";" + told("s") + told("t"));
  // A template that is launched by its name alone: the call deduces its arguments.
  const std::string defined = "template <class T, int n>\nstatic void k(T* x) {}\n";
  CHECK(rewritten(defined + "k<<<2, 32>>>(x);") ==
        defined +
            "::ridge::emulated::deducing_launcher([](auto... ridge_arguments) { "
            "k(ridge_arguments...); }, 2, 32)(x);");
  CHECK(rewritten("__shared__ alignas(16) float s[4];") ==
        before(0) + "alignas ( 16 ) static thread_local float s[4]{}" + beside("s") + ";" +
            told("s"));
  CHECK(rewritten("extern __shared__ __attribute__((aligned(16))) unsigned char raw[];") ==
        "unsigned char (&raw)[] = *reinterpret_cast<unsigned char "
        "(*)[]>(::ridge::emulated::dynamic_shared());");
  CHECK(rewritten("struct Ptx<\"mov %0, %1;\">;\nasm volatile(\"mov\"\n \" %0, %1;\" : \"=r\"(a) : "
                  "\"n\"(b)\n : \"memory\");") ==
        "struct Ptx<\"mov %0, %1;\">;\n::ridge::emulated::Ptx<\"mov %0, %1;\">::run(( a ), ( b "
        "))\n\n;");
  CHECK(rewritten("asm(\"bar.sync 1;\" ::);") == "::ridge::emulated::refuse_ptx(\"bar.sync\");");
  CHECK(rewritten("#pragma unroll\nfor (;;);\n#pragma unroll 4\n") ==
        "#pragma GCC unroll 128\nfor (;;);\n#pragma GCC unroll 4\n");
  // Strings, comparisons and the text of system headers stay.
  for (const char* same : {"\"f<<<1, 2>>>(x)\"", "a < b; c << d; e >> f;",
                           "# 1 \"/usr/include/x.h\" 1 3\nasm(\"f\");\n__shared__ int x;\n"})
    CHECK(rewritten(same) == same);
}
