// A budget that the user sets before the run: how it is written, what it may demand of whom, and what it decides.
#include "common/record/budget.h"

#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "common/view/report/document.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/report_run.h"
#include "tests/trained_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

Budget budget(const std::string& text) {
  const auto parsed = parse_budget(text);
  if (!parsed) FAIL(parsed.error().sentence());
  return *parsed;
}

std::string refused(const std::string& text) {
  const auto parsed = parse_budget(text);
  return parsed ? "taken" : parsed.error().sentence();
}

Decision decided(const Run& run) {
  return decide(run, run.comparisons().back());
}

std::string said(const ReportCase& wanted) {
  const Decision decision = decided(report_run(wanted));
  return decision_words(decision) + ": " + decision.reason;
}

}  // namespace

TEST_CASE("a budget is read with its units, and written so that it is read again") {
  const Budget all =
      budget("accuracy=1, keeps=99.9%,nmse=1e-6,p50=800us,p99=2ms,memory=1GiB,energy=0.5 J");
  CHECK(all.accuracy_lost == Approx(0.01));
  CHECK(all.accuracy_kept == Approx(0.999));
  CHECK(all.nmse == 1e-6);
  CHECK(all.p50_ns == Approx(8e5));
  CHECK(all.p99_ns == 2e6);
  CHECK_FALSE(all.p95_ns);
  CHECK(all.memory_bytes == 1073741824.0);
  CHECK(all.energy_j == 0.5);
  CHECK(budget(budget_text(all)) == all);
  CHECK(budget("").is_empty());
  CHECK(budget("ratio=1.2x").ratio == 1.2);
  CHECK(budget("ratio=1.2×") == budget("ratio=1.2"));
  CHECK(budget(budget_text(budget("ratio=0.95"))).ratio == 0.95);
  CHECK(budget_words(budget("ratio=1.2")) == "speed ratio at least 1.2×");
  CHECK(budget("target=85%") == budget("target=0.85"));
  CHECK(budget("accuracy=0").accuracy_lost == 0.0);  // nothing may be lost: a demand
  const auto again = budget_from({{"budget", Json(all)}});
  REQUIRE(again.ok());
  CHECK(*again == all);
  CHECK(budget_words(budget("p99=2ms,memory=1GiB")) ==
        "p99 latency at most 2.00 ms; memory at most 1.00 GiB");
}

TEST_CASE("what is no budget is refused in one sentence, which names what to write") {
  CHECK(refused("p98=2ms") == "budget: 'p98' is none of its lines; did you mean p90, p95 or p99?");
  CHECK(has(refused("memroy=1GiB"), "did you mean memory?"));
  CHECK(has(refused("p99=2"), "p99=2 has no unit; write p99=2ms; units are ns, us, µs, ms, s"));
  CHECK(has(refused("memory=1"), "memory=1 has no unit"));
  CHECK(has(refused("keeps=99"), "keeps=99 has no unit; write keeps=99%"));
  CHECK(has(refused("p99=-2ms"), "p99=-2ms is negative"));
  CHECK(has(refused("nmse=-1"), "nmse=-1 is negative"));
  CHECK(has(refused("p99=0ms"), "can be met by nothing"));
  CHECK(has(refused("p99=2 parsecs"), "'parsecs' is no unit of it"));
  CHECK(has(refused("p99=soon"), "has no number"));
  CHECK(has(refused("p99"), "has no number"));
  CHECK(has(refused("nmse=nan"), "is no number"));
  CHECK(has(refused("ratio=inf"), "is no number"));
  CHECK(has(refused("ratio=0"), "ratio=0 is met by anything"));
  CHECK(has(refused("ratio=20%"), "'%' is no unit of it"));
  CHECK(has(refused("target=1.5"), "is more than all"));
  CHECK(has(refused("p99=1ms,p99=2ms"), "p99 stands twice in it"));
  CHECK(has(refused("target=0.9,keeps=99%"), "target and keeps both say"));
  CHECK(has(refused("p99=1ms,,"), "is none of its lines"));
  CHECK_FALSE(budget_from(Json::parse(R"({"budget":{"p99_ns":-1}})")).ok());
  CHECK_FALSE(budget_from(Json::parse(R"({"budget":7})")).ok());
  CHECK_FALSE(budget_from(Json::parse(R"({"budget":{"nmse":"small"}})")).ok());
}

TEST_CASE("a budget on what a kind of rung does not have is refused before the run") {
  const auto why = [](const char* text, RungKind kind, bool has_accuracy) {
    const auto checked = check_budget(budget(text), kind, has_accuracy);
    return checked ? std::string() : checked.error().sentence();
  };
  CHECK(why("p99=2ms,nmse=1e-6,memory=1GiB,energy=1J", RungKind::kernel, false).empty());
  CHECK(has(why("accuracy=1", RungKind::kernel, false),
            "is judged by its error and has no accuracy; leave accuracy out, or give nmse"));
  CHECK(why("accuracy=1", RungKind::kernel, true).empty());
  CHECK(has(why("p99=2ms", RungKind::training, true), "a training has no p99 latency; leave p99"));
  CHECK(has(why("nmse=1e-3", RungKind::training, true), "a training has no error (NMSE)"));
  CHECK(why("accuracy=1,keeps=99%,memory=1GiB,energy=9J", RungKind::training, true).empty());
  CHECK(has(why("energy=1J", RungKind::command, false), "a command has no energy"));
  for (const RungKind kind :
       {RungKind::kernel, RungKind::training, RungKind::pipeline, RungKind::command})
    CHECK(why("ratio=1.2", kind, false).empty());
  CHECK(why("p95=1s,memory=1GiB", RungKind::command, false).empty());
}

TEST_CASE(
    "adopt needs the budget met: a line that is missed rejects, one not measured asks for more") {
  CHECK(said({}) == "adopt: it is faster and its output passed every check");
  CHECK(said({.budget = budget("nmse=1e-6,p95=10ms,memory=1GiB")}) ==
        "adopt: it is faster and its output passed every check, and its budget is met");
  CHECK(has(
      said({.budget = budget("p95=1ms")}),
      "reject: it is faster and does not meet its budget: p95 latency at most 1.00 ms: not met, "
      "7.20 ms"));
  CHECK(has(said({.budget = budget("nmse=1e-30")}), "reject: "));
  CHECK(has(
      said({.budget = budget("p99=1s")}),
      "measure more: it is faster, and whether it meets its budget is open: p99 latency at most "
      "1.00 s: not measured: it takes 299 single calls, and 72 were timed"));
  CHECK(has(said({.budget = budget("energy=1J")}), "measure more: "));
  // A miss outweighs what is not known.
  CHECK(has(said({.budget = budget("p95=1ms,energy=1J")}), "reject: "));
  CHECK(has(said({.budget = budget("p99=1s"), .latency_calls = 300}), "adopt: "));
  // Slower stays what it is, and what failed its check has no figure.
  CHECK(has(said({.verdict = Verdict::slower,
                  .ratio = 0.8,
                  .ci = {0.79, 0.81},
                  .budget = budget("p95=1s")}),
            "keep the baseline: the candidate is slower"));
  const Decision invalid =
      decided(report_run({.candidate_passes = false, .budget = budget("p95=1s")}));
  CHECK(invalid.decision == "reject");
  CHECK(has(invalid.budget.at(0).sentence(), "not measured: a failed check leaves no figure"));
}

TEST_CASE(
    "a demanded ratio is judged by the whole interval, and by none where there is no verdict to "
    "trust") {
  const auto row = [](ReportCase wanted) {
    const Decision decision = decided(report_run(wanted));
    REQUIRE(decision.budget.size() == 1);
    CHECK_FALSE(decision.budget[0].is_quality);
    return decision.budget[0];
  };
  const auto met = [&](const char* demand, Interval ci = {3.95, 4.05}) {
    return row({.ci = ci, .budget = budget(demand)}).met;
  };
  CHECK(met("ratio=3.95") == Met::yes);
  CHECK(met("ratio=3.96") == Met::open);
  CHECK(met("ratio=4.05") == Met::open);
  CHECK(met("ratio=4.06") == Met::no);
  const BudgetRow open = row({.ci = {3.9, 4.1}, .budget = budget("ratio=3.95")});
  CHECK(open.value == 4.0);
  CHECK(open.limit == 3.95);
  CHECK(open.field == "ratio");
  // ln(3.9 / 4) / ln(3.95 / 4) = 2.01; of 12 rounds 49.
  CHECK(has(open.why, "its interval reaches over it; about 50 rounds would settle it"));
  CHECK(has(row({.ci = {3.9, 4.1}, .budget = budget("ratio=3.99")}).why,
            "its interval reaches over it; it would take over 10 times as many rounds"));
  CHECK(row({.ci = {3.9, 4.1}, .budget = budget("ratio=4")}).why == "its interval reaches over it");
  const BudgetRow stopped = row({.verdict = Verdict::unresolved,
                                 .ratio = 1.01,
                                 .ci = {1.0, 1.03},
                                 .budget = budget("ratio=0.5"),
                                 .reasons = {"cancelled"}});
  CHECK(stopped.met == Met::open);
  CHECK(has(stopped.why, "it was cancelled"));
  const BudgetRow held = row({.clock_held = true, .budget = budget("ratio=1")});
  CHECK(held.met == Met::open);
  CHECK(has(held.why, "shared a clock"));
  const BudgetRow wrong = row({.candidate_passes = false, .budget = budget("ratio=1")});
  CHECK(wrong.met == Met::unknown);
  CHECK_FALSE(wrong.value);
  CHECK(
      has(said({.budget = budget("ratio=5")}),
          "reject: it is faster and does not meet its budget: speed ratio at least 5×: not met, "));
}

TEST_CASE("another type or class of accuracy is adopted only with its division said") {
  CHECK(
      said({.candidate_dtype = "bf16"}) ==
      "adopt in the open division: it is faster and its output passed every check; open division: "
      "data type bf16 instead of fp32, and no quality target of a budget was set");
  CHECK(has(said({.candidate_accuracy = "max_norm"}),
            "open division: class of accuracy max norm instead of componentwise"));
  // A latency is no quality target.
  CHECK(has(said({.budget = budget("p95=1s"), .candidate_dtype = "bf16"}), "open division"));
  CHECK(has(said({.budget = budget("nmse=1e-3"), .candidate_dtype = "bf16"}),
            "adopt: it is faster and its output passed every check, and its budget is met; closed "
            "division, by its quality target: data type bf16 instead of fp32"));
  CHECK(has(said({.budget = budget("nmse=1e-30"), .candidate_dtype = "bf16"}), "reject: "));
  const Run run = report_run({.candidate_dtype = "bf16"});
  const report::Report report = built(run);
  CHECK(report.headline.decision == "Adopt in the open division");
  CHECK(has(report.sentence, "Decision: adopt in the open division"));
}

TEST_CASE("a report has what was demanded beside what was measured, in every format") {
  const Run run = report_run({.budget = budget("nmse=1e-6,p95=1ms,p99=2ms,memory=1GiB")});
  const report::Report report = built(run);
  const std::string page = report::print_as(report, ".md");
  INFO(page);
  CHECK(has(page, "## The budget"));
  CHECK(has(page, "| P95 latency | at most 1.00 ms | 7.20 ms | not met |"));
  CHECK(has(page, "| P99 latency | at most 2.00 ms | unavailable: it takes 299 single calls"));
  CHECK(has(page, "| not measured |"));
  CHECK(has(page, "--budget nmse=1e-06,p95=1ms,p99=2ms,memory=1GiB"));
  CHECK(has(report::print_as(report, ".html"), "The budget"));
  const Json document = Json::parse(report::print_as(report, ".json"));
  const Json& rows = document["comparisons"][0]["budget"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[1]["result"] == "not met");
  CHECK(rows[2]["result"] == "not measured");
  CHECK(rows[3]["result"] == "met");
  const Folder folder;
  write_all(folder / "document.json", document.dump());
  expect_schemas(schema_argument("document", folder / "document.json"));
  const Run without = report_run();
  CHECK_FALSE(has(report::print_as(built(without), ".md"), "The budget"));
}

TEST_CASE(
    "a training's budget: points, a share of the baseline's accuracy, a target nobody reached") {
  const auto rows_of = [](const Budget& wanted) {
    const Run run = trained_run();
    Comparison comparison = run.comparisons().back();
    comparison.budget = wanted;
    return decide(run, comparison);
  };
  // −0.10 points [−0.40, +0.20] of 0.87.
  CHECK(rows_of(budget("accuracy=0.5")).budget.at(0).met == Met::yes);
  CHECK(rows_of(budget("accuracy=0.1")).budget.at(0).met == Met::open);
  CHECK(rows_of(budget("keeps=99%")).budget.at(0).met == Met::yes);     // 0.87 points
  CHECK(rows_of(budget("keeps=99.9%")).budget.at(0).met == Met::open);  // 0.087 points
  const Decision far = rows_of(budget("target=0.99"));
  CHECK(far.budget.at(0).sentence() ==
        "accuracy at least 0.99: not met, reached by 0 of 8 trainings, the highest 0.872; no "
        "training "
        "of the baseline reached it either");
  CHECK(far.decision == "reject");
  const Decision joules = rows_of(budget("energy=1J"));
  CHECK(joules.budget.at(0).sentence() ==
        "energy of an epoch at most 1.00 J: not measured: no counter");
  CHECK(joules.decision == "measure_more");
}

TEST_CASE("requests of before there was a budget are read as one") {
  Run run;
  run.apply_line(
      R"({"ridgepoint":1,"from":"app","type":"compare","id":7,"lab":"mixed","may_lose":0.02,"accuracy_target":0.9})");
  REQUIRE(run.request(7));
  CHECK(run.request(7)->budget == budget("accuracy=2,target=0.9"));
  run.apply_line(
      R"({"ridgepoint":1,"from":"app","type":"compare","id":8,"budget":{"p99_ns":"soon"}})");
  REQUIRE(run.request(8));
  CHECK_FALSE(run.request(8)->budget);
  CHECK(has(run.log().back(), "a budget that cannot be read"));
}

TEST_CASE("command line: a budget that is none starts nothing, and a lab has what it has") {
  const auto refused_by = [](std::vector<std::string> args) {
    args.insert(args.begin(), {"compare"});
    const Outcome made = Program(variable("RIDGE_BIN"), std::move(args)).finish();
    INFO(made.out << made.err);
    CHECK(made.code == 64);
    CHECK(made.out.empty());
    return made.err;
  };
  const std::vector<std::string> gemm = {"gemm",        "--baseline", "naive_o1",
                                         "--candidate", "loop_order", "--budget"};
  const auto with = [&](const std::string& text) {
    std::vector<std::string> args = gemm;
    args.push_back(text);
    return args;
  };
  CHECK(has(refused_by(with("p98=2ms")), "'p98' is none of its lines; did you mean"));
  CHECK(has(refused_by(with("p99=2")), "p99=2 has no unit"));
  CHECK(has(refused_by(with("accuracy=1")), "has no accuracy"));
  CHECK(has(refused_by({"--baseline", "true", "--candidate", "true", "--budget", "energy=1J"}),
            "a command has no energy"));
  const Folder folder;
  write_all(folder / "team.budget", "# of the course\np99=2ms  # of a call\np98=1ms\n");
  CHECK(has(refused_by(with(folder / "team.budget")), "'p98' is none of its lines"));
  write_all(folder / "none.budget", "# nothing yet\n");
  const Outcome none = Program(variable("RIDGE_BIN"),
                               [&] {
                                 auto args = with(folder / "none.budget");
                                 args.insert(args.begin(), "compare");
                                 return args;
                               }())
                           .finish();
  CHECK(none.code == 65);
  CHECK(has(none.err, "the file demands nothing"));
}

TEST_CASE(
    "command line: the budget is said before the run, judged after it, and kept in the file") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  write_all(folder / "team.budget", "# of the course\n\np50=1ns  # of a call\n");
  const Outcome made = Program(variable("RIDGE_BIN"),
                               {"compare", "gemm", "--baseline", "naive_o1", "--candidate",
                                "loop_order", "--set", "n=128", "--set", "threads=1", "--budget",
                                folder / "team.budget", "--budget", "memory=1GiB", "--out", path})
                           .finish();
  INFO(made.out << made.err);
  CHECK(has(made.err, "adopted only within the budget: p50 latency at most 1.00 ns; memory"));
  CHECK(has(made.out, "budget: p50 latency at most 1.00 ns: not met, "));
  CHECK(has(made.out, "budget: memory at most 1.00 GiB: met, "));
  const auto run = Run::load(path);
  REQUIRE(run.ok());
  REQUIRE(run->comparisons().size() == 1);
  CHECK(run->comparisons().front().budget == budget("p50=1ns,memory=1GiB"));
  expect_schemas(schema_argument("transcript", path));
}
