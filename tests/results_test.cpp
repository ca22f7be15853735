// What `run` prints of made-up runs: the tables and what holds each rung back.
#include "app/query/results.h"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/query/diagnoses.h"
#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "common/record/note_text.h"
#include "tests/catch.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;

namespace {

struct Timed {
  std::string rung;  ///< "cpu.naive_o1"
  double call_ns;
  int n = 40;
  bool passes = true;
  double half_width = 0.04;  ///< of the interval, as a share of call_ns
  std::vector<std::string> flags = {};
  bool is_cancelled = false;  ///< before its first call
};

/// One run of these GEMM rungs at n = 512, in this order.
Run ladder(const std::vector<Timed>& rungs, RunMode mode = RunMode::measure) {
  Transcript out;
  add_start_of(&out);
  std::vector<std::string> ids;
  for (const Timed& rung : rungs) ids.push_back("gemm." + rung.rung);
  out.send(work(RequestType::run, 4, ids));
  for (size_t i = 0; i < rungs.size(); ++i) {
    Series series = measured(4, int(i), ids[i], rungs[i].call_ns);
    series.params["k"] = series.params["m"] = int64_t{512};
    series.params["dtype"] = std::string(ids[i].ends_with("int8") ? "int8" : "fp32");
    series.mode = mode;
    series.stats->n = rungs[i].n;
    series.counters = {{"ipc", 0.8, ""}};  // it waits
    series.stats->flags = rungs[i].flags;
    const Interval whole{rungs[i].call_ns * (1 - rungs[i].half_width),
                         rungs[i].call_ns * (1 + rungs[i].half_width)};
    series.stats->min_ns = whole.low, series.stats->max_ns = whole.high;
    series.stats->ci_ns = rungs[i].n < 6 ? std::nullopt : std::optional(whole);
    if (!rungs[i].passes) {
      series.checks = {check(false)};
      series.status = SeriesStatus::failed;
      series.reason = "wrong";
    }
    if (rungs[i].is_cancelled) {
      series.checks.clear(), series.stats.reset();
      series.status = SeriesStatus::cancelled;
    }
    out.worker("result", with(about(4, int(i)), "outcome", series));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  return read_run(out);
}

/// While it lives a person reads what is printed, in lines of so many columns.
struct Columns {
  explicit Columns(const char* count) { setenv("COLUMNS", count, 1); }
  ~Columns() { unsetenv("COLUMNS"); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The first line that begins with the rung's name and a space.
std::string row_named(const std::string& text, const std::string& rung) {
  for (const std::string& line : lines_of(text)) {
    if (line.rfind(rung + " ", 0) == 0) return line;
  }
  return "";
}

}  // namespace

TEST_CASE("gain: over the rung of ours before it; of a library, over the best of ours above it") {
  const Run run = ladder({{"cpu.openblas", 8e6},
                          {"cpu.naive_o1", 240e6},
                          {"cpu.naive_o3", 200e6},
                          {"cpu.loop_order", 1e6, 40, false},
                          {"cpu.packed", 20e6},
                          {"cpu.threads", 40e6},
                          {"cpu.onednn", 10e6},
                          {"cuda.naive", 5e6},
                          {"cuda.coalesced", 1e6}});
  const std::string text = results_text(run, 4, {});
  INFO(text);
  CHECK_FALSE(has(row_named(text, "cpu.openblas"), "≈"));  // nothing of ours above it
  CHECK_FALSE(has(row_named(text, "cpu.naive_o1"), "≈"));
  CHECK(has(row_named(text, "cpu.naive_o3"), " ≈1.2× "));
  CHECK_FALSE(has(row_named(text, "cpu.loop_order"), "≈"));  // its check failed
  CHECK(has(row_named(text, "cpu.packed"), " ≈10× "));       // and is no rung's step
  CHECK_FALSE(has(row_named(text, "cpu.threads"), "≈"));     // at one thread it is no step
  CHECK(has(row_named(text, "cpu.onednn"), " ≈2.0× "));      // over packed, the best
  CHECK_FALSE(has(row_named(text, "cuda.naive"), "≈"));      // another backend
  CHECK(has(row_named(text, "cuda.coalesced"), " ≈5.0× "));
  CHECK(text.find("'ridgepoint compare' decides") == text.rfind("'ridgepoint compare' decides"));
  CHECK(has(text, "≈: over the rung before it"));
  const std::string alone = results_text(ladder({{"cpu.naive_o1", 240e6}}), 4, {});
  CHECK_FALSE(has(alone, "≈"));
  CHECK_FALSE(has(alone, "gain"));
  // Its heading names the problem as the window's controls do.
  CHECK(has(alone, "gemm: n = 512"));
  CHECK(has(alone, ", fp32, 1 thread"));
  CHECK_FALSE(has(alone, "n=512"));
}

TEST_CASE("a gain beside an interval over 30 % is no figure") {
  const std::string text = results_text(ladder({{"cpu.naive_o1", 240e6},
                                                {"cpu.naive_o3", 200e6, 40, true, 1.41},
                                                {"cpu.packed", 100e6},
                                                {"cpu.packed_avx2", 50e6}}),
                                        4, {});
  INFO(text);
  CHECK(has(row_named(text, "cpu.naive_o3"), " noisy "));  // its interval reaches down to 0
  CHECK(has(row_named(text, "cpu.naive_o3"), "> 100 %"));
  CHECK(has(row_named(text, "cpu.packed"), " noisy "));  // over a noisy one
  CHECK(has(row_named(text, "cpu.packed_avx2"), " ≈2.0× "));
  CHECK(has(text, "a range (1.2–1.9×), or noisy: the interval"));
  // Else the range says how much is known.
  const std::string wide = results_text(
      ladder({{"cpu.naive_o1", 240e6, 40, true, 0.01}, {"cpu.naive_o3", 200e6, 40, true, 0.5}}), 4,
      {});
  CHECK(has(row_named(wide, "cpu.naive_o3"), " 0.79–2.4× "));
  // Of two single calls alike the range is one figure.
  const std::string alike = results_text(
      ladder({{"cpu.naive_o1", 240e6, 1, true, 0}, {"cpu.naive_o3", 240e6, 1, true, 0}}), 4, {});
  CHECK(has(row_named(alike, "cpu.naive_o3"), " ≈1.0× "));
}

TEST_CASE("a gain over a time that other programs disturbed is as rough as the report has it") {
  const Run run = ladder({{"cpu.naive_o1", 270e6, 40, true, 0.04, {"contended"}},
                          {"cpu.naive_o3", 10e6},
                          {"cpu.packed", 5e6}});
  const std::string text = results_text(run, 4, {});
  INFO(text);
  CHECK(has(row_named(text, "cpu.naive_o3"), " ≈30× noisy "));
  CHECK(has(row_named(text, "cpu.packed"), " ≈2.0× "));
  CHECK(has(text, "or other programs ran meanwhile"));
  CHECK(has(text, "'ridgepoint compare' decides"));
}

TEST_CASE("what rungs have in common is one line with their names") {
  const std::vector<std::string> busy = {"contended"};
  const std::string text = results_text(ladder({{"cpu.naive_o1", 240e6, 40, true, 0.04, busy},
                                                {"cpu.naive_o3", 200e6, 40, true, 0.04, busy},
                                                {"cpu.packed", 100e6, 40, true, 0.04, busy},
                                                {"cpu.threads", 100e6}}),
                                        4, {});
  INFO(text);
  CHECK(has(text, "  cpu.naive_o1, cpu.naive_o3, cpu.packed: contended: other processes used"));
  CHECK(text.find("contended") == text.rfind("contended"));
  CHECK(has(text, "  cpu.threads: no step at these parameters, it needs more than one thread"));
  const std::string all = results_text(ladder({{"cpu.naive_o1", 240e6, 40, true, 0.04, busy},
                                               {"cpu.naive_o3", 200e6, 40, true, 0.04, busy},
                                               {"cpu.packed", 100e6, 40, true, 0.04, busy}}),
                                       4, {});
  CHECK(has(all, "  all rungs: contended: other processes used"));
}

TEST_CASE("a ceiling in doubt has no share, and one line says which and why") {
  const auto text = [](const std::string& doubt) {
    Transcript out;
    add_start_of(&out);
    out.send(work(RequestType::run, 4, {"gemm.cpu.naive_o1", "gemm.cpu.naive_o3"}));
    for (int i = 0; i < 2; ++i)
      out.worker("result",
                 with(about(4, i), "outcome",
                      measured(4, i, i ? "gemm.cpu.naive_o3" : "gemm.cpu.naive_o1", 1e7)));
    Ceiling fma{"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 118e9, "FLOP/s", "measured"};
    fma.doubt = doubt;
    out.worker("result", {{"request", 4}, {"ceilings", std::vector<Ceiling>{fma}}});
    out.worker("done", {{"request", 4}, {"status", "ok"}});
    return results_text(read_run(out), 4, {}, Detail::brief);
  };
  CHECK(contains(text(""), " ceiling "));
  CHECK_FALSE(contains(text(""), "in doubt"));
  const std::string doubted = text("other programs used the CPU meanwhile");
  CHECK_FALSE(contains(doubted, " ceiling "));
  const std::string line =
      "no share of FMA fp32, 1 thread, 118 GFLOP/s: it is in doubt, other programs used the CPU";
  CHECK(contains(doubted, line));
  CHECK(doubted.find(line) == doubted.rfind(line));
}

TEST_CASE("few samples have no interval, and a gain only where they lie near each other") {
  const std::string text = results_text(ladder({{"cpu.naive_o1", 240e6, 3, true, 0.1},
                                                {"cpu.naive_o3", 200e6, 5, true, 0.35},
                                                {"cpu.packed", 100e6, 5, true, 0.1},
                                                {"cpu.packed_avx2", 50e6, 4, true, 0.1}}),
                                        4, {});
  INFO(text);
  CHECK(has(row_named(text, "cpu.naive_o1"), " few "));
  CHECK(has(row_named(text, "cpu.naive_o3"), "–"));
  CHECK(has(row_named(text, "cpu.packed"), "–"));
  CHECK(has(row_named(text, "cpu.packed_avx2"), " ≈2.0× "));
  CHECK(has(text, "few: too few samples for an interval"));
}

TEST_CASE("the table of the GEMM lab at n = 512 is at most 100 columns wide and has no limits") {
  // Twice the median: a wide interval is printed wide.
  const Run run = ladder({{"cpu.naive_o1", 294e6, 6, true, 2.0},
                          {"cpu.naive_o3", 272e6, 7, true, 2.0},
                          {"cpu.packed_avx512", 3.64e6, 1000},
                          {"cpu.inner_product", 2.22e6, 160},
                          {"cpu.avx512_bf16", 1.11e6, 1000},
                          {"cpu.onednn", 5.12e6, 47}});
  const Columns columns("100");
  const std::string text = results_text(run, 4, {});
  INFO(text);
  CHECK_FALSE(has(text, "limit"));
  CHECK(has(row_named(text, "cpu.onednn"), "✓"));
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 100);
}

TEST_CASE("a comparison's rows have no gain: its verdict says it") {
  const std::string text =
      results_text(ladder({{"cpu.naive_o1", 40e6}, {"cpu.packed", 10e6}}, RunMode::compare), 4, {});
  CHECK_FALSE(has(text, "gain"));
}

TEST_CASE("in brief: what was not run on one line, nothing that asks nothing of a reader") {
  const Run run = ladder({{"cpu.naive_o1", 240e6, 40, true, 0.04, {"correlated"}},
                          {"cpu.packed_avx2", 2.3e6, 40, true, 12}});
  const std::vector<NotRun> not_run = {{"gemm.cuda.naive", "no CUDA device"},
                                       {"gemm.cuda.tiled", "no CUDA device"},
                                       {"gemm.cpu.avx512", "the CPU has no AVX-512"}};
  const std::string whole = results_text(run, 4, not_run),
                    brief = results_text(run, 4, not_run, Detail::brief);
  CHECK(contains(whole, "correlated:"));
  CHECK_FALSE(contains(brief, "correlated:"));
  CHECK(contains(
      brief,
      "  2 of 5 rungs ran; not run: 3 rungs (2: no CUDA device; 1: the CPU has no AVX-512)\n"));
  const Run types = ladder({{"cpu.packed", 2e6}, {"cpu.packed_avx2", 1e6}, {"cpu.avx2_int8", 1e6}});
  CHECK(contains(results_text(types, 4, not_run, Detail::brief),
                 "  3 of 6 rungs ran, in tables of 2 and 1; not run: 3 rungs"));
  // What a cancel came before did not run.
  const Run cut = ladder(
      {{"cpu.naive_o1", 240e6}, {.rung = "cpu.packed", .call_ns = 2e6, .is_cancelled = true}});
  CHECK(contains(results_text(cut, 4, not_run, Detail::brief), "  1 of 5 rungs ran; not run:"));
  CHECK_FALSE(contains(brief, "your ladder ends"));
  CHECK(contains(brief, "> 100 %"));
  // No mark is explained that no row has.
  CHECK_FALSE(contains(whole, "≈"));
  CHECK(last_diagnosis_text(ladder({{"cpu.naive_o1", 240e6}, {"cpu.packed_avx2", 2.3e6}}), 4) !=
        "");
  CHECK(last_diagnosis_text(ladder({{"cpu.packed_avx2", 2.3e6}, {"cpu.threads", 4.2e6}}), 4) == "");
}

TEST_CASE("a note is shown without the time of a rung's own first try") {
  CHECK(note_text("matmul, the faster of sgemm 0.3555 ms and matmul 0.1 ms") ==
        "matmul, the faster of sgemm and matmul in a first try");
  CHECK(note_text("sgemm, the faster of sgemm 1e-05 ms and matmul 2.5e+02 ms; busy") ==
        "sgemm, the faster of sgemm and matmul in a first try; busy");
  CHECK(note_text("synthetic data") == "synthetic data");
}

TEST_CASE("rungs that share cause and lever share a paragraph; a CPU is not advised more warps") {
  const Columns columns("100");
  const Run run = ladder({{"cpu.naive_o1", 240e6},
                          {"cpu.naive_o3", 230e6},
                          {"cpu.loop_order", 21e6},
                          {"cpu.packed", 22e6},
                          {"cpu.packed_avx2", 2.3e6},
                          {"cpu.threads", 4.2e6}});
  const std::string text = diagnoses_text(run, 4, *find_lab("gemm"));
  INFO(text);
  CHECK(text.find("latency or occupancy") == text.rfind("latency or occupancy"));
  CHECK(contains(text, "lever: more independent work in flight"));
  CHECK(text.find("lever: more") == text.rfind("lever: more"));
  CHECK_FALSE(contains(text, "warps"));
  CHECK(contains(text, "rungs that do so: cpu.loop_order after cpu.naive_o1, cpu.naive_o3;"));
  CHECK(contains(text, "  compute:"));
  CHECK(contains(text, "not sure, nothing is near its limit, and not everything is far below it:"));
  for (const Series& series : run.series())
    CHECK(contains(text, series.kernel.substr(series.kernel.find('.') + 1)));
  for (const std::string& line : lines_of(text)) {
    CHECK(display_width(line) <= 100);
  }
}

TEST_CASE("kernels and counters of a GPU's rung stand below it, why there are none once") {
  Transcript out;
  add_start_of(&out);
  out.send(
      work(RequestType::run, 4, {"gemm.cuda.naive", "gemm.cpu.naive_o1", "gemm.cpu.naive_o3"}));
  Series gpu = measured(4, 0, "gemm.cuda.naive", 5e6);
  DeviceKernel kernel;
  kernel.name = "naive_kernel";
  gpu.resources = Resources{};
  gpu.resources->kernels = {kernel};
  gpu.counters = {{"dram_bytes", 1.5e6, "B"}};
  out.worker("result", with(about(4, 0), "outcome", gpu));
  for (const int index : {1, 2}) {
    Series cpu = measured(4, index, index == 1 ? "gemm.cpu.naive_o1" : "gemm.cpu.naive_o3", 24e6);
    cpu.unavailable["counters"] = "not read in live mode";
    out.worker("result", with(about(4, index), "outcome", cpu));
  }
  const Run run = read_run(out);
  const std::vector<std::string> lines = lines_of(diagnoses_text(run, 4, *find_lab("gemm")));
  size_t at = 0;
  while (at < lines.size() && lines[at].rfind("    cuda.naive", 0) != 0) ++at;
  REQUIRE(at + 2 < lines.size());
  CHECK(contains(lines[at + 1], "naive_kernel: "));
  CHECK(contains(lines[at + 2], "dram_bytes "));
  CHECK(std::count(lines.begin(), lines.end(), "  counters unavailable: not read in live mode") ==
        1);
}

TEST_CASE("text is broken at spaces, and no number is parted from its unit") {
  CHECK(wrapped("one two three", 9, 2) == "one two\n  three");
  CHECK(wrapped("  a 12.5 % of it", 8, 4) == "  a\n    12.5 %\n    of\n    it");
  CHECK(wrapped("  a 12.5 % of it", 9, 4) == "  a\n    12.5 %\n    of it");
  CHECK(wrapped("  a ±12.5 % of <3 ms", 9, 4) == "  a\n    ±12.5 %\n    of\n    <3 ms");
  CHECK(wrapped("of 2, 3 mm", 5, 2) == "of 2,\n  3 mm");  // a number that ends a phrase has no unit
  CHECK(wrapped("unbreakable", 3, 2) == "unbreakable");
  CHECK(wrapped("", 10, 2).empty());
}

TEST_CASE("a long line is folded, but for one to copy; a text hangs behind its head") {
  const std::string words = "some words of a sentence that goes on and on ";
  const std::string line = "  note: " + words + words + words + "and ends";
  const std::string text =
      folded("short\n" + line + "\n  ridgepoint " + words + words + words + "\n", kTextWidth);
  INFO(text);
  const std::vector<std::string> lines = lines_of(text);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "short");
  CHECK(display_width(lines[1]) <= kTextWidth);
  CHECK(lines[2].rfind("    ", 0) == 0);
  CHECK(display_width(lines[3]) > kTextWidth);
  CHECK(text.back() == '\n');
  CHECK(hanging("a\nbc: ", "one two three", 9) == "a\nbc: one\n    two\n    three");
}

TEST_CASE(
    "a table that is too wide breaks the texts of its widest columns, and no word or number") {
  const std::string where = "measured here with every core at once, best of 12, median 31.4 GB/s";
  const std::vector<std::vector<std::string>> rows = {
      {"DRAM read, all threads", "18.2 GB/s", where, where}, {"L1", "512.25 GB/s", "short", ""}};
  const std::string text =
      table({"ceiling", "value", "source", "and more of it"}, rows, kTextWidth);
  INFO(text);
  std::string words;
  for (const std::string& line : lines_of(text)) {
    CHECK(display_width(line) <= kTextWidth);
    words += line + " ";
  }
  CHECK(contains(text, "31.4 GB/s"));
  CHECK(contains(text, "DRAM read, all threads    18.2 GB/s  measured here"));
  CHECK(contains(text, "L1                      512.25 GB/s  short\n"));
  for (const char* word : {"every", "core", "median", "of 12,"}) CHECK(contains(text, word));
  // A pipe has each row on one line.
  CHECK(lines_of(table({"ceiling", "value", "source", "and more of it"}, rows)).size() == 3);
  // What fits is as it was: figures to the right.
  CHECK(table({"a", "b"}, {{"x", "1"}, {"yy", "22"}}) == "a    b\nx    1\nyy  22\n");
}

TEST_CASE("the ceilings are a table of at most 100 columns, however long their sources are") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::probe, 4, {}));
  Ceiling ceiling;
  ceiling.name = "DRAM copy, 2 threads";
  ceiling.resource = "dram_copy";
  ceiling.unit = "B/s";
  ceiling.value = 31e9;
  ceiling.median = 28e9;
  ceiling.samples = 12;
  ceiling.source = "measured here";
  ceiling.foreign_cpus = 1.5;
  out.worker("result", {{"request", 4}, {"ceilings", {ceiling}}});
  const Columns columns("100");
  const std::string text = ceilings_text(read_run(out));
  INFO(text);
  CHECK(contains(text, "1.5 CPUs"));
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= kTextWidth);
}

TEST_CASE("why ceilings are in doubt is said once for all of one reason") {
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::probe, 4, {}));
  std::vector<Ceiling> all;
  for (const int threads : {3, 4, 5}) {
    all.push_back({fmt::format("FMA, {} threads", threads), Backend::cpu, "flop", "fp32", threads,
                   1e12, "FLOP/s", "measured"});
    all.back().doubt = threads == 4 ? "two probes disagree" : "other programs used the CPU";
  }
  out.worker("result", {{"request", 4}, {"ceilings", all}});
  const std::string text = ceilings_text(read_run(out));
  INFO(text);
  CHECK(
      contains(text, "in doubt: FMA, 3 threads and FMA, 5 threads: other programs used the CPU\n"));
  CHECK(contains(text, "in doubt: FMA, 4 threads: two probes disagree\n"));
}

TEST_CASE("on a terminal the same table grows row by row; a row waits for its share of a ceiling") {
  Transcript start;
  add_start_of(&start);
  // The ceilings come after the first row.
  const auto is_ceilings = [](const std::string& line) { return contains(line, "\"ceilings\""); };
  const auto ceilings = std::find_if(start.lines.begin(), start.lines.end(), is_ceilings);
  REQUIRE(ceilings != start.lines.end());
  const std::string late = *ceilings;
  start.lines.erase(ceilings);
  start.send(work(RequestType::run, 4, {"gemm.cpu.naive_o1", "gemm.cpu.loop_order", test::kPeer}));
  Run run = read_run(start);
  GrowingTables tables({"gemm.cpu.naive_o1", "gemm.cpu.loop_order", test::kPeer});
  const auto end_series = [&](int index, const std::string& kernel, double call_ns) {
    Transcript line;
    line.worker("result", with(about(4, index), "outcome", measured(4, index, kernel, call_ns)));
    run.apply_line(line.lines.back());
  };
  CHECK(tables.next(run, 4, false).empty());
  end_series(0, "gemm.cpu.naive_o1", 240e6);
  CHECK(tables.next(run, 4, false).empty());
  run.apply_line(late);
  std::string text = tables.next(run, 4, false);
  CHECK(lines_of(text).size() == 4);  // an empty line, the parameters, the heading, the row
  CHECK(contains(lines_of(text)[2], " samples "));  // no size: that stands a line higher
  CHECK(row_named(text, "cpu.naive_o1").find(" %") != std::string::npos);
  CHECK(tables.next(run, 4, false).empty());
  end_series(1, "gemm.cpu.loop_order", 24e6);
  const std::string second = tables.next(run, 4, false);
  CHECK(lines_of(second).size() == 1);
  CHECK(contains(second, "≈10×"));
  end_series(2, test::kPeer, 2.4e6);
  text += second + tables.next(run, 4, true);
  CHECK(tables.next(run, 4, true).empty());
  const auto without_spaces = [](std::string all) {
    std::erase(all, ' ');
    return all;
  };
  std::vector<const Series*> all;
  for (const Series& series : run.series()) all.push_back(&series);
  CHECK(without_spaces(text) == without_spaces(series_tables(run, all)));
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 100);
}

TEST_CASE("the first rows wait for the ceilings that are measured after them, and no longer") {
  Transcript start;
  add_start_of(&start);
  const auto ceilings =
      std::find_if(start.lines.begin(), start.lines.end(),
                   [](const std::string& line) { return contains(line, "\"ceilings\""); });
  REQUIRE(ceilings != start.lines.end());
  const std::string late = *ceilings;
  start.lines.erase(ceilings);
  const std::vector<std::string> ids = {"gemm.cpu.naive_o1", "gemm.cpu.naive_o3",
                                        "gemm.cpu.loop_order", "gemm.cpu.packed"};
  start.send(work(RequestType::run, 4, ids));
  for (const bool come : {true, false}) {
    Run run = read_run(start);
    GrowingTables tables(ids);
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i) {
      CHECK(text.empty());
      Transcript line;
      line.worker("result", with(about(4, int(i)), "outcome", measured(4, int(i), ids[i], 240e6)));
      run.apply_line(line.lines.back());
      if (come && i + 2 == ids.size()) run.apply_line(late);
      text = tables.next(run, 4, false);
      if (come && i + 2 == ids.size()) {
        for (size_t row = 0; row <= i; ++row)
          CHECK(has(row_named(text, ids[row].substr(5)), " 0.860 %"));
        break;
      }
    }
    CHECK_FALSE(row_named(text, "cpu.naive_o1").empty());
    CHECK(row_named(text, "cpu.packed").empty() == come);
  }
}

TEST_CASE("a row whose share of a ceiling is another by now is named when the run is over") {
  Transcript start;
  add_start_of(&start);
  start.send(work(RequestType::run, 4, {"gemm.cpu.naive_o1"}));
  start.worker("result", with(about(4, 0), "outcome", measured(4, 0, "gemm.cpu.naive_o1", 240e6)));
  Run run = read_run(start);
  GrowingTables tables({"gemm.cpu.naive_o1"});
  CHECK(has(tables.next(run, 4, false), " 0.860 %"));
  Transcript again;
  const std::vector<Ceiling> higher = {
      {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 2.6e11, "FLOP/s", "measured"}};
  again.worker("result", {{"request", 4}, {"ceilings", higher}});
  run.apply_line(again.lines.back());
  CHECK(tables.next(run, 4, true) ==
        "  ceiling, measured again since these rows were printed: cpu.naive_o1 0.430 %\n");
  CHECK(tables.next(run, 4, true).empty());
}

TEST_CASE("a figure that passes a measured ceiling is marked, and a line says why") {
  const std::string text = results_text(
      ladder({{"cpu.packed", 3e6}, {"cpu.packed_avx2", 2e6}, {"cpu.packed_avx512", 1e6}}), 4, {});
  INFO(text);
  CHECK_FALSE(has(row_named(text, "cpu.packed"), "?"));
  CHECK(has(row_named(text, "cpu.packed_avx2"), " 103 % ?"));
  CHECK(has(row_named(text, "cpu.packed_avx512"), " GFLOP/s ?"));
  CHECK(has(text, "  ? in doubt: cpu.packed_avx2 103 % of FMA fp32, 1 thread: over 100 %: "));
  CHECK(
      has(text, "  ? in doubt: cpu.packed_avx512: above the measured ceiling FMA fp32, 1 thread"));
}

namespace {

/// A rung of another family in the lab quant, of a type of its own.
Series decoded(int index, const std::string& kernel, const std::string& dtype, double call_ns) {
  Series series = measured(4, index, kernel, call_ns);
  series.lab = "quant", series.dtype = dtype;
  series.params = {{"n", int64_t{4096}}, {"dtype", dtype}, {"threads", int64_t{1}}};
  series.items_per_s = 1e9 / call_ns;
  series.flop = 1000;
  return series;
}

Run run_of(const std::vector<Series>& all) {
  Transcript out;
  add_start_of(&out);
  std::vector<std::string> ids;
  for (const Series& series : all) ids.push_back(series.kernel);
  out.send(work(RequestType::run, 4, ids));
  for (const Series& series : all)
    out.worker("result", with(about(4, series.index), "outcome", series));
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  return read_run(out);
}

}  // namespace

TEST_CASE("where items are counted the rungs of all types stand in one table, with their gains") {
  const Run run = run_of({decoded(0, "gemv.cpu.plain", "fp32", 8e6),
                          decoded(1, "gemv.cpu.avx2_fp32", "fp32", 2e6),
                          decoded(2, "gemv.cpu.avx2_int8", "int8", 1e6)});
  const std::string text = results_text(run, 4, {});
  INFO(text);
  CHECK(text.find("time/call") == text.rfind("time/call"));
  CHECK_FALSE(has(row_named(text, "quant:"), "fp32"));
  CHECK(has(text, "gemv.cpu.plain (fp32) "));
  CHECK(has(row_named(text, "gemv.cpu.avx2_int8"), " ≈2.0× "));
}

TEST_CASE("what is over its limit of accuracy is no candidate, and nothing is broken") {
  Series series = decoded(0, "quantnet.cpu.mxfp4", "fp32", 1e6);
  QualityCheck refused = check(false);
  refused.task["accuracy"] = 0.87, refused.task["may_lose"] = 0.01;
  refused.reason = "1.99 points less accurate than fp32, and the limit is 1.00";
  series.checks = {check(true), refused};
  series.status = SeriesStatus::failed;
  series.reason = "timed shape, before timing: " + refused.reason;
  const Lab& lab = *find_lab("quant");
  const std::string text = results_text(run_of({series}), 4, {});
  INFO(text);
  CHECK(has(text, "quantnet.cpu.mxfp4: over its limit of accuracy, so no candidate: 1.99 points"));
  CHECK(run_exit_code(run_of({series}), 4, lab) == 0);
  series.checks.push_back(check(false));  // and an output that is wrong
  CHECK(run_exit_code(run_of({series}), 4, lab) == 3);
}

TEST_CASE("the headline is not of a quiet machine where other programs ran in between") {
  const std::string quiet = results_text(ladder({{"cpu.naive_o1", 240e6}}), 4, {});
  const std::string busy =
      results_text(ladder({{"cpu.naive_o1", 240e6, 40, true, 0.04, {"contended"}}}), 4, {});
  CHECK(has(lines_of(quiet).front(), ", quiet"));
  CHECK_FALSE(has(lines_of(quiet).front(), "not all the time"));
  CHECK(has(lines_of(busy).front(), ", quiet at first, not all the time"));
}

TEST_CASE(
    "a cell that is too wide takes its neighbours' blanks, and the columns keep their places") {
  const std::vector<size_t> widths = {4, 6, 6, 6};
  CHECK(table_line({"a", "1", "2", "3"}, widths) == "a          1       2       3\n");
  CHECK(table_line({"a", "12345678", "2", "3"}, widths) == "a     12345678     2       3\n");
  CHECK(wrapped("cpu.a     1 ms      2", 40, 2) == "cpu.a     1 ms      2");
}

TEST_CASE("a narrow terminal has whole rows: columns go, and one line names them") {
  const Run run = ladder({{"cpu.naive_o1", 294e6},
                          {"cpu.naive_o3", 272e6},
                          {"cpu.packed_avx512", 3.64e6},
                          {"cpu.onednn", 5.12e6}});
  for (const char* count : {"80", "72"}) {
    const Columns columns(count);
    const std::string text = results_text(run, 4, {});
    GrowingTables growing({"gemm.cpu.naive_o1", "gemm.cpu.packed_avx512"});
    const std::string grown = growing.next(run, 4, true);
    INFO(text << grown);
    for (const std::string& all : {text, grown}) {
      for (const std::string& line : lines_of(all))
        CHECK(display_width(line) <= std::strtoul(count, nullptr, 10));
      CHECK(has(all, "no room for samples"));
      CHECK(all.find("no room for") == all.rfind("no room for"));
      // The check stands under its heading in every row.
      const auto column = [&](const std::string& line) { return display_width(line); };
      CHECK(column(row_named(all, "rung")) >= column(row_named(all, "cpu.onednn")) - 2);
      CHECK(has(row_named(all, "cpu.packed_avx512"), " ms "));
    }
  }
  CHECK_FALSE(has(results_text(run, 4, {}), "no room for"));
}

TEST_CASE("what a rung is limited by names its size where it ran at several") {
  const auto at = [](int index, int64_t n) {
    Series series = measured(4, index, "gemm.cpu.naive_o1", 1e6);
    series.params["n"] = n;
    series.size_param = "n";
    return series;
  };
  Transcript out;
  add_start_of(&out);
  out.send(work(RequestType::run, 4, {"gemm.cpu.naive_o1", "gemm.cpu.naive_o1"}));
  for (const auto& [index, n] : {std::pair(0, int64_t{64}), std::pair(1, int64_t{128})})
    out.worker("result", with(about(4, index), "outcome", at(index, n)));
  const Run run = read_run(out);
  CHECK(name_among(run, run.series().front()) == "cpu.naive_o1 (n = 64)");
  const Run alone = ladder({{"cpu.naive_o1", 240e6}});
  CHECK(name_among(alone, alone.series().front()) == "cpu.naive_o1");
}

TEST_CASE("where other programs took more of one side, a comparison has both ends and no median") {
  const Run torn =
      report_run({.ratio = 12,
                  .ci = {7.1, 12.1},
                  .reasons = {"other programs took more of one side's time than of the "
                              "other's: the baseline had the processor for 60 % of it"}});
  const std::string text = comparisons_text(torn, 0);
  CHECK(text.find(", between 7.10× and 12.1× (margin") != std::string::npos);
  CHECK(text.find("12.0×") == std::string::npos);
  CHECK(text.find("had the processor for 60 % of it") != std::string::npos);
}

TEST_CASE("a comparison of few rounds says why they were enough") {
  const Run far = report_run({.ratio = 12, .ci = {11.9, 12.1}}), near = report_run();
  const std::string why = "12 rounds are enough where one side is about 10× as fast or more";
  CHECK(comparisons_text(far, 0).find(why) != std::string::npos);
  CHECK(comparisons_text(near, 0).find(why) == std::string::npos);
}
