// Labs against the kernels that exist: a rung listed must have a source, and names must resolve.
#include "labs/lab.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/catch.h"

using namespace ridge;

namespace {

std::filesystem::path source_dir() {
  const char* dir = std::getenv("RIDGE_SOURCE");
  return dir != nullptr ? dir : ".";
}

/// The file that should hold a kernel id: the longest trick that is a file, minus its variant.
bool has_source(const std::string& id) {
  const size_t first = id.find('.'), second = id.find('.', first + 1);
  const std::string family = id.substr(0, first);
  const std::string extension = id.substr(first + 1, second - first - 1) == "cuda" ? ".cu" : ".cpp";
  std::string trick = id.substr(second + 1);
  while (!trick.empty()) {
    for (const char* room : {"rungs", "peers"}) {
      if (std::filesystem::exists(source_dir() / "kernels" / family / room / (trick + extension)))
        return true;
    }
    const size_t underscore = trick.rfind('_');
    if (underscore == std::string::npos) return false;
    trick.resize(underscore);
  }
  return false;
}

}  // namespace

TEST_CASE("a family of a lab counts what it works off itself") {
  const Lab* quant = find_lab("quant");
  REQUIRE(quant);
  CHECK(unit_in_words(*quant, "items/s", "quantnet.cpu.fp32") == "images/s");
  CHECK(unit_in_words(*quant, "items/s", "gemv.cpu.plain") == "products/s");
  CHECK(unit_in_words(*quant, "FLOP/s", "gemv.cpu.plain") == "FLOP/s");
}

TEST_CASE("every rung of every lab has a source file, a title and a change") {
  REQUIRE(find_lab("gemm") != nullptr);
  for (const Lab* lab : all_labs()) {
    std::set<std::string> ids;
    for (const Rung& rung : lab->rungs) {
      INFO(rung.kernel);
      CHECK(has_source(rung.kernel));
      CHECK(ids.insert(rung.kernel).second);
      CHECK(std::string(rung.title) != "");
      CHECK(std::string(rung.change) != "");
    }
    for (const Section& section : lab->sections) {
      INFO(section.title);
      CHECK(ids.count(section.first) == 1);
    }
    INFO(lab->lesson);
    CHECK(std::filesystem::exists(source_dir() / lab->lesson));
  }
}

TEST_CASE("each lab has its own place in its group, and the course begins with the machine") {
  std::set<std::pair<std::string, int>> places;
  for (const Lab* lab : all_labs()) {
    INFO(lab->id);
    CHECK(places.emplace(lab->group, lab->place).second);
    CHECK(std::find(std::begin(kLabGroups), std::end(kLabGroups), std::string_view(lab->group)) !=
          std::end(kLabGroups));
    CHECK(std::string_view(lab->line) != "");
    CHECK(std::string_view(lab->line).size() <= 40);
    for (const char* kernel : lab->short_climb) {
      INFO(kernel);
      REQUIRE(find_rung(*lab, kernel).ok());
      CHECK(std::string_view(kernel).find(".cpu.") != std::string_view::npos);
    }
    CHECK(lab->place < 1000);
  }
  CHECK(all_labs().front()->id == std::string("machine"));
}

TEST_CASE("every lab stands under one heading, in the order of the headings") {
  std::vector<std::string> titles;
  std::vector<const Lab*> shown;
  for (const LabGroup& group : labs_by_group()) {
    titles.push_back(group.title);
    shown.insert(shown.end(), group.labs.begin(), group.labs.end());
  }
  CHECK(shown == all_labs());  // the keys 1 to 9 and the numbers on the cards count these
  CHECK(titles == std::vector<std::string>(std::begin(kLabGroups), std::end(kLabGroups)));
}

TEST_CASE("what a newcomer sees of a ladder: our own steps, without the expert rungs") {
  CHECK(level_of({"a.cpu.b", "title", "change"}) == Level::kLearn);
  CHECK(level_of({"a.cpu.b", "title", "change", kPeer}) == Level::kLab);
  CHECK(level_of({"a.cpu.b", "title", "change", false, true}) == Level::kBench);
  for (const Lab* lab : all_labs()) {
    INFO(lab->id);
    CHECK(std::any_of(lab->rungs.begin(), lab->rungs.end(),
                      [](const Rung& rung) { return is_shown(level_of(rung), Level::kLearn); }));
  }
}

TEST_CASE("a rung is found by id, by its last part where unique, and else the error helps") {
  const Lab& lab = *find_lab("gemm");
  REQUIRE(find_rung(lab, "gemm.cpu.loop_order").ok());
  REQUIRE(find_rung(lab, "loop_order").ok());
  REQUIRE(find_rung(lab, "cpu.loop_order").ok());  // as the terminal's tables have it
  CHECK_FALSE(find_rung(lab, "op_order").ok());
  CHECK(std::string((*find_rung(lab, "loop_order"))->kernel) == "gemm.cpu.loop_order");
  const auto unknown = find_rung(lab, "fastest");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().code == ErrorCode::usage);
  CHECK(unknown.error().sentence().find("naive_o1") != std::string::npos);
  const Lab twins = {.id = "t", .rungs = {{"a.cpu.x", "", ""}, {"a.cuda.x", "", ""}}};
  const auto several = find_rung(twins, "x");
  REQUIRE_FALSE(several.ok());
  CHECK(several.error().sentence().find("a.cpu.x or a.cuda.x") != std::string::npos);
}

TEST_CASE("the previous rung is the one below on the same backend, peers left out") {
  const Lab& lab = *find_lab("gemm");
  auto previous = [&](const char* name) {
    const Rung* rung = previous_rung(lab, **find_rung(lab, name));
    return std::string(rung != nullptr ? rung->kernel : "");
  };
  CHECK(previous("naive_o1") == "");
  CHECK(previous("naive_o3") == "gemm.cpu.naive_o1");
  CHECK(previous("packed_neon") == "gemm.cpu.packed");
  CHECK(previous("packed_wasm128") == "gemm.cpu.packed");
  CHECK(previous("packed_avx2") == "gemm.cpu.packed");  // past the branch of another architecture
  CHECK(previous("gemm.cuda.naive") == "");
  CHECK(previous("coalesced") == "gemm.cuda.naive");
  CHECK(previous("wmma") == "");  // another section
  CHECK(previous("mma_sync") == "gemm.cuda.wmma");
  CHECK(previous("onednn") == "gemm.cpu.inner_product");
  CHECK(previous("avx2_int8") == "");  // another type, hence another section
  CHECK(previous("avx512_vnni") == "gemm.cpu.avx2_int8");
}

TEST_CASE("a lever is a later rung of the same backend, and every lab's levers are its rungs") {
  for (const Lab* lab : all_labs()) {
    for (const Lever& lever : lab->levers) {
      INFO(lever.kernel);
      CHECK(find_rung(*lab, lever.kernel).ok());
    }
  }
  const Levers levers = levers_of(*find_lab("gemm"));
  const auto next = [&](const char* kernel, Bottleneck bottleneck) {
    return lever_rung(levers, kernel, {.bottleneck = bottleneck, .reason = {}, .evidence = {}});
  };
  CHECK(next("gemm.cuda.naive", Bottleneck::memory_bandwidth) == "gemm.cuda.coalesced");
  CHECK(next("gemm.cuda.coalesced", Bottleneck::memory_bandwidth) == "gemm.cuda.shared_tile");
  CHECK(next("gemm.cpu.packed_avx512", Bottleneck::compute) == "gemm.cpu.threads");
  CHECK(next("gemm.cpu.threads", Bottleneck::compute) == "gemm.cpu.inner_product");
  CHECK(next("gemm.cpu.inner_product", Bottleneck::compute) == "");  // nothing later
  CHECK(next("gemm.cuda.cublas", Bottleneck::compute) == "");        // a library is no step of ours
  CHECK(next("gemm.cuda.naive", Bottleneck::not_sure) == "");
}

TEST_CASE("networks of convolutions have their papers' layers and multiply-adds") {
  const Lab* lab = find_lab("conv");
  REQUIRE(lab != nullptr);
  const auto check = [&](size_t place, const char* id, int64_t layers, double expected_macs,
                         const char* first) {
    INFO(id);
    REQUIRE(lab->workloads.size() > place);
    const Workload& workload = lab->workloads[place];
    CHECK(workload.id == id);
    int64_t calls = 0;
    double macs = 0;
    for (const WorkloadPart& part : workload.parts) {
      calls += part.calls;
      macs += part.call->flop(part.params) / 2 * double(part.calls);
      for (const WorkloadPart& other : workload.parts)
        CHECK((&other == &part || other.params != part.params));
    }
    CHECK(calls == layers);
    CHECK(macs == Approx(expected_macs).epsilon(0.001));
    CHECK(workload.parts.front().call->shape(workload.parts.front().params) == first);
  };
  check(0, "resnet50", 53, 4.09e9, "3 × 224² → 64, 7 × 7 / 2");
  // Table 4 of its paper: 300e6 with the classifier's 1.28e6.
  check(1, "mobilenet_v2", 52, 300.8e6 - 1.28e6, "3 × 224² → 32, 3 × 3 / 2");
  // 0.39e9 in its paper's table 2, with squeeze-and-excitation and the classifier.
  check(2, "efficientnet_b0", 49, 383.9e6, "3 × 224² → 32, 3 × 3 / 2");
}

TEST_CASE(
    "GPT-3 as a workload: what the talk printed is ours for the same piece, but for one row") {
  const Workload& workload = find_lab("gemm")->workloads.front();
  double parameters = 0, normalisations = 0;
  int printed = 0, other = 0;
  for (const WorkloadPart& part : workload.parts) {
    INFO(part.title);
    parameters += part.parameters;
    for (const WorkloadStep& step : part.then) {
      parameters += step.parameters;
      if (std::string(step.title).ends_with("normalisation")) normalisations += step.parameters;
    }
    if (!part.printed) continue;
    const double macs = part.call->flop(part.params) / 2 * double(part.calls);
    const double ratio = part.printed->macs / (macs / double(part.printed->times));
    ++printed;
    if (ratio == Approx(1).epsilon(1e-3)) continue;
    ++other;
    CHECK(part.title == "Q · K, transposed");
    CHECK(ratio == Approx(96));  // all heads, among figures of one
  }
  CHECK(printed == 7);
  CHECK(other == 1);
  REQUIRE(workload.printed_parameters);
  CHECK(parameters - normalisations == Approx(*workload.printed_parameters).epsilon(1e-5));
}

TEST_CASE(
    "a model whose weights have fewer bits decodes with rungs that take them, and moves fewer "
    "bytes") {
  const auto decode_bytes = [](const char* dtype) {
    ModelShape shape;
    shape.dtype = dtype, shape.gpu = true;
    const Workload decode = model_workloads(shape).at(1);
    double bytes = 0;
    for (const WorkloadPart& part : decode.parts) {
      INFO(part.title << " " << part.kernel);
      const bool product = part.title.find("attention") == std::string::npos;
      CHECK((part.kernel.find("gemv.cuda.block_ring_") == 0) == product);
      if (product) bytes += part.call->bytes(part.params, 2) * double(part.calls);
    }
    return bytes;
  };
  const double bf16 = decode_bytes("bf16");
  CHECK(decode_bytes("int8") / bf16 == Approx(0.5).epsilon(0.01));
  CHECK(decode_bytes("int4") / bf16 == Approx(4.125 / 16).epsilon(0.01));
  // A product of any shape where there is no rung for few rows, or none that takes this shape.
  for (const ModelShape& other : {ModelShape{.gpu = true, .dtype = "fp16"},
                                  ModelShape{.batch = 17, .gpu = true, .dtype = "bf16"},
                                  ModelShape{.inner = 1000, .gpu = true, .dtype = "bf16"}}) {
    CHECK_FALSE(takes_few_rows(other));
    CHECK(model_workloads(other).at(1).parts.front().kernel == "gemm.cuda.tuned");
  }
  const ModelRungs here{.products = "gemv.cpu.plain",
                        .attention = "decode.cpu.plain",
                        .prefill_attention = "attention.cpu.online"};
  const auto phases = model_workloads({}, here);
  CHECK(phases.at(1).parts.front().kernel == "gemv.cpu.plain");
  const auto attends = [](const WorkloadPart& part) {
    return part.kernel == "attention.cpu.online";
  };
  CHECK(std::any_of(phases.at(0).parts.begin(), phases.at(0).parts.end(), attends));
  ModelShape shape;
  shape.dtype = "int4";
  CHECK(model_workloads(shape).at(0).parts.front().kernel == "gemm.cpu.threads");
}

TEST_CASE("a lab's limit that is of one type is said of that type alone") {
  for (const Lab* lab : all_labs()) {
    INFO(lab->id);
    for (const char* dtype : {"(fp32)", "in fp32", "bf16"})
      CHECK(std::string(lab->quality_limit).find(dtype) == std::string::npos);
  }
  CHECK(std::any_of(find_lab("gemm")->type_limits.begin(), find_lab("gemm")->type_limits.end(),
                    [](const TypeLimit& one) { return std::string(one.dtype) == "bf16"; }));
}
