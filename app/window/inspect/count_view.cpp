#include "app/window/inspect/count_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/query/counts_text.h"
#include "app/window/shell/actions.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"

namespace ridge::window {
namespace {

bool is_countable(const RungView& row) {
  return row.info && row.info->kind == RungKind::kernel && row.info->library.empty() &&
         !row.rung->peer && backend_of(row.rung->kernel) == Backend::cuda;
}

const RungView* counted_row(const State& state) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  return row && is_countable(*row) ? row : nullptr;
}

std::string busy_blocker(const State& state) {
  if (state.is_replay()) return leave_saved_run(state, "count");
  if (state.requests.is_measuring() || state.counting.request || state.lanes.request ||
      state.walking.request || state.inspecting.request)
    return "Something else is running.";
  return state.sessions.shown->state() == app::WorkerState::lost ? "The worker was lost." : "";
}

std::string progress_text(const State& state) {
  const auto& progress = state.run().progress();
  if (!progress || progress->request != state.counting.request) return "Waiting for the worker.";
  std::string text = progress->text;
  if (progress->fraction) text += fmt::format(" · {:.0f} %", 100 * *progress->fraction);
  return text;
}

}  // namespace

bool has_counts_tab(const State& state) {
  return counted_row(state) != nullptr;
}

const KernelCounts* shown_counts(const State& state) {
  return has_counts_tab(state) ? state.run().latest_counts(state.selection.rung) : nullptr;
}

CountNote count_note(const State& state) {
  const std::string& kernel = state.selection.rung;
  if (state.counting.request && state.counting.kernel == kernel)
    return {progress_text(state) + " · Esc cancels", false};
  const auto& problems = state.counting.problems;
  if (const auto found = problems.find(kernel); found != problems.end())
    return {found->second, true};
  const KernelCounts* counts = shown_counts(state);
  if (!counts) return {};
  std::string text = with_stale(app::kCountedHere, counts->stale) + " · " +
                     params_in_words(*state.selection.lab, counts->params) + " · " +
                     app::outcome_text(*counts);
  if (!counts->faults.empty()) text += " · " + app::fault_text(counts->faults.front());
  if (counts->faults.size() > 1)
    text += fmt::format(" · {} more faults", counts->faults.size() - 1);
  return {text, !app::is_clean(*counts)};
}

std::string count_blocker(const State& state) {
  return has_counts_tab(state) ? busy_blocker(state) : "Select a CUDA rung of ours first.";
}

namespace {

/// Of the rung's data type, and of a small problem: what is counted at one size is counted by blocks at each.
void count_rung(State& state, const RungView& row) {
  WorkRequest request = request_for(state, RequestType::count);
  Params params = params_for(state, *row.info);
  params.erase_if([](const auto& one) { return std::holds_alternative<int64_t>(one.second); });
  request.kernels.push_back({row.rung->kernel, params});
  cancel_estimates(state);
  Counting& counting = state.counting;
  counting.kernel = row.rung->kernel;
  counting.problems.erase(counting.kernel);
  const auto id = state.sessions.shown->send(std::move(request));
  if (id)
    counting.request = *id;
  else
    counting.problems[counting.kernel] = id.error().sentence();
}

/// The next of those that wait, unless something else has begun.
void count_next(State& state) {
  std::vector<std::string>& waiting = state.counting.waiting;
  if (!busy_blocker(state).empty()) waiting.clear();
  while (!waiting.empty() && state.counting.request == 0) {
    const RungView* row = find_row(state.ladder, waiting.back());
    waiting.pop_back();
    if (row) count_rung(state, *row);
  }
}

}  // namespace

void count_here(State& state) {
  if (const RungView* row = counted_row(state)) count_rung(state, *row);
}

std::vector<const RungView*> countable_rungs(const State& state) {
  std::vector<const RungView*> found;
  for (const RungView& row : state.ladder.rows) {
    if (is_countable(row)) found.push_back(&row);
  }
  return found;
}

std::string count_all_blocker(const State& state) {
  if (countable_rungs(state).empty()) return "This lab has no CUDA kernel of ours.";
  return busy_blocker(state);
}

void count_all(State& state) {
  const std::vector<const RungView*> rungs = countable_rungs(state);
  state.counting.waiting.clear();
  for (auto row = rungs.rbegin(); row != rungs.rend(); ++row)
    state.counting.waiting.push_back((*row)->rung->kernel);
  count_next(state);
}

void look_at_counts(State& state) {
  const KernelCounts* counts = shown_counts(state);
  const SourceText* source = find_source(state, state.selection.rung);
  if (!counts || counts->lines.empty() || !source) return;
  std::istringstream text(source->text);
  std::string line;
  for (int number = 0; number < counts->lines.front().line && std::getline(text, line);) ++number;
  const size_t begin = line.find_first_not_of(' ');
  if (begin != line.npos) follow_code(state, state.selection.rung, line.substr(begin));
}

bool tick_count(State& state) {
  Counting& counting = state.counting;
  const Request* request = counting.request ? state.run().request(counting.request) : nullptr;
  if (!request || request->open()) return false;
  if (const std::string why = why_not_done(state, *request); !why.empty())
    counting.problems[counting.kernel] = why;
  else if (counting.kernel == state.selection.rung && state.view.tab == Tab::source)
    look_at_counts(state);
  counting.request = 0;
  if (is_broken_off(*request)) counting.waiting.clear();
  count_next(state);
  return true;
}

}  // namespace ridge::window
