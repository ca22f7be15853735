// A queue before a step: against queueing theory, against arithmetic by hand, and through the command with a real
// decode step.
#include <cmath>

#include "common/record/run.h"
#include "common/stats/queue.h"
#include "common/stats/stats.h"
#include "common/view/chart/serving.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A step takes so long, whoever is in it.
stats::StepTime constant(double step_s) {
  return [=](const std::vector<int64_t>&) -> Result<double> { return step_s; };
}

ServePoint point(const ServeAsked& asked, double load, const stats::StepTime& step) {
  auto found = stats::serve_load(asked, load, step);
  REQUIRE(found);
  return *found;
}

Serving all(const ServeAsked& asked, const stats::StepTime& step) {
  auto found = stats::serve_loads(asked, step, [](const std::string&, double) {});
  REQUIRE(found);
  return *found;
}

}  // namespace

/// Pollaczek and Khinchine: of a server with a constant time S and a load rho, the mean wait is
/// rho S / (2 (1 - rho)). 100,000 requests leave a standard error of about 2 % at rho = 0.7.
TEST_CASE("one at a time, one step each: the mean wait is that of an M/D/1 queue") {
  for (const double rho : {0.2, 0.5, 0.7}) {
    for (const int64_t seed : {1, 2}) {
      const ServeAsked asked{.batch_limit = 1, .requests = 100000, .tokens = 1, .seed = seed};
      const ServePoint got = point(asked, rho / 0.01, constant(0.01));
      INFO("load " << rho << ", seed " << seed);
      CHECK(*got.wait.mean_s == Approx(rho * 0.01 / (2 * (1 - rho))).epsilon(0.06));
      CHECK(got.busy == Approx(rho).epsilon(0.02));
      CHECK(*got.latency.mean_s == Approx(*got.wait.mean_s + 0.01));
      CHECK(*got.first_token.mean_s == Approx(*got.latency.mean_s));
      CHECK(got.mean_batch == 1);
    }
  }
}

TEST_CASE("arrivals: exponential gaps, the same for a seed, scaled by the load") {
  const ServeAsked asked{.requests = 20000};
  const auto slow = stats::arrivals(asked, 10), fast = stats::arrivals(asked, 20);
  CHECK(slow.back() / 20000 == Approx(0.1).epsilon(0.03));
  CHECK(slow[777] == Approx(2 * fast[777]));
  double longer = 0;  // than the mean: 1/e of them
  for (size_t i = 1; i < slow.size(); ++i) longer += slow[i] - slow[i - 1] > 0.1;
  CHECK(longer / 20000 == Approx(std::exp(-1)).epsilon(0.03));
  CHECK(stats::arrivals(asked, 0).back() == 0);
  ServeAsked other = asked;
  other.seed = 2;
  CHECK(stats::arrivals(other, 10)[5] != slow[5]);
}

TEST_CASE("all at once, one at a time: percentiles as counted by hand") {
  const ServeAsked asked{.batch_limit = 1, .requests = 300, .tokens = 1};
  const ServePoint got = point(asked, 0, constant(1));
  std::vector<double> latencies;
  for (int i = 1; i <= 300; ++i) latencies.push_back(i);
  CHECK(*got.latency.p50_s == Approx(150.5));
  CHECK(*got.latency.p95_s == Approx(stats::quantile(latencies, 0.95)));
  CHECK(*got.latency.p99_s == Approx(stats::quantile(latencies, 0.99)));
  CHECK(*got.wait.mean_s == Approx(149.5));
  CHECK(got.throughput_per_s == Approx(1));
  CHECK(got.steps == 300);
}

TEST_CASE("who waits joins between two steps, and each has as many keys as it has tokens by then") {
  std::vector<std::vector<int64_t>> steps;
  const stats::StepTime step = [&](const std::vector<int64_t>& keys) -> Result<double> {
    steps.push_back(keys);
    return 1.0;
  };
  const ServePoint got =
      point({.batch_limit = 2, .requests = 3, .prompt = 10, .tokens = 3}, 0, step);
  const std::vector<std::vector<int64_t>> expected = {{10, 10}, {11, 11}, {12, 12},
                                                      {10},     {11},     {12}};
  CHECK(steps == expected);
  CHECK(*got.first_token.mean_s == Approx((1 + 1 + 4) / 3.0));
  CHECK(*got.latency.mean_s == Approx((3 + 3 + 6) / 3.0));
  CHECK(got.tokens_per_s == Approx(9 / 6.0));
  CHECK(got.mean_batch == Approx(1.5));
}

TEST_CASE("an idle machine waits for more, but not for more than fit") {
  const ServeAsked impatient{.batch_limit = 4, .requests = 2000, .tokens = 1};
  ServeAsked patient = impatient;
  patient.wait_s = 0.05;
  const ServePoint now = point(impatient, 20, constant(0.001)),
                   later = point(patient, 20, constant(0.001));
  CHECK(now.mean_batch < 1.1);
  CHECK(later.mean_batch > 1.6);
  CHECK(*later.wait.mean_s > *now.wait.mean_s);
  CHECK(*later.wait.mean_s < 0.05);
  // With the batch full after the second, nobody waits to the end of the time.
  ServeAsked pairs = patient;
  pairs.batch_limit = 2, pairs.wait_s = 1000;
  CHECK(point(pairs, 20, constant(0.001)).mean_batch == 2);
}

TEST_CASE("server and offline: the limit is met below the capacity, and searched for") {
  const ServeAsked asked{.batch_limit = 4, .requests = 600, .tokens = 4, .limit_s = 0.02};
  const stats::StepTime step = [](const std::vector<int64_t>& keys) -> Result<double> {
    return 0.001 + 0.0002 * double(keys.size());
  };
  const Serving got = all(asked, step);
  CHECK(got.offline.throughput_per_s == Approx(4 / (4 * 0.0018)));
  REQUIRE(got.server_per_s);
  CHECK(*got.server_per_s < got.offline.throughput_per_s);
  CHECK(*got.server_per_s > 0.3 * got.offline.throughput_per_s);
  CHECK(got.points.size() > 6);  // the search added some
  for (size_t i = 1; i < got.points.size(); ++i)
    CHECK(got.points[i - 1].load_per_s < got.points[i].load_per_s);
  for (const ServePoint& one : got.points)
    CHECK(one.meets == (one.sustained && *one.latency.p99_s <= 0.02));
  CHECK(Json(all(asked, step)) == Json(got));
  Serving back;
  from_json(Json(got), back);
  CHECK(Json(back) == Json(got));
  ServeAsked strict = asked;
  strict.limit_s = 0.001;  // less than a request's own steps
  CHECK_FALSE(all(strict, step).server_per_s);
}

/// A limit that no queue of a few hundred requests passes: all that holds a load back is what the machine can do.
TEST_CASE("a load above what the machine can do is never met, however few the requests") {
  constexpr double kOwn_s = 0.001, kEach_s = 0.0002;
  const stats::StepTime step = [](const std::vector<int64_t>& keys) -> Result<double> {
    return kOwn_s + kEach_s * double(keys.size());
  };
  for (const int64_t batch : {1, 8, 64}) {
    for (const int64_t requests : {300, 3000}) {
      for (int64_t seed = 1; seed <= 5; ++seed) {
        INFO("batch " << batch << ", requests " << requests << ", seed " << seed);
        const ServeAsked asked{
            .batch_limit = batch, .requests = requests, .limit_s = 1000, .seed = seed};
        const Serving got = all(asked, step);
        const double capacity =
            double(batch) / (double(asked.tokens) * (kOwn_s + kEach_s * double(batch)));
        REQUIRE(got.server_per_s);
        CHECK(*got.server_per_s <= got.offline.throughput_per_s);
        CHECK(got.offline.throughput_per_s <= capacity * (1 + 1e-9));
        CHECK(*got.server_per_s >= 0.9 * got.offline.throughput_per_s);
        for (const ServePoint& one : got.points) {
          if (one.load_per_s >= got.offline.throughput_per_s) CHECK_FALSE(one.meets);
          if (one.load_per_s <= 0.7 * got.offline.throughput_per_s) CHECK(one.meets);
        }
      }
    }
  }
}

TEST_CASE("a queue that grows shows in its own arrivals, without the offline throughput") {
  const ServeAsked asked{.batch_limit = 1, .requests = 3000, .tokens = 1, .limit_s = 1000};
  for (const double load : {50.0, 90.0}) CHECK(point(asked, load, constant(0.01)).meets);
  for (const double load : {110.0, 200.0}) {
    const ServePoint got = point(asked, load, constant(0.01));
    CHECK_FALSE(got.sustained);
    CHECK_FALSE(got.meets);
  }
  Serving shown;
  shown.asked = asked, shown.offline = point(asked, 0, constant(0.01));
  shown.points = {point(asked, 110, constant(0.01))};
  CHECK(chart::serving_chart(&shown).table.rows[0].back() == "no, the queue grows");
}

TEST_CASE("too few requests have no p99, no load that meets it, and the reason") {
  const Serving got = all({.requests = 298}, constant(0.001));
  CHECK_FALSE(got.offline.latency.p99_s);
  CHECK_FALSE(got.server_per_s);
  CHECK(got.unavailable.at("p99").find("299") != std::string::npos);
  const auto model = chart::serving_chart(&got);
  CHECK(model.summary.find("p99 unavailable") != std::string::npos);
  CHECK(chart::serving_chart(nullptr).plot->empty_reason.find("Serve") != std::string::npos);
}

TEST_CASE("a step that fails ends it") {
  const stats::StepTime step = [](const std::vector<int64_t>&) -> Result<double> {
    return Error{ErrorCode::cancelled, "cancelled", "", ""};
  };
  CHECK_FALSE(stats::serve_load({}, 1, step));
}

TEST_CASE("ridgepoint serve drives the real step, saves it, and its lines keep to the schema") {
  const Folder folder;
  const std::vector<std::string> args = {"serve",         "decode.cpu.plain",
                                         "--set",         "heads=2",
                                         "--set",         "d=16",
                                         "--prompt",      "20",
                                         "--tokens",      "2",
                                         "--requests",    "300",
                                         "--batch-limit", "3",
                                         "--load",        "200",
                                         "--load",        "400",
                                         "--out",         folder / "queue.jsonl"};
  const Outcome text = Program(variable("RIDGE_BIN"), args).finish();
  INFO(text.err);
  REQUIRE(text.code == 0);
  CHECK(text.out.find("offline: ") != std::string::npos);
  const auto run = Run::load(folder / "queue.jsonl");
  REQUIRE(run);
  REQUIRE(run->servings().size() == 1);
  const Serving& found = run->servings()[0];
  CHECK(found.kernel == "decode.cpu.plain");
  CHECK(found.checked);
  CHECK(found.asked.batch_limit == 3);
  REQUIRE(found.points.size() == 2);
  CHECK(found.offline.steps == 200);  // 300 requests of 2 tokens, three at a time
  CHECK(found.offline.mean_batch == 3);
  CHECK(found.offline.step_s > 0);
  CHECK(run->series().empty());
  expect_schemas(schema_argument("transcript", folder / "queue.jsonl"));
  for (const auto& wrong : {std::vector<std::string>{"serve", "attention.cpu.stored"},
                            {"serve", "decode.cpu.plain", "--batch-limit", "0"}}) {
    const Outcome refused = Program(variable("RIDGE_BIN"), wrong).finish();
    CHECK(refused.code != 0);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
}
