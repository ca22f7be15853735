// Page 1 of a report: which results it is about, its headline, the steps of its ladder, its caveats, its footnotes.
#include <algorithm>
#include <sstream>

#include "common/record/params.h"
#include "common/record/seal.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/report_run.h"
#include "tests/trained_run.h"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

const Section& front(const Report& report, const std::string& id) {
  for (const Section& one : report.front) {
    if (one.id == id) return one;
  }
  FAIL("no section " << id << " on page 1");
  return report.front.front();
}

std::string fact(const Report& report, const std::string& name) {
  for (const auto& [known, value] : report.headline.facts) {
    if (known == name) return value;
  }
  return "";
}

/// naive and blocked at n=512 and n=1024, the larger with a library and a rung between.
Run two_sizes() {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kNaive, kWrong, kBlocked, kPeer}));
  int index = 0;
  const auto tell = [&](const std::string& kernel, int64_t n, double call_ns) {
    Series series = measured(4, index++, kernel, call_ns);
    series.params["n"] = n;
    series.size_param = "n";
    series.flop = 2.0 * double(n) * double(n) * double(n);
    out.worker("result", with(about(4, series.index), "outcome", series));
  };
  tell(kNaive, 512, 24e6);
  tell(kBlocked, 512, 6e6);
  tell(kNaive, 1024, 200e6);
  tell(kWrong, 1024, 100e6);
  tell(kBlocked, 1024, 40e6);
  tell(kPeer, 1024, 20e6);
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  return read_run(out);
}

Options ladder_options() {
  Options options = test::report_options();
  options.order = {kNaive, kWrong, kBlocked, kPeer, kGpu};
  options.previous = {{kWrong, kNaive}, {kBlocked, kWrong}};
  return options;
}

}  // namespace

TEST_CASE("one comparison is the headline, with its interval, its decision and the quality check") {
  const Run run = report_run();
  const Report report = built(run, ladder_options());
  CHECK(report.headline.figure == "▲ 4.00× as fast");
  CHECK(report.headline.tone == "faster");
  CHECK(has(report.headline.interval, "95 % interval [3.95, 4.05] · 12 rounds"));
  CHECK(report.headline.decision == "Adopt");
  CHECK(fact(report, "Speed") == "11.2 → 44.7 GFLOP/s, in turns");
  CHECK(fact(report, "Error added") == "none");
  CHECK(has(fact(report, "Error allowed"), "NMSE ≤ 2.0e-12"));
  const chart::ChartModel& climb = *front(report, "climb").chart;
  REQUIRE(climb.table.rows.size() == 4);  // the GPU's rung was not run: it is no row
  CHECK(climb.table.rows[0][0] == "three loops, -O3");
  CHECK(climb.table.rows[0][3] == "start");
  CHECK(has(climb.table.rows[1][1], "unavailable: ✕ check failed"));
  CHECK(climb.table.rows[2][3] ==
        "▲ 4.00× [3.95, 4.05]");  // over the naive loop: the rung between failed
  CHECK(climb.table.rows[2][4] == "three loops, -O3");
  CHECK(climb.table.rows[3][3] == "library");
  CHECK(front(report, "compared").chart->rows.size() == 1);
  CHECK(has(front(report, "again").commands.front(), "ridgepoint compare gemm --baseline"));
}

TEST_CASE(
    "a climb that holds one comparison is titled by the climb; asked for, the comparison leads") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kWrong, kBlocked}));
  const double times[] = {24e6, 12e6, 6e6};
  for (int i = 0; i < 3; ++i) {
    const std::string kernels[] = {kNaive, kWrong, kBlocked};
    out.worker("result", with(about(4, i), "outcome", measured(4, i, kernels[i], times[i])));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  add_comparison(&out, {});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  CHECK(report.title == "GEMM: the ladder at n = 512");
  CHECK_FALSE(report.is_of_pair);
  CHECK(report.claims.size() == 1);
  CHECK(has(report.sentence, "3 of 3 rungs passed their checks"));
  CHECK(front(report, "compared").chart->rows.size() == 1);
  CHECK(front(report, "climb").chart->table.rows.size() == 3);

  Options asked = ladder_options();
  asked.candidate = kBlocked;
  const Report one = built(run, asked);
  CHECK(one.title == "GEMM: cache blocks against three loops, -O3 at n = 512");
  CHECK(one.is_of_pair);
}

TEST_CASE("a side of a comparison does not take the place of the time of its rung alone") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 12e6)));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  add_comparison(&out, {});  // there the blocked loop takes 6 ms
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  const auto& bars = front(report, "climb").chart->panels.front();
  CHECK(bars.subtitle == "each alone");
  REQUIRE(bars.marks.size() == 2);
  CHECK(bars.marks[1].value / bars.marks[0].value == Approx(2));
  CHECK(has(fact(report, "Speed"), ", in turns"));
  // Two speeds of one rung stand on the page: it says once why, and which of them counts.
  const auto said = [](const Report& one) {
    const auto& bullets = front(one, "caveats").bullets;
    return std::count_if(bullets.begin(), bullets.end(), [](const std::string& bullet) {
      return has(bullet, "Timed alone and again in pairs: “three loops, -O3”, “cache blocks”.") &&
             has(bullet, "a claim rests on a pair's ratio");
    });
  };
  CHECK(said(report) == 1);
  const Run one_pair = report_run();
  CHECK(said(built(one_pair, ladder_options())) == 0);
}

TEST_CASE("the row of an edit stands after the ladder's own, and its step names what it is over") {
  const std::string edited = kNaive + "_edit";
  Transcript out;
  add_start_of(&out);
  out.worker("kernel", {{"request", 1}, {"kernel", rung_info(edited, "")}});
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, edited}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 6e6)));
  out.worker("result", with(about(4, 2), "outcome", measured(4, 2, edited, 12e6)));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  Options options = ladder_options();
  options.previous[edited] = kNaive;
  const Report report = built(run, options);
  const chart::ChartModel& climb = *front(report, "climb").chart;
  REQUIRE(climb.rows.size() == 3);
  CHECK(climb.rows[2].label == "your copy of three loops, -O3");
  CHECK(climb.panels[1].row_reasons[1] == "≈ 4.0×");
  CHECK(climb.panels[1].row_reasons[2] == "≈ 2.0× over three loops, -O3");
}

TEST_CASE("two trainings: the headline has step, accuracy and limit beside the decision") {
  const Run run = trained_run();
  const Report made = built(run, report_options());
  CHECK(made.headline.figure == "▲ 1.50× as fast");
  CHECK(made.headline.decision == "Adopt in the open division");
  CHECK(made.headline.interval.find("8 seeds") != std::string::npos);
  CHECK(fact(made, "A step") == "10.0 ms → 6.67 ms");
  CHECK(fact(made, "A training") == "8.40 s → 5.60 s");
  CHECK(fact(made, "Accuracy") == "−0.10 points [−0.40, +0.20], 8 paired seeds");
  CHECK(fact(made, "Accuracy limit") == "at most 1 point lost, by the interval's lower end");
  CHECK(fact(made, "p95 latency").empty());
  for (const Section& one : made.front) CHECK(one.id != "climb");
  CHECK(made.sentence.find("makes a training step 1.50× as fast") != std::string::npos);
  CHECK(made.sentence.find(
            "Decision: adopt in the open division, since it is faster and keeps its accuracy") !=
        std::string::npos);
  const std::string again = front(made, "again").commands.front();
  CHECK(again.find("--set seed=1..8") != std::string::npos);
  CHECK(again.find("seed=1 ") == std::string::npos);
  CHECK(again.find("--budget") == std::string::npos);  // none was set
  const auto trainings = std::find_if(made.sections.begin(), made.sections.end(),
                                      [](const Section& one) { return one.id == "trainings"; });
  REQUIRE(trainings != made.sections.end());
  REQUIRE(trainings->table);
  CHECK(trainings->table->rows.size() == 2);

  const Run losing = trained_run({.delta = -0.03, .delta_ci = Interval{-0.04, -0.02}});
  const Report lost = built(losing, report_options());
  CHECK(lost.headline.decision == "Reject");
}

TEST_CASE("a step is coloured where a comparison decided it") {
  struct {
    Verdict verdict;
    double ratio;
    const char* text;
    chart::Role role;
  } const cases[] = {{Verdict::faster, 4, "▲ 4.000×", chart::Role::faster},
                     {Verdict::slower, 0.8, "▼ 0.800×", chart::Role::slower},
                     {Verdict::same, 1.001, "= 1.0010×", chart::Role::muted},
                     {Verdict::unresolved, 1.5, "? 1.500×", chart::Role::muted}};
  for (const auto& one : cases) {
    const Run run = report_run(
        {.verdict = one.verdict, .ratio = one.ratio, .ci = {one.ratio * 0.999, one.ratio * 1.001}});
    const Report report = built(run, ladder_options());
    const chart::Panel& steps = front(report, "climb").chart->panels.back();
    if (report.claims.back().decision.verdict != one.verdict)
      continue;  // its interval says otherwise
    CHECK(steps.row_reasons[2] ==
          std::string(one.text) + " over three loops, -O3");  // one between failed
    CHECK(steps.row_roles[2] == one.role);
  }
}

TEST_CASE("without a comparison the headline is what was climbed, and says that it is none") {
  const Run run = two_sizes();
  const Report report = built(run, ladder_options());
  // The larger size has more rungs, so page 1 is about it.
  CHECK(report.headline.figure == "≈ 5.0× as fast as the first rung");
  CHECK(report.headline.tone == "none");
  CHECK(report.headline.interval.empty());
  CHECK(has(report.sentence, "4 of 4 rungs passed their checks at n=1024"));
  CHECK(has(report.sentence, "10.7 → 53.7 GFLOP/s, each timed alone."));
  CHECK(has(report.sentence, "Against “oneDNN”, the fastest library in this type: ≈ 0.50×"));
  CHECK(has(report.sentence, "compared in pairs, so no verdict is given"));
  CHECK(fact(report, "First rung") == "three loops, -O3: 10.7 GFLOP/s");
  CHECK(has(fact(report, "Share of the ceiling"), "of FMA fp32, 1 thread"));
  const chart::ChartModel& climb = *front(report, "climb").chart;
  CHECK(climb.table.rows[1][3] == "≈ 2.0×");
  CHECK(climb.table.rows[2][3] == "≈ 2.5×");
  for (const chart::Role role : climb.panels.back().row_roles) CHECK(role == chart::Role::muted);
  CHECK(climb.panels.front().axis.scale == chart::Scale::linear);
  CHECK(climb.panels.front().axis.low == 0);
  CHECK(front(report, "again").commands.front() ==
        "ridgepoint run gemm --rungs naive_o3,wrong,blocked,onednn --set n=1024 --set threads=1 "
        "--mode measure --cache hot --out run.jsonl");
}

namespace {

/// A machine's look at itself, and results at seconds of one clock.
class Timed {
 public:
  Timed() {
    add_start_of(&out);
    Environment env = environment();
    env.quiet = {};
    out.worker("env", {{"environment", env}, {"when", "before"}, {"t_s", 0}});  // 18:00
  }
  void run(int64_t request, const std::vector<std::pair<std::string, double>>& calls, double t_s) {
    std::vector<std::string> kernels;
    for (const auto& [kernel, call_ns] : calls) kernels.push_back(kernel);
    out.send(work(RequestType::run, request, kernels));
    int index = 0;
    for (const auto& [kernel, call_ns] : calls) {
      Json line = with(about(request, index), "outcome", measured(request, index, kernel, call_ns));
      line["t_s"] = t_s + index;
      out.worker("result", line);
      ++index;
    }
    out.worker("done", {{"request", request}, {"status", "ok"}});
  }
  Transcript out;
};

/// One comparison in pairs, of 512 and one thread as all here.
struct Pair {
  std::string baseline, candidate;
  double ratio = 1;
  Verdict verdict = Verdict::faster;
  int rounds = 12;
};

Comparison compared(int64_t request, const Pair& pair) {
  Comparison made;
  made.request = request;
  made.lab = "gemm";
  made.baseline = pair.baseline;
  made.candidate = pair.candidate;
  made.cache = CacheMode::hot;
  made.baseline_params = made.candidate_params = measured(request, 0, pair.baseline, 1).params;
  made.rounds = pair.rounds;
  made.ratio = pair.ratio;
  made.ci = Interval{pair.ratio * 0.99, pair.ratio * 1.01};
  made.margin = 0.01;
  made.verdict = pair.verdict;
  return made;
}

void add_pairs(Transcript* out, int64_t request, const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) {
    out->send(work(RequestType::compare, request, {pair.baseline, pair.candidate}));
    out->worker("result",
                with(about(request, 0), "outcome", measured(request, 0, pair.baseline, 24e6)));
    out->worker("result", with(about(request, 1), "outcome",
                               measured(request, 1, pair.candidate, 24e6 / pair.ratio)));
    out->worker("result", {{"request", request}, {"comparisons", {compared(request, pair)}}});
    out->worker("done", {{"request", request}, {"status", "ok"}});
    ++request;
  }
}

/// Two libraries and three rungs; the last is the fastest by its own time.
const std::string kPeer2 = "gemm.cpu.openblas";
Timed ladder_of_three() {
  Timed told;
  told.out.worker("kernel", {{"request", 1}, {"kernel", rung_info(kPeer2, "OpenBLAS")}});
  told.run(4, {{kNaive, 24e6}, {kWrong, 6.5e6}, {kBlocked, 6e6}, {kPeer, 5e6}, {kPeer2, 5.5e6}},
           60);
  return told;
}

Options three_options() {
  Options options = ladder_options();
  options.titles[kPeer2] = "OpenBLAS";
  options.order.push_back(kPeer2);
  return options;
}

std::string caveats_of(const Report& report) {
  std::string all;
  for (const std::string& one : front(report, "caveats").bullets) all += one + "\n";
  return all;
}

}  // namespace

TEST_CASE("the ladder keeps the results of its own run; one timed again alone is named") {
  Timed told;
  told.run(4, {{kNaive, 24e6}, {kWrong, 12e6}, {kBlocked, 6e6}}, 60);
  told.run(5, {{kNaive, 48e6}}, 540);  // the machine is busy by then
  const Run run = read_run(told.out);
  const Report report = built(run, ladder_options());
  CHECK(report.headline.figure == "≈ 4.0× as fast as the first rung");
  CHECK(front(report, "climb").chart->table.rows[1][3] == "≈ 2.0×");
  CHECK(has(caveats_of(report), "“three loops, -O3” timed again at 18:09: 5.59 GFLOP/s"));
  CHECK_FALSE(has(caveats_of(report), "The results are of several runs"));
  CHECK(has(print_as(report, ".md"), "three loops, -O3: timed again at 18:09: 5.59 GFLOP/s"));

  Timed whole;  // of two whole ladders the newer
  whole.run(4, {{kNaive, 24e6}, {kBlocked, 6e6}}, 60);
  whole.run(5, {{kNaive, 30e6}, {kBlocked, 6e6}}, 540);
  const Run newer = read_run(whole.out);
  CHECK(built(newer, ladder_options()).headline.figure == "≈ 5.0× as fast as the first rung");
}

TEST_CASE("the fastest rung and library are those of the pairs, not those of the longest bars") {
  Timed told = ladder_of_three();
  add_pairs(&told.out, 10, {{kBlocked, kWrong, 1.1}, {kPeer2, kPeer, 0.9, Verdict::slower}});
  const Run run = read_run(told.out);
  const Report report = built(run, three_options());
  CHECK(fact(report, "Fastest rung in pairs") ==
        "dropped k: 41.3 GFLOP/s; longest bar: cache blocks: 44.7 GFLOP/s");
  CHECK(fact(report, "Fastest library in pairs") ==
        "OpenBLAS: 48.8 GFLOP/s; longest bar: oneDNN: 53.7 GFLOP/s");
  CHECK(fact(report, "Fastest verified rung").empty());
  const chart::ChartModel& climb = *front(report, "climb").chart;
  const auto marked = std::find_if(climb.rows.begin(), climb.rows.end(), [](const chart::Row& row) {
    return has(row.sublabel, "fastest in pairs");
  });
  REQUIRE(marked != climb.rows.end());
  CHECK(marked->label == "dropped k");
  CHECK(has(report.sentence,
            "“cache blocks” has the highest speed alone, 44.7 GFLOP/s; in pairs “dropped k” is "
            "faster, and the pairs count."));
  CHECK(has(report.sentence,
            "Of the libraries “oneDNN” has the highest speed alone, 53.7 GFLOP/s; in pairs "
            "“OpenBLAS” is faster, and the pairs count."));

  // What a newer pair leaves open an older one has settled.
  add_pairs(&told.out, 20, {{kPeer, kPeer2, 0.995, Verdict::unresolved}});
  const Run open = read_run(told.out);
  CHECK(has(fact(built(open, three_options()), "Fastest library in pairs"), "OpenBLAS"));

  Timed thirds = ladder_of_three();  // never with each other, but both with a third
  add_pairs(&thirds.out, 10,
            {{kNaive, kBlocked, 4.0},
             {kNaive, kWrong, 4.4},
             {kNaive, kPeer, 5.0},
             {kNaive, kPeer2, 5.03}});
  const Run by_third = read_run(thirds.out);
  const Report third = built(by_third, three_options());
  CHECK(has(fact(third, "Fastest rung in pairs"), "dropped k"));
  CHECK(has(fact(third, "Fastest library"), "oneDNN"));  // the two intervals overlap
  CHECK_FALSE(has(fact(third, "Fastest library"), "longest bar"));
}

TEST_CASE("a pair of two own rungs, or with a library of another type, does not lead page 1") {
  Timed steps = ladder_of_three();
  add_pairs(&steps.out, 10, {{kNaive, kWrong, 3.8}, {kWrong, kBlocked, 1.05}});
  const Run of_steps = read_run(steps.out);
  const Report report = built(of_steps, three_options());
  CHECK(report.headline.figure == "3.99× as fast as the first rung");  // 3.8 times 1.05
  CHECK(has(report.headline.interval, "the product of 2 steps in pairs, 95 % interval ["));
  CHECK(report.headline.tone == "none");
  CHECK(front(report, "compared").chart->rows.size() == 2);

  // The first rung and the fastest have no ratio of their own: then the pair is all that there is.
  Timed apart;
  apart.run(4, {{kNaive, 24e6}, {kWrong, 6.5e6}}, 60);
  apart.run(5, {{kBlocked, 6e6}}, 600);
  add_pairs(&apart.out, 10, {{kWrong, kBlocked, 1.05}});
  const Run two_runs = read_run(apart.out);
  CHECK(has(built(two_runs, three_options()).headline.figure, "as fast as dropped k"));

  const auto headed = [](const std::string& type) {
    Timed told;
    told.out.send(work(RequestType::run, 4, {kNaive, kWrong, kBlocked, kPeer}));
    const double times[] = {24e6, 12e6, 6e6, 5e6};
    const std::string kernels[] = {kNaive, kWrong, kBlocked, kPeer};
    const std::string types[] = {"fp32", "int8", "fp32", type};
    for (int i = 0; i < 4; ++i) {
      Series one = measured(4, i, kernels[i], times[i]);
      one.dtype = types[i];
      told.out.worker("result", with(about(4, i), "outcome", one));
    }
    told.out.worker("done", {{"request", 4}, {"status", "ok"}});
    add_pairs(&told.out, 10, {{kPeer, kBlocked, 0.8, Verdict::slower}});
    const Run run = read_run(told.out);
    return built(run, ladder_options()).headline.figure;
  };
  CHECK(has(headed("fp32"), "as fast as oneDNN"));
  CHECK(headed("int8") == "≈ 4.0× as fast as the first rung");
}

TEST_CASE(
    "the speeds beside a pair are of its rounds where they were kept, else of its rungs alone") {
  const auto speed = [](bool keeps_rounds) {
    const Pair pair{.baseline = kNaive, .candidate = kBlocked, .ratio = 1.5};
    Timed told;
    told.run(4, {{kNaive, 24e6}, {kBlocked, 12e6}}, 60);
    told.out.send(work(RequestType::compare, 5, {kNaive, kBlocked}));
    const std::vector<Round> rounds = {{0, "0110", {12e6, 8e6, 8e6, 12e6}}};
    if (keeps_rounds)
      told.out.worker("samples", {{"request", 5}, {"phase", "rounds"}, {"rounds", rounds}});
    told.out.worker("result", {{"request", 5}, {"comparisons", {compared(5, pair)}}});
    told.out.worker("done", {{"request", 5}, {"status", "ok"}});
    const Run run = read_run(told.out);
    return fact(built(run, ladder_options()), "Speed");
  };
  CHECK(speed(false) == "11.2 → 22.4 GFLOP/s, each alone");
  CHECK(speed(true) == "22.4 → 33.6 GFLOP/s, in turns");
}

TEST_CASE(
    "of pairs at several sizes the default size leads, else the largest, with the others beside") {
  const auto report_of = [](bool has_default) {
    Timed told;
    KernelInfo info = rung_info(kNaive, "");
    info.params = {extent_param("n", "size", 8192, has_default ? 1024 : 8192)};
    told.out.worker("kernel", {{"request", 1}, {"kernel", info}});
    int64_t request = 4;
    const auto tell = [&](int64_t n, std::vector<Pair> pairs) {
      told.out.send(work(RequestType::run, request, {kNaive, kBlocked, kPeer}));
      int index = 0;
      Params params;
      for (const std::string& kernel : {kNaive, kBlocked, kPeer}) {
        Series series = measured(request, index++, kernel, kernel == kNaive ? 24e6 : 6e6);
        series.params["n"] = n;
        series.size_param = "n";
        params = series.params;
        told.out.worker("result", with(about(request, series.index), "outcome", series));
      }
      told.out.worker("done", {{"request", request++}, {"status", "ok"}});
      for (const Pair& pair : pairs) {
        Comparison made = compared(request, pair);
        made.baseline_params = made.candidate_params = params;
        told.out.send(work(RequestType::compare, request, {pair.baseline, pair.candidate}));
        told.out.worker("result", {{"request", request}, {"comparisons", {made}}});
        told.out.worker("done", {{"request", request++}, {"status", "ok"}});
      }
    };
    tell(512, {{kPeer, kBlocked, 1.8}, {kNaive, kBlocked, 4}, {kPeer2, kPeer, 1.1}});
    tell(1024, {{kPeer, kBlocked, 1.002, Verdict::unresolved}});
    tell(2048, {{kPeer, kBlocked, 0.9, Verdict::slower}});
    tell(4096, {{kPeer2, kPeer, 1.1}});  // two libraries settle nothing of the ladder
    const Run run = read_run(told.out);
    Report report = built(run, ladder_options());
    report.inputs.clear();  // the run goes
    report.claims.clear();
    return report;
  };
  const Report largest = report_of(false);
  CHECK(largest.title == "GEMM: the ladder at n = 2048");
  CHECK(has(largest.headline.figure, "▼ 0.900× as fast as oneDNN"));
  CHECK(has(largest.sentence, " against “oneDNN” at 2 other sizes: 1.80× at n=512; "));
  CHECK(has(largest.sentence, "×, unresolved, at n=1024."));
  const Report usual = report_of(true);
  CHECK(usual.title == "GEMM: the ladder at n = 1024");
  CHECK(has(usual.sentence, "at 2 other sizes: 1.80× at n=512; 0.900× at n=2048."));
}

TEST_CASE("a pair leads page 1 before a ratio of two times alone, and the charts begin with it") {
  Timed told = ladder_of_three();
  add_pairs(
      &told.out, 10,
      {{kNaive, kWrong, 3.8}, {kWrong, kBlocked, 1.05}, {kPeer2, kBlocked, 0.8, Verdict::slower}});
  const Run run = read_run(told.out);
  const Report report = built(run, three_options());
  CHECK(report.headline.figure == "cache blocks: ▼ 0.800× as fast as OpenBLAS");
  CHECK(report.headline.tone == "slower");
  CHECK(has(report.headline.interval, "95 % interval"));
  CHECK(report.sentence.starts_with("Against “OpenBLAS”, in pairs: 0.800× as fast"));
  CHECK(has(report.sentence,
            "Against “oneDNN”, the fastest library in this type: ≈ 0.83× as fast, "
            "each timed alone."));
  CHECK(
      has(report.sentence,
          "11.2 → 44.7 GFLOP/s, each timed alone. The product of its 2 steps in pairs is 3.99×."));
  // The first paragraph says what leads, and no more; beside the bars it stands that a pair decides.
  CHECK(report.lead + " " + report.rest == report.sentence);
  CHECK(report.lead.starts_with("Against “OpenBLAS”, in pairs: 0.800× as fast"));
  CHECK_FALSE(has(report.lead, "oneDNN"));
  CHECK(has(front(report, "climb").paragraphs.back(), "Bars are of times alone."));
  const chart::ChartModel& chart = *front(report, "compared").chart;
  REQUIRE(chart.rows.size() == 3);
  CHECK(chart.rows[0].sublabel == "baseline: OpenBLAS");
  CHECK(chart.rows[1].label == "cache blocks");  // the step to the fastest rung, then the others
  CHECK(chart.rows[2].label == "dropped k");

  Timed many = ladder_of_three();
  std::vector<Pair> pairs;
  for (const std::string& baseline : {kNaive, kWrong, kBlocked, kPeer, kPeer2}) {
    for (const std::string& candidate : {kNaive, kWrong, kBlocked}) {
      if (candidate != baseline) pairs.push_back({baseline, candidate, 1, Verdict::same});
    }
  }
  add_pairs(&many.out, 10, pairs);
  const Run full = read_run(many.out);
  CHECK(front(built(full, three_options()), "compared").title ==
        "Compared in pairs: 6 of 12 comparisons; the appendix has all");

  add_pairs(&told.out, 20, {{kNaive, kBlocked, 4.2}});
  const Run whole = read_run(told.out);
  const Report again = built(whole, three_options());
  CHECK(front(again, "compared").chart->rows[1].sublabel == "baseline: three loops, -O3");
}

TEST_CASE("rungs of different runs have no ratio, and the page says when each was measured") {
  Timed told;
  told.run(4, {{kNaive, 24e6}, {kWrong, 12e6}}, 60);
  told.run(5, {{kBlocked, 6e6}}, 540);
  const Run run = read_run(told.out);
  const Report report = built(run, ladder_options());
  CHECK(report.headline.figure == "44.7 GFLOP/s");
  CHECK(has(report.sentence, "They are of two runs, 8 minutes apart: no ratio is made."));
  const auto& rows = front(report, "climb").chart->table.rows;
  CHECK(rows[1][3] == "≈ 2.0×");
  CHECK(rows[2][3] == "8 minutes apart");
  CHECK(has(caveats_of(report),
            "The results are of several runs, from 18:01 to 18:09. Two results "));
  CHECK(has(front(report, "machine").paragraphs.back(), "Measured 2026-11-20 18:01 to 18:09 UTC"));
  CHECK(has(report.subtitle, "2026-11-20 18:01 to 18:09 UTC"));
}

namespace {

/// No ratio of the second row, and its bar as one that nothing is to be read off.
void check_is_refused(const Report& report) {
  const chart::ChartModel& climb = *front(report, "climb").chart;
  REQUIRE(climb.table.rows.size() == 2);
  CHECK(climb.table.rows[1][3] == "not judged");
  CHECK(climb.panels.back().row_reasons[1] == "not judged");
  const chart::Mark& bar = climb.panels.front().marks.back();
  CHECK(bar.role == chart::Role::muted);
  CHECK(bar.outlined);
  CHECK(std::find(climb.legend.begin(), climb.legend.end(), "empty bar: not judged") !=
        climb.legend.end());
  CHECK_FALSE(has(print_as(report, ".md"), "≈ 4.0×"));
}

}  // namespace

TEST_CASE("what the headline refuses the chart draws as refused") {
  Timed told;
  KernelInfo other_flags = rung_info(kBlocked, "");
  other_flags.flags = "-O2";
  told.out.worker("kernel", {{"request", 1}, {"kernel", other_flags}});
  told.run(4, {{kNaive, 24e6}, {kBlocked, 6e6}}, 60);
  const Run apart = read_run(told.out);
  Options asked = ladder_options();
  asked.baseline = kNaive;
  asked.candidate = kBlocked;
  CHECK(front(built(apart, ladder_options()), "climb").chart->table.rows[1][3] == "≈ 4.0×");
  const Report never_met = built(apart, asked);
  CHECK(never_met.headline.figure == "Not paired: no claim");
  CHECK(has(never_met.sentence, "Compare them in turns"));  // they are of one run
  check_is_refused(never_met);
  CHECK(never_met.claims.back().differences ==
        "The two rungs also differ in flags (-O3, then -O2).");

  add_comparison(&told.out, {.verdict = Verdict::invalid});
  const Run run = read_run(told.out);
  const Report invalid = built(run, asked);
  CHECK(invalid.headline.figure == "✕ Invalid");
  check_is_refused(invalid);
}

TEST_CASE("page 1 says what the ladder does as long as its rows leave a line for it") {
  const auto says = [](int rungs) {
    Timed told;
    std::vector<std::pair<std::string, double>> calls;
    Options options = ladder_options();
    options.about = "From three loops to the library.";
    options.order.clear();
    options.previous.clear();
    for (int i = 0; i < rungs; ++i) {
      calls.emplace_back("gemm.cpu.rung_" + std::to_string(i), 24e6 / (i + 1));
      if (i > 0) options.previous[calls[i].first] = calls[i - 1].first;
    }
    told.run(4, calls, 60);
    const Run run = read_run(told.out);
    return !front(built(run, options), "climb").paragraphs.empty();
  };
  CHECK(says(4));
  CHECK(says(14));
  CHECK_FALSE(says(18));
}

TEST_CASE("the page says of which run it is, whatever the machine measured later") {
  Timed told;
  told.run(4, {{kNaive, 24e6}, {kBlocked, 6e6}}, 60);
  Environment later = environment();
  later.time_utc = "2026-11-20T21:00:00Z";
  told.out.worker("env", {{"environment", later}, {"when", "before"}, {"t_s", 3 * 3600}});
  const Run run = read_run(told.out);
  const Report report = built(run, ladder_options());
  CHECK(report.subtitle ==
        "run.jsonl: all 2 results · Test CPU · 2026-11-20 18:01 UTC · n=512 threads=1 · full run "
        "(mode measure)");
  Options here = ladder_options();
  here.source = "this session";
  here.only = {{"n", int64_t{512}}};
  const Run two = two_sizes();
  CHECK(built(two, here).subtitle.starts_with(
      "this session: 2 of 6 results, those of GEMM at n=512 · "));
  CHECK(has(front(report, "machine").paragraphs.back(), "Measured 2026-11-20 18:01 UTC"));
}

TEST_CASE("page 1 says in words that the fastest rung and the library are not equally accurate") {
  Transcript out;
  add_start_of(&out);
  for (const auto& [id, accuracy] : {std::pair(kBlocked, "row_column"), {kPeer, "componentwise"}}) {
    KernelInfo info = rung_info(id, id == kPeer ? "oneDNN" : "");
    info.accuracy = accuracy;
    out.worker("kernel", {{"request", 1}, {"kernel", info}});
  }
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kPeer}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 4e6)));
  out.worker("result", with(about(4, 2), "outcome", measured(4, 2, kPeer, 6e6)));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  CHECK(has(built(run, ladder_options()).sentence,
            "They are not equally accurate: “cache blocks” is accurate to the largest of a row of "
            "A and a column of B (row and column), “oneDNN” in each element (componentwise)."));
}

TEST_CASE("a factor over a single call has one digit, and says so") {
  Timed told;
  told.out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  Series once = measured(4, 0, kNaive, 137e6);
  once.stats->n = 1;
  once.stats->ci_ns.reset();
  told.out.worker("result", with(about(4, 0), "outcome", once));
  told.out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 2e6)));
  told.out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(told.out);
  const Report report = built(run, ladder_options());
  CHECK(report.headline.figure == "about 70× as fast as the first rung");
  CHECK(has(report.sentence, "That factor is rough (“three loops, -O3”: timed once)."));
  CHECK_FALSE(has(report.sentence, "68"));
  CHECK(front(report, "climb").chart->table.rows[1][3] == "≈ 70× noisy");  // as the headline

  const auto disturbed_run = [](const char* flag) {
    Timed busy;
    busy.out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
    Series disturbed = measured(4, 0, kNaive, 137e6);
    disturbed.stats->flags = {flag};
    busy.out.worker("result", with(about(4, 0), "outcome", disturbed));
    busy.out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 2e6)));
    busy.out.worker("done", {{"request", 4}, {"status", "ok"}});
    return read_run(busy.out);
  };
  const Run busy_run = disturbed_run("contended"), noisy_run = disturbed_run("noisy");
  const Report busy = built(busy_run, ladder_options()), noisy = built(noisy_run, ladder_options());
  for (const Report* one : {&busy, &noisy}) {
    CHECK(one->headline.figure == "about 70× as fast as the first rung");
    CHECK(front(*one, "climb").chart->table.rows[1][3] == "≈ 70× noisy");
  }
  // Headline and machine agree on whether other programs ran.
  CHECK(has(busy.sentence, "That factor is rough: other programs took processor time meanwhile."));
  CHECK(has(front(busy, "machine").paragraphs[1], "the machine was quiet, later it was busy."));
  CHECK(has(noisy.sentence, "That factor is rough: the times scatter."));
  CHECK(front(noisy, "machine").paragraphs[1].ends_with("when it began the machine was quiet."));
}

TEST_CASE("a factor over times that are not steady is the range that the terminal prints") {
  Timed told;
  told.out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  Series wide = measured(4, 0, kNaive, 24e6);
  wide.stats->ci_ns = Interval{12e6, 36e6};
  told.out.worker("result", with(about(4, 0), "outcome", wide));
  told.out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 6e6)));
  told.out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(told.out);
  const Report report = built(run, ladder_options());
  const std::string range = "2–6×";
  CHECK(front(report, "climb").chart->table.rows[1][3] == range);
  CHECK(report.headline.figure == range + " as fast as the first rung");
  CHECK(has(report.sentence, "That factor is rough (“three loops, -O3”: its times differ"));
}

TEST_CASE("both verdicts of a held clock are on page 1, the sustained one first") {
  const std::string clock = "the clock was held down: 1687 of 1980 MHz";
  ReportCase wanted;
  wanted.equal_clock = PairedVerdict{12, 1.5, Interval{1.49, 1.51}, Verdict::faster, 0};
  wanted.clock = clock;
  wanted.clock_held = true;
  const Run run = report_run(wanted);
  const Report report = built(run, ladder_options());
  CHECK(has(fact(report, "Sustained"), "faster, 4.00× [3.95, 4.05]"));
  CHECK(has(fact(report, "At equal clock"), "faster, 1.50× [1.49, 1.51]"));
  const Section& compared = front(report, "compared");
  REQUIRE(compared.bullets.size() == 1);
  CHECK(compared.bullets[0].find("sustained faster") < compared.bullets[0].find("at equal clock"));
  CHECK(has(caveats_of(report), "“cache blocks” against “three loops, -O3”: " + clock));

  // A ladder's headline has both too, as the lessons name both.
  Timed told;
  told.run(4, {{kNaive, 24e6}, {kWrong, 12e6}, {kBlocked, 6e6}}, 60);
  add_comparison(&told.out, wanted);
  const Run climbed = read_run(told.out);
  const Report ladder = built(climbed, ladder_options());
  CHECK_FALSE(ladder.is_of_pair);
  CHECK(ladder.headline.figure == "cache blocks: ▲ 4.00× as fast as the first rung");
  CHECK(has(ladder.headline.interval, "sustained turns a side"));
  CHECK(ladder.headline.interval.ends_with(" · at equal clock faster, 1.50× [1.49, 1.51]"));
  CHECK(front(ladder, "compared").bullets.empty());

  wanted.equal_clock =
      {};  // how fast each is alone was not measured: page 1 says what the appendix says
  const Run held = report_run(wanted);
  const Report less = built(held, ladder_options());
  CHECK(has(less.headline.interval, "12 rounds at equal clock, sustained not measured"));
  CHECK(has(front(less, "compared").chart->panels.back().row_reasons[0],
            "; sustained not measured"));
  CHECK(has(print_as(less, ".md"), "faster at equal clock; sustained not measured"));
  CHECK_FALSE(has(print_as(less, ".md"), "measure more"));  // the ratio itself is not in doubt
  CHECK(has(caveats_of(less), clock));
}

TEST_CASE(
    "of a pair that was compared twice the weightier run leads, and the other is said beside it") {
  Timed told = ladder_of_three();
  const Pair of_forty = {kPeer, kBlocked, 0.9, Verdict::slower, 40},
             of_twelve = {kPeer, kBlocked, 0.95, Verdict::slower, 12};
  add_pairs(&told.out, 10, {of_forty, of_twelve});
  const Run run = read_run(told.out);
  const Report report = built(run, three_options());
  CHECK(report.headline.figure == "cache blocks: ▼ 0.900× as fast as oneDNN");
  CHECK(has(report.sentence, "; another run of this pair: 0.950× ["));
  // The appendix lists both, and the title of page 1 counts what it lists.
  CHECK(front(report, "compared").title ==
        "Compared in pairs: 1 of 2 comparisons; the appendix has all");
  CHECK(has(print_as(report, ".md"), "was compared in more than one run"));

  // Two runs that say opposite things settle no order of the bars.
  add_pairs(&told.out, 20, {{kPeer, kPeer2, 1.05, Verdict::faster, 40}});
  const Run settled = read_run(told.out);
  CHECK(has(built(settled, three_options()).sentence, "in pairs “OpenBLAS” is faster"));
  add_pairs(&told.out, 30, {{kPeer2, kPeer, 1.05, Verdict::faster, 12}});
  const Run circle = read_run(told.out);
  CHECK_FALSE(has(built(circle, three_options()).sentence, "in pairs “OpenBLAS” is faster"));
}

TEST_CASE("two libraries that launch one kernel are not ranked, and the page says so") {
  const auto report_of = [](int64_t registers) {
    Timed told;
    told.out.worker("kernel", {{"request", 1}, {"kernel", rung_info(kPeer2, "OpenBLAS")}});
    told.out.send(work(RequestType::run, 4, {kNaive, kBlocked, kPeer, kPeer2}));
    const std::string kernels[] = {kNaive, kBlocked, kPeer, kPeer2};
    const double times[] = {24e6, 6e6, 5e6, 5.5e6};
    for (int i = 0; i < 4; ++i) {
      Series one = measured(4, i, kernels[i], times[i]);
      if (i >= 2) {
        DeviceKernel kernel{.name = "nvjet_256x128", .registers = 168, .grid = {132, 1, 1}};
        if (i == 3) kernel.registers = static_cast<int>(registers);
        one.resources = Resources{.kernels = {kernel}};
      }
      told.out.worker("result", with(about(4, i), "outcome", one));
    }
    told.out.worker("done", {{"request", 4}, {"status", "ok"}});
    add_pairs(&told.out, 10, {{kPeer, kPeer2, 1.05}, {kPeer2, kBlocked, 0.8, Verdict::slower}});
    return read_run(told.out);
  };
  const Run one_kernel = report_of(168), two_kernels = report_of(96);
  const std::string same = built(one_kernel, three_options()).sentence;
  CHECK(has(same, "“oneDNN” has 53.7 GFLOP/s alone; it runs the same kernel as “OpenBLAS”."));
  CHECK_FALSE(has(same, "is faster, and the pairs count"));
  CHECK(has(built(two_kernels, three_options()).sentence, "in pairs “OpenBLAS” is faster"));
}

TEST_CASE("over bars of sustained turns stands the verdict of sustained turns") {
  ReportCase wanted;
  wanted.verdict = Verdict::slower;
  wanted.ratio = 0.94;
  wanted.ci = {0.93, 0.95};
  wanted.equal_clock = PairedVerdict{12, 1.02, Interval{1.01, 1.03}, Verdict::faster, 0};
  wanted.clock_held = true;
  Transcript out;
  add_start_of(&out);
  add_comparison(&out, wanted);  // sustained 1.61 ms and 1.72 ms
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  const auto& bars = front(report, "climb").chart->panels.front();
  CHECK(bars.subtitle == "sustained turns, each alone");
  REQUIRE(bars.marks.size() == 2);
  CHECK(bars.marks[1].value / bars.marks[0].value == Approx(1.61 / 1.72));
}

TEST_CASE(
    "the factor of a climb is that of its pairs, and the clocks say why the bars have another") {
  Timed told;
  told.out.send(work(RequestType::run, 4, {kNaive, kWrong, kBlocked}));
  const std::string kernels[] = {kNaive, kWrong, kBlocked};
  const double times[] = {24e6, 6.5e6, 8e6}, clocks[] = {1.98e9, 1.5e9, 1.3e9};
  for (int i = 0; i < 3; ++i) {
    Series one = measured(4, i, kernels[i], times[i]);
    one.sm_clock_hz = clocks[i];
    one.stats->flags = {"noisy"};
    told.out.worker("result", with(about(4, i), "outcome", one));
  }
  told.out.worker("done", {{"request", 4}, {"status", "ok"}});
  add_pairs(&told.out, 10, {{kNaive, kWrong, 3.8}, {kWrong, kBlocked, 1.2}});
  const Run run = read_run(told.out);
  const std::string sentence = built(run, ladder_options()).sentence;
  CHECK(has(sentence,
            "The product of its 2 steps in pairs is 4.56×; alone each rung has its own "
            "clock: 1.98 GHz → 1.30 GHz."));
  CHECK_FALSE(has(sentence, "the times scatter"));
}

TEST_CASE("a share above 100 % stands with what it means") {
  const auto report_at = [](double call_ns) {
    Timed told;
    told.run(4, {{kNaive, 24e6}, {kBlocked, call_ns}}, 60);
    const Run run = read_run(told.out);
    const Report report = built(run, ladder_options());
    return std::pair(fact(report, "Share of the ceiling"), caveats_of(report));
  };
  const double at_ceiling_ns = 2.0 * 512 * 512 * 512 / 1.3e11 * 1e9;
  const auto [over, words] = report_at(at_ceiling_ns / 1.02);
  CHECK(has(over, "102 % of FMA fp32"));
  CHECK(has(words,
            "Share of the ceiling of “cache blocks” over 100 %: the ceiling was measured in "
            "a busier moment"));
  CHECK_FALSE(has(report_at(at_ceiling_ns * 1.1).second, "over 100 %"));
}

TEST_CASE("the latency of a comparison is of both sides or of none") {
  const Run run = report_run();
  CHECK(fact(built(run, ladder_options()), "p95 latency") ==
        "28.8 ms → 7.20 ms, of single calls: the verdict rests on 12 rounds");
  ReportCase wanted;
  wanted.with_latency = false;
  const Run few = report_run(wanted);
  CHECK(has(fact(built(few, ladder_options()), "p95 latency"),
            "unavailable: one side has too few latency samples"));
}

TEST_CASE("a copy of a rung has no latency and no division in its headline: neither was asked for") {
  const std::string edited = kNaive + "_edit";
  Transcript out;
  add_start_of(&out);
  add_comparison(&out, {});
  std::string lines = out.text();
  for (size_t at = lines.find(kBlocked); at != lines.npos; at = lines.find(kBlocked, at + 1))
    lines.replace(at, kBlocked.size(), edited);
  Run run;
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) run.apply_line(line);
  const Report report = built(run, ladder_options());
  CHECK(report.headline.tone == "faster");
  CHECK_FALSE(fact(report, "Speed").empty());
  CHECK(fact(report, "p95 latency").empty());
  CHECK(fact(report, "Same mathematics").empty());
}

TEST_CASE("a verdict of an earlier save says so in its first words") {
  const std::string edited = kNaive + "_edit";
  const auto report_of = [&](const std::vector<EditBuild>& later) {
    Transcript out;
    add_start_of(&out);
    const auto build = [&](int64_t id, const EditBuild& made) {
      out.app("build", {{"id", id}, {"kernel", kNaive}, {"dtype", ""}, {"text", made.hash}});
      out.worker("result", {{"request", id}, {"build", made}});
      out.worker("done", {{"request", id}, {"status", "ok"}});
    };
    build(3, {.kernel = edited, .built = true, .hash = "first"});
    add_comparison(&out, {});
    int64_t id = 50;
    for (const EditBuild& made : later) build(id++, made);
    std::string lines = out.text();
    for (size_t at = lines.find(kBlocked); at != lines.npos; at = lines.find(kBlocked, at + 1))
      lines.replace(at, kBlocked.size(), edited);
    Run run;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) run.apply_line(line);
    Report report = built(run, ladder_options());
    report.inputs.clear();  // the run goes
    report.claims.clear();
    return report;
  };
  CHECK(report_of({}).lead.starts_with("Faster: "));
  // The same text built again is the same save.
  CHECK(
      report_of({{.kernel = edited, .built = true, .hash = "first"}}).lead.starts_with("Faster: "));
  EditBuild broken{.kernel = edited, .hash = "second"};
  broken.refuse(BuildEnd::compile, "it does not compile, line 3");
  const Report report = report_of({broken});
  CHECK(report.lead.starts_with("Of an earlier save: the last one does not compile. Faster: "));
  CHECK(report.headline.figure == "▲ 4.00× as fast, an earlier save");
  CHECK(report.headline.decision.empty());
  CHECK(report_of({broken, {.kernel = edited, .built = true, .hash = "third"}})
            .lead.starts_with("Of an earlier save: the last one has another text. "));
}

TEST_CASE("title and first line say which of several points of one size the ladder is of") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kNaive, kBlocked}));
  int index = 0;
  for (const char* mask : {"yes", "no"}) {
    for (const std::string& kernel : {kNaive, kBlocked}) {
      Series series = measured(4, index++, kernel, kernel == kNaive ? 24e6 : 6e6);
      series.size_param = "n";
      series.params["causal"] = std::string(mask);
      out.worker("result", with(about(4, series.index), "outcome", series));
    }
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  CHECK(report.title == "GEMM: the ladder at n = 512, causal = yes");
  CHECK(report.subtitle.starts_with("run.jsonl: all 4 results, 2 of them in the ladder · "));
}

TEST_CASE("a rung of another type is in the appendix: one axis and one ceiling are of one type") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kWrong}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 6e6)));
  Series other = measured(4, 2, kWrong, 2e6);
  other.dtype = "int8";
  out.worker("result", with(about(4, 2), "outcome", other));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  Options options = ladder_options();
  options.previous = {{kBlocked, kNaive}};
  const Report report = built(run, options);
  CHECK(front(report, "climb").chart->table.rows.size() == 2);
  CHECK(fact(report, "Fastest verified rung") == "cache blocks: 44.7 GFLOP/s");
  CHECK(has(front(report, "climb").bullets.back(), "Measured, but not in this ladder: “"));
  CHECK(has(front(report, "climb").bullets.back(),
            "” (in another type of number). The appendix has them."));
  // The subtitle counts all results: the sentence says which it counts.
  CHECK(has(report.subtitle, "all 3 results"));
  CHECK(has(report.sentence, "2 of 2 rungs on this page passed their checks."));
  // Operations on integers are no floating-point ones, in the appendix either.
  CHECK(has(print_as(report, ".md"), "134 GOP/s"));
  CHECK_FALSE(has(print_as(report, ".md"), "134 GFLOP/s"));
}

TEST_CASE(
    "rates that are no operations have one axis for every type: the whole ladder is on page 1") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kWrong}));
  const std::string kernels[] = {kNaive, kBlocked, kWrong};
  const char* types[] = {"fp32", "int8", "int8"};
  for (int i = 0; i < 3; ++i) {
    Series series = measured(4, i, kernels[i], 24e6 / (i + 1));
    series.dtype = types[i];
    series.flop = 0;
    series.items_per_s = 1e3 * (i + 1);
    out.worker("result", with(about(4, i), "outcome", series));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  Options options = ladder_options();
  options.order = {kNaive, kBlocked, kWrong};
  options.previous = {{kWrong, kBlocked}};  // the first rung has a ladder of its own
  const Report report = built(run, options);
  const auto& rows = front(report, "climb").chart->table.rows;
  REQUIRE(rows.size() == 3);
  CHECK(has(rows[0][0], "three loops, -O3"));
  CHECK(has(report.sentence, "3 of 3 rungs passed their checks."));
}

TEST_CASE("a way whose pairs settle nothing has no factor of two bars alone") {
  for (const bool is_settled : {false, true}) {
    Timed told;
    told.out.send(work(RequestType::run, 4, {kNaive, kWrong, kBlocked}));
    const std::string kernels[] = {kNaive, kWrong, kBlocked};
    for (int i = 0; i < 3; ++i)
      told.out.worker("result",
                      with(about(4, i), "outcome", measured(4, i, kernels[i], 24e6 / (i + 1))));
    told.out.worker("done", {{"request", 4}, {"status", "ok"}});
    for (int i = 1; i < 3; ++i) {
      Comparison pair =
          compared(9 + i, {.baseline = kernels[i - 1], .candidate = kernels[i], .ratio = 1.1});
      pair.verdict = is_settled ? Verdict::faster : Verdict::unresolved;
      pair.ci = is_settled ? Interval{1.09, 1.11} : Interval{0.8, 1.4};
      told.out.send(work(RequestType::compare, 9 + i, {kernels[i - 1], kernels[i]}));
      told.out.worker("result", {{"request", 9 + i}, {"comparisons", {pair}}});
      told.out.worker("done", {{"request", 9 + i}, {"status", "ok"}});
    }
    const Run run = read_run(told.out);
    const Report report = built(run, ladder_options());
    INFO(report.headline.figure << ": " << report.sentence);
    CHECK(has(report.headline.figure, "as fast") == is_settled);
    CHECK(has(report.sentence, "every step between them is unresolved: no factor is claimed") !=
          is_settled);
  }
}

TEST_CASE(
    "the fastest rung of the ladder is not called the fastest of all where another ladder's is "
    "faster") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kWrong}));
  const std::string kernels[] = {kNaive, kBlocked, kWrong};
  for (int i = 0; i < 3; ++i)
    out.worker("result", with(about(4, i), "outcome", measured(4, i, kernels[i], 24e6 / (i + 1))));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  Options options = ladder_options();
  options.previous = {{kBlocked, kNaive}};  // the third rung has a ladder of its own
  const Report report = built(run, options);
  INFO(report.sentence);
  CHECK(has(fact(report, "Fastest of this ladder"), "cache blocks: "));
  CHECK(fact(report, "Fastest verified rung").empty());
  // The cell names the longer bar of the chart under it.
  CHECK(has(fact(report, "Fastest of this ladder"), "; longest bar: dropped k"));
  CHECK(has(report.sentence, "timed alone; it is of another ladder of this lab."));
  // And its words are explained to one who sees page 1 alone.
  CHECK(has(report.about, "A rung is one version of a program"));
  CHECK(has(report.about, "A ladder is its rungs in order."));
}

TEST_CASE("a longer bar that is no step at these parameters is named beside the fastest step") {
  Timed told;
  told.run(4, {{kNaive, 24e6}, {kBlocked, 8e6}, {kWrong, 6e6}}, 60);
  const Run run = read_run(told.out);
  Options options = ladder_options();
  options.order = {kNaive, kBlocked, kWrong};
  options.previous = {{kBlocked, kNaive}, {kWrong, kBlocked}};
  options.why_no_step = [](std::string_view kernel, const Params&) {
    return std::string(kernel == kWrong ? "needs more than one thread" : "");
  };
  const Report report = built(run, options);
  INFO(report.sentence);
  CHECK(fact(report, "Fastest verified rung").empty());
  CHECK(fact(report, "Fastest step") == "cache blocks: 33.6 GFLOP/s; longest bar: dropped k");
  CHECK(has(report.sentence,
            "“dropped k” has a higher speed, 44.7 GFLOP/s, timed alone; it is no step at these "
            "parameters, since it needs more than one thread."));
}

TEST_CASE("a climb of more than tenfold leads page 1, and the library follows") {
  Timed told;
  told.run(4, {{kNaive, 240e6}, {kBlocked, 6e6}, {kPeer, 5e6}}, 60);
  add_pairs(&told.out, 10, {{kPeer, kBlocked, 1.001, Verdict::same}});
  const Run run = read_run(told.out);
  const Report report = built(run, three_options());
  CHECK(has(report.headline.figure, "40× as fast as the first rung"));
  CHECK(report.headline.interval == "as fast as oneDNN, within the margin");
  CHECK(has(report.lead, "each timed alone"));
  CHECK(has(report.sentence, "Against “oneDNN”, the fastest library in this type: 1.00"));
  CHECK(front(report, "compared").chart->rows[0].sublabel == "baseline: oneDNN");
}

TEST_CASE("a run that was cancelled says so on page 1") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  Series cut = measured(4, 0, kNaive, 24e6);
  cut.stats.reset();
  cut.status = SeriesStatus::cancelled;
  out.worker("result", with(about(4, 0), "outcome", cut));
  out.worker("done", {{"request", 4}, {"status", "cancelled"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  CHECK(report.headline.figure == "Cancelled: no verified speed");
  CHECK(has(report.sentence, "The run was cancelled before a rung had a speed."));
  CHECK(has(caveats_of(report), "The run was cancelled before its end"));
}

TEST_CASE("a headline says in words what its sign means, where the ratio does not") {
  const auto figure = [](double ratio, Verdict verdict) {
    Timed told = ladder_of_three();
    add_pairs(&told.out, 10, {{kPeer2, kBlocked, ratio, verdict}});
    const Run run = read_run(told.out);
    return built(run, three_options()).headline.figure;
  };
  CHECK(has(figure(1.002, Verdict::unresolved), ": ? unresolved, 1.00"));
  CHECK(figure(1.002, Verdict::same) == "cache blocks: as fast as OpenBLAS, within the margin");
  CHECK(has(figure(0.8, Verdict::slower), ": ▼ 0.800× as fast"));
}

TEST_CASE("libraries whose names are easily taken for each other are told apart in words") {
  Timed told = ladder_of_three();
  const Run run = read_run(told.out);
  Options options = three_options();
  const auto bullets = [&] {
    std::string all;
    const Report report = built(run, options);
    for (const std::string& one : front(report, "climb").bullets) all += one + "\n";
    return all;
  };
  options.peers = {{kPeer, "picks its algorithm"}, {kPeer2, "the fastest algorithm"}};
  CHECK_FALSE(has(bullets(), "picks its algorithm"));
  options.titles[kPeer] = "cuBLAS";
  options.titles[kPeer2] = "cuBLASLt";
  CHECK(has(bullets(), "“cuBLAS”: picks its algorithm; “cuBLASLt”: the fastest algorithm."));
}

TEST_CASE("a training's results count in the first line, though none of them was timed by calls") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  const std::string kernels[] = {kNaive, kBlocked};
  for (int i = 0; i < 2; ++i) {
    Series series = measured(4, i, kernels[i], 24e6);
    series.items_per_s = 1e3;
    if (i == 1) series.stats.reset();
    out.worker("result", with(about(4, i), "outcome", series));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  CHECK(has(built(run, ladder_options()).subtitle, "all 2 results"));
}

TEST_CASE("rungs that were measured at another problem alone are named on page 1") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kWrong}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 6e6)));
  Series other = measured(4, 2, kWrong, 2e6);
  other.params["n"] = int64_t{64};
  out.worker("result", with(about(4, 2), "outcome", other));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  CHECK(front(report, "climb").chart->table.rows.size() == 2);
  CHECK(has(front(report, "climb").bullets.back(),
            "(measured at another problem or size). The appendix has them."));
}

TEST_CASE("a rung of another type that was compared last is no row of the ladder either") {
  Timed told;
  told.out.send(work(RequestType::run, 4, {kNaive, kBlocked, kWrong}));
  told.out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  told.out.worker("result", with(about(4, 1), "outcome", measured(4, 1, kBlocked, 6e6)));
  Series other = measured(4, 2, kWrong, 2e6);
  other.dtype = "int8";
  told.out.worker("result", with(about(4, 2), "outcome", other));
  told.out.worker("done", {{"request", 4}, {"status", "ok"}});
  for (const auto& [request, candidate] : {std::pair{int64_t{10}, kBlocked}, {11, kWrong}}) {
    told.out.send(work(RequestType::compare, request, {kNaive, candidate}));
    told.out.worker("result", {{"request", request},
                               {"comparisons", {compared(request, {kNaive, candidate, 4})}}});
    told.out.worker("done", {{"request", request}, {"status", "ok"}});
  }
  const Run run = read_run(told.out);
  Options options = ladder_options();
  options.previous = {{kBlocked, kNaive}};
  const Report report = built(run, options);
  CHECK_FALSE(report.is_of_pair);
  const auto& rows = front(report, "climb").chart->table.rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[1][0] == "cache blocks");
}

TEST_CASE("a report of a ladder gives the commands of its pairs too") {
  const Run run = report_run({});
  Options options = ladder_options();
  const auto commands = [&] {
    Timed told;
    told.run(4, {{kNaive, 24e6}, {kWrong, 12e6}, {kBlocked, 6e6}}, 60);
    add_comparison(&told.out, {});
    const Run made = read_run(told.out);
    return front(built(made, options), "again").commands;
  }();
  REQUIRE(commands.size() == 2);
  CHECK(has(commands[0], "ridgepoint run gemm"));
  CHECK(has(commands[1], "ridgepoint compare gemm --baseline naive_o3 --candidate blocked"));
}

TEST_CASE("where checks judge by accuracy, page 1 has it beside each speed") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  const auto tell = [&](int index, const std::string& kernel, double call_ns, double accuracy) {
    Series series = measured(4, index, kernel, call_ns);
    for (QualityCheck& check : series.checks) check.task = {{"accuracy", accuracy}};
    out.worker("result", with(about(4, index), "outcome", series));
  };
  tell(0, kNaive, 24e6, 0.8832);
  tell(1, kBlocked, 6e6, 0.8791);
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  Options options = ladder_options();
  options.quality_metric = "accuracy";
  const Report report = built(run, options);
  const auto& table = front(report, "climb").chart->table;
  CHECK(table.columns.back() == "Accuracy");
  CHECK(table.rows[0].back() == "0.8832");
  CHECK(table.rows[1].back() == "0.8791");
}

TEST_CASE("no command of How to reproduce replaces another's file") {
  const Run run = two_sizes();
  const Report report = built(run, ladder_options());
  const auto section = std::find_if(report.sections.begin(), report.sections.end(),
                                    [](const Section& one) { return one.id == "reproduce"; });
  REQUIRE(section != report.sections.end());
  REQUIRE(section->commands.size() == 4);
  CHECK(section->commands[0].ends_with("--out run1.jsonl"));
  CHECK(section->commands[1].ends_with("--out run2.jsonl"));
  CHECK(section->commands[2] == "ridgepoint report run1.jsonl --out report1.html");
  CHECK(section->commands[3] == "ridgepoint report run2.jsonl --out report2.html");
}

TEST_CASE("a rung too fast to be believed passed its check, and is told apart from a failed one") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  out.worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  Series unbelieved = measured(4, 1, kBlocked, 1);
  unbelieved.status = SeriesStatus::failed;
  unbelieved.reason = "impossible: more was computed than the machine can: 9 TFLOP/s";
  out.worker("result", with(about(4, 1), "outcome", unbelieved));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  CHECK(has(report.sentence,
            "2 of 2 rungs passed their checks; one of them has no speed that can be used."));
  CHECK(has(front(report, "climb").chart->table.rows[1][1], "✕ impossible, no speed"));
}

TEST_CASE("page 1 is one sheet: the caveats that matter least make way for the rest") {
  Transcript out;
  add_start_of(&out);
  Environment env = environment();
  for (int i = 0; i < 40; ++i)
    env.quiet.reasons.push_back("a program with a name as long as this one ran meanwhile, too");
  env.quiet.quiet = false;
  out.worker("env", {{"environment", env}, {"when", "before"}});
  out.send(work(RequestType::run, 4, {kNaive, kBlocked}));
  const std::string kernels[] = {kNaive, kBlocked};
  for (int i = 0; i < 2; ++i) {
    Series one = measured(4, i, kernels[i], 24e6);
    one.stats->flags = {"few_samples", "noisy", "contended"};
    out.worker("result", with(about(4, i), "outcome", one));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  const Section& kept = front(report, "caveats");
  CHECK(has(kept.title, "more in the appendix"));
  CHECK(kept.bullets.size() == 3);
  CHECK(has(kept.bullets[0], "The machine was not quiet"));
  REQUIRE(report.sections.front().id == "more-caveats");
  CHECK(has(report.sections.front().bullets.back(), "The times scatter more"));
}

TEST_CASE("caveats are words: a busy machine, few samples, what was not run") {
  Transcript out;
  add_start_of(&out);
  Environment env = environment();
  env.quiet = {.quiet = false, .reasons = {"other processes use 1.0 of 2 cores"}};
  out.worker("env", {{"environment", env}, {"when", "before"}});
  out.send(work(RequestType::run, 4, {kNaive, kGpu}));
  Series few = measured(4, 0, kNaive, 24e6);
  few.stats->flags = {"few_samples", "contended"};
  out.worker("result", with(about(4, 0), "outcome", few));
  Series missing = measured(4, 1, kGpu, 1e6);
  missing.status = SeriesStatus::skipped;
  missing.stats.reset();
  missing.checks.clear();
  out.worker("result", with(about(4, 1), "outcome", missing));
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  std::string all;
  for (const std::string& one : front(report, "caveats").bullets) all += one + "\n";
  CHECK(has(all, "The machine was not quiet: other processes use 1.0 of 2 cores."));
  CHECK(has(all, "Too few calls were timed for an interval: “three loops, -O3”."));
  CHECK(has(all, "took processor time while “three loops, -O3” ran."));
  CHECK(has(all, "Not tested: "));
}

TEST_CASE(
    "a report of a run that was changed after it was saved says which lines, and no other does") {
  Transcript out;
  add_start_of(&out);
  add_ladder(&out);
  Seal seal;
  for (const std::string& line : out.lines) seal.take(line);
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  const auto caveats_of = [&](const std::string& text) {
    write_all(path, text + seal.line() + "\n");
    const auto run = Run::load(path);
    REQUIRE(run);
    const Report report = built(*run, ladder_options());
    std::string all;
    for (const std::string& one : front(report, "caveats").bullets) all += one + "\n";
    return all;
  };
  CHECK_FALSE(has(caveats_of(out.text()), "changed after it was saved"));
  std::string edited = out.text();
  const size_t digit = edited.find("\"median_ns\":");
  REQUIRE(digit != std::string::npos);
  edited.insert(digit + 12, "1");
  CHECK(has(caveats_of(edited), "was changed after it was saved: lines 1 to "));
}

TEST_CASE("a reason that cells share is one footnote; one that stands alone stays") {
  const Table table{.columns = {"Rung", "A", "B"},
                    .rows = {{"a", "unavailable: no meter", "1"},
                             {"b", "unavailable: no meter", "unavailable: alone"},
                             {"c", "unavailable: not run", ""},
                             {"d", "unavailable: not run", ""}}};
  const Footnoted made = footnoted(table);
  CHECK(made.table.rows == std::vector<std::vector<std::string>>{{"a", "— ¹", "1"},
                                                                 {"b", "— ¹", "unavailable: alone"},
                                                                 {"c", "— ²", ""},
                                                                 {"d", "— ²", ""}});
  CHECK(made.notes ==
        std::vector<std::string>{"¹ unavailable: no meter", "² unavailable: not run"});
}

TEST_CASE("the appendix is folded, page 1 is not, and Markdown has no chart in long words") {
  const Run run = report_run();
  const Report report = built(run, ladder_options());
  const std::string page = print_as(report, ".html");
  const size_t appendix = page.find("<h2 class=\"appendix\">");
  REQUIRE(appendix != std::string::npos);
  CHECK(page.find("id=\"again\"") < appendix);
  CHECK(page.find("<details class=\"part results\">") > appendix);
  CHECK(page.find("id=\"throughput\"") > page.find("<details class=\"part results\">"));
  // What paper leaves out is said where page 1 ends, not on a sheet of its own.
  const size_t left_out = page.find("Not printed: what is folded");
  CHECK(left_out > page.find("id=\"again\""));
  CHECK(left_out < appendix);
  const std::string text = print_as(report, ".md");
  size_t longest = 0;
  for (size_t at = text.find("*Chart in words:*"); at != std::string::npos;
       at = text.find("*Chart in words:*", at + 1))
    longest = std::max(longest, text.find('\n', at) - at);
  CHECK(longest < 300);
}

TEST_CASE("the text of an edited rung is in the report, and its command takes the file") {
  const std::string edited = kBlocked + "_edit";
  Transcript out;
  add_start_of(&out);
  out.worker("kernel", {{"request", 1}, {"kernel", rung_info(edited, "")}});
  out.worker("result", {{"request", 3},
                        {"source", SourceText{edited, "blocked.cpp",
                                              "// mine & only mine\nint b;\n", "-O3", "0123"}}});
  WorkRequest request = work(RequestType::compare, 5, {kNaive, edited});
  out.send(request);
  Series base = measured(5, 0, kNaive, 24e6), candidate = measured(5, 1, edited, 6e6);
  base.mode = candidate.mode = RunMode::compare;
  out.worker("result", with(about(5, 0), "outcome", base));
  out.worker("result", with(about(5, 1), "outcome", candidate));
  out.worker("done", {{"request", 5}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report report = built(run, ladder_options());
  const Section& again = front(report, "again");
  REQUIRE(again.commands.size() == 1);
  CHECK(has(again.commands[0], " --edit blocked.cpp "));
  CHECK_FALSE(has(again.commands[0], "--mode compare"));
  CHECK(front(report, "climb").chart->table.rows.back()[0] == "your copy of cache blocks");
  CHECK(has(again.paragraphs[0], "The text of “your copy of cache blocks” is in the appendix."));
  const auto text = std::find_if(report.sections.begin(), report.sections.end(),
                                 [](const Section& one) { return one.id == "edited"; });
  REQUIRE(text != report.sections.end());
  CHECK(text->part == Part::results);  // which paper has
  CHECK(text->code == "// mine & only mine\nint b;\n");
  CHECK(has(print_as(report, ".md"), "    // mine & only mine\n    int b;\n"));
  CHECK(has(print_as(report, ".html"), "// mine &amp; only mine"));
}
