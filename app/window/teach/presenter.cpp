#include "app/window/teach/presenter.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/tour_progress.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/stale_words.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

constexpr float kLarger = 1.6f, kMostScale = 3;
constexpr size_t kMostRungs = 3;

bool has_time(const RungView& row) {
  return row.series && row.series->stats && row.series->quality_passed() &&
         row.series->stats->median_ns > 0;
}

/// A run of what the beat is about; and the comparison after it, where there is a baseline.
bool run_beat(State& state) {
  WorkRequest request = request_for(state, RequestType::run);
  std::vector<std::string> wanted = {state.selection.rung};
  if (const study::TourStep* step = tour_step(state)) wanted = step->rungs;
  const RungView* baseline = find_row(state.ladder, state.selection.baseline);
  if (baseline && !has_time(*baseline)) wanted.insert(wanted.begin(), state.selection.baseline);
  for (const std::string& kernel : wanted) {
    const RungView* row = find_row(state.ladder, kernel);
    const bool known = std::any_of(request.kernels.begin(), request.kernels.end(),
                                   [&](const KernelRequest& one) { return one.kernel == kernel; });
    if (row && row->can_run && !known)
      request.kernels.push_back({kernel, params_for(state, *row->info)});
  }
  if (request.kernels.empty()) return false;
  send(state, std::move(request), &state.requests.run);
  baseline = find_row(state.ladder, state.selection.baseline);  // sending rebuilt the rows
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  const bool compares = baseline && baseline->can_run && selected && selected->can_run;
  if (!compares) return true;
  send(state, comparison_of(state, *baseline, *selected), &state.requests.compare);
  return true;
}

void go_to(State& state, Beat beat) {
  Teaching& teach = state.teaching;
  teach.beat = beat;
  // Where it cannot be filled in yet (the worker is starting), the field says so.
  teach.predicting = beat == Beat::predict && !state.is_replay();
  teach.wants_focus = false;  // a clicker's keys are not for a text field
  state.notice = {};
  state.ladder.dirty = true;
}

bool is_running(const State& state) {
  return state.requests.is_measuring();
}

void begin_run(State& state) {
  go_to(state, Beat::run);
  if (state.is_replay() || !run_beat(state)) go_to(state, Beat::reveal);  // what was recorded
}

void open_step(State& state) {
  const study::TourStep& step = *tour_step(state);
  Selection& selected = state.selection;
  open_lab(state, step.lab);
  for (const auto& [name, value] : step.set) selected.params[name] = value;
  selected.mode = step.mode;
  selected.cache = step.cache;
  const ViewDesc* view = find_view(step.chart);
  selected.view = view ? view : &kLadderView;
  selected.baseline = step.baseline;
  state.view.screen = state.teaching.presenting ? ScreenId::presenter : ScreenId::lab;
  for (const std::string& kernel : step.rungs) unfold_for(state, kernel);
  select_rung(state, step.rungs.back());
  state.requests.estimates_due = true;
  rebuild_ladder(state);
}

/// The next or the previous thing to talk about. False at either end.
bool change_subject(State& state, int by) {
  Teaching& teach = state.teaching;
  if (teach.tour) {
    const int next = teach.tour_step + by;
    if (next < 0 || next >= static_cast<int>(teach.tour->steps.size())) return false;
    teach.tour_step = next;
    open_step(state);
    return true;
  }
  std::vector<std::string> rungs;
  for (const RungView& row : state.ladder.rows) {
    if (!is_folded(state, *row.rung)) rungs.emplace_back(row.rung->kernel);
  }
  const auto at = std::find(rungs.begin(), rungs.end(), state.selection.rung);
  const auto next = at - rungs.begin() + by;
  if (at == rungs.end() || next < 0 || next >= std::ssize(rungs)) return false;
  select_rung(state, rungs[static_cast<size_t>(next)]);
  rebuild_ladder(state);
  return true;
}

ChartRows only(ChartRows rows, const std::vector<std::string>& kernels) {
  ChartRows kept;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (std::find(kernels.begin(), kernels.end(), rows.kernels[i]) == kernels.end()) continue;
    rows.rows[i].section.clear();
    kept.rows.push_back(std::move(rows.rows[i]));
    kept.kernels.push_back(rows.kernels[i]);
  }
  return kept;
}

}  // namespace

void toggle_presenter(State& state) {
  Teaching& teach = state.teaching;
  if (teach.presenting) {
    state.selection = teach.before->selection;
    state.view = teach.before->view;
    state.appearance = teach.before->appearance;
    teach.before = nullptr;
    teach.presenting = teach.predicting = false;
    teach.beat = Beat::predict;
    state.requests.estimates_due = true;
  } else {
    teach.before = std::make_shared<const BeforePresenting>(
        BeforePresenting{state.selection, state.view, state.appearance});
    teach.presenting = true;
    state.appearance.scale = std::min(state.appearance.scale * kLarger, kMostScale);
    state.view.screen = ScreenId::presenter;
    go_to(state, Beat::predict);
  }
  state.view.show_menu = false;
  state.ladder.dirty = true;
}

std::string advance_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  const bool any = state.teaching.presenting || state.teaching.tour;
  return any ? "" : "Neither the presenter (P) nor a tour (J) is on.";
}

void advance(State& state) {
  switch (state.teaching.beat) {
    case Beat::predict:
      return begin_run(state);
    case Beat::run:
      if (is_running(state)) {
        state.notice = {"Still running; Esc cancels, Page Up goes back.", false};
      } else {
        go_to(state, Beat::reveal);
      }
      return;
    case Beat::reveal:
      return go_to(state, Beat::explain);
    case Beat::explain:
      if (change_subject(state, 1))
        go_to(state, Beat::predict);
      else
        state.notice = {
            state.teaching.tour ? "That was the tour's last step." : "That was the last rung.",
            false};
      return;
  }
}

void go_back(State& state) {
  switch (state.teaching.beat) {
    case Beat::explain:
      return go_to(state, Beat::reveal);
    case Beat::reveal:
    case Beat::run:
      return go_to(state, Beat::predict);
    case Beat::predict:
      if (change_subject(state, -1)) go_to(state, Beat::explain);
      return;
  }
}

std::vector<std::string> presented(const State& state) {
  std::vector<std::string> chosen = {state.selection.rung};
  const auto add = [&](const std::string& kernel) {
    const bool known = std::find(chosen.begin(), chosen.end(), kernel) != chosen.end();
    if (!kernel.empty() && !known && chosen.size() < kMostRungs && find_row(state.ladder, kernel))
      chosen.push_back(kernel);
  };
  add(state.selection.baseline);
  if (const study::TourStep* step = tour_step(state)) {
    for (auto it = step->rungs.rbegin(); it != step->rungs.rend(); ++it) add(*it);
  } else {
    const RungView* best = nullptr;
    for (const RungView& row : state.ladder.rows) {
      if (!has_time(row) || row.rung->kernel == state.selection.rung) continue;
      if (!best || row.series->stats->median_ns < best->series->stats->median_ns) best = &row;
    }
    if (best) add(best->rung->kernel);
  }
  std::vector<std::string> ordered;
  for (const RungView& row : state.ladder.rows) {
    if (std::find(chosen.begin(), chosen.end(), row.rung->kernel) != chosen.end())
      ordered.emplace_back(row.rung->kernel);
  }
  return ordered;
}

bool is_hidden(const State& state) {
  return state.teaching.beat == Beat::predict || state.teaching.beat == Beat::run;
}

chart::ChartModel presented_chart(const State& state) {
  const std::vector<std::string> kernels = presented(state);
  const ViewDesc& view = is_hidden(state) ? kLadderView : *state.selection.view;
  if (const chart::Figure* figure = chart::find_figure(view.figure))
    return figure->build(only(figure_rows(state, figure->rows), kernels).rows,
                         figure_options(*state.selection.lab));
  ChartRows rows = only(ladder_rows(state), kernels);
  for (size_t i = 0; is_hidden(state) && i < rows.rows.size(); ++i) {
    if (rows.kernels[i] != state.selection.rung) continue;
    rows.rows[i].series = nullptr;
    rows.rows[i].state = "?";
  }
  chart::ChartModel model = chart::ladder_chart(rows.rows);
  mark_predictions(state, rows, &model);
  // Time is what the room predicted; the share of the machine is what it asks next.
  model.panels.resize(std::min<size_t>(model.panels.size(), is_hidden(state) ? 1 : 2));
  return model;
}

PresentedFigure presented_figure(const State& state) {
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  if (is_hidden(state)) {
    if (const Draft* draft = draft_of(state, state.selection.rung))
      return {format_time_ns(draft->value_ns), "is what you expect"};
    const auto locked = revealed_of(state, state.selection.rung);
    if (locked && state.teaching.beat == Beat::run)
      return {format_time_ns(locked->prediction->value), "was predicted, and is locked"};
    const Reference known = reference_of(state, state.selection.rung);
    if (known.title.empty()) return {"?", "time of one call"};
    return {format_time_ns(known.time_ns), "is what “" + known.title + "” takes"};
  }
  const Run* run = nullptr;
  std::string where;
  const Comparison* comparison = shown_comparison(state, &where, &run);
  if (comparison && comparison->ratio > 0) {
    const std::string against = " than “" + rung_title(state.ladder, comparison->baseline) +
                                "”, run in turns" + (where.empty() ? "" : ", " + where);
    if (comparison->verdict == Verdict::faster)
      return {format_ratio(comparison->ratio), "faster" + against, chart::Role::faster, 1};
    if (comparison->verdict == Verdict::slower)
      return {format_ratio(1 / comparison->ratio), "slower" + against, chart::Role::slower, -1};
  }
  if (!selected || !has_time(*selected)) return {"—", selected ? selected->reason : ""};
  const auto revealed = revealed_of(state, state.selection.rung);
  std::string about = "a call";
  if (!selected->machine.empty()) about += ", recorded on " + selected->machine;
  about = with_stale(about, selected->stale(), ", ");
  if (revealed && revealed->series)
    about += " · predicted " + format_time_ns(revealed->prediction->value);
  return {format_time_ns(selected->series->stats->median_ns), about};
}

std::string presented_words(const State& state) {
  const study::TourStep* step = tour_step(state);
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  switch (state.teaching.beat) {
    case Beat::predict:
    case Beat::run:
      if (step && !step->question.empty()) return step->question;
      return selected ? std::string("What will one call take?\nNew here: ") +
                            selected->rung->change + "."
                      : "";
    case Beat::reveal: {
      const auto revealed = revealed_of(state, state.selection.rung);
      return revealed && revealed->series
                 ? report::prediction_sentence(*revealed) + " " + report::model_sentence(*revealed)
                 : "";
    }
    case Beat::explain:
      if (step) return step->words;
      return selected ? selected->rung->change : "";
  }
  return {};
}

void start_tour(State& state, const std::string& id, int step) {
  auto tour = study::load_tour(id);
  if (!tour) {
    state.notice = {tour.error().sentence(), true};
    return;
  }
  Teaching& teach = state.teaching;
  teach.tour = std::make_shared<const study::Tour>(*std::move(tour));
  teach.tour_step = step;
  teach.tour_started_s = teach.now_s;
  teach.show_tours = false;
  open_step(state);
  go_to(state, Beat::predict);
}

void end_tour(State& state) {
  state.teaching.tour = nullptr;
  state.teaching.predicting = false;
  go_to(state, Beat::predict);
  state.teaching.predicting = false;
}

const study::TourStep* tour_step(const State& state) {
  return state.teaching.tour
             ? &state.teaching.tour->steps[static_cast<size_t>(state.teaching.tour_step)]
             : nullptr;
}

std::string tour_clock(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.tour) return {};
  return fmt::format("step {} of {}  ·  {:.0f} of {:.0f} min", teach.tour_step + 1,
                     teach.tour->steps.size(),
                     std::floor((teach.now_s - teach.tour_started_s) / 60), teach.tour->minutes);
}

bool tick_tour(State& state, double now_s) {
  Teaching& teach = state.teaching;
  const std::string before = tour_clock(state);
  teach.now_s = now_s;
  return teach.tour && tour_clock(state) != before;
}

// ---- drawn -------------------------------------------------------------------------------------

namespace {

constexpr float kHead = 34, kPad = 12;

std::string next_label(const State& state) {
  switch (state.teaching.beat) {
    case Beat::predict:
      return "Run";
    case Beat::run:
      return "Reveal";
    case Beat::reveal:
      return "Explain";
    case Beat::explain:
      return "Next step";
  }
  return {};
}

}  // namespace

float TourBar::height(Ui& ui, float width) {
  if (!ui.state.teaching.tour) return 0;
  const float text_w = width - 2 * ui.px(kPad + 6);
  const float words = figures_.paragraph(ui, {0, 0, text_w, 0}, presented_words(ui.state), kBody_px,
                                         Role::text, Face::body, true);
  return ui.px(kHead + 2 * kPad) + words;
}

void TourBar::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  ui.panel(area);
  ui.fill({area.x, area.y, ui.px(4), area.h}, ui.color(Role::series0), ui.px(2));
  ui.widgets["tour_bar"] = area;
  Area inner = area.inset(ui.px(kPad + 6), ui.px(kPad));
  Area head = inner.take_top(ui.px(kHead - 4), ui.px(4));
  const auto button = [&](const char* id, const std::string& label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button(id, head.take_right(w, ui.px(8)), label, kind);
  };
  button("end_tour", "End", Ui::Kind::quiet);
  button("advance", next_label(state), Ui::Kind::primary);
  button("go_back", "Back", Ui::Kind::normal);
  const float w = ui.text(head.x, head.middle(), state.teaching.tour->title, kBody_px, Role::text,
                          Face::strong, Anchor::start, head.w * 0.6f);
  head.take_left(w, ui.px(16));
  ui.text(head.x, head.middle(), tour_clock(state), kSmall_px, Role::muted, Face::body,
          Anchor::start, head.w);
  figures_.paragraph(ui, inner, presented_words(state), kBody_px, Role::text);
}

void draw_tours(Ui& ui) {
  Overlay overlay(ui, "tours", 0.72f);
  const auto ids = study::tour_ids();
  const float line_h = ui.px(64), pad = ui.px(24);
  const float w = std::min(ui.px(860), ui.window.w - ui.px(40));
  const float h = line_h * static_cast<float>(ids.size()) + ui.px(44) + 2 * pad;
  const Area box = {(ui.window.w - w) / 2, (ui.window.h - h) / 2, w, h};
  ui.fill(box, ui.raised(1), ui.px(8));
  Area inner = box.inset(pad);
  const Area title = inner.take_top(ui.px(30), ui.px(14));
  ui.text(title.x, title.middle(), "Tours", kHeading_px, Role::text, Face::strong);
  ui.text(title.right(), title.middle(), "Page Down goes on; Esc closes", kSmall_px, Role::muted,
          Face::body, Anchor::end);
  for (const std::string& id : ids) {
    const Area row = inner.take_top(line_h - ui.px(6), ui.px(6));
    const auto tour = study::load_tour(id);
    const auto touched = ui.touch("tour:" + id, row);
    ui.fill(row, ui.raised(touched.hovered ? 3 : 2), ui.px(5));
    const float x = row.x + ui.px(14), room = row.w - ui.px(28);
    const std::string head = tour ? fmt::format("{}  ·  {:g} min, {} steps", tour->title,
                                                tour->minutes, tour->steps.size())
                                  : id;
    ui.text(x, row.y + row.h * 0.32f, head, kSmall_px + 1, Role::text, Face::strong, Anchor::start,
            room);
    ui.text(x, row.y + row.h * 0.72f, tour ? tour->audience : tour.error().sentence(),
            kSmall_px - 1, tour ? Role::muted : Role::slower, Face::body, Anchor::start, room);
    if (touched.clicked) ui.dispatch([id](State& state) { resume_tour(state, id); });
  }
  if (overlay.clicked_outside(box))
    ui.dispatch([](State& state) { state.teaching.show_tours = false; });
}

}  // namespace ridge::window
