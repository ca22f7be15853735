#include <algorithm>
#include <map>
#include <utility>

#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"
#include "common/core/format.h"
#include "common/record/noise_floor.h"

namespace ridge::window {
namespace {

/// "Measuring cache blocks": what the open request does now.
std::string headline_of(const State& state) {
  if (state.requests.aa_left > 0)
    return "A/A " + std::to_string(kSelfChecks - state.requests.aa_left + 1) + " of " +
           std::to_string(kSelfChecks);
  const auto& progress = state.run().progress();
  if (!progress) return state.requests.compare ? "Starting the comparison" : "Starting the run";
  static const std::map<std::string, std::string> kVerbs = {{"prepare", "Preparing"},
                                                            {"check", "Checking"},
                                                            {"warmup", "Warming up"},
                                                            {"timing", "Measuring"},
                                                            {"latency", "Timing single calls of"},
                                                            {"energy", "Reading the energy of"},
                                                            {"rounds", "Comparing"},
                                                            {"waiting", "Waiting for"}};
  const auto verb = kVerbs.find(progress->phase);
  std::string text = verb == kVerbs.end() ? progress->phase : verb->second;
  for (const Series& series : state.run().series()) {
    if (series.request == progress->request && series.index == progress->series) {
      return text + " " + rung_title(state.ladder, series.kernel);
    }
  }
  const Request* request = state.run().request(progress->request);
  const auto index = static_cast<size_t>(std::max(progress->series, 0));
  if (request && index < request->kernels.size()) {
    return text + " " + rung_title(state.ladder, request->kernels[index]);
  }
  return progress->text.empty() ? text : text + ": " + progress->text;
}

std::string figures_of(const State& state) {
  const auto& progress = state.run().progress();
  if (!progress) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "  ·  ") + part; };
  for (const Series& series : state.run().series()) {
    if (series.request != progress->request || series.index != progress->series) continue;
    if (!series.samples.empty()) add(std::to_string(series.samples.size()) + " samples");
  }
  if (progress->median_ns) {
    std::string median = format_time_ns(*progress->median_ns);
    if (progress->ci_ns && *progress->median_ns > 0) {
      const double half = (progress->ci_ns->high - progress->ci_ns->low) / 2 / *progress->median_ns;
      median += " " + format_percent_width(half);
    }
    add(median);
  }
  if (progress->left_s && *progress->left_s > 0.5)
    add(format_number(*progress->left_s, 2) + " s left");
  return text;
}

/// Share of the whole request: its series one after another, each by its own progress.
std::optional<double> share_done(const State& state) {
  if (state.requests.aa_left > 0)
    return 1 - static_cast<double>(state.requests.aa_left) / kSelfChecks;
  const auto& progress = state.run().progress();
  if (!progress || !progress->fraction) return std::nullopt;
  const Request* request = state.run().request(progress->request);
  const double count = request && request->type == RequestType::run
                           ? static_cast<double>(request->kernels.size())
                           : 1;
  const double before =
      request && request->type == RequestType::run ? std::max(progress->series, 0) : 0;
  return std::clamp((before + *progress->fraction) / std::max(count, 1.0), 0.0, 1.0);
}

std::string seconds_of(double seconds) {
  return seconds < 1 ? "under a second" : "about " + format_number(seconds, 2) + " s";
}

struct Idle {
  std::string head, text;
  bool is_error = false;
};

Idle idle_text(const State& state) {
  int runnable = 0;
  double seconds = 0;
  bool estimated = true;
  for (const RungView& row : state.ladder.rows) {
    if (!row.can_run || is_folded(state, *row.rung)) continue;
    ++runnable;
    if (row.estimate)
      seconds += row.estimate->total_s;
    else
      estimated = false;
  }
  switch (state.sessions.shown->state()) {
    case app::WorkerState::starting:
      return {"Starting", "The worker is being started.", false};
    case app::WorkerState::lost:
      return {"Worker lost",
              state.sessions.shown->reason() +
                  (runnable ? "  F5 starts it again; everything received is kept." : ""),
              true};
    case app::WorkerState::replay: {
      const auto& environment = state.run().environment();
      if (!environment && state.run().series().empty()) {
        std::string machines;
        for (const RungView& row : state.ladder.rows) {
          const bool named = machines.find(row.machine) != std::string::npos;
          if (!row.machine.empty() && !named)
            machines += (machines.empty() ? "" : ", ") + row.machine;
        }
        return {"Recordings",
                machines.empty()
                    ? "No recording of this lab is at hand."
                    : "What is shown was recorded on " + machines + ". Nothing is measured here.",
                false};
      }
      std::string text = "A saved run";
      if (environment)
        text += " of " + environment->machine() + ", " + environment->time_utc.substr(0, 10);
      return {"Replay", text + ". Nothing is measured here.", false};
    }
    default:
      break;
  }
  if (!state.run().catalogue_complete())
    return {"Loading", "The worker is listing its rungs.", false};
  if (!runnable) {
    const auto& environment = state.run().environment();
    return {"Nothing can run here", environment ? environment->no_gpu_reason : std::string(), true};
  }
  std::string text = "F5 runs " + std::to_string(runnable) + (runnable == 1 ? " rung" : " rungs");
  if (estimated) text += ", " + seconds_of(seconds);
  return {"Ready", text + ".", false};
}

}  // namespace

void BottomBar::draw_progress(Ui& ui, Area area) {
  const State& state = ui.state;
  const Area top = {area.x, area.y, area.w, area.h / 2},
             below = {area.x, top.bottom(), area.w, area.h / 2};
  // The bar begins at one place whatever the phase is called, so that it does not jump about.
  const float head_w = std::min(ui.px(310), area.w * 0.3f);
  ui.text(top.x, top.middle(), headline_of(state), kBody_px - 1, Role::text, Face::strong,
          Anchor::start, head_w - ui.px(16));
  const std::string figures = figures_of(state);
  const float figures_room = std::min(ui.px(430), area.w * 0.38f);
  const Area bar = {area.x + head_w, top.middle() - ui.px(5),
                    area.w - head_w - figures_room - ui.px(16), ui.px(10)};
  ui.fill(bar, ui.raised(2), bar.h / 2);
  if (const auto share = share_done(state)) {
    const float w = std::max(bar.h, bar.w * static_cast<float>(*share));
    ui.fill({bar.x, bar.y, w, bar.h}, ui.color(Role::series0), bar.h / 2);
  }
  ui.widgets["progress"] = bar;
  ui.text(area.right(), top.middle(), figures, kSmall_px - 1, Role::text, Face::mono, Anchor::end,
          figures_room);
  const auto& progress = state.run().progress();
  std::string open = progress ? progress->open : std::string();
  if (progress && !progress->text.empty())
    open = open.empty() ? progress->text : progress->text + "  ·  " + open;
  if (!state.notice.text.empty()) open = state.notice.text;
  ui.text(below.x + head_w, below.middle(), open, kSmall_px - 1, Role::muted, Face::body,
          Anchor::start, below.w - head_w);
}

void BottomBar::draw_idle(Ui& ui, Area area) {
  const Idle idle = idle_text(ui.state);
  const Notice& notice = ui.state.notice;
  const bool has_notice = !notice.text.empty();
  const Area top = {area.x, area.y, area.w, has_notice ? area.h / 2 : area.h};
  const float head_w = ui.text(top.x, top.middle(), idle.head, kBody_px - 1,
                               idle.is_error ? Role::slower : Role::text, Face::strong);
  ui.text(top.x + head_w + ui.px(16), top.middle(), idle.text, kSmall_px, Role::muted, Face::body,
          Anchor::start, top.w - head_w - ui.px(16));
  if (!has_notice) return;
  const Area below = {area.x, top.bottom(), area.w, area.h / 2};
  ui.text(below.x, below.middle(), (notice.is_error ? "! " : "") + notice.text, kSmall_px,
          notice.is_error ? Role::slower : Role::text, Face::body, Anchor::start, below.w);
  if (ui.touch("notice", below).hovered) ui.tooltip(notice.text);
}

void BottomBar::draw(Ui& ui, Area area) {
  ui.fill(area, ui.color(Role::panel));
  Area inner = area.inset(ui.px(24), ui.px(8));
  const float h = ui.px(32), y = area.middle() - h / 2;
  Area right = inner.take_right(ui.px(256), ui.px(24));
  ui.action_button("telemetry", {right.x, y, ui.px(100), h}, "Telemetry", Ui::Kind::quiet);
  right.take_left(ui.px(106));
  ui.action_button("show_shortcuts", {right.right() - ui.px(72), y, ui.px(72), h}, "? keys",
                   Ui::Kind::quiet);
  ui.action_button("log", {right.x, y, ui.px(70), h}, ui.state.view.show_log ? "Hide log" : "Log",
                   Ui::Kind::quiet);
  if (ui.state.requests.run || ui.state.requests.compare)
    draw_progress(ui, inner);
  else
    draw_idle(ui, inner);
}

void LogPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  const Area inner = area.inset(ui.px(16), ui.px(8));
  const auto& log = ui.state.run().log();
  if (log.empty()) {
    return draw_empty_state(ui, inner, "The log is empty.",
                            "Lines that were no part of the protocol, and restarts, appear here.");
  }
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  ImGui::BeginChild("log", {inner.w, inner.h}, false);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line_h = ui.px(22);
  float y = at.y + line_h / 2;
  for (const std::string& line : log) {
    ui.text(at.x, y, line, kTiny_px + 1, Role::muted, Face::mono, Anchor::start,
            inner.w - ui.px(16));
    y += line_h;
  }
  ImGui::Dummy({inner.w - ui.px(16), line_h * static_cast<float>(log.size())});
  ImGui::EndChild();
  ui.list = outer;
}

}  // namespace ridge::window
