// The report's states and its exports.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "common/view/report/format.h"
#include "common/view/report/report.h"
#include "tests/golden.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

namespace fs = std::filesystem;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Section& section(const Report& report, const std::string& id) {
  for (const Section& one : report.sections) {
    if (one.id == id) return one;
  }
  FAIL("no section " << id);
  return report.sections.front();
}

Decision decided(const Run& run) {
  return decide(run, run.comparisons().back());
}

/// A number that is none: nan, inf as words.
bool prints_nan(const std::string& text) {
  return std::regex_search(text,
                           std::regex("(^|[^a-z_])-?(nan|inf)([^a-z_]|$)", std::regex::icase));
}

}  // namespace

TEST_CASE("a candidate that failed its check is rejected whatever its time") {
  for (const Verdict verdict :
       {Verdict::faster, Verdict::slower, Verdict::same, Verdict::unresolved, Verdict::invalid}) {
    const Run run = report_run({.verdict = verdict, .candidate_passes = false});
    const Decision decision = decided(run);
    CHECK(decision.decision == "reject");
    CHECK(decision.verdict == Verdict::invalid);
    CHECK_FALSE(decision.throughput.has_value());
    CHECK_FALSE(decision.p95_latency_ns.has_value());
    const Report report = built(run);
    CHECK(has(report.sentence, "Decision: reject"));
    const std::string page = print_as(report, ".html"), text = print_as(report, ".md");
    for (const std::string& out : {page, text}) {
      CHECK_FALSE(has(out, "adopt"));
      CHECK_FALSE(has(out, "Adopt"));
      CHECK_FALSE(has(out, "as fast\n"));
      CHECK_FALSE(has(out, "4.00×"));  // its ratio is nowhere
    }
  }
}

TEST_CASE("the report answers in the agreed order") {
  const Run run = report_run();
  const Report report = built(run);
  std::vector<std::string> ids;
  for (const Section& one : report.sections) ids.push_back(one.id);
  CHECK(ids == std::vector<std::string>{"throughput", "error", "paired", "ladder", "roofline",
                                        "speed-error", "spread", "gain", "latency", "utilization",
                                        "memory", "bandwidth", "bottleneck", "environment",
                                        "calibrate", "not-tested", "reproduce"});
  ids.clear();
  for (const Section& one : report.front) ids.push_back(one.id);
  CHECK(ids ==
        std::vector<std::string>{"climb", "compared", "machine", "caveats", "words", "again"});
  CHECK(has(report.sentence, "Faster: replacing “three loops, -O3” by “cache blocks”"));
  CHECK(has(report.sentence, "Decision: adopt"));
  CHECK(report.claims.size() == 1);
}

TEST_CASE("the whole job gains by Amdahl, with its interval") {
  const Run run = report_run();
  const Report faster = built(run);
  const Table& table = *section(faster, "gain").table;
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0][1] == "1.0811× as fast");  // 1 / (0.9 + 0.1 / 4)
  CHECK(table.rows[2][1] == "1.600× as fast");
  CHECK(table.rows[3][1] == "4.00× as fast");
  CHECK(table.rows[3][2] == "[3.95, 4.05]");
  const Run refused_run = report_run({.candidate_passes = false});
  const Report refused = built(refused_run);
  CHECK_FALSE(section(refused, "gain").table.has_value());
  CHECK(has(section(refused, "gain").paragraphs[0], "unavailable"));
}

TEST_CASE("what is missing says why and how many samples it needs") {
  const Run run = report_run({.with_latency = false});
  const Report report = built(run);
  const std::string text = print_as(report, ".md");
  CHECK(has(text, "unavailable: n = 20, needs 59"));
  CHECK(has(text, "unavailable: n = 20, needs 299"));
  CHECK(has(text, "unavailable: no energy meter"));
  CHECK(has(text, "unavailable: skipped: needs an NVIDIA GPU"));
  CHECK(has(text, "unavailable: failed its check: NMSE 0.5 is over 2e-12"));
  for (const Section& one : report.sections) {  // no empty cell but after an "unavailable"
    if (!one.table) continue;
    for (const auto& row : one.table->rows) {
      for (size_t i = 1; i < row.size(); ++i) {
        INFO(one.id << ", column " << i);
        if (row[i].empty()) CHECK((row[i - 1].empty() || has(row[i - 1], "unavailable")));
      }
    }
  }
}

TEST_CASE("a run without a comparison is a ladder report and claims nothing") {
  const Run run = report_run({.with_comparison = false});
  const Report report = built(run);
  CHECK(report.claims.empty());
  CHECK(report.front.front().id == "climb");
  CHECK(has(report.sentence, "compared in pairs, so no verdict is given"));
  CHECK_FALSE(has(print_as(report, ".html"), "▲"));
  CHECK_FALSE(has(print_as(report, ".md"), "adopt"));
}

TEST_CASE("two files are not paired: no verdict, no decision") {
  const Run first = report_run({.with_comparison = false}), second = report_run();
  const Input inputs[] = {{&first, "before.jsonl"}, {&second, "after.jsonl"}};
  Options options = test::report_options();
  const auto vague = build_report(inputs, options);
  REQUIRE_FALSE(vague.ok());
  CHECK(vague.error().code == ErrorCode::usage);
  CHECK(has(vague.error().sentence(), "--baseline"));
  options.baseline = "cpu.naive_o3";  // as the terminal's table has it
  options.candidate = test::kBlocked;
  const auto report = build_report(inputs, options);
  REQUIRE(report.ok());
  CHECK(has(report->sentence, "Nothing is claimed: "));
  CHECK(report->claims.back().decision.decision.empty());
  for (const std::string& out : {print_as(*report, ".html"), print_as(*report, ".md")}) {
    CHECK(has(out, "before.jsonl"));
    CHECK(has(out, "after.jsonl"));
    CHECK_FALSE(has(out, "Decision:"));
    CHECK_FALSE(has(out, "dopt"));
    CHECK_FALSE(has(out, "▲"));
  }
  options.candidate = "wrong";  // failed its check: refused, paired or not
  const auto refused = build_report(inputs, options);
  REQUIRE(refused.ok());
  CHECK(has(refused->sentence, "Decision: reject"));
}

TEST_CASE(
    "a pair that is asked for in the reverse direction is the one that was measured, turned") {
  const Run run = report_run();
  const Input input{&run, "run.jsonl"};
  Options options = test::report_options();
  options.baseline = test::kBlocked;
  options.candidate = test::kNaive;
  const auto report = build_report(std::span(&input, 1), options);
  REQUIRE(report.ok());
  REQUIRE(report->claims.size() == 1);
  const Claim& claim = report->claims.back();
  CHECK(claim.paired);
  CHECK(claim.comparison.baseline == test::kBlocked);
  CHECK(claim.comparison.candidate == test::kNaive);
  CHECK(claim.comparison.ratio == Approx(1 / 4.0));
  REQUIRE(claim.comparison.ci);
  CHECK(claim.comparison.ci->low == Approx(1 / 4.05));
  CHECK(claim.comparison.ci->high == Approx(1 / 3.95));
  CHECK(claim.decision.verdict == Verdict::slower);
  CHECK(decision_words(claim.decision) == "keep the baseline");
  CHECK_FALSE(has(print_as(*report, ".md"), "Nothing is claimed"));
}

TEST_CASE("names that match nothing are a usage error that lists what there is") {
  const Run run = report_run();
  const Input input{&run, "run.jsonl"};
  Options options;
  options.baseline = "nonsense";
  auto report = build_report(std::span(&input, 1), options);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::usage);
  options.candidate = "blocked";
  report = build_report(std::span(&input, 1), options);
  REQUIRE_FALSE(report.ok());
  CHECK(has(report.error().sentence(), test::kBlocked));
  const Run empty;
  const Input nothing{&empty, "empty.jsonl"};
  report = build_report(std::span(&nothing, 1), {});
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::bad_input);
}

TEST_CASE("NaN from a file is never printed as a number") {
  test::Transcript out;
  test::add_start_of(&out);
  test::add_ladder(&out);
  test::add_comparison(&out, {.ratio = kNan, .ci = {kNan, kNan}});
  Run run = test::read_run(out);
  const Report report = built(run);
  for (const std::string& text : {print_as(report, ".html"), print_as(report, ".md"),
                                  print_as(report, ".json"), print_as(report, ".csv")}) {
    CHECK_FALSE(prints_nan(text));
    CHECK_FALSE(has(text, "dopt,"));
  }
  CHECK(report.claims.back().decision.decision == "measure_more");
}

TEST_CASE("of many comparisons the chart has the last, and the table all") {
  test::Transcript out;
  test::add_start_of(&out);
  test::add_ladder(&out);
  for (int i = 0; i < 45; ++i) test::add_comparison(&out, {.ratio = i < 44 ? 1.5 : 1.75});
  const Run run = test::read_run(out);
  REQUIRE(run.comparisons().size() == 45);
  const Report report = built(run);
  const Section& paired = section(report, "paired");
  CHECK(paired.table->rows.size() == 45);
  REQUIRE(paired.chart);
  CHECK(paired.chart->rows.size() == 40);
  CHECK(paired.paragraphs.back() == "The chart has the last 40 of 45, the table all.");
}

TEST_CASE("hostile names stay text in every format") {
  test::Transcript out;
  test::add_start_of(&out);
  test::add_ladder(&out);
  test::add_comparison(&out, {});
  Run run = test::read_run(out);
  Options options = test::report_options();
  options.titles[test::kBlocked] = "<script>alert(1)</script>|`x`";
  options.lab_title = "=HYPERLINK(\"http://x\")";
  const Report report = built(run, options);
  CHECK_FALSE(has(print_as(report, ".html"), "<script"));
  CHECK_FALSE(has(print_as(report, ".md"), "<script"));
  test::Transcript evil;
  test::add_start_of(&evil);
  Series series = test::measured(4, 0, "=cmd|'/c calc'!A0; rm -rf ~", 1e6);
  series.samples = test::samples(2, 1e6);
  evil.send(test::work(RequestType::run, 4, {series.kernel}));
  evil.worker("samples",
              {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", series.samples.from(0)}});
  evil.worker("result", test::with(test::about(4, 0), "outcome", series));
  evil.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run evil_run = test::read_run(evil);
  const Report evil_report = built(evil_run, {});
  CHECK(has(print_as(evil_report, ".csv"), ",'=cmd|"));
  CHECK_FALSE(has(print_as(evil_report, ".csv"), ",=cmd"));
  CHECK(
      has(section(evil_report, "reproduce").commands[0], "'=cmd|'\\''/c calc'\\''!A0; rm -rf ~'"));
}

TEST_CASE("the page stands alone") {
  const Run run = report_run();
  const std::string page = print_as(built(run), ".html");
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "src="));
  CHECK_FALSE(has(page, "href="));
  CHECK_FALSE(has(page, "url(http"));
  CHECK(has(page, "<svg"));
  CHECK(has(page, "prefers-color-scheme:dark"));
  std::regex id(" id=\"([^\"]+)\"");
  std::map<std::string, int> ids;
  for (std::sregex_iterator it(page.begin(), page.end(), id), end; it != end; ++it) ++ids[(*it)[1]];
  for (const auto& [name, count] : ids) {
    INFO("id " << name);
    CHECK(count == 1);
  }
}

TEST_CASE("a rung of another machine is marked as recorded, one whose code has changed as stale") {
  const auto run_on = [](const std::string& cpu) {
    Transcript out;
    add_start_of(&out);
    Environment env = environment();
    env.cpu.model = cpu;
    out.worker("env", {{"environment", env}, {"when", "before"}});
    KernelInfo info = rung_info(kPeer, "oneDNN");
    out.worker("kernel", {{"request", 1}, {"kernel", info}});
    add_ladder(&out);
    Run run = read_run(out);
    const RungHash now[] = {{kPeer.c_str(), "changed"}};
    run.mark_stale(now);
    return run;
  };
  const Run old = run_on("Old CPU"), fresh = run_on("New CPU");
  const std::vector<Input> inputs = {{&old, "old.jsonl"}, {&fresh, "new.jsonl"}};
  Options options = report_options();
  options.baseline = kNaive;
  options.candidate = kPeer;
  const auto report = build_report(inputs, options);
  REQUIRE(report.ok());
  const chart::ChartModel& ladder = *section(*report, "ladder").chart;
  int recorded = 0, stale = 0;
  for (size_t i = 0; i < ladder.rows.size(); ++i) {
    const chart::Row& row = ladder.rows[i];
    const bool is_old = has(row.label, "old.jsonl");
    CHECK(has(row.sublabel, "recorded on Old CPU") == is_old);
    CHECK(has(row.sublabel, "stale") == has(row.label, "oneDNN"));
    recorded += is_old;
    stale += has(row.sublabel, "stale");
    for (const chart::Mark& mark : ladder.panels[0].marks) {
      if (mark.row == static_cast<int>(i))
        CHECK(mark.hatched == (is_old || has(row.sublabel, "stale")));
    }
  }
  CHECK(recorded > 0);
  CHECK(stale == 2);
  // Two files hold two results of the one stale kernel.
  CHECK(has(report->subtitle, fmt::format("2 of {} results stale: their kernels have changed since",
                                          ladder.rows.size())));
  // Every table and every chart that names the rung says it.
  const std::string text = print_as(*report, ".md");
  CHECK(has(text, "oneDNN · new.jsonl · stale"));
  // Each machine has roofs of its own, so each has its roofline.
  CHECK(has(section(*report, "roofline").title, "Old CPU"));
  CHECK(has(section(*report, "roofline-2").title, "New CPU"));
}

TEST_CASE("several sizes make a size curve; one does not") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kNaive}));
  for (int i = 0; i < 2; ++i) {
    Series series = measured(4, i, kNaive, 24e6);
    series.params["n"] = int64_t{512} << i;
    out.worker("result", with(about(4, i), "outcome", series));
  }
  const Run run = read_run(out);
  const Report report = built(run);
  const chart::ChartModel& sizes = *section(report, "sizes").chart;
  REQUIRE(sizes.plot->curves.size() == 1);
  CHECK(sizes.plot->curves[0].data.size() == 2);
  CHECK(has(print_as(report, ".html"), "<summary>The figures behind it</summary>"));
  const Run one = report_run();
  for (const Section& other : built(one).sections) CHECK(other.id != "sizes");
}

TEST_CASE("what limits an error is said of the types that were checked, and of no other") {
  Options options = test::report_options();
  options.quality_limit = "an NMSE against float64";
  options.type_limits = {{"bf16", "at most a rounding"}, {"fp32", "at most 4e-15 times K"}};
  const auto said = [&](const char* dtype) {
    Transcript out;
    add_start_of(&out);
    out.send(work(RequestType::run, 4, {kNaive}));
    Series one = measured(4, 0, kNaive, 24e6);
    one.dtype = dtype;
    out.worker("result", with(about(4, 0), "outcome", one));
    const Run run = read_run(out);
    const Report report = built(run, options);
    return section(report, "error").paragraphs.back();
  };
  CHECK(said("bf16") == "Limit of this lab: an NMSE against float64, in bf16 at most a rounding.");
  CHECK(said("fp32") ==
        "Limit of this lab: an NMSE against float64, in fp32 at most 4e-15 times K.");
  CHECK(said("fp8") == "Limit of this lab: an NMSE against float64.");
}

TEST_CASE("rows of one error are one row with their number and the rungs' names") {
  const auto labels = [](const std::vector<int64_t>& sizes) {
    Transcript out;
    add_start_of(&out);
    out.send(work(RequestType::run, 4, {kNaive}));
    int index = 0;
    for (const std::string& kernel : {kNaive, kBlocked, kPeer, kWrong}) {
      for (const int64_t n : sizes) {
        Series one = measured(4, index++, kernel, 24e6);
        one.params["n"] = n;
        if (kernel == kWrong) one.checks.front().nmse *= 2;
        out.worker("result", with(about(4, one.index), "outcome", one));
      }
    }
    const Run run = read_run(out);
    const Report report = built(run);
    std::vector<std::string> all;
    for (const auto& row : section(report, "error").table->rows) all.push_back(row[0]);
    return all;
  };
  CHECK(labels({512}) ==
        std::vector<std::string>{"3 rungs: three loops, -O3; cache blocks; oneDNN", "dropped k"});
  CHECK(labels({512, 1024}) ==
        std::vector<std::string>{
            "6 results, each rung at n=512; n=1024: three loops, -O3; cache blocks; oneDNN",
            "dropped k · n=512", "dropped k · n=1024"});
}

TEST_CASE("where rungs are judged by their answers, the error table is of those") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kWrong}));
  for (int i = 0; i < 2; ++i) {
    Series series = measured(4, i, i == 0 ? kNaive : kWrong, 1e6);
    QualityCheck timed = check(true);
    timed.nmse = timed.nmse_limit = 0;
    timed.what = "10000 test images";
    timed.task = {{"accuracy", 0.8832}};
    QualityCheck untrained = timed;
    untrained.what = "24 awkward problems";
    untrained.task["accuracy"] = 0.1;
    timed.passed = i == 0;
    timed.reason = i == 0 ? "" : "3 answers are not the definition's";
    series.checks = {untrained, timed};
    if (i == 1) series.status = SeriesStatus::failed;
    out.worker("result", with(about(4, i), "outcome", series));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Section error = section(built(run), "error");
  CHECK(error.title == "Accuracy");
  REQUIRE(error.table);
  CHECK(error.table->columns[1] == "Accuracy");
  REQUIRE(error.table->rows.size() == 2);
  CHECK(error.table->rows[0][1] == "0.8832");
  CHECK(error.table->rows[0][2] == "10000 test images");
  // No check has an error of its own: the table has no column for one.
  CHECK(error.table->columns ==
        std::vector<std::string>{"Rung", "Accuracy", "Judged on", "Checks", "Result"});
  CHECK(error.table->rows[0][4] == "passed");
  CHECK(has(error.table->rows[1][4], "3 answers"));
  for (const std::string& text : error.paragraphs) CHECK_FALSE(has(text, "float64"));
}

TEST_CASE("seeds of a rung are one row of the ladder and one point of the frontier") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {kNaive, kBlocked, kPeer}));
  int index = 0;
  const auto tell = [&](const std::string& kernel, int64_t seed, double accuracy, bool passes) {
    Series series = measured(4, index, kernel, kernel == kNaive ? 24e6 : 2e6);
    series.params = {{"seed", seed}, {"width", int64_t{64}}};
    if (kernel != kNaive) series.params["recipe"] = kernel.substr(kernel.rfind('.') + 1);
    constexpr double kBlockedRates[] = {800, 1000, 900};
    series.items_per_s = kernel == kNaive  ? 100
                         : kernel == kPeer ? 900
                                           : kBlockedRates[seed - 1];
    QualityCheck judged = check(passes);
    judged.nmse = judged.nmse_limit = 0, judged.task = {{"accuracy", accuracy}};
    series.checks = {judged};
    if (!passes) series.status = SeriesStatus::failed, series.stats.reset();
    out.worker("result", with(about(4, index++), "outcome", series));
  };
  for (int64_t seed = 1; seed <= 3; ++seed) {
    const double level = 0.8 + 0.01 * double(seed * seed);
    tell(kNaive, seed, level, true);
    tell(kBlocked, seed, level - 0.001, true);
    tell(kPeer, seed, level - 0.02, seed == 2);
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  const Run run = read_run(out);
  const Report all = built(run);  // the ladder shows the seed at which most rungs passed
  CHECK(has(all.sentence,
            "Speeds are medians over seeds 1 to 3, accuracy a mean over them; every other check is "
            "of seed 2."));
  CHECK(all.headline.figure == "≈ 9.0× as fast as the first rung");  // at seed 2 alone 10×
  CHECK(all.headline.interval == "median of 3 seeds");
  CHECK(has(all.front.front().chart->panels.front().subtitle, "medians over seeds"));
  const auto& columns = all.front.front().chart->panels;
  const auto accuracy = std::find_if(columns.begin(), columns.end(),
                                     [](const auto& panel) { return panel.title == "Accuracy"; });
  REQUIRE(accuracy != columns.end());
  CHECK(accuracy->subtitle == "mean of 3 seeds");
  CHECK(accuracy->row_reasons[1] == "0.8457");  // 0.839 at seed 2, which the row is of
  Options options = report_options();
  options.quality_metric = "accuracy";
  const Report report = built(run, options);
  const Section& ladder = section(report, "ladder");
  REQUIRE(ladder.chart->rows.size() == 3);
  CHECK(has(ladder.chart->rows[1].label, "seed=1"));
  for (const auto& row : ladder.chart->rows) {  // what they share and what names them tells nothing
    CHECK_FALSE(has(row.label, "width"));
    CHECK_FALSE(has(row.label, "recipe"));
  }
  const Section& frontier = section(report, "frontier");
  REQUIRE(frontier.table->rows.size() == 3);
  CHECK(has(frontier.table->rows[1][3], "3 paired seeds"));
  CHECK(frontier.table->rows[1].back() == "on the frontier");
  CHECK(frontier.table->rows[2].back() == "refused at 2 of 3 seeds");
}

TEST_CASE("every panel's metric is explained in assets/metrics.json") {
  std::ifstream file(test::golden_path("../../assets/metrics.json"));
  const Json metrics = Json::parse(file, nullptr, false);
  REQUIRE(metrics.is_object());
  const Run run = report_run();
  const Report report = built(run);
  for (const Section& one : report.sections) {
    if (!one.chart) continue;
    for (const chart::Panel& panel : one.chart->panels) {
      if (!panel.metric.empty()) CHECK(metrics.contains(panel.metric));
    }
  }
  for (const char* key : {"time_per_call", "latency", "utilization", "memory_bandwidth",
                          "error_nmse", "accuracy_delta", "ratio", "power", "sm_clock", "memory"}) {
    REQUIRE(metrics.contains(key));
    for (const char* field : {"name", "formula", "unit", "better", "why"}) {
      CHECK(metrics[key].contains(field));
    }
  }
}

TEST_CASE("a ceiling in doubt is said with its reason, and nothing is a share of it") {
  Transcript lines;
  add_start_of(&lines);
  std::vector<Ceiling> doubted = {
      {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1.3e11, "FLOP/s", "measured"}};
  doubted[0].doubt = "130 GFLOP/s cannot be right";
  lines.worker("result", {{"request", 2}, {"ceilings", doubted}});
  add_ladder(&lines);
  const Run run = read_run(lines);
  const std::string text = print_as(built(run), ".md");
  CHECK(
      has(text, "ceiling, measured, in doubt: FMA fp32, 1 thread 130 GFLOP/s. 130 GFLOP/s cannot"));
  CHECK(has(text, "the ceiling FMA fp32, 1 thread is in doubt"));
  CHECK_FALSE(has(text, "% of FMA fp32"));
}

namespace {

const PairedVerdict kFasterByCycles = {40, 1.013, Interval{1.010, 1.015}, Verdict::faster, 0};
const std::string kHeld = "the clock was held down: 1235 of 1980 MHz (power cap); so each ...";

/// Faster at one clock, slower alone.
Run capped_run() {
  return report_run({.verdict = Verdict::slower,
                     .ratio = 0.938,
                     .ci = {0.934, 0.939},
                     .equal_clock = kFasterByCycles,
                     .clock_held = true,
                     .clock = kHeld});
}

}  // namespace

TEST_CASE("where two verdicts disagree the sustained one leads, and the clocks say why") {
  const Run run = capped_run();
  const report::Report report = built(run);
  CHECK(has(report.sentence, "Slower"));
  CHECK(has(report.sentence, "6 sustained turns a side"));
  CHECK(has(report.sentence, "At one clock for both it would be faster (1.013×"));
  CHECK(report.claims.back().decision.decision == "keep");
  const std::string text = print_as(report, ".md");
  for (const char* part :
       {"## The clocks", "1340 MHz", "1240 MHz", "689 W", "1.11 J", "1.20 J", "· sustained",
        "· at equal clock", "power cap", "one of cycles", "7.5 % lower", "more energy"}) {
    INFO(part);
    CHECK(has(text, part));
  }
  const std::string page = print_as(report, ".html");
  CHECK(has(page, "6 sustained turns a side"));
  CHECK(has(page, "hollow: at equal clock"));
}

TEST_CASE(
    "a verdict that its own interval does not bear out is read as unresolved, also at equal "
    "clock") {
  PairedVerdict boast = kFasterByCycles;
  boast.ci = Interval{0.99, 1.03};
  const Run run = report_run({.verdict = Verdict::faster,
                              .ratio = 0.938,
                              .ci = {0.934, 0.939},
                              .equal_clock = boast,
                              .clock_held = true,
                              .clock = kHeld});
  CHECK(run.comparisons().back().verdict == Verdict::unresolved);
  REQUIRE(run.comparisons().back().equal_clock);
  CHECK(run.comparisons().back().equal_clock->verdict == Verdict::unresolved);
  CHECK(built(run).claims.back().decision.decision == "measure_more");
}

TEST_CASE("a held clock without sustained turns adopts nothing; a free one needs none") {
  const Run held =
      report_run({.ratio = 1.05, .ci = {1.04, 1.06}, .clock_held = true, .clock = kHeld});
  CHECK(built(held).claims.back().decision.decision == "measure_more");
  CHECK(has(built(held).sentence, "one of cycles"));
  const Run free = report_run(
      {.ratio = 1.05, .ci = {1.04, 1.06}, .clock = "the clock was not held down; alone"});
  CHECK(built(free).claims.back().decision.decision == "adopt");
  CHECK(has(print_as(built(free), ".md"), "The clock was not held down"));
  // A rung's name begins a sentence in its own case.
  Transcript two;
  add_start_of(&two);
  add_comparison(&two, {.clock = "the clock was not held down; alone"});
  add_comparison(&two, {.clock = "the clock was not held down; alone"});
  const Run several = read_run(two);
  const std::string text = print_as(built(several), ".md");
  CHECK(has(text, "\ncache blocks against three loops, -O3: the clock was not held down"));
  const Run on_cpu = report_run();
  CHECK_FALSE(has(print_as(built(on_cpu), ".md"), "The clocks"));
}
