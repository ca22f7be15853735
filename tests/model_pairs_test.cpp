// `ridgepoint model --baseline --candidate`: two described models by their parts, measured here and from made-up comparisons.
#include "app/query/model_pairs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "common/record/request.h"
#include "common/stats/stats.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Outcome model(std::vector<std::string> args) {
  const std::vector<std::string> small = {
      "model", "--layers",     "2",   "--heads",  "2", "--heads-kv", "1", "--inner",
      "256",   "--vocabulary", "512", "--prompt", "32"};
  args.insert(args.begin(), small.begin(), small.end());
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

app::ModelSide side_of(const std::string& dtype = "fp32") {
  app::ModelSide side;
  side.shape = {.layers = 2, .heads = 2, .heads_kv = 1, .inner = 256, .vocabulary = 512};
  side.shape.prompt = 32, side.shape.dtype = dtype;
  side.other = {{"threads", int64_t{1}}};
  return side;
}

/// A saved run in which each part was measured: shared ones at a microsecond a call, pairs with this ratio.
struct Saved {
  app::ModelSide baseline = side_of(), candidate = side_of("int8");
  std::vector<app::ModelPhase> phases = app::model_phases(baseline, candidate, Run());
  Transcript lines;
  int64_t id = 0;

  void series(const WorkRequest& request, int index, const KernelRequest& one) {
    Series made = outcome(request.id, index, one.kernel);
    made.params = one.params;
    made.stats->median_ns = 1000, made.stats->ci_ns = Interval{1000, 1000};
    lines.worker("result", {{"request", request.id}, {"series", index}, {"outcome", made}});
  }
  void take(WorkRequest request, const Comparison& as) {
    request.id = ++id;
    lines.send(request);
    for (size_t i = 0; i < request.kernels.size(); ++i) series(request, int(i), request.kernels[i]);
    if (request.type == RequestType::compare) {
      Comparison one = as;
      one.request = request.id, one.lab = "attention";
      one.baseline = request.kernels[0].kernel, one.candidate = request.kernels[1].kernel;
      one.baseline_params = request.kernels[0].params;
      one.candidate_params = request.kernels[1].params;
      lines.worker("result", {{"request", request.id}, {"comparisons", std::vector{one}}});
    }
    lines.worker("done", {{"request", request.id}, {"status", "ok"}});
  }
  Run run(const std::function<Comparison(size_t)>& as) {
    const auto requests = app::model_requests(baseline, candidate, phases);
    for (size_t i = 0; i < requests.size(); ++i) take(requests[i], as(i));
    Run made;
    for (const std::string& line : lines.lines) made.apply_line(line);
    app::fill_phases(made, &phases);
    return made;
  }
};

Comparison judged(double ratio, double half = 0.02) {
  Comparison one;
  one.ratio = ratio, one.rounds = 40, one.margin = 0.02;
  one.ci = Interval{ratio * (1 - half), ratio * (1 + half)};
  one.verdict = Verdict::faster;
  return one;
}

/// A kernel against itself: 40 rounds of 3 % noise, of which each time resembles the one before, as foreign load makes it.
Comparison against_itself(uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::normal_distribution<double> noise(0, 0.03);
  double load = 0;
  std::vector<Round> rounds(40);
  for (Round& round : rounds) {
    round.order = (draw() & 1) != 0 ? "0110" : "1001";
    for (int slot = 0; slot < 4; ++slot) {
      load = 0.3 * load + noise(draw);
      round.t_ns.push_back(1000 * std::exp(load));
    }
  }
  Comparison one;
  static_cast<PairedVerdict&>(one) = stats::judge(rounds, 1, default_margin(true));
  one.margin = default_margin(true);
  return one;
}

}  // namespace

TEST_CASE(
    "two models, measured here: parts in pairs, tokens a second, and a report that says the same") {
  const Folder folder;
  const std::string path = folder / "models.jsonl";
  const Outcome made = model({"--json", "--limit", "0.2", "--out", path, "--baseline",
                              "gemm=loop_order,attention=online", "--candidate",
                              "gemm=cache_blocks,attention=online"});
  INFO(made.out << made.err);
  REQUIRE(made.code >= 0);
  REQUIRE(made.code <= 2);
  CHECK(has(made.err, "part 1 of "));
  const Json phases = made.json()["models"];
  REQUIRE(phases.size() == 2);
  const Json &prefill = phases[0], &decode = phases[1];
  double baseline_s = 0, candidate_s = 0;
  for (const Json& part : prefill["parts"]) {
    const bool is_product = !has(part["part"].get<std::string>(), "attention");
    CHECK(part["is_shared"] == !is_product);
    REQUIRE(part["baseline_s"].is_number());
    baseline_s += double(part["baseline_s"]);
    candidate_s += double(part["baseline_s"]) / double(part["judged"]["ratio"]);
    if (is_product) CHECK(int(part["judged"]["rounds"]) >= 6);
  }
  CHECK(double(prefill["baseline_tokens_per_s"]) == Approx(32 / baseline_s));
  CHECK(double(prefill["judged"]["ratio"]) == Approx(baseline_s / candidate_s));
  CHECK(prefill["judged"]["ci_low"] <= prefill["judged"]["ratio"]);
  CHECK(prefill["judged"]["ci_high"] >= prefill["judged"]["ratio"]);
  // Decoding has no part of gemm's: the same calls on both sides, so that nothing is left open.
  CHECK(decode["judged"]["ratio"] == 1.0);
  CHECK(decode["judged"]["verdict"] == "same");

  const std::string page = folder / "page.md";
  const Outcome report = Program(variable("RIDGE_BIN"), {"report", path, "--out", page}).finish();
  INFO(report.err);
  REQUIRE(report.code == 0);
  CHECK(has(read_all(page), "Two models. Prefill"));
  write_all(folder / "models.json", made.out);
  expect_schemas(schema_argument("transcript", path) +
                 schema_argument("model", folder / "models.json"));
}

TEST_CASE(
    "a model beside itself: every part is compared with itself, and none is taken for settled") {
  const Outcome made =
      model({"--json", "--limit", "0.2", "--baseline", "dtype=fp32", "--candidate", "dtype=fp32"});
  INFO(made.out << made.err);
  REQUIRE(made.code >= 0);
  REQUIRE(made.code <= 2);
  for (const Json& phase : made.json()["models"]) {
    for (const Json& part : phase["parts"]) {
      CHECK(part["is_shared"] == false);
      CHECK(part["baseline"] == part["candidate"]);
      CHECK(int(part["judged"]["rounds"]) >= 6);
      CHECK(double(part["judged"]["ci_high"]) > double(part["judged"]["ci_low"]));
    }
  }
}

TEST_CASE("two models: what is no pair of models is refused in one sentence") {
  const auto sentence = [](std::vector<std::string> args) {
    const Outcome made = model(std::move(args));
    CHECK(made.code == 64);
    CHECK(made.out.empty());
    return made.err;
  };
  CHECK(has(sentence({"--baseline", "dtype=fp32"}), "a baseline and a candidate are needed"));
  CHECK(has(sentence({"--baseline", "dtype=fp32", "--candidate", "dtype=fp7"}),
            "no rung of ours has weights of fp7"));
  CHECK(has(sentence({"--baseline", "dtype=fp32", "--candidate", "layer=3"}),
            "a model has no 'layer'"));
  CHECK(has(sentence({"--baseline", "dtype=fp32", "--candidate", "layers=0"}),
            "layers=0 is no whole number"));
  CHECK(has(sentence({"--baseline", "dtype=fp32", "--candidate", "faster"}),
            "'faster' sets nothing"));
  CHECK(has(sentence({"--baseline", "dtype=fp32", "--candidate", "gemm=none_such"}),
            "there is no rung gemm.cpu.none_such"));
  CHECK(has(sentence({"--baseline", "heads=6", "--candidate", "heads=6,heads-kv=4"}),
            "4 heads of keys do not divide 6 of queries"));
  CHECK(has(sentence({"--dtype", "all", "--baseline", "heads=6", "--candidate", "heads=4"}),
            "each with one type of weights"));
}

TEST_CASE(
    "two models of a saved run: sums over calls, and errors of parts of one shape count once for "
    "all") {
  Saved saved;
  const Run run = saved.run([](size_t) { return judged(2, 0.04); });
  const app::ModelPhase &prefill = saved.phases[0], &decode = saved.phases[1];
  // Weights of int8 decode; the prompts are read by the same calls.
  CHECK(std::all_of(prefill.parts.begin(), prefill.parts.end(),
                    [](const app::ModelPart& part) { return part.is_shared; }));
  REQUIRE(prefill.judged);
  CHECK(prefill.judged->ratio == 1);
  REQUIRE(decode.judged);
  const double products = 4 * 2 + 1, attention = 2;  // microseconds: two layers, and the vocabulary
  CHECK(*decode.baseline_s == Approx((products + attention) * 1e-6));
  CHECK(*decode.candidate_s == Approx((products / 2 + attention) * 1e-6));
  CHECK(decode.judged->ratio == Approx((products + attention) / (products / 2 + attention)));
  CHECK(decode.judged->verdict == Verdict::faster);
  CHECK(decode.judged->rounds == 40);
  // Independent parts: narrower than the 4 % of one.
  REQUIRE(decode.judged->ci);
  CHECK(decode.judged->ci->high / decode.judged->ratio < 1.025);
  // Five calls of one shape and four of another are two measurements: nine independent ones would give 1.3 %.
  CHECK(decode.judged->ci->high / decode.judged->ratio > 1.018);
  CHECK(app::model_pair_sections(*find_lab("attention"), run).size() == 2);
  CHECK(app::model_pair_sections(*find_lab("gemm"), run).empty());
  // The window's chart of this run: the two that were compared last, a row a part, and both bars' quotient.
  const auto pair = app::last_model_pair(run);
  REQUIRE(pair);
  CHECK(has(app::difference_words(*pair), "dtype fp32 → int8"));
  CHECK(app::difference_words({pair->baseline, pair->baseline}) == "the same model twice (A/A)");
  const chart::ChartModel drawn = app::chart_of(*pair, run);
  REQUIRE(drawn.rows.size() == prefill.parts.size() + decode.parts.size());
  CHECK(drawn.rows.front().section != drawn.rows.back().section);
  CHECK(has(drawn.subtitle, "Decode faster: "));
  const auto& marks = drawn.panels.at(0).marks;
  REQUIRE(marks.size() == 2 * drawn.rows.size());
  CHECK(marks[marks.size() - 2].value / marks.back().value == Approx(2));
  CHECK(drawn.panels.at(1).marks.size() == 5);  // attention is the same call
  CHECK(drawn.table.rows.size() == drawn.rows.size());
  CHECK(has(app::phase_text(decode), "the same call"));
}

TEST_CASE(
    "two models: a part that failed its check leaves its phase without a ratio, and is named") {
  Saved saved;
  (void)saved.run([](size_t i) {
    Comparison one = judged(2);
    if (i == 1)
      one.verdict = Verdict::invalid, one.ci.reset(), one.reasons = {"NMSE 0.5 is over 2e-12"};
    return one;
  });
  const app::ModelPhase& decode = saved.phases[1];
  CHECK_FALSE(decode.judged);
  CHECK(has(decode.why, ": NMSE 0.5 is over 2e-12"));
  CHECK(has(app::phase_text(decode), "No ratio: "));
  CHECK(saved.phases[0].judged);
}

TEST_CASE("two models: A/A, at most one in twenty differs at a margin of 0, none by default") {
  int differ = 0, by_default = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Saved saved;
    (void)saved.run([&](size_t i) { return against_itself(seed * 1000 + i); });
    const auto& judged = saved.phases[1].judged;
    REQUIRE(judged);
    REQUIRE(judged->ci);
    differ += judged->ci->low > 1 || judged->ci->high < 1;
    by_default += judged->verdict == Verdict::faster || judged->verdict == Verdict::slower;
  }
  CHECK(differ <= 10);
  CHECK(by_default == 0);
}

TEST_CASE("two models of other batches: the ratio is of tokens a second") {
  Saved saved;
  saved.candidate = side_of();
  saved.candidate.shape.batch = 4;
  saved.phases = app::model_phases(saved.baseline, saved.candidate, Run());
  (void)saved.run(
      [](size_t) { return judged(0.5); });  // a step takes twice as long for four tokens
  const app::ModelPhase& decode = saved.phases[1];
  REQUIRE(decode.judged);
  CHECK(decode.judged->ratio == Approx(2));
}
