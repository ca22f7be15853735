// A saved run as a reader opens it: loaded, reported in every format with its charts laid out, listed for a terminal.
#include <nlohmann/json.hpp>

#include "app/query/leaderboard.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/view/report/format.h"
#include "labs/lab.h"
#include "tests/fuzz/fuzz.h"

namespace ridge {
namespace {

void print_all(const Run& run, const report::Options& options) {
  const report::Input input = {&run, "fuzz.jsonl"};
  const auto made = report::build_report({&input, 1}, options);
  if (!made) return;
  for (const report::FormatDesc* format : report::all_formats()) {
    const std::string text = format->print(*made);
    const std::string ending = format->ending;
    // A document that no other program could read would be worse than none.
    if (ending.ends_with(".json") && !Json::accept(text)) __builtin_trap();
  }
}

void look_at(const std::string& text) {
  const auto run = Run::load(fuzz::file_with(text));
  if (!run) return;
  const Series* first = run->series().empty() ? nullptr : &run->series().front();
  const Lab* lab = find_lab(first ? first->lab : "gemm");
  print_all(*run, lab ? app::report_options(*lab, *run) : app::report_options(*run));
  app::Leaderboard board;
  app::add_run(*run, "fuzz", &board);
  app::rank_entries(&board);
  std::string said =
      app::leaderboard_text(board) + app::environment_text(*run) + app::ceilings_text(*run);
  for (const Request& request : run->requests()) {
    said += app::results_text(*run, request.id, {}) + app::comparisons_text(*run, request.id);
    if (said.size() > 100'000) break;
  }
  (void)app::for_terminal(said);
}

}  // namespace
}  // namespace ridge

RIDGE_FUZZ(ridge::look_at(text))
