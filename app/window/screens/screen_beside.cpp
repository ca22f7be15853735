// Side by side: a second saved run beside the one that is shown. Nothing is claimed here, because the two were measured
// apart: figures, and in what else the runs differ.
#include <algorithm>

#include "app/query/beside.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/views/chart_view.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/stale_words.h"
#include "common/view/chart/figures.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

class BesideScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
  ChartView* chart() override { return beside_ ? &chart_ : nullptr; }

 private:
  void build(const State& state);
  static void draw_field(Ui& ui, Area line);
  static void draw_choices(Ui& ui, Area area);
  void draw_heads(Ui& ui, Area* rest) const;
  void draw_page(Ui& ui, const Area& area);

  std::optional<app::Beside> beside_;
  std::string why_not_;
  ChartView chart_;
  std::vector<std::vector<std::string>> table_;
  uint64_t version_ = ~0ull;
  const Run* made_of_ = nullptr;
};

std::string when_and_where(const Run& run) {
  const auto& env = run.environment();
  if (!env) return "machine not recorded";
  return env->machine() + (env->time_utc.empty() ? "" : "  ·  " + env->time_utc.substr(0, 10)) +
         (env->commit.empty() ? "" : "  ·  commit " + env->commit);
}

std::string file_of(const std::string& path) {
  return path.empty() ? "this session" : path.substr(path.rfind('/') + 1);
}

std::string speed_of(const Series& series) {
  const auto rate = throughput_of(series);
  if (!rate) return "unavailable: " + (series.reason.empty() ? "no speed" : series.reason);
  std::string text = format_rate(rate->value, rate->unit);
  if (series.stats) text = format_time_ns(series.stats->median_ns) + ", " + text;
  return with_stale(text, series.stale, ", ");
}

void BesideScreen::build(const State& state) {
  const Run* second = state.sessions.beside.get();
  if (version_ == state.ladder.version && made_of_ == second) return;
  version_ = state.ladder.version, made_of_ = second;
  beside_.reset();
  why_not_.clear();
  table_.clear();
  if (!second || !state.selection.lab) return;
  auto made = app::put_beside(*state.selection.lab, state.run(), *second);
  if (!made) {
    why_not_ = sentence_of(made.error().sentence());
    return;
  }
  beside_ = *std::move(made);
  std::vector<chart::LadderRow> rows;
  for (const app::BesidePair& pair : beside_->pairs) {
    rows.push_back({.label = pair.rung->title,
                    .section = pair.rung->title,
                    .sublabel = "first run",
                    .series = pair.first,
                    .run = &state.run()});
    rows.push_back({.label = pair.rung->title,
                    .section = pair.rung->title,
                    .sublabel = "second run",
                    .series = pair.second,
                    .run = second});
    table_.push_back({pair.rung->title, speed_of(*pair.first), speed_of(*pair.second)});
  }
  chart_.set(chart::find_figure("ladder")->build(rows, figure_options(*state.selection.lab)));
}

/// The second run's file; what is typed is opened.
void BesideScreen::draw_field(Ui& ui, Area line) {
  const Area close = line.take_right(ui.px(90), ui.px(8));
  text_line(ui, "beside_path", line, "Second run", ui.state.sessions.beside_path,
            "RUN.jsonl, a saved run",
            [](State& state, const std::string& path) { open_beside(state, path); });
  if (ui.button("close_beside", close, "Close", Ui::Kind::quiet,
                ui.state.sessions.beside != nullptr))
    ui.dispatch([](State& state) { open_beside(state, ""); });
}

/// The kept runs of this lab, but for the one that is shown.
void BesideScreen::draw_choices(Ui& ui, Area area) {
  const State& state = ui.state;
  const std::string& shown =
      state.sessions.opened ? state.sessions.opened_path : state.history.run_file;
  Scroll page(ui, "beside_choices", area);
  for (const RecentRun& recent : state.history.recent) {
    const bool is_of_lab =
        state.selection.lab && std::find(recent.labs.begin(), recent.labs.end(),
                                         state.selection.lab->id) != recent.labs.end();
    if (!is_of_lab || recent.path == shown) continue;
    const Area line = page.rest.take_top(ui.px(34), ui.px(6));
    const std::string label = recent.title + "  ·  " + recent.machine + "  ·  " +
                              recent.time_utc.substr(0, 10) + "  ·  " + file_of(recent.path);
    const float w = std::min(line.w, ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32));
    if (ui.button("beside:" + recent.path, {line.x, line.y, w, line.h}, label, Ui::Kind::normal))
      ui.dispatch([path = recent.path](State& changed) { open_beside(changed, path); });
  }
}

void BesideScreen::draw_heads(Ui& ui, Area* rest) const {
  const Area line = rest->take_top(ui.px(52), ui.px(8));
  Area left = line;
  const Area right = left.take_right(line.w / 2, ui.px(16));
  const auto head = [&](const Area& area, const char* which, const std::string& path,
                        const Run& run) {
    ui.text(area.x, area.y + ui.px(14), std::string(which) + ": " + file_of(path), kBody_px,
            Role::text, Face::strong, Anchor::start, area.w);
    ui.text(area.x, area.y + ui.px(38), when_and_where(run), kSmall_px, Role::muted, Face::body,
            Anchor::start, area.w);
  };
  head(left, "First run", ui.state.sessions.opened_path, ui.state.run());
  head(right, "Second run", ui.state.sessions.beside_path, *ui.state.sessions.beside);
}

void BesideScreen::draw_page(Ui& ui, const Area& area) {
  Scroll page(ui, "beside_page", area);
  Area& rest = page.rest;
  draw_heads(ui, &rest);
  const auto text = [&](const std::string& words, Role role) {
    if (!words.empty()) rest.take_top(ui.paragraph(rest, words, kSmall_px, role), ui.px(6));
  };
  text(
      "Nothing is claimed: the two were measured apart, so any difference may come from the "
      "machine. Compare two rungs in one run to know which is faster.",
      Role::text);
  text(beside_->differences, Role::text);
  const Area place = rest.take_top(chart_.height(ui, rest.w), ui.px(12));
  chart_.draw_in_page(ui, "beside", place);
  draw_table(ui, &page, {"Rung", "First run", "Second run"}, table_);
  for (const std::string& sentence : beside_->left_out) text(sentence, Role::muted);
}

void BesideScreen::draw(Ui& ui, Area all) {
  build(ui.state);
  ui.panel(all);
  Area inner = all.inset(ui.px(28), ui.px(16));
  draw_field(ui, inner.take_top(ui.px(34), ui.px(12)));
  ui.widgets["beside"] = inner;
  if (beside_) return draw_page(ui, inner);
  const Area words = inner.take_top(ui.px(120), ui.px(12));
  draw_empty_state(
      ui, words, why_not_.empty() ? "No second run is open." : why_not_,
      "Give the file of a saved run of this lab, or choose one below. It stands beside "
      "what is shown; nothing is claimed of the two, because they were measured apart.");
  draw_choices(ui, inner);
}

}  // namespace

std::unique_ptr<Screen> make_beside_screen() {
  return std::make_unique<BesideScreen>();
}

}  // namespace ridge::window
