// "A faster option exists": what may be said of a rung, by which evidence, and when nothing may; and where it stands.
#include "common/record/faster.h"

#include <algorithm>

#include "app/query/faster.h"
#include "app/query/reporting.h"
#include "app/query/series_table.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;

namespace {

struct Timed {
  std::string kernel;
  double call_ns;
  bool passes = true;
  double half_width = 0.01;  ///< of the interval, as a share of call_ns
};

/// A run of its own of these rungs, one after the other.
void add_times(Transcript* out, int64_t request, const std::vector<Timed>& rungs) {
  std::vector<std::string> ids;
  for (const Timed& rung : rungs) ids.push_back(rung.kernel);
  out->send(work(RequestType::run, request, ids));
  for (size_t i = 0; i < rungs.size(); ++i) {
    Series series = measured(request, int(i), ids[i], rungs[i].call_ns);
    series.stats->ci_ns = Interval{rungs[i].call_ns * (1 - rungs[i].half_width),
                                   rungs[i].call_ns * (1 + rungs[i].half_width)};
    if (!rungs[i].passes) series.checks = {check(false)};
    out->worker("result", with(about(request, int(i)), "outcome", series));
  }
  out->worker("done", {{"request", request}, {"status", "ok"}});
}

void add_pair(Transcript* out, int64_t request, const std::string& baseline,
              const std::string& candidate, double ratio, Verdict verdict) {
  out->send(work(RequestType::compare, request, {baseline, candidate}));
  Comparison pair;
  pair.request = request, pair.lab = "gemm", pair.baseline = baseline, pair.candidate = candidate;
  pair.cache = CacheMode::hot;
  pair.baseline_params = pair.candidate_params = measured(request, 0, baseline, 1).params;
  pair.rounds = 40, pair.ratio = ratio, pair.ci = Interval{ratio * 0.99, ratio * 1.01};
  pair.margin = 0.02, pair.verdict = verdict;
  out->worker("result", {{"request", request}, {"comparisons", {pair}}});
  out->worker("done", {{"request", request}, {"status", "ok"}});
}

Transcript begun() {
  Transcript out;
  add_start_of(&out);
  return out;
}

const std::string kO1 = "gemm.cpu.naive_o1", kO3 = "gemm.cpu.naive_o3",
                  kOrder = "gemm.cpu.loop_order", kPacked = "gemm.cpu.packed",
                  kOneDnn = "gemm.cpu.onednn", kOpenBlas = "gemm.cpu.openblas";

std::vector<FasterOption> of(const Run& run, const std::string& kernel,
                             std::span<const Recording> recordings = {}) {
  for (const Series& series : run.series()) {
    if (series.kernel == kernel)
      return faster_options(faster_sources(run, recordings), series,
                            ladder_after(*find_lab("gemm"), kernel, series.params));
  }
  FAIL(kernel << " was not measured");
  return {};
}

std::string said(const std::vector<FasterOption>& options) {
  return faster_sentence(options, [](const std::string& kernel) { return short_name(kernel); });
}

}  // namespace

TEST_CASE("the next faster rung of one run and the fastest library, marked as two times") {
  Transcript out = begun();
  add_times(&out, 4,
            {{kO1, 240e6},
             {kO3, 240e6},
             {kOrder, 20e6},
             {kPacked, 10e6},
             {kOneDnn, 2e6},
             {kOpenBlas, 4e6}});
  const Run run = read_run(out);
  const auto options = of(run, kO1);
  REQUIRE(options.size() == 2);
  CHECK(options[0].kernel == kOrder);  // naive_o3 is as fast, no faster
  CHECK(options[0].ratio == Approx(12));
  CHECK(options[1].kernel == kOneDnn);
  CHECK(options[1].is_library);
  CHECK(said(options) ==
        "A faster option may exist: cpu.loop_order ≈ 12× as fast (each timed alone); the library "
        "cpu.onednn ≈ 120× as fast (each timed alone); only a pair decides.");
  CHECK(of(run, kOneDnn).empty());  // a library is no step of the ladder
}

TEST_CASE("a pair decides before two times: its ratio, and its silence") {
  Transcript out = begun();
  add_times(&out, 4, {{kO1, 240e6}, {kO3, 80e6}, {kOrder, 60e6}});
  add_pair(&out, 5, kO1, kO3, 1.002, Verdict::same);
  add_pair(&out, 6, kOrder, kO1, 0.25, Verdict::slower);  // the other way round
  const auto options = of(read_run(out), kO1);
  REQUIRE(options.size() == 1);
  CHECK(options[0].kernel == kOrder);
  CHECK(options[0].ratio == Approx(4));
  CHECK(contains(options[0].rests_on, "in turns, 95 % interval [3.96, 4.04]"));
}

TEST_CASE("a library that a pair calls faster stands before one that two times do") {
  Transcript out = begun();
  add_times(&out, 4, {{kOrder, 20e6}, {kOneDnn, 15e6}, {kOpenBlas, 10e6}});
  add_pair(&out, 5, kOneDnn, kOrder, 0.8, Verdict::slower);
  const auto options = of(read_run(out), kOrder);
  REQUIRE(options.size() == 1);
  CHECK(options[0].kernel == kOneDnn);
  CHECK(options[0].ratio == Approx(1.25));
}

TEST_CASE("silence: noise, a failed check, runs made apart, another size") {
  Transcript out = begun();
  add_times(&out, 4, {{kO1, 100e6, true, 0.05}, {kO3, 95e6, true, 0.05}, {kOrder, 10e6, false}});
  add_times(&out, 5, {{kPacked, 5e6}});
  const Run run = read_run(out);
  CHECK(of(run, kO1).empty());
  CHECK(said(of(run, kO1)).empty());
  Transcript sizes = begun();
  sizes.send(work(RequestType::run, 4, {kO1, kOrder}));
  Series other = measured(4, 1, kOrder, 1e6);
  other.params["n"] = int64_t{64};
  sizes.worker("result", with(about(4, 0), "outcome", measured(4, 0, kO1, 240e6)));
  sizes.worker("result", with(about(4, 1), "outcome", other));
  CHECK(of(read_run(sizes), kO1).empty());
}

TEST_CASE("silence: a time that other programs disturbed says nothing of what is faster") {
  Transcript out = begun();
  out.send(work(RequestType::run, 4, {kO1, kOrder}));
  Series slow = measured(4, 0, kO1, 240e6), fast = measured(4, 1, kOrder, 20e6);
  fast.stats->flags = {"contended"};
  out.worker("result", with(about(4, 0), "outcome", slow));
  out.worker("result", with(about(4, 1), "outcome", fast));
  CHECK(of(read_run(out), kO1).empty());
}

TEST_CASE("what was not measured here comes from a recording, which is named") {
  Transcript here = begun(), there = begun();
  add_times(&here, 4, {{kO1, 240e6}, {kO3, 240e6}});
  add_times(&there, 4, {{kO1, 100e6}, {kO3, 10e6}, {kOrder, 20e6}});
  const Run run = read_run(here);
  const Recording recording{"f.jsonl", "Other CPU", "",
                            std::make_shared<const Run>(read_run(there))};
  CHECK(of(run, kO1).empty());
  const auto options = of(run, kO1, {&recording, 1});
  REQUIRE(options.size() == 1);
  CHECK(options[0].kernel == kOrder);  // this machine's own times say that naive_o3 is none
  CHECK(options[0].ratio == Approx(5));
  CHECK(options[0].rests_on == "each timed alone, recorded on Other CPU");
}

TEST_CASE("an edit: over its original, where that is more than the edit itself gained") {
  const std::string edit = kO1 + "_edit";
  const auto with_edit = [&](double gained) {
    Transcript out = begun();
    add_times(&out, 4, {{kO1, 240e6}, {kO3, 120e6}, {kOrder, 20e6}});
    add_times(&out, 5, {{edit, 240e6 / gained}});
    add_pair(&out, 6, kO1, edit, gained, Verdict::faster);
    return read_run(out);
  };
  const auto options = of(with_edit(3), edit);
  REQUIRE(options.size() == 1);
  CHECK(options[0].kernel == kOrder);
  CHECK(options[0].over == kO1);
  CHECK(said(options) ==
        "A faster option may exist: cpu.loop_order ≈ 12× as fast as cpu.naive_o1 "
        "(each timed alone); only a pair decides.");
  CHECK(of(with_edit(30), edit).empty());
}

TEST_CASE("a rung that is no step at these parameters is no option") {
  const Lab& lab = *find_lab("gemm");
  const auto has_threads = [&](int64_t threads) {
    const auto ladder = ladder_after(lab, kPacked, {{"threads", threads}});
    return std::any_of(ladder.begin(), ladder.end(),
                       [](const LadderRung& rung) { return rung.kernel == "gemm.cpu.threads"; });
  };
  CHECK(has_threads(2));
  CHECK_FALSE(has_threads(1));
  for (const LadderRung& rung : ladder_after(lab, kPacked, {{"threads", int64_t{2}}}))
    CHECK(rung.kernel.starts_with("gemm.cpu."));
}

TEST_CASE("on the command line, each rung under its heading, the fastest of ours in brief") {
  Transcript out = begun();
  add_times(&out, 4, {{kO1, 240e6}, {kOrder, 20e6}, {kOneDnn, 2e6}});
  const Run run = read_run(out);
  const std::string whole = faster_rungs_text(run, 4, *find_lab("gemm"), {});
  INFO(whole);
  CHECK(contains(whole, "\nfaster options\n"));
  CHECK(contains(whole, "  cpu.naive_o1: cpu.loop_order ≈ 12× as fast"));
  CHECK(contains(whole, "  cpu.loop_order: the library cpu.onednn ≈ 10× as fast"));
  CHECK(contains(whole, "each timed alone: 'ridgepoint compare' decides"));
  const std::string brief = faster_line(run, 4, *find_lab("gemm"));
  INFO(brief);
  CHECK(contains(brief, "A faster option than cpu.loop_order may exist: the library cpu.onednn"));
  CHECK(contains(brief,
                 "\n    ridgepoint compare gemm --baseline cpu.loop_order --candidate cpu.onednn"));
  CHECK(contains(brief, " --set n="));
  Transcript none = begun();
  add_times(&none, 4, {{kO1, 240e6}});
  const Run alone = read_run(none);
  CHECK(faster_rungs_text(alone, 4, *find_lab("gemm"), {}).empty());
  CHECK(faster_line(alone, 4, *find_lab("gemm")).empty());
}

TEST_CASE("in a report, a row of the appendix for each option; no section where there is none") {
  const auto section_of = [](const Transcript& out) -> std::optional<report::Section> {
    const Run run = read_run(out);
    const report::Input input{&run, "RUN.jsonl"};
    const auto made = report::build_report({&input, 1}, report_options(run));
    REQUIRE(made);
    for (const report::Section& one : made->sections) {
      if (one.id == "faster") return one;
    }
    return std::nullopt;
  };
  Transcript out = begun();
  add_times(&out, 4, {{kO1, 240e6}, {kOrder, 20e6}, {kOneDnn, 2e6}});
  const auto section = section_of(out);
  REQUIRE(section);
  REQUIRE(section->table->rows.size() == 3);
  CHECK(section->table->rows[0][1] == "loop order");
  CHECK(section->table->rows[0][2] == "≈ 12×");
  CHECK(section->table->rows[1][1] == "library: oneDNN");
  CHECK(section->table->rows[0][3] == "each timed alone");
  Transcript none = begun();
  add_times(&none, 4, {{kO1, 240e6}});
  CHECK_FALSE(section_of(none));
}
