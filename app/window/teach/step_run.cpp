#include "app/window/teach/step_run.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "app/window/shell/worker_requests.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

using study::StepKind;
using study::TourStep;

/// The last rung against the first, both on this machine.
bool is_paired_here(const TourStep& step, const StepBars& bars) {
  return step.kind == StepKind::compare && bars.bars.size() > 1 && bars.bars.front().can_run &&
         bars.bars.back().can_run;
}

}  // namespace

bool is_known(const TourStep& step, const StepBars& bars) {
  const auto is_measured = [](const LessonBar& bar) { return bar.measured_at >= 0; };
  return step.kind != StepKind::compare && !bars.bars.empty() &&
         std::all_of(bars.bars.begin(), bars.bars.end(), is_measured);
}

std::vector<WorkRequest> requests_of(const State& state, const TourStep& step,
                                     const StepBars& bars) {
  std::vector<WorkRequest> requests;
  const auto asked = [&](const LessonBar& bar) {
    return KernelRequest{
        bar.asked.kernel,
        params_of_bar(state, *find_info(state.sessions, bar.asked.kernel), bar.asked)};
  };
  const auto begin = [&](RequestType type, CacheMode cache) {
    WorkRequest request;
    request.type = type;
    request.lab = step.lab;
    request.mode = step.mode;
    request.cache = cache;
    return request;
  };
  for (const LessonBar& bar : bars.bars) {
    if (!bar.can_run || bar.measured_at >= 0) continue;
    if (requests.empty() || requests.back().cache != bar.asked.cache)
      requests.push_back(begin(RequestType::run, bar.asked.cache));
    auto& kernels = requests.back().kernels;
    const KernelRequest wanted = asked(bar);
    const bool is_known =
        std::any_of(kernels.begin(), kernels.end(), [&](const KernelRequest& one) {
          return one.kernel == wanted.kernel && one.params == wanted.params;
        });
    if (!is_known) kernels.push_back(wanted);
  }
  if (!is_paired_here(step, bars)) return requests;
  requests.push_back(begin(RequestType::compare, step.cache));
  requests.back().kernels = {asked(bars.bars.front()), asked(bars.bars.back())};
  return requests;
}

namespace {

bool is_sent(const State& state, int64_t request) {
  const auto& sent = state.teaching.sent;
  return std::find(sent.begin(), sent.end(), request) != sent.end();
}

/// Of this step's run; null: it is not there yet.
const Series* sent_series(const State& state, const LessonBar& bar) {
  const KernelInfo* info = find_info(state.sessions, bar.asked.kernel);
  const Params wanted = info ? params_of_bar(state, *info, bar.asked) : bar.asked.set;
  for (const Series& series : state.run().series()) {
    const Request* request = state.run().request(series.request);
    const bool is_it = is_sent(state, series.request) && series.kernel == bar.asked.kernel &&
                       series.cache == bar.asked.cache && request &&
                       request->type == RequestType::run && agrees(asked_params(series), wanted);
    if (is_it) return &series;
  }
  return nullptr;
}

/// The comparison's request of this step's run; null: it was not sent yet.
const Request* sent_pair(const State& state) {
  for (const int64_t id : state.teaching.sent) {
    const Request* request = state.run().request(id);
    if (request && request->type == RequestType::compare) return request;
  }
  return nullptr;
}

double live_progress(const State& state, const LessonBar& bar) {
  const Series* series = sent_series(state, bar);
  if (!series || series->status == SeriesStatus::cancelled) return 0;
  const Request* request = state.run().request(series->request);
  return series->is_under_way() && request ? share_of_rung(state, *request, series->index) : 1;
}

double pair_progress(const State& state) {
  const Request* request = sent_pair(state);
  if (!request || request->status == RequestStatus::cancelled) return 0;
  return request->open() ? share_of_rung(state, *request, 0) : 1;
}

}  // namespace

const Request* at_ceilings(const State& state) {
  for (const int64_t id : state.teaching.sent) {
    const Request* request = state.run().request(id);
    if (request && share_of_ceilings(state, *request)) return request;
  }
  return nullptr;
}

namespace {

bool has_results(const State& state, int64_t id) {
  const Request* request = state.run().request(id);
  if (!request) return false;
  if (!request->open()) return true;
  if (!share_of_ceilings(state, *request)) return false;
  const Run& run = state.run();
  if (request->type == RequestType::compare)
    return std::any_of(run.comparisons().begin(), run.comparisons().end(),
                       [&](const Comparison& one) { return one.request == id; });
  const auto ended = std::count_if(
      run.series().begin(), run.series().end(),
      [&](const Series& series) { return series.request == id && !series.is_under_way(); });
  return ended == std::ssize(request->kernels);
}

}  // namespace

bool waits_for_results(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.waiting.empty()) return true;
  const bool are_there =
      !teach.sent.empty() && std::all_of(teach.sent.begin(), teach.sent.end(),
                                         [&](int64_t id) { return has_results(state, id); });
  return state.requests.is_measuring() && !are_there;
}

std::string rounds_so_far(const State& state) {
  const Request* request = sent_pair(state);
  const auto& progress = state.run().progress();
  const bool is_it = request && request->open() && progress && progress->request == request->id &&
                     progress->phase == "rounds";
  if (!is_it || progress->open.empty()) return {};
  // "4 of 12 rounds", "4 of about 17 rounds that fit into 10 s"
  std::string text = "round " + progress->open.substr(0, progress->open.find(" rounds"));
  if (progress->left_s)
    text += fmt::format(", about {:.0f} s left", std::max(1.0, std::ceil(*progress->left_s)));
  return text;
}

namespace {

/// How long measuring it took.
double measured_s(const Series& series) {
  double sum_ns = 0;
  for (const Sample& sample : series.samples)
    sum_ns += sample.t_ns * static_cast<double>(sample.calls);
  return std::clamp(sum_ns * 1e-9, 0.8, 4.0);
}

bool is_played(const State& state, const LessonBar& bar) {
  return bar.series && (!bar.machine.empty() || state.is_replay());
}

}  // namespace

bool is_row_cancelled(const State& state, const StepBars& bars, size_t place) {
  if (place >= bars.bars.size()) {
    const Request* request = sent_pair(state);
    return request ? request->status == RequestStatus::cancelled
                   : is_step_cancelled(state);  // it was never sent
  }
  const Series* series = sent_series(state, bars.bars[place]);
  return series && series->status == SeriesStatus::cancelled;
}

bool is_step_cancelled(const State& state) {
  return std::any_of(state.teaching.sent.begin(), state.teaching.sent.end(), [&](int64_t id) {
    const Request* request = state.run().request(id);
    return request && request->status == RequestStatus::cancelled;
  });
}

double playback_s(const StepBars& bars) {
  constexpr double kMost_s = 8;
  double sum_s = 0;
  for (const LessonBar& bar : bars.bars) sum_s += bar.series ? measured_s(*bar.series) : 0;
  return std::min(sum_s, kMost_s);
}

std::vector<double> progress_of(const State& state, const TourStep& step, const StepBars& bars) {
  const Teaching& teach = state.teaching;
  double sum_s = 0;
  for (const LessonBar& bar : bars.bars)
    sum_s += is_played(state, bar) ? measured_s(*bar.series) : 0;
  const double total_s = playback_s(bars);
  double begins_s = 0;
  std::vector<double> shares;
  for (const LessonBar& bar : bars.bars) {
    if (!is_played(state, bar)) {
      shares.push_back(bar.measured_at >= 0 ? 1 : live_progress(state, bar));
      continue;
    }
    const double takes_s = measured_s(*bar.series) * std::min(1.0, total_s / sum_s);
    const double at_s = teach.playback_from_s < 0 ? 0 : teach.now_s - teach.playback_from_s;
    shares.push_back(std::clamp((at_s - begins_s) / takes_s, 0.0, 1.0));
    begins_s += takes_s;
  }
  if (is_paired_here(step, bars)) shares.push_back(pair_progress(state));
  return shares;
}

}  // namespace ridge::window
