// `ridgepoint model --dtype all`: a described model that decodes with each type of weights, from what is
// measured here and from saved runs of another machine. The figures of the saved runs are round and made up.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/query/decode.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr double kBandwidth = 4e12, kCall_ns = 1000, kCall_j = 0.001;

Outcome model(std::vector<std::string> args) {
  for (const char* word : {"--layers", "2", "--heads", "2", "--heads-kv", "1", "--inner", "256",
                           "--vocabulary", "512", "--prompt", "32"})
    args.emplace_back(word);
  const bool is_named = std::find(args.begin(), args.end(), "--dtype") != args.end();
  args.insert(args.begin(), "model");
  if (!is_named) args.insert(args.end(), {"--dtype", "all"});
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

ModelShape shape_of(bool gpu) {
  ModelShape shape{.layers = 2, .heads = 2, .heads_kv = 2, .inner = 256, .vocabulary = 512};
  shape.prompt = 32, shape.gpu = gpu;
  return shape;
}

std::string attention_of(const ModelShape& shape) {
  return decode_attention(shape.gpu).front();
}

/// Every part of the step with this rung, each a microsecond and a millijoule, or as `change` has it.
struct Saved {
  ModelShape shape = shape_of(true);
  Transcript lines;
  WorkRequest request = request_for(RequestType::run, 1);
  std::vector<Series> series;

  Saved() { request.lab = "quant", request.kernels.clear(), request.model = to_params(shape); }
  void add(const std::string& dtype, const std::string& kernel, int64_t batch = 1) {
    ModelShape served = shape;
    served.batch = batch;
    const Workload workload = decode_workload(served, dtype, kernel, attention_of(shape));
    for (const WorkloadPart& part : workload.parts) {
      Series one = outcome(1, int(series.size()), part.kernel);
      one.lab = "quant", one.params = part.params;
      one.flop = part.call->flop(part.params);
      one.stats->median_ns = kCall_ns, one.stats->ci_ns = Interval{900, 1100};
      one.energy_j = kCall_j, one.unavailable.clear();
      series.push_back(one);
    }
  }
  Run run() {
    request.kernels.clear();
    for (const Series& one : series) request.kernels.push_back({one.kernel, one.params});
    Environment env = environment();
    env.gpus = {{0, "Test GPU", 90, 100, 1, 1, 1e9, "", ""}};
    const std::vector<Ceiling> ceilings = {
        {"DRAM read", Backend::cuda, "dram_read", "", 0, kBandwidth, "B/s", "measured"}};
    lines.send(request);
    lines.worker("env", {{"environment", env}, {"when", "before"}});
    lines.worker("result", {{"request", 1}, {"ceilings", ceilings}});
    for (const Series& one : series)
      lines.worker("result", {{"request", 1}, {"series", one.index}, {"outcome", one}});
    lines.worker("done", {{"request", 1}, {"status", "ok"}});
    Run made;
    for (const std::string& line : lines.lines) made.apply_line(line);
    return made;
  }
};

const app::DecodeWith& of(const app::Decode& decode, std::string_view dtype) {
  for (const app::DecodeWith& with : decode.types) {
    if (with.type->dtype == dtype) return with;
  }
  FAIL("no " << dtype);
  return decode.types.front();
}

}  // namespace

TEST_CASE("every type of weights side by side, measured here: a saved run says the same") {
  const Folder folder;
  const std::string run = folder / "run.jsonl";
  setenv("RIDGE_MAX_ISA", "portable", 1);  // four types, on any machine
  const Outcome measured = model({"--json", "--out", run});
  unsetenv("RIDGE_MAX_ISA");
  INFO(measured.err);
  REQUIRE(measured.code == 0);
  const Json types = measured.json()["decode"]["types"];
  REQUIRE(types.size() == decode_types().size());
  for (const Json& type : types) {
    INFO(type.dump());
    double time_s = 0;
    for (const Json& part : type["parts"]) {
      if (part["time_s"].is_number()) time_s += double(part["time_s"]);
    }
    const bool has = type["tokens_per_s"].is_number();
    CHECK(has == (type["kernel"] == "gemv.cpu.plain"));
    CHECK(type["joules_per_token"].is_number() ==
          !type["unavailable"].contains("joules_per_token"));
    if (!has) {
      CHECK_FALSE(type["unavailable"]["tokens_per_s"].get<std::string>().empty());
      continue;
    }
    CHECK(double(type["tokens_per_s"]) == Approx(1 / time_s));
    CHECK(type["measured_here"] == true);
    CHECK(type["ci_low"] <= type["tokens_per_s"]);
    CHECK(type["ci_high"] >= type["tokens_per_s"]);
  }
  const Outcome saved = model({"--json", run});
  INFO(saved.err);
  REQUIRE(saved.code == 0);
  Json again = saved.json()["decode"]["types"];
  for (size_t i = 0; i < types.size(); ++i) {
    // A machine of this name may have recorded a rung that was not measured here: its parts say so.
    if (types[i]["tokens_per_s"].is_null() && !again[i]["tokens_per_s"].is_null()) {
      const Json& parts = again[i]["parts"];
      const std::string rung = again[i]["kernel"];
      CHECK(rung != "gemv.cpu.plain");
      CHECK(std::any_of(parts.begin(), parts.end(),
                        [](const Json& part) { return part["how"] != "measured"; }));
      continue;
    }
    CHECK(again[i]["tokens_per_s"] == types[i]["tokens_per_s"]);
  }
  write_all(folder / "here.json", measured.out), write_all(folder / "saved.json", saved.out);
  expect_schemas(schema_argument("model", folder / "here.json") +
                 schema_argument("model", folder / "saved.json") +
                 schema_argument("transcript", run));
  // The report says which model it was, since the transcript does.
  const std::string page = folder / "page.md";
  REQUIRE(Program(variable("RIDGE_BIN"), {"report", run, "--out", page}).finish().code == 0);
  CHECK(read_all(page).find("Decoding, by type of the weights") != std::string::npos);
  CHECK(read_all(page).find("2 layers, 2 heads of 128 on 1 of keys") != std::string::npos);
}

/// bf16 once had 133 tokens/s alone, by a kernel for large products, and 223 beside the other types.
TEST_CASE("a type of weights decodes with the same rungs alone and beside the others") {
  setenv("RIDGE_MAX_ISA", "portable", 1);
  const Outcome beside = model({"--json"}), alone = model({"--json", "--dtype", "fp32"});
  unsetenv("RIDGE_MAX_ISA");
  INFO(beside.err << alone.err);
  REQUIRE(beside.code == 0);
  REQUIRE(alone.code == 0);
  const Json types = beside.json()["decode"]["types"], phases = alone.json()["model"];
  const auto fp32 = std::find_if(types.begin(), types.end(),
                                 [](const Json& type) { return type["dtype"] == "fp32"; });
  REQUIRE(fp32 != types.end());
  REQUIRE(phases.size() == 2);
  const Folder folder;
  write_all(folder / "alone.json", alone.out);
  expect_schemas(schema_argument("model", folder / "alone.json"));
  const Json& decode = phases[1];
  CHECK(decode["phase"] == "decode");
  CHECK(decode["tokens_per_s"].is_number());
  REQUIRE(decode["parts"].size() == (*fp32)["parts"].size());
  for (size_t i = 0; i < decode["parts"].size(); ++i) {
    const Json &one = decode["parts"][i], &other = (*fp32)["parts"][i];
    CHECK(one["part"] == other["part"]);
    CHECK(one["calls"] == other["calls"]);
    const bool is_product = one["part"].get<std::string>().find("attention") == std::string::npos;
    if (is_product) CHECK(one["kernel"] == (*fp32)["kernel"]);
  }
}

TEST_CASE("a saved run of a GPU: tokens, joules, and the floor of the bandwidth measured there") {
  Saved saved;
  saved.add("bf16", "gemv.cuda.warp_rings_bf16"), saved.add("int4", "gemv.cuda.block_ring_int4");
  const Run run = saved.run();
  const app::Decode decode = app::fill_decode(saved.shape, {}, app::from_saved(run, {}));
  CHECK(decode.options.machine == "Test GPU");
  CHECK(decode.options.bytes_per_s == Approx(kBandwidth));
  const chart::DecodeRow& bf16 = of(decode, "bf16").row;
  const double calls = 5 * 2 + 1;  // five a layer, and the vocabulary once
  REQUIRE(bf16.step_s);
  CHECK(*bf16.step_s == Approx(calls * kCall_ns * 1e-9));
  CHECK(bf16.step_ci_s->low == Approx(calls * 900e-9));
  CHECK(*bf16.energy_j == Approx(calls * kCall_j));
  CHECK(*bf16.floor_s == Approx((bf16.weight_bytes + bf16.cache_bytes) / kBandwidth));
  CHECK(of(decode, "bf16").kernel ==
        "gemv.cuda.warp_rings_bf16");  // the one that ran, not the best
  CHECK(of(decode, "int4").row.weight_bytes / bf16.weight_bytes ==
        Approx(4.125 / 16).epsilon(0.02));
  // What nobody measured has a floor, and says that it has no time.
  const chart::DecodeRow& int8 = of(decode, "int8").row;
  CHECK_FALSE(int8.step_s);
  CHECK(int8.floor_s);
  CHECK(int8.why == "not in this run");
  CHECK(of(decode, "fp32").row.why == "no GPU rung of ours reads it");
  CHECK(app::decode_sections(*find_lab("quant"), run).size() == 1);
  CHECK(app::decode_sections(*find_lab("gemm"), run).empty());
}

TEST_CASE("another shape's rate stands in, said so; another number of sequences does not") {
  Saved saved;
  saved.add("bf16", "gemv.cuda.block_ring_bf16"), saved.add("int4", "gemv.cuda.block_ring_int4", 4);
  const Run run = saved.run();
  ModelShape wider = saved.shape;
  wider.inner = 512;
  const app::Decode decode = app::fill_decode(wider, {}, app::from_saved(run, {}));
  const app::DecodeWith& bf16 = of(decode, "bf16");
  REQUIRE(bf16.row.step_s);
  CHECK_FALSE(bf16.row.exact);
  CHECK(bf16.row.how.find("2 of 6 parts at the rate of") == 0);
  // Gate and up has 4/3 of the work of Q, K, V, the nearest; down twice its own.
  CHECK(*bf16.row.step_s == Approx((7 + 2 * 4 / 3.0 + 2 * 2) * kCall_ns * 1e-9));
  CHECK_FALSE(of(decode, "int4").row.step_s);
}

TEST_CASE("what failed its check has no tokens; without energy of a part there are no joules") {
  Saved saved;
  saved.add("bf16", "gemv.cuda.block_ring_bf16"), saved.add("int8", "gemv.cuda.block_ring_int8");
  saved.series[0].status = SeriesStatus::failed, saved.series[0].checks = {check(false)};
  saved.series.back().energy_j.reset();
  saved.series.back().unavailable = {{"energy_j", "the counter moved once"}};
  const Run run = saved.run();
  const app::Decode decode = app::fill_decode(saved.shape, {}, app::from_saved(run, {}));
  CHECK_FALSE(of(decode, "bf16").row.step_s);
  CHECK(of(decode, "bf16").row.why.find("Q, K, V: failed") == 0);
  const chart::DecodeRow& int8 = of(decode, "int8").row;
  CHECK(int8.step_s);
  CHECK_FALSE(int8.energy_j);
  CHECK(int8.why_no_energy == "the counter moved once");
  CHECK(app::decode_sections(*find_lab("quant"), run).empty());  // one type is no comparison
}

TEST_CASE(
    "each type's rungs are in the quantization lab, and nothing here runs a GPU's without one") {
  const Lab& lab = *find_lab("quant");
  for (const DecodeType& type : decode_types()) {
    for (const auto* kernels : {&type.cpu, &type.gpu}) {
      for (const char* kernel : *kernels) CHECK(find_rung(lab, kernel));
    }
  }
  CHECK(app::decode_request(shape_of(true), {}, Run()).kernels.empty());
}

TEST_CASE("a described model that cannot be is one sentence") {
  const auto refuse = [](std::vector<std::string> args) {
    args.insert(args.begin(), "model");
    const Outcome made = Program(variable("RIDGE_BIN"), std::move(args)).finish();
    CHECK(made.code == 64);
    CHECK(made.err.find('\n') == made.err.size() - 1);
    return made.err;
  };
  CHECK(refuse({"--dtype", "all", "--inner", "100"}).find("128") != std::string::npos);
  CHECK(refuse({"--dtype", "int8", "run.jsonl"}).find("--dtype all") != std::string::npos);
  CHECK(refuse({"--dtype", "all", "--heads", "3", "--heads-kv", "2"}).find("divide") !=
        std::string::npos);
}
