// Where a GPU's ladder ends, as its owner reads it: catalogues of a T4, an RTX 3060 and an H200 through
// the command line.
#include "app/query/selection.h"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

struct Gpu {
  std::string name;
  int capability;
};

/// Least compute capability of the GPU's rungs, as the worker's catalogue has them.
int needs_of(const std::string& kernel) {
  for (const char* id : {"cp_async", "warp_tile", "tf32x3", "mma_sync"}) {
    if (kernel == std::string("gemm.cuda.") + id) return 80;
  }
  for (const char* id :
       {"tma_persistent", "wgmma_tma", "producer_consumer", "wide_tile", "persistent", "multicast",
        "overlapped_store", "ping_pong", "tuned", "power_cap"}) {
    if (kernel == std::string("gemm.cuda.") + id) return 90;
  }
  return 75;
}

KernelInfo info_on(const Gpu& gpu, const std::string& kernel) {
  KernelInfo info = kernel_info(kernel);
  if (kernel.find(".cpu.") != std::string::npos) return info;
  const int needs = needs_of(kernel);
  info.backend = Backend::cuda;
  info.needs = "sm_" + std::to_string(needs);
  info.available = gpu.capability >= needs;
  if (!info.available) {
    info.reason = std::string("needs ") + (needs == 90 ? "Hopper" : "Ampere") + " (" + info.needs +
                  "); this " + gpu.name + " is sm_" + std::to_string(gpu.capability);
  }
  return info;
}

/// What a worker on that machine answers to `list`.
Transcript catalogue_on(const Gpu& gpu) {
  Transcript t;
  t.worker("hello",
           {{"version", "0"}, {"pid", 1}, {"build", Json::object()}, {"capabilities", {"cpu"}}});
  for (const Rung& rung : find_lab("gemm")->rungs)
    t.worker("kernel", {{"request", 1}, {"kernel", info_on(gpu, rung.kernel)}});
  t.worker("end", {{"request", 1}});
  t.worker("done", {{"request", 1}, {"status", "ok"}});
  return t;
}

Outcome on(const Gpu& gpu, std::vector<std::string> args) {
  Folder folder;
  write_all(folder / "catalogue.jsonl", catalogue_on(gpu).text());
  args.push_back("--worker");
  args.push_back("sh '" + variable("RIDGE_SOURCE") + "/tests/play_worker.sh' '" +
                 (folder / "catalogue.jsonl") + "'");
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

const Gpu kT4 = {"Tesla T4", 75}, kRtx3060 = {"NVIDIA GeForce RTX 3060", 86},
          kH200 = {"NVIDIA H200", 90};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "list says where the ladder of a T4, an RTX 3060 and an H200 ends, and for want of what") {
  const std::string t4 = on(kT4, {"list", "gemm"}).out;
  INFO(t4);
  CHECK(has(t4,
            "GPU, Tensor Cores: your ladder ends at WMMA. mma.sync needs Ampere (sm_80); this "
            "Tesla T4 is sm_75"));
  CHECK(has(t4, "GPU, fp32: your ladder ends at vectorised. cp.async stages needs Ampere"));
  const std::string rtx = on(kRtx3060, {"list", "gemm"}).out;
  CHECK(has(rtx, "GPU, Tensor Cores: your ladder ends at mma.sync. wgmma + TMA needs Hopper"));
  CHECK_FALSE(has(on(kH200, {"list", "gemm"}).out, "your ladder ends"));
  CHECK(has(on(kRtx3060, {"list", "gemm", "--all"}).out, "ping-pong (expert)"));
}

TEST_CASE("a rung that a GPU is too old for is refused with the end of its ladder") {
  const Outcome outcome = on(kT4, {"run", "gemm", "--rungs", "wgmma_tma"});
  CHECK(outcome.code == 69);
  INFO(outcome.err);
  CHECK(has(outcome.err, "needs Hopper (sm_90); this Tesla T4 is sm_75: your ladder ends at WMMA"));
}

TEST_CASE(
    "a name that two rungs share is the one that can run here, and asked about where both can") {
  const Outcome both = on(kT4, {"run", "gemm", "--rungs", "pytorch"});
  INFO(both.err);
  CHECK(both.code == 64);
  CHECK(has(both.err, "say gemm.cpu.pytorch or gemm.cuda.pytorch"));
  const Outcome one = on({"too old", 10}, {"run", "gemm", "--rungs", "pytorch"});
  INFO(one.err);
  CHECK(one.code != 64);
  CHECK_FALSE(has(one.err, "several rungs"));
}

TEST_CASE("a ladder ends only where nothing of ours runs after it, and libraries end none") {
  const Lab& lab = *find_lab("gemm");
  Run run;
  for (const std::string& line : catalogue_on(kT4).lines) run.apply_line(line);
  const auto rung = [&](const char* name) -> const Rung& { return **find_rung(lab, name); };
  REQUIRE(app::ladder_end(lab, run, rung("tuned")));
  CHECK(app::ladder_end(lab, run, rung("tuned"))->title == std::string("WMMA"));
  CHECK(app::ladder_end(lab, run, rung("wmma")) == nullptr);
  CHECK(app::ladder_end(lab, run, rung("cublaslt")) == nullptr);
  CHECK(app::why_not_here(lab, run, rung("wmma")).empty());
}
