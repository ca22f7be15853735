// The rules of the quiz on made-up runs, and how a question behaves when results are missing. What
// ships in assets/quiz is read by tests/study_test.cpp.
#include "app/study/quiz.h"

#include <cmath>

#include "app/query/recordings.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::study;
using test::contains;

namespace {

const std::string kThird = "gemm.cpu.loop_order";

/// A result at size n, with the interval ± half around the median.
Series result(int index, const std::string& kernel, double median_ns, double half_ns,
              int64_t n = 64) {
  Series made = test::outcome(4, index, kernel);
  const auto size = static_cast<double>(n);
  made.params = {{"n", n}, {"m", n}, {"k", n}, {"threads", int64_t{1}}};
  made.flop = 2 * size * size * size;
  made.bytes_min = 12 * size * size;
  made.stats->median_ns = median_ns;
  made.stats->ci_ns = Interval{median_ns - half_ns, median_ns + half_ns};
  return made;
}

/// A run of these results; the catalogue knows three rungs.
Run run_of(const std::vector<Series>& results, bool third_available = true,
           const Comparison* pair = nullptr) {
  test::Transcript out;
  test::add_start(&out);
  KernelInfo third = test::kernel_info(kThird);
  third.available = third_available;
  third.reason = third_available ? "" : "needs avx512f";
  out.worker("kernel", {{"request", 1}, {"kernel", third}});
  WorkRequest request = test::request_for(RequestType::run, 4);
  request.kernels.clear();
  for (const Series& one : results) request.kernels.push_back({one.kernel, one.params});
  out.send(request);
  for (const Series& one : results) {
    for (const QualityCheck& check : one.checks)
      out.worker("check", test::with(test::about(4, one.index), "check", check));
    out.worker("result", test::with(test::about(4, one.index), "outcome", one));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  if (pair) {
    WorkRequest compare = test::request_for(RequestType::compare, 5);
    compare.kernels = {{pair->baseline, pair->baseline_params},
                       {pair->candidate, pair->candidate_params}};
    out.send(compare);
    out.worker("result", {{"request", 5}, {"comparisons", {*pair}}});
    out.worker("done", {{"request", 5}, {"status", "ok"}});
  }
  return test::run_of(out);
}

Question about(const std::string& rule) {
  Question question;
  question.id = "gemm.q";
  question.lab = "gemm";
  question.rule = rule;
  question.rungs = {test::kFirst, test::kSecond, kThird};
  question.set = {{"n", int64_t{64}}, {"threads", int64_t{1}}};
  question.explanation = "{answer}: {value}, then {second} {second_value}";
  return question;
}

Question over_sizes(const std::string& rule) {
  Question question = about(rule);
  question.over = Over::sizes;
  question.rungs = {kThird};
  question.sizes = {16, 64, 256};
  question.set = {{"threads", int64_t{1}}};
  return question;
}

/// The accepted labels, with what stands in their place where there is no answer.
std::string accepted(const Answer& answer) {
  if (answer.state != Answer::State::answered) return answer.reason;
  std::string all;
  for (const Choice& one : answer.choices) {
    if (one.accepted) all += (all.empty() ? "" : " | ") + one.label;
  }
  return all;
}

std::string asked(const Question& question, const Run& run) {
  return accepted(evaluate(question, *find_lab("gemm"), run));
}

/// The right answer to each rule about three rungs, of a run in which every one differs.
Run three_rungs() {
  Series first = result(0, test::kFirst, 10000, 10), second = result(1, test::kSecond, 9000, 10),
         third = result(2, kThird, 1500, 5);
  first.stats->noise = 0.01, second.stats->noise = 0.03, third.stats->noise = 0.02;
  second.checks[1].nmse = 3e-13;
  first.latency->p95_ns = 1500, second.latency->p95_ns = 1200, third.latency->p95_ns = 1150;
  first.latency->p50_ns = 11000, second.latency->p50_ns = 9900, third.latency->p50_ns = 4500;
  first.latency->p95_ns = 11500, second.latency->p95_ns = 15000, third.latency->p95_ns = 5000;
  second.memory_bytes *= 2;
  first.energy_j = 3, second.energy_j = 1, third.energy_j = 2;
  return run_of({first, second, third});
}

const char* const kO1 = "three loops, -O1";
const char* const kO3 = "three loops, -O3";

}  // namespace

TEST_CASE("a step of the quiz has the pair's ratio, and a quotient is marked as one") {
  const std::vector<Series> timed = {result(0, test::kFirst, 10000, 10),
                                     result(1, test::kSecond, 9000, 10),
                                     result(2, kThird, 1500, 5)};
  Question question = about("largest_step");
  question.explanation = "{value}";
  const auto value = [&](const Run& run) {
    return evaluate(question, *find_lab("gemm"), run).explanation;
  };
  CHECK(value(run_of(timed)) == "≈ 6.00×");
  Comparison pair;
  pair.request = 5;
  pair.lab = "gemm";
  pair.baseline = test::kSecond;
  pair.candidate = kThird;
  pair.cache = CacheMode::hot;
  pair.baseline_params = pair.candidate_params = timed.front().params;
  pair.rounds = 8;
  pair.ratio = 6.25;
  pair.ci = Interval{6.249, 6.251};
  pair.margin = 0.02;
  pair.verdict = Verdict::faster;
  const std::string paired = value(run_of(timed, true, &pair));
  CHECK(paired.starts_with("6.25"));
}

TEST_CASE("each rule about rungs finds the one it means") {
  const Run run = three_rungs();
  CHECK(asked(about("shortest_time"), run) == "loop order");
  CHECK(asked(about("highest_rate"), run) == "loop order");
  CHECK(asked(about("largest_step"), run) == "loop order");
  CHECK(asked(about("smallest_step"), run) == kO3);
  CHECK(asked(about("highest_compute_share"), run) == "loop order");
  CHECK(asked(about("highest_bandwidth_share"), run) == "loop order");
  CHECK(asked(about("worst_error"), run) == kO3);
  CHECK(asked(about("noisiest"), run) == kO3);
  CHECK(asked(about("longest_tail"), run) == kO3);
  CHECK(asked(about("most_waiting"), run) == "loop order");
  CHECK(asked(about("most_memory"), run) == kO3);
  CHECK(asked(about("least_energy"), run) == kO3);
  Question near = about("first_near_fastest");
  near.threshold = 0.9;
  CHECK(asked(near, run) == "loop order");
  near.threshold = 0.16;  // 1500 / 9000 is above, 1500 / 10000 below
  CHECK(asked(near, run) == kO3);
  near.threshold = 0.1;
  CHECK(asked(near, run) == kO1);
}

TEST_CASE("traps are ranked by how far their reading is off, whichever way") {
  const auto trap = [](int index, const std::string& kernel, double factor, double half) {
    Series made = result(index, kernel, 0, 0);
    made.kind = RungKind::trap;
    made.params.clear();
    made.stats.reset();
    made.trap.emplace();
    made.trap->factor = factor;
    made.trap->ci = Interval{factor - half, factor + half};
    made.trap->bias = factor > 1 ? "high" : "low";
    return made;
  };
  const Run run = run_of({trap(0, test::kFirst, 3, 0.1), trap(1, test::kSecond, 0.2, 0.01),
                          trap(2, kThird, 1.01, 0.02)});
  CHECK(asked(about("largest_bias"), run) == kO3);
  CHECK(asked(about("smallest_bias"), run) == "loop order");
  // Of a run with speeds alone it has nothing to say, and of traps no other rule has.
  CHECK(contains(asked(about("largest_bias"), three_rungs()), "no answer yet"));
  CHECK(contains(asked(about("shortest_time"), run), "no answer yet"));
}

TEST_CASE("the roofline's rules compare intensity and ridge point: 10 FLOP/byte here") {
  // 1e12 FLOP/s over 1e11 B/s; a product of size n has n / 6 FLOP/byte.
  const Run run = run_of({result(0, kThird, 100, 1, 16), result(1, kThird, 1000, 5, 64),
                          result(2, kThird, 100000, 5, 256)});
  CHECK(asked(over_sizes("nearest_ridge"), run) == "n = 64");
  CHECK(asked(over_sizes("first_compute_bound"), run) == "n = 64");
  CHECK(asked(over_sizes("first_memory_bound"), run) == "n = 16");
  CHECK(asked(over_sizes("highest_rate"), run) == "n = 64");
  const Answer answer = evaluate(over_sizes("nearest_ridge"), *find_lab("gemm"), run);
  CHECK(contains(answer.explanation, "n = 64: 10.7 FLOP/byte, ridge at 10"));
  CHECK(asked(about("first_memory_bound"), three_rungs()) == "none of these");
}

TEST_CASE("what the intervals cannot tell apart is accepted, and the explanation says so") {
  const Run tie = run_of({result(0, test::kFirst, 1000, 20), result(1, test::kSecond, 1030, 20),
                          result(2, kThird, 1100, 20)});
  const Answer answer = evaluate(about("shortest_time"), *find_lab("gemm"), tie);
  CHECK(accepted(answer) == std::string(kO1) + " | " + kO3);
  CHECK(contains(answer.explanation, "do not tell these apart: each is accepted"));
  CHECK_FALSE(answer.is_open);  // two of three: who names the third is wrong
  CHECK(contains(answer.explanation, "then loop order 1.10 µs"));
  const Run apart = run_of({result(0, test::kFirst, 1000, 10), result(1, test::kSecond, 1030, 10),
                            result(2, kThird, 1100, 20)});
  CHECK(asked(about("shortest_time"), apart) == kO1);
  // Too few samples for an interval: their range decides.
  Series few = result(1, test::kSecond, 1030, 0);
  few.stats->ci_ns.reset();
  few.stats->min_ns = 990, few.stats->max_ns = 1090;
  CHECK(asked(about("shortest_time"),
              run_of({result(0, test::kFirst, 1000, 10), few, result(2, kThird, 1100, 5)})) ==
        std::string(kO1) + " | " + kO3);
  // A threshold within an interval: the one that may reach it and the one that surely does.
  Question near = about("first_near_fastest");
  near.threshold = 1000.0 / 1100.0;
  const Run edge = run_of({result(0, test::kFirst, 2000, 10), result(1, test::kSecond, 1100, 50),
                           result(2, kThird, 1000, 5)});
  CHECK(asked(near, edge) == std::string(kO3) + " | loop order");
}

TEST_CASE("without all results there is no answer yet, and what to run is said and sent") {
  const Question question = about("shortest_time");
  const Answer none = evaluate(question, *find_lab("gemm"), run_of({}));
  CHECK(none.state == Answer::State::not_yet);
  CHECK(none.reason == std::string("no answer yet: run ") + kO1 + ", " + kO3 + ", loop order");
  REQUIRE(none.run.size() == 3);
  CHECK(none.run[0].params == question.set);
  // One rung measured at another size than the question's: the rest is wanted there.
  const Answer some =
      evaluate(question, *find_lab("gemm"), run_of({result(0, kThird, 1000, 5, 128)}));
  CHECK(some.state == Answer::State::not_yet);
  CHECK(contains(some.reason, "-O3 at n = 128, 1 thread"));
  REQUIRE(some.run.size() == 2);
  CHECK(some.run[0].params.at("n") == ParamValue(int64_t{128}));
  // Two whole groups: the question's own problem, though the other is later.
  const auto at = [](int index, int64_t n) {
    return std::vector<Series>{result(index, test::kFirst, 1000, 5, n),
                               result(index + 1, test::kSecond, n == 64 ? 900 : 1100, 5, n),
                               result(index + 2, kThird, n == 64 ? 800 : 1200, 5, n)};
  };
  std::vector<Series> both = at(0, 64);
  for (const Series& one : at(3, 128)) both.push_back(one);
  CHECK(asked(question, run_of(both)) == "loop order");
  // Sizes are never mixed, whatever else there is.
  const Answer mixed =
      evaluate(question, *find_lab("gemm"),
               run_of({result(0, test::kFirst, 10, 1, 32), result(1, test::kSecond, 9000, 5),
                       result(2, kThird, 1, 0.1)}));
  CHECK(mixed.state == Answer::State::not_yet);
  REQUIRE(mixed.run.size() == 1);
  CHECK(mixed.run[0].kernel == test::kFirst);
  CHECK(mixed.run[0].params.at("n") == ParamValue(int64_t{64}));
  CHECK(contains(asked(over_sizes("highest_rate"), run_of({result(0, kThird, 1000, 5, 64)})),
                 "no answer yet: run loop order with n = 16, n = 256 at 1 thread"));
}

TEST_CASE("a rung without a speed is left out and named, never counted as fastest") {
  const Series first = result(0, test::kFirst, 1000, 5), second = result(1, test::kSecond, 900, 5);
  const Answer here =
      evaluate(about("shortest_time"), *find_lab("gemm"), run_of({first, second}, false));
  CHECK(accepted(here) == kO3);
  CHECK(contains(here.explanation, "Left out: loop order: needs avx512f"));
  Series wrong = result(2, kThird, 1, 0.1);
  wrong.status = SeriesStatus::failed;
  wrong.reason = "NMSE 0.5 is over 2e-12";
  wrong.checks = {test::check(false)};
  const Answer refused =
      evaluate(about("shortest_time"), *find_lab("gemm"), run_of({first, second, wrong}));
  CHECK(accepted(refused) == kO3);
  CHECK(contains(refused.explanation, "NMSE 0.5"));
  // Unverified speed does not count either.
  Series unchecked = result(2, kThird, 1, 0.1);
  unchecked.checks.clear();
  CHECK(asked(about("shortest_time"), run_of({first, second, unchecked})) == kO3);
  // Nor does one that was broken off, whose samples have a median all the same.
  Run broken = run_of({first, second});
  test::Transcript more;
  WorkRequest request = test::request_for(RequestType::run, 9);
  request.kernels = {{kThird, first.params}};
  more.send(request);
  more.worker(
      "samples",
      {{"request", 9}, {"series", 0}, {"phase", "call"}, {"samples", test::samples(20, 1)}});
  for (const std::string& line : more.lines) broken.apply_line(line);
  broken.worker_lost("gone");
  REQUIRE(broken.series().back().stats.has_value());
  CHECK(evaluate(about("shortest_time"), *find_lab("gemm"), broken).state ==
        Answer::State::not_yet);
  Series smaller = result(2, kThird, 1, 0.1, 32);
  smaller.reduced_from = "n=64";
  CHECK(
      contains(evaluate(about("shortest_time"), *find_lab("gemm"), run_of({first, second, smaller}))
                   .explanation,
               "would take over 5 s"));
  // With one candidate there is no question.
  const Answer alone =
      evaluate(about("shortest_time"), *find_lab("gemm"), run_of({first, wrong, [&] {
                                                                    Series also = wrong;
                                                                    also.index = 1;
                                                                    also.kernel = test::kSecond;
                                                                    return also;
                                                                  }()}));
  CHECK(alone.state == Answer::State::unavailable);
  CHECK(contains(alone.reason,
                 "fewer than two candidates can run here: three loops, -O3, loop order: "
                 "NMSE 0.5 is over 2e-12"));
}

TEST_CASE("what a rule needs and the run has not is unavailable, with the reason") {
  const Run run = run_of({result(0, test::kFirst, 1000, 5), result(1, test::kSecond, 900, 5),
                          result(2, kThird, 800, 5)});
  const Answer energy = evaluate(about("least_energy"), *find_lab("gemm"), run);
  CHECK(energy.state == Answer::State::unavailable);
  CHECK(contains(energy.reason, "no energy meter"));
}

TEST_CASE("the latest result counts, each rung in its own type") {
  const Run twice = run_of({result(0, test::kFirst, 100, 1), result(1, test::kSecond, 900, 5),
                            result(2, kThird, 800, 5), result(3, test::kFirst, 1000, 5)});
  CHECK(asked(about("shortest_time"), twice) == "loop order");
  Series other = result(3, test::kFirst, 1, 0.1);
  other.dtype = "bf16";
  other.params["dtype"] = std::string("bf16");
  const Run types = run_of({result(0, test::kFirst, 1000, 1), result(1, test::kSecond, 900, 5),
                            result(2, kThird, 800, 5), other});
  CHECK(asked(about("shortest_time"), types) == "loop order");
}

TEST_CASE("a bad question is one sentence with file, question and field") {
  const auto error = [](const std::string& fields) {
    const auto parsed = parse_quiz(
        R"({"lab":"gemm","questions":[{"id":"a","question":"q","explanation":"{answer}",)" +
            fields + "}]}",
        "q.json");
    return parsed ? "" : parsed.error().sentence();
  };
  const std::string rungs = R"("rungs":["x","y"],)";
  CHECK(error(rungs + R"("kind":"noisiest")") == "");
  CHECK(contains(error(rungs + R"("kind":"best")"), "q.json, question 1: 'kind' is 'best'"));
  CHECK(contains(error(R"("rungs":["x"],"kind":"noisiest")"), "'rungs' must name at least two"));
  CHECK(contains(error(R"("rungs":["x"],"sizes":[1,2],"kind":"noisiest")"), "three sizes"));
  CHECK(contains(error(R"("rungs":["x"],"sizes":[4,2,8],"kind":"noisiest")"), "ascending"));
  CHECK(contains(error(rungs + R"("kind":"first_near_fastest")"), "'threshold' is missing"));
  CHECK(contains(error(rungs + R"("kind":"noisiest","threshold":1)"), "'threshold' means nothing"));
  CHECK(contains(error(rungs + R"("kind":"noisiest","set":{"n":true})"), "'set' gives n"));
  const auto parsed = parse_quiz(R"({"lab":"gemm","questions":[{"id":"a","question":"q",
      "rungs":["x","y"],"kind":"noisiest","explanation":"{anwser}"}]})",
                                 "q.json");
  REQUIRE_FALSE(parsed.ok());
  CHECK(contains(parsed.error().sentence(), "'explanation' asks for {anwser}"));
}

TEST_CASE("an answer from stale figures says so") {
  std::vector<RungHash> changed;
  for (const RungHash& rung : rung_hashes()) changed.push_back({rung.rung, "0000000000000000"});
  const auto quiz = load_quiz("gemm");
  REQUIRE(quiz.ok());
  size_t answered = 0;
  for (const bool stale : {false, true}) {
    const auto recordings = app::load_recordings(app::asset_folder("recorded"), nullptr,
                                                 stale ? changed : std::vector<RungHash>());
    for (const app::Recording& recording : recordings) {
      for (const Question& question : *quiz) {
        const Answer answer = evaluate(question, *find_lab("gemm"), *recording.run);
        if (answer.state != Answer::State::answered) continue;
        ++answered;
        CHECK(contains(answer.explanation, "figures are stale") == stale);
      }
    }
  }
  CHECK(answered > 10);
}

TEST_CASE("the shipped questions about a GPU are answered by the shipped recordings") {
  std::vector<std::string> problems;
  const auto recordings = app::load_recordings(app::asset_folder("recorded"), &problems);
  REQUIRE(recordings.size() >= 2);
  const auto quiz = load_quiz("gemm");
  REQUIRE(quiz.ok());
  std::map<std::string, Answer> answers;
  for (const app::Recording& recording : recordings) {
    for (const Question& question : *quiz) {
      const Answer answer = evaluate(question, *find_lab("gemm"), *recording.run);
      CHECK(answer.reason.empty() == (answer.state == Answer::State::answered));
      if (answer.state == Answer::State::answered) answers[question.id] = answer;
    }
  }
  for (const char* id : {"gemm.gpu_largest_step", "gemm.tensor_largest_step", "gemm.gpu_near",
                         "gemm.gpu_error", "gemm.waiting"}) {
    INFO(id);
    REQUIRE(answers.count(id) == 1);
    const Answer& answer = answers[id];
    CHECK(answer.explanation.find('{') == std::string::npos);
    CHECK(answer.explanation.find("nan") == std::string::npos);
  }
}
