// Ceilings of one machine that contradict each other: found, measured again, and doubted when that does not help.
#include <filesystem>

#include "common/harness/measure/ceiling_rules.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

Ceiling cpu(const char* name, const char* resource, int threads, double value,
            const char* dtype = "") {
  const std::string unit = std::string(resource) == "flop" ? "FLOP/s" : "B/s";
  return {name, Backend::cpu, resource, dtype, threads, value, unit, "measured"};
}

Reached computed(const char* rung, const char* dtype, int threads, double flop_per_s) {
  return {rung, {{"flop"}, dtype, threads, flop_per_s}};
}

/// A machine that was busy while two of them were measured.
std::vector<Ceiling> disturbed() {
  return {cpu("DRAM read, 1 thread", "dram_read", 1, 6.46e9),
          cpu("DRAM copy, 1 thread", "dram_copy", 1, 35.4e9),
          cpu("L2 read, 1 thread", "l2_read", 1, 76e9),
          cpu("FMA fp32, 1 thread", "flop", 1, 118e9, "fp32"),
          cpu("FMA fp32, 2 threads", "flop", 2, 95e9, "fp32")};
}

/// What the probes would give, and how often they were asked.
struct Probes {
  std::map<std::string, std::vector<double>> values;  ///< by name, the next first
  std::vector<std::string> asked;
  MeasureAgain again() {
    return [this](const Ceiling& known) -> Result<std::optional<Ceiling>> {
      asked.push_back(known.name);
      std::vector<double>& next = values[known.name];
      if (next.empty()) return std::optional<Ceiling>();
      Ceiling found = known;
      found.value = next.front();
      next.erase(next.begin());
      return std::optional<Ceiling>(found);
    };
  }
};

}  // namespace

TEST_CASE("the lower one of a pair that contradicts each other is named, with the reason") {
  const std::vector<Contradiction> found = find_contradictions(disturbed());
  REQUIRE(found.size() == 2);
  CHECK(found[0].ceiling == 0);
  CHECK(found[0].reason ==
        "6.46 GB/s cannot be right beside DRAM copy, 1 thread at 35.4 GB/s: a copy reads half of "
        "the bytes that it counts");
  CHECK(found[1].ceiling == 4);
  CHECK(found[1].reason.find("beside FMA fp32, 1 thread at 118 GFLOP/s") != std::string::npos);
}

TEST_CASE("a rule speaks of its own resources, types, threads and backend") {
  const auto is_clean = [](const std::vector<Ceiling>& ceilings) {
    return find_contradictions(ceilings).empty();
  };
  const Ceiling read = cpu("read", "dram_read", 1, 18e9), copy = cpu("copy", "dram_copy", 1, 35e9);
  CHECK(is_clean({read, copy}));  // more than half of it
  Ceiling gpu = copy;
  gpu.backend = Backend::cuda, gpu.threads = 0, gpu.value = 4e12;
  CHECK(is_clean({read, gpu}));
  Ceiling more = copy;
  more.threads = 8, more.value = 200e9;
  CHECK(is_clean({read, more}));
  // One of eight threads gets 25 GB/s: one alone gets no less.
  CHECK_FALSE(is_clean({copy, more, cpu("copy", "dram_copy", 2, 36e9)}));
  CHECK_FALSE(is_clean({cpu("copy", "dram_copy", 1, 20e9), more}));
  CHECK(is_clean({cpu("fp32", "flop", 1, 100e9, "fp32"), cpu("int8", "flop", 2, 10e9, "int8")}));
  // A time: the lower is the faster.
  const Ceiling launch = {"kernel launch", Backend::cuda, "launch", "", 0, 3e-6, "s", "measured"};
  Ceiling node = {"graph node", Backend::cuda, "graph_node", "", 0, 0.5e-6, "s", "measured"};
  CHECK(is_clean({launch, node}));
  node.value = 9e-6;
  REQUIRE(find_contradictions({launch, node}).size() == 1);
  CHECK(find_contradictions({launch, node})[0].ceiling == 1);
  // What was not measured proves nothing.
  Ceiling claimed = copy;
  claimed.source = "datasheet", claimed.value = 900e9;
  CHECK(is_clean({read, claimed}));
}

TEST_CASE("ceilings of the recorded machines contradict nothing") {
  size_t checked = 0;
  const std::filesystem::path recorded = test::variable("RIDGE_SOURCE") + "/assets/recorded";
  for (const auto& entry : std::filesystem::directory_iterator(recorded)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto run = Run::load(entry.path().string());
    REQUIRE(run);
    checked += run->ceilings().size();
    for (const Contradiction& one : find_contradictions(run->ceilings()))
      FAIL_CHECK(entry.path().filename().string()
                 << ": " << run->ceilings()[one.ceiling].name << ", " << one.reason);
  }
  CHECK(checked > 50);
}

TEST_CASE("a bad first measurement is measured again, and the higher value is kept") {
  std::vector<Ceiling> ceilings = disturbed();
  Probes probes;
  probes.values = {{"DRAM read, 1 thread", {24e9}}, {"FMA fp32, 2 threads", {90e9, 231e9}}};
  REQUIRE(settle_ceilings(&ceilings, probes.again()));
  CHECK(ceilings[0].value == 24e9);
  CHECK(ceilings[4].value == 231e9);
  CHECK(probes.asked == std::vector<std::string>{"DRAM read, 1 thread", "FMA fp32, 2 threads",
                                                 "FMA fp32, 2 threads"});
  for (const Ceiling& ceiling : ceilings) CHECK(ceiling.doubt.empty());
}

TEST_CASE("ceilings that agree are not measured again") {
  std::vector<Ceiling> ceilings = disturbed();
  ceilings[0].value = 24e9, ceilings[4].value = 231e9;
  Probes probes;
  REQUIRE(settle_ceilings(&ceilings, probes.again()));
  CHECK(probes.asked.empty());
}

TEST_CASE("what contradicts the rest however often it is measured is doubted, until it agrees") {
  std::vector<Ceiling> ceilings = disturbed();
  Probes probes;
  probes.values["FMA fp32, 2 threads"] = {231e9};
  probes.values["DRAM read, 1 thread"] = {7e9, 5e9};  // and then nothing
  REQUIRE(settle_ceilings(&ceilings, probes.again()));
  CHECK(ceilings[0].value == 7e9);
  CHECK(ceilings[0].doubt.find("7.00 GB/s cannot be right") == 0);
  CHECK(ceilings[4].doubt.empty());
  CHECK(probes.asked.size() < 8);
  probes.values["DRAM read, 1 thread"] = {23e9};
  REQUIRE(settle_ceilings(&ceilings, probes.again()));
  CHECK(ceilings[0].doubt.empty());
}

TEST_CASE("a ceiling that a rung has passed is measured again, and doubted while it is passed") {
  std::vector<Ceiling> ceilings = {cpu("FMA fp32, 1 thread", "flop", 1, 60e9, "fp32")};
  const Evidence evidence = {.cores = 2,
                             .reached = {computed("gemm.cpu.packed", "fp32", 1, 78.6e9)}};
  Probes probes;
  probes.values["FMA fp32, 1 thread"] = {70e9};  // still below it, and then nothing
  REQUIRE(settle_ceilings(&ceilings, probes.again(), evidence));
  CHECK(ceilings[0].value == 70e9);
  CHECK(ceilings[0].doubt == "gemm.cpu.packed reached 78.6 GFLOP/s, above 70.0 GFLOP/s");
  // Integers are no floats.
  std::vector<Ceiling> integers = {cpu("dot product int8, 1 thread", "flop", 1, 902e9, "int8")};
  const auto passed = find_contradictions(
      integers, {.cores = 2, .reached = {computed("gemm.cpu.onednn_int8", "int8", 1, 1.03e12)}});
  REQUIRE(passed.size() == 1);
  CHECK(passed[0].reason == "gemm.cpu.onednn_int8 reached 1.03 TOP/s, above 902 GOP/s");
  probes.values["FMA fp32, 1 thread"] = {118e9};
  REQUIRE(settle_ceilings(&ceilings, probes.again(), evidence));
  CHECK(ceilings[0].value == 118e9);
  CHECK(ceilings[0].doubt.empty());
  // A rung of other threads or another type says nothing of it, nor one far above it: that does other work.
  for (const Reached& other : {computed("a", "fp32", 2, 200e9), computed("b", "int8", 1, 200e9),
                               computed("c", "fp32", 1, 500e9), computed("d", "fp32", 1, 122e9)})
    CHECK(find_contradictions(ceilings, {.cores = 2, .reached = {other}}).empty());
}

TEST_CASE("a learner's rung has a ceiling measured again, and puts it in no doubt by itself") {
  std::vector<Ceiling> ceilings = {cpu("FMA fp32, 1 thread", "flop", 1, 60e9, "fp32")};
  Evidence evidence = {.cores = 2,
                       .reached = {computed("gemm.cpu.packed_edit", "fp32", 1, 78.6e9)}};
  evidence.reached[0].is_edit = true;
  Probes probes;
  probes.values["FMA fp32, 1 thread"] = {70e9};
  REQUIRE(settle_ceilings(&ceilings, probes.again(), evidence));
  CHECK(probes.asked.size() == 3);
  CHECK(ceilings[0].value == 70e9);
  CHECK(ceilings[0].doubt.empty());
  ceilings[0].foreign_cpus = 0.5;  // the machine was busy: then the ceiling may be too low
  REQUIRE(settle_ceilings(&ceilings, probes.again(), evidence));
  CHECK_FALSE(ceilings[0].doubt.empty());
  ceilings[0].foreign_cpus = 0;  // and one of ours bears it out
  evidence.reached.push_back(computed("gemm.cpu.packed", "fp32", 1, 78.6e9));
  REQUIRE(settle_ceilings(&ceilings, probes.again(), evidence));
  CHECK(ceilings[0].doubt == "gemm.cpu.packed reached 78.6 GFLOP/s, above 70.0 GFLOP/s");
}

TEST_CASE("bytes have passed a ceiling where they pass both that could bound them") {
  const std::vector<Ceiling> ceilings = {cpu("DRAM read, 1 thread", "dram_read", 1, 18e9),
                                         cpu("DRAM copy, 1 thread", "dram_copy", 1, 31e9)};
  Reached moved = {"rows.cpu.a", {{"dram_read", "dram_copy"}, "", 1, 25e9}};
  CHECK(find_contradictions(ceilings, {.cores = 2, .reached = {moved}}).empty());
  moved.rate.per_s = 40e9;
  const auto found = find_contradictions(ceilings, {.cores = 2, .reached = {moved}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].ceiling == 1);
}

TEST_CASE(
    "a ceiling that was measured while others used its cores is measured again, once at a time") {
  std::vector<Ceiling> ceilings = {cpu("FMA fp32, 1 thread", "flop", 1, 60e9, "fp32")};
  ceilings[0].foreign_cpus = 0.9;
  const Evidence evidence = {.cores = 2};
  int asked = 0;
  double value = 70e9, foreign_cpus = 0.4;
  const MeasureAgain again = [&](const Ceiling& known) -> Result<std::optional<Ceiling>> {
    ++asked;
    Ceiling found = known;
    found.value = value, found.foreign_cpus = foreign_cpus;
    return std::optional<Ceiling>(found);
  };
  REQUIRE(settle_ceilings(&ceilings, again, evidence));
  CHECK(asked == 1);  // still busy: later
  CHECK(ceilings[0].value == 70e9);
  CHECK(ceilings[0].doubt == "other programs used the CPU meanwhile, so the true one is higher");
  // A quiet look ends the doubt; what the busy machine has reached stands all the same.
  value = 69.5e9, foreign_cpus = 0;
  REQUIRE(settle_ceilings(&ceilings, again, evidence));
  CHECK(ceilings[0].value == 70e9);
  CHECK(ceilings[0].foreign_cpus == 0);
  CHECK(ceilings[0].doubt.empty());
  // Cores enough for both, or a GPU, whose host's load does not slow it.
  ceilings[0].foreign_cpus = 2;
  CHECK(find_contradictions(ceilings, {.cores = 16}).empty());
  CHECK(find_contradictions(ceilings, {.cores = 4}).size() == 1);
  ceilings[0].backend = Backend::cuda;
  CHECK(find_contradictions(ceilings, {.cores = 2}).empty());
}

TEST_CASE("a cancel ends the measuring") {
  std::vector<Ceiling> ceilings = disturbed();
  const auto cancelled = [](const Ceiling&) -> Result<std::optional<Ceiling>> {
    return Error{ErrorCode::cancelled, "cancelled", "", ""};
  };
  CHECK_FALSE(settle_ceilings(&ceilings, cancelled));
}
