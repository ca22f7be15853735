// The map of bottlenecks: what it promises of each cause, that the causes of the mixed lab and of a queue occur in what
// the worker measures, and what `ridgepoint map` and a report say of a run.
#include "app/query/bottlenecks.h"

#include <algorithm>
#include <cstdlib>

#include "app/query/reporting.h"
#include "common/record/diagnosis.h"
#include "common/record/params.h"
#include "common/stats/queue.h"
#include "common/view/chart/serving.h"
#include "tests/catch.h"
#include "tests/generated_list.h"
#include "tests/program.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;

namespace {

constexpr Bottleneck kCauses[] = {Bottleneck::compute,         Bottleneck::memory_bandwidth,
                                  Bottleneck::latency,         Bottleneck::launch_overhead,
                                  Bottleneck::host_copy,       Bottleneck::input_pipeline,
                                  Bottleneck::synchronisation, Bottleneck::activation_memory,
                                  Bottleneck::collectives,     Bottleneck::inference_queue};

const BottleneckLine& line_of(const BottleneckMap& map, Bottleneck cause) {
  for (const BottleneckLine& line : map.lines) {
    if (line.entry->cause == cause) return line;
  }
  FAIL("no line of " << to_string(cause));
  return map.lines.front();
}

/// What the program measured with its real worker and saved, as its own reducer reads it.
Run worked(std::vector<std::string> args) {
  const Folder folder;
  args.insert(args.end(), {"--out", folder / "run.jsonl"});
  const Outcome outcome = Program(variable("RIDGE_BIN"), std::move(args)).finish();
  INFO(outcome.out << outcome.err);
  auto run = Run::load(folder / "run.jsonl");
  REQUIRE(run);
  return *std::move(run);
}

Serving served(double step_s, const std::vector<double>& loads) {
  ServeAsked asked{.batch_limit = 1, .requests = 2000, .tokens = 1, .limit_s = 1000};
  asked.loads = loads;
  auto found = stats::serve_loads(
      asked, [=](const std::vector<int64_t>&) -> Result<double> { return step_s; },
      [](const std::string&, double) {});
  REQUIRE(found);
  found->kernel = "decode.cpu.plain";
  return *found;
}

}  // namespace

TEST_CASE("each cause has its evidence, its lever and the rung that shows it") {
  const BottleneckMap map = make_bottleneck_map(nullptr);
  CHECK(map.lines.size() == std::size(kCauses));
  CHECK_FALSE(map.has_results());
  for (const Bottleneck cause : kCauses) {
    const BottleneckLine& line = line_of(map, cause);
    INFO(line.entry->name);
    CHECK(std::string(line.entry->name) == to_string(cause));
    CHECK(std::string(line.entry->evidence).size() > 10);
    CHECK(std::string(line.entry->lever) == lever_of(cause, Backend::cpu));
    CHECK(line.cases.empty());
    REQUIRE(line.lab != nullptr);
    REQUIRE(line.shown != nullptr);
    CHECK(*find_rung(*line.lab, line.shown->kernel) == line.shown);
    for (const auto& [name, value] : line.entry->set) {
      INFO(name);
      CHECK(std::any_of(line.lab->params.begin(), line.lab->params.end(),
                        [&](const ParamView& view) { return view.name == name; }));
    }
    // A wait for more work than there is has no rung as its remedy: its lever is the size.
    CHECK((line.pulls != nullptr) == (cause != Bottleneck::synchronisation));
  }
}

TEST_CASE("a run of a GPU names neither a CPU's rung nor its lever beside its cases") {
  const auto run =
      Run::load(variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16_4096.jsonl");
  REQUIRE(run);
  const BottleneckMap map = make_bottleneck_map(&*run);
  const BottleneckLine& compute = line_of(map, Bottleneck::compute);
  REQUIRE_FALSE(compute.cases.empty());
  REQUIRE(compute.shown != nullptr);
  CHECK_FALSE(compute.shown->peer);
  CHECK(compute.lever == lever_of(Bottleneck::compute, Backend::cuda));
  for (const BottleneckLine& line : map.lines) {
    INFO(line.entry->name);
    if (!line.cases.empty()) CHECK_FALSE(contains(shown_by_text(line), ".cpu."));
  }
}

TEST_CASE("the map in docs/measuring.md is the program's list") {
  std::string rows = "| cause | settled by | lever | shown by |\n| --- | --- | --- | --- |\n";
  for (const BottleneckLine& line : make_bottleneck_map(nullptr).lines)
    rows += "| " + std::string(line.entry->name) + " | " + line.entry->evidence + " | " +
            line.lever + " | " + shown_by_text(line) + " |\n";
  check_list("docs/measuring.md", "bottlenecks", rows);
}

TEST_CASE("a CPU is advised nothing that only a GPU has") {
  for (const Bottleneck cause : kCauses) {
    const std::string lever = lever_of(cause, Backend::cpu);
    INFO(lever);
    CHECK_FALSE(lever.empty());
    for (const char* word : {"warp", "CUDA", "GPU", "shared memory", "pinned", "tensor core"})
      CHECK(lever.find(word) == std::string::npos);
  }
  CHECK(contains(lever_of(Bottleneck::latency, Backend::cuda), "warps"));
}

TEST_CASE("activation memory: the real trainings say which share of their memory it is") {
  const Run run =
      worked({"run", "mixed", "--rungs", "mixed.cpu.fp32,mixed.cpu.checkpointing", "--mode", "live",
              "--set", "model=cnn", "--set", "layers=2", "--set", "width=32", "--set", "batch=1024",
              "--set", "epochs=1", "--set", "threads=1"});
  REQUIRE(run.series().size() == 2);
  std::vector<Series> all;
  for (Series series : run.series()) {
    REQUIRE_FALSE(series.curve.empty());
    // A busy machine may stop it at its limit: what it held and saw is known all the same.
    series.status = SeriesStatus::ok;
    series.checks = {check(true)};
    if (!series.stats) series.stats = Stats{.n = 20, .median_ns = 1e6};
    all.push_back(series);
  }
  const auto plain = diagnose(all[0], {}, std::nullopt);
  REQUIRE(plain);
  CHECK(plain->bottleneck == Bottleneck::activation_memory);
  CHECK(plain->activations_fill_memory);
  const auto share = [](const Diagnosis& diagnosis) { return diagnosis.evidence.front().value; };
  CHECK(share(*plain) > 0.5);
  CHECK(share(*plain) < 1);
  const auto less = diagnose(all[1], {}, std::nullopt);
  CHECK(share(*less) < share(*plain));
  CHECK(all[1].memory_bytes < 0.9 * all[0].memory_bytes);
  // What the lever's rung saves is activations alone.
  const double saved = all[0].memory_bytes - all[1].memory_bytes;
  CHECK(share(*plain) * all[0].memory_bytes - share(*less) * all[1].memory_bytes ==
        Approx(saved).epsilon(1e-6));
}

TEST_CASE("activations bound the batch beside what bounds the time of a step") {
  Series series = measured(4, 0, "mixed.cpu.fp32", 1e6);
  series.kind = RungKind::training;
  series.flop = 72;  // as large a share of the time as the activations are of the memory
  series.curve = {{1, 0.1, {{"activation_share", 0.7}}}};
  const std::vector<Ceiling> ceilings = {
      {"FMA", Backend::cpu, "flop", "fp32", 1, 100e3, "FLOP/s", "measured"}};
  const auto both = diagnose(series, ceilings, std::nullopt);
  CHECK(both->bottleneck == Bottleneck::compute);
  CHECK(bottleneck_text(*both) == "compute (of the batch: activation memory)");
  CHECK(contains(evidence_text(*both, 1), "FMA"));
  CHECK(binds(*both, Bottleneck::activation_memory));
  series.curve = {{1, 0.1, {{"activation_share", 0.3}}}};
  CHECK_FALSE(binds(*diagnose(series, ceilings, std::nullopt), Bottleneck::activation_memory));
}

TEST_CASE(
    "inference queue: it binds from the load on at which requests wait longer than they are "
    "served") {
  const Serving full = served(0.01, {20, 50, 95, 110});
  const Diagnosis found = diagnose(full);
  CHECK(found.bottleneck == Bottleneck::inference_queue);
  CHECK(found.reason == "from 95.0 requests/s on");
  REQUIRE(found.evidence.size() == 2);
  CHECK(found.evidence[0].value > 0.8);
  CHECK(found.evidence[1].value > 0.5);
  const std::string text = chart::serving_text(full);
  INFO(text);
  CHECK(contains(text, "The inference queue binds from 95.0 requests/s on"));
  CHECK(contains(text, "larger batches"));
  const Diagnosis idle = diagnose(served(0.01, {20, 50}));
  CHECK(idle.bottleneck == Bottleneck::not_sure);
  CHECK(contains(idle.reason, "a step runs for"));
  // All at once is a queue by its making, whatever the machine: no evidence.
  Serving offline = served(0.01, {20});
  offline.points = {offline.offline};
  CHECK(diagnose(offline).bottleneck == Bottleneck::not_sure);
}

TEST_CASE("inference queue: the real step, in what the reducer made of the worker's lines") {
  const Run run = worked({"serve", "decode.cpu.plain", "--set", "heads=2", "--set", "d=16",
                          "--prompt", "64", "--tokens", "1", "--requests", "300", "--batch-limit",
                          "1", "--load", "10000000"});  // far more than any machine does
  REQUIRE(run.servings().size() == 1);
  CHECK(diagnose(run.servings()[0]).bottleneck == Bottleneck::inference_queue);
  const BottleneckMap map = make_bottleneck_map(&run);
  const BottleneckLine& line = line_of(map, Bottleneck::inference_queue);
  REQUIRE(line.cases.size() == 1);
  CHECK(line.cases[0].kernel == "decode.cpu.plain");
  CHECK(contains(line.cases[0].evidence, "spent in steps"));
  CHECK(settled_text(map) == "1 of 1 result is settled");
}

TEST_CASE("latency without counters: by construction where the rung is made so, and it says so") {
  Series chase = measured(4, 0, "chase.cpu.pointer", 1e6);
  chase.lab = "machine", chase.flop = chase.bytes_min = 0, chase.latency.reset();
  const auto made = diagnose(chase, {}, std::nullopt);
  CHECK(made->bottleneck == Bottleneck::latency);
  CHECK(made->basis == Basis::construction);
  CHECK(contains(made->reason, "by construction, each load's address"));
  CHECK(contains(made->reason, "by exclusion"));
  chase.kernel = "chase.cpu.chases";
  CHECK(diagnose(chase, {}, std::nullopt)->bottleneck == Bottleneck::not_sure);
  Series naive_sum = chase;
  naive_sum.kernel = "collectives.cpu.naive", naive_sum.lab = "collectives";
  CHECK(diagnose(naive_sum, {}, std::nullopt)->bottleneck == Bottleneck::collectives);
  // What was measured speaks against it: then that holds.
  chase.kernel = "chase.cpu.pointer", chase.bytes_min = 90;
  const std::vector<Ceiling> ceilings = {
      {"DRAM", Backend::cpu, "dram_read", "", 1, 100e3, "B/s", "measured"}};
  CHECK(diagnose(chase, ceilings, std::nullopt)->bottleneck == Bottleneck::memory_bandwidth);
  // With its instructions counted it is by exclusion.
  Series naive = measured(4, 0, "gemm.cpu.naive_o1", 240e6);
  naive.counters = {{"ipc", 0.5, ""}};
  const std::vector<Ceiling> far = {
      {"FMA", Backend::cpu, "flop", "fp32", 1, 1e14, "FLOP/s", "measured"}};
  const auto counted = diagnose(naive, far, std::nullopt);
  CHECK(counted->bottleneck == Bottleneck::latency);
  CHECK(counted->basis == Basis::exclusion);
  CHECK(contains(counted->reason, "by exclusion"));
}

TEST_CASE("ridgepoint map: the causes, and of a saved run its cases with what they rest on") {
  const Folder folder;
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, "chase.cpu.pointer"}));
  Series near = measured(4, 0, kNaive, 2.1e6);
  near.hash = "";  // of no file of today, so that none makes it stale
  out.worker("result", with(about(4, 0), "outcome", near));
  Series chase = measured(4, 1, "chase.cpu.pointer", 1e6);
  chase.hash = "";
  chase.params["n"] = int64_t{4096};
  chase.flop = chase.bytes_min = 0;
  out.worker("result", with(about(4, 1), "outcome", chase));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  write_all(folder / "run.jsonl", out.text());
  const auto map = [](std::vector<std::string> args) {
    args.insert(args.begin(), "map");
    return Program(variable("RIDGE_BIN"), std::move(args)).finish();
  };
  const Outcome empty = map({});
  INFO(empty.out << empty.err);
  CHECK(empty.code == 0);
  for (const Bottleneck cause : kCauses)
    CHECK(contains(empty.out, std::string("\n") + to_string(cause) + "\n") !=
          (cause == Bottleneck::compute));
  CHECK(contains(empty.out, "shown by: collectives.cpu.naive, lab collectives"));
  CHECK_FALSE(contains(empty.out, "no lab shows it yet"));
  CHECK(contains(empty.out, "gemm.cpu.threads pulls the lever"));
  CHECK_FALSE(contains(empty.out, "here:"));
  const Outcome of_run = map({folder / "run.jsonl"});
  INFO(of_run.out << of_run.err);
  CHECK(contains(of_run.out, "here: cpu.naive_o3 n=512, measured: "));
  CHECK(contains(of_run.out, "here: chase.cpu.pointer n=4096, by construction, each load"));
  CHECK(contains(of_run.out, folder / "run.jsonl: 2 of 2 results are settled, all at threads=1\n"));
  CHECK_FALSE(contains(of_run.out, "not judged here"));
  // A run that holds a rung with two choices says which of them it leaves out.
  const Outcome both = map({variable("RIDGE_SOURCE") + "/assets/recorded/attention.h200.jsonl"});
  INFO(both.out << both.err);
  CHECK(contains(both.out, "causal=yes"));
  CHECK(contains(both.out, "the run also holds, not judged here: causal=no\n"));
  const Json document = map({folder / "run.jsonl", "--json"}).json();
  REQUIRE(document["map"].size() == std::size(kCauses));
  CHECK(document["map"][0]["cause"] == "compute");
  REQUIRE(document["map"][0]["cases"].size() == 1);
  CHECK(document["map"][0]["cases"][0]["kernel"] == kNaive);
  CHECK(document["map"][0]["cases"][0]["params"]["n"] == 512);
  CHECK(document["run"] == folder / "run.jsonl");
  CHECK(document["not_settled"].empty());
  CHECK(document["settled"] == 2);
  CHECK(map({folder / "none.jsonl"}).code != 0);
}

TEST_CASE(
    "power, which held the clock down, stands on the map as in the report; idle counters are "
    "none") {
  const std::string file = variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16_4096.jsonl";
  const auto said = [&](std::vector<std::string> args) {
    const Outcome one = Program(variable("RIDGE_BIN"), std::move(args)).finish();
    REQUIRE(one.code == 0);
    return one.out;
  };
  const std::string map = said({"map", file});
  INFO(map);
  CHECK(map.starts_with("power, before the cause that a rung has below\n  lever: less energy"));
  const Json document = Json::parse(said({"map", file, "--json"}));
  const auto held = document["power"].size();
  CHECK(held > 0);
  // As many as the report has.
  const std::string report = said({"report", "--markdown", file});
  size_t named = 0;
  for (size_t at = 0; (at = report.find("| power, then ", at)) != std::string::npos; ++at) ++named;
  CHECK(named == held);
  // cuBLAS: by its rate the Tensor Cores did more than its pipe's counter says.
  const size_t row = report.find("| cuBLAS | power, then compute");
  REQUIRE(row != std::string::npos);
  const std::string line = report.substr(row, report.find('\n', row) - row);
  INFO(line);
  CHECK(contains(line, "its counters are of a range with idle time: not used"));
  CHECK_FALSE(contains(line, "(counters)"));
  CHECK(contains(report.substr(report.find("| cuBLASLt | power, then compute")), "(counters)"));
  // A rung that leaves the Tensor Cores alone has no such range: its counters stand.
  const std::string chain =
      said({"report", "--markdown",
            variable("RIDGE_SOURCE") + "/assets/recorded/fusion.h200.chain.jsonl"});
  CHECK_FALSE(contains(chain, "idle time: not used"));
  CHECK(contains(chain, "(counters)"));
}
