// Where a GPU's ladder ends: what the catalogue offers to GPUs of several generations. No GPU is
// needed: the catalogue is told which one is there.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/record/run.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "worker/catalogue.h"

using namespace ridge;

namespace {

std::vector<KernelInfo> infos(const worker::Machine& machine) {
  std::vector<KernelInfo> list;
  for (const auto& rung : worker::catalogue(machine)) list.push_back(rung->info());
  return list;
}

struct Ladder {
  std::vector<KernelInfo> list;

  explicit Ladder(int capability) {
    GpuInfo gpu;
    gpu.name = "Test GPU";
    gpu.capability = capability;
    list = infos(worker::Machine({gpu}, ""));
  }
  const KernelInfo& operator[](const std::string& id) const {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const KernelInfo& info) { return info.id == id; });
    REQUIRE(found != list.end());
    return *found;
  }
};

bool has_cuda() {
  return find_kernel("gemm.cuda.naive") != nullptr;
}

using Types = std::map<std::string, std::vector<std::string>>;

/// The types of each rung of the labs, its default first: from this worker's catalogue, and where the
/// rung is not compiled here from the catalogues of the recordings.
Types types_of_rungs() {
  Types types;
  for (const KernelInfo& info : infos(worker::Machine({}, "no CUDA device")))
    types[info.id] = info.dtypes;
  const std::string recorded = test::variable("RIDGE_SOURCE") + "/assets/recorded";
  for (const auto& entry : std::filesystem::directory_iterator(recorded)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto run = Run::load(entry.path().string());
    REQUIRE(run.ok());
    for (const Lab* lab : all_labs()) {
      for (const Rung& rung : lab->rungs) {
        const KernelInfo* info = run->kernel(rung.kernel);
        if (info != nullptr && types[rung.kernel].empty()) types[rung.kernel] = info->dtypes;
      }
    }
  }
  return types;
}

/// The word of "CPU, bf16" that is a data type; empty where the heading names none.
std::string type_named_in(const std::string& heading, const std::set<std::string>& names) {
  std::string words = heading;
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (names.count(word) == 1) return word;
  }
  return "";
}

}  // namespace

TEST_CASE("each GPU generation sees the rungs that it can run, and why not the others") {
  if (!has_cuda()) RIDGE_SKIP("built without CUDA");
  const Ladder t4(75), rtx3060(86), h200(90), b200(100);
  for (const char* id : {"gemm.cuda.naive", "gemm.cuda.shared_tile", "gemm.cuda.wmma"}) {
    INFO(id);
    for (const Ladder* gpu : {&t4, &rtx3060, &h200, &b200}) CHECK((*gpu)[id].available);
  }
  CHECK_FALSE(t4["gemm.cuda.mma_sync"].available);
  CHECK(t4["gemm.cuda.mma_sync"].reason == "needs Ampere (sm_80); this Test GPU is sm_75");
  CHECK(rtx3060["gemm.cuda.mma_sync"].available);
  CHECK(rtx3060["gemm.cuda.cp_async"].available);
  const KernelInfo& wgmma = rtx3060["gemm.cuda.wgmma_tma"];
  CHECK_FALSE(wgmma.available);
  CHECK(wgmma.reason == "needs Hopper (sm_90a); this Test GPU is sm_86");
  CHECK(wgmma.needs == "sm_90a");
  CHECK(h200["gemm.cuda.wgmma_tma"].available);
  CHECK_FALSE(b200["gemm.cuda.wgmma_tma"].available);  // Hopper's own instructions
  CHECK(b200["gemm.cuda.wgmma_tma"].reason ==
        "needs Hopper (sm_90a, no later); this Test GPU is sm_100");
}

TEST_CASE("a rung offers its own types, and runs in the first of them when none is asked for") {
  if (!has_cuda()) RIDGE_SKIP("built without CUDA");
  const Ladder h200(90);
  const auto dtype_of = [&](const char* id) {
    const KernelInfo& info = h200[id];
    const auto spec = std::find_if(info.params.begin(), info.params.end(),
                                   [](const ParamSpec& param) { return param.name == "dtype"; });
    REQUIRE(spec != info.params.end());
    CHECK(spec->choices == info.dtypes);
    return std::get<std::string>(spec->fallback);
  };
  CHECK(dtype_of("gemm.cuda.naive") == "fp32");
  CHECK(dtype_of("gemm.cuda.wgmma_tma") == "bf16");
}

TEST_CASE("every kernel names the class of its accuracy, and no other rung does") {
  std::map<std::string, std::string> classes;
  for (const KernelInfo& info : infos(worker::Machine({}, "no CUDA device"))) {
    INFO(info.id);
    CHECK(info.accuracy.empty() == (find_kernel(info.id) == nullptr));
    classes[info.id] = info.accuracy;
  }
  CHECK(classes["gemm.cpu.loop_order"] == "componentwise");
  // Of another architecture neither is compiled.
  for (const auto& [id, name] : {std::pair("gemm.cpu.inner_product", "row_column"),
                                 std::pair("conv.cpu.winograd_4x4", "max_norm")}) {
    if (find_kernel(id) != nullptr) CHECK(classes[id] == name);
  }
}

TEST_CASE("without a GPU every GPU rung says so") {
  for (const KernelInfo& info : infos(worker::Machine({}, "no CUDA device"))) {
    if (info.backend != Backend::cuda) continue;
    INFO(info.id);
    CHECK_FALSE(info.available);
    CHECK_FALSE(info.reason.empty());
  }
}

TEST_CASE(
    "under a heading that names a data type stand the rungs that run in it when none is asked "
    "for") {
  const Types types = types_of_rungs();
  const auto of = [&](const Rung& rung) {
    const auto found = types.find(rung.kernel);
    return found != types.end() ? found->second : std::vector<std::string>();
  };
  int checked = 0;
  for (const Lab* lab : all_labs()) {
    std::set<std::string> names;  // of the lab's own types: "8 bits" names none of a network's
    for (const Rung& rung : lab->rungs) {
      for (const std::string& type : of(rung)) names.insert(type);
    }
    std::string heading;
    for (const Rung& rung : lab->rungs) {
      if (const Section* begins = section_at(*lab, rung)) heading = begins->title;
      const std::string named = type_named_in(heading, names);
      if (named.empty() || of(rung).empty()) continue;
      INFO(lab->id << ", " << heading << ": " << rung.kernel);
      CHECK(of(rung).front() == named);
      ++checked;
    }
  }
  CHECK(checked > 25);
}
