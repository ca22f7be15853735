// What `run` prints of made-up runs: the tables.
#include "app/query/results.h"

#include <sstream>
#include <string>
#include <vector>

#include "app/query/terminal.h"
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
    series.params["dtype"] = std::string("fp32");
    series.mode = mode;
    series.stats->n = rungs[i].n;
    // Twice the median: a wide interval is printed wide.
    series.stats->ci_ns = Interval{rungs[i].call_ns * 0.01, rungs[i].call_ns * 4.01};
    if (!rungs[i].passes) {
      series.checks = {check(false)};
      series.status = SeriesStatus::failed;
      series.reason = "wrong";
    }
    out.worker("result", with(about(4, int(i)), "outcome", series));
  }
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  return read_run(out);
}

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
  CHECK(has(row_named(text, "cpu.packed"), " ≈10× "));       // and is nobody's rung before
  CHECK(has(row_named(text, "cpu.threads"), " ≈0.50× "));
  CHECK(has(row_named(text, "cpu.onednn"), " ≈2.0× "));  // over packed, the best
  CHECK_FALSE(has(row_named(text, "cuda.naive"), "≈"));  // another backend
  CHECK(has(row_named(text, "cuda.coalesced"), " ≈5.0× "));
  CHECK(text.find("'ridgepoint compare' decides") == text.rfind("'ridgepoint compare' decides"));
  CHECK(has(text, "≈: over the rung before it"));
  const std::string alone = results_text(ladder({{"cpu.naive_o1", 240e6}}), 4, {});
  CHECK_FALSE(has(alone, "≈"));
  CHECK_FALSE(has(alone, "gain"));
}

TEST_CASE("the table of the GEMM lab at n = 512 is at most 100 columns wide and has no limits") {
  const Run run = ladder({{"cpu.naive_o1", 294e6, 2},
                          {"cpu.naive_o3", 272e6, 4},
                          {"cpu.packed_avx512", 3.64e6, 1000},
                          {"cpu.inner_product", 2.22e6, 160},
                          {"cpu.avx512_bf16", 1.11e6, 1000},
                          {"cpu.onednn", 5.12e6, 47}});
  const std::string text = results_text(run, 4, {});
  INFO(text);
  CHECK_FALSE(has(text, "limit"));
  CHECK(has(row_named(text, "cpu.onednn"), "✓"));
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 100);
}

TEST_CASE("a comparison's rows have no gain: its verdict says it") {
  const std::string text =
      results_text(ladder({{"cpu.naive_o1", 4e6}, {"cpu.packed", 1e6}}, RunMode::compare), 4, {});
  CHECK_FALSE(has(text, "gain"));
}
