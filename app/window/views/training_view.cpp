#include "app/window/views/training_view.h"

#include <algorithm>
#include <set>

#include "app/window/teach/predict.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/view/chart/gradients.h"
#include "common/view/chart/training.h"

namespace ridge::window {
namespace {

bool is_training(const RungView& row) {
  return row.series ? row.series->kind == RungKind::training
                    : row.info && row.info->kind == RungKind::training;
}

/// A parameter's place in the name of a line: "luts 2000"; what copies another would say it twice.
std::string param_words(const Params& params, const std::set<std::string>& names) {
  std::string words;
  for (const std::string& name : names) {
    if (params.contains(name)) words += " · " + name + " " + to_string(params.at(name));
  }
  return words;
}

struct Found {
  const RungView* row;
  const Series* series;
  const Run* run;
  std::string machine;  ///< recorded: of which
};

/// The newest of each set of parameters, in the order first run. `like`: only those of its parameters, at any seed.
void add_newest(const RungView& row, const Run& run, const std::string& machine, const Series* like,
                std::vector<Found>* all) {
  const size_t first = all->size();
  for (const Series& series : run.series()) {
    if (series.kernel != row.rung->kernel || series.curve.empty()) continue;
    if (like && without_seed(series.params) != without_seed(like->params)) continue;
    const auto known =
        std::find_if(all->begin() + static_cast<std::ptrdiff_t>(first), all->end(),
                     [&](const Found& other) { return other.series->params == series.params; });
    if (known == all->end())
      all->push_back({&row, &series, &run, machine});
    else
      known->series = &series;
  }
}

/// A recorded training.
struct RecordedCurve {
  const Series* series = nullptr;  ///< null: there is none
  const Run* run = nullptr;
  std::string machine;
};

/// What the ladder shows of this rung, where that is recorded; else, of its recorded trainings, the one nearest to the
/// parameters in view. Curves of another model beside those of this one would be no comparison.
RecordedCurve recorded_curve(const State& state, const RungView& row) {
  if (row.origin == Origin::recorded && row.series && !row.series->curve.empty())
    return {row.series, row.run, row.machine};
  const Params wanted = view_params(state, row.info);
  const auto shared = [&](const Series& series) {
    return std::count_if(wanted.begin(), wanted.end(), [&](const auto& one) {
      const auto found = series.params.find(one.first);
      return found != series.params.end() && found->second == one.second;
    });
  };
  RecordedCurve nearest;
  for (const Recording& recording : state.sessions.recordings) {
    for (const Series& series : recording.run->series()) {
      if (series.kernel != row.rung->kernel || series.curve.empty()) continue;
      if (!nearest.series || shared(series) > shared(*nearest.series))
        nearest = {&series, recording.run.get(), recording.machine};
    }
  }
  return nearest;
}

/// What tells several trainings of one rung apart: the parameters that differ among them. Seeds make no other training.
std::set<std::string> differing(const std::vector<Found>& all, const RungView* row) {
  std::set<std::string> names;
  const Params* first = nullptr;
  for (const Found& found : all) {
    if (found.row != row) continue;
    if (!first) first = &found.series->params;
    for (const auto& [name, value] : found.series->params) {
      const auto other = first->find(name);
      if (other == first->end() || other->second != value) names.insert(name);
    }
  }
  names.erase("seed");
  return names;
}

/// Machines with recorded trainings of this lab's rungs: "NVIDIA H200"; empty: there are none.
std::string recorded_machines(const State& state) {
  std::set<std::string> machines;
  for (const Recording& recording : state.sessions.recordings) {
    for (const Series& series : recording.run->series()) {
      if (!series.curve.empty() && find_row(state.ladder, series.kernel))
        machines.insert(recording.machine);
    }
  }
  std::string text;
  for (const std::string& machine : machines) text += (text.empty() ? "" : ", ") + machine;
  return text;
}

}  // namespace

bool has_trainings(const State& state) {
  return std::any_of(state.ladder.rows.begin(), state.ladder.rows.end(), is_training);
}

bool has_gradients(const State& state) {
  return std::any_of(state.ladder.rows.begin(), state.ladder.rows.end(), [](const RungView& row) {
    return row.series && chart::has_gradients(*row.series);
  });
}

std::string trainings_blocker(const State& state) {
  return has_trainings(state) ? "" : "No rung of this lab is a training.";
}

bool has_own_trainings(const State& state) {
  const auto& all = state.run().series();
  return std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return !series.curve.empty() && find_row(state.ladder, series.kernel);
  });
}

bool shows_recorded(const State& state) {
  return state.options.curve_recorded.value_or(!has_own_trainings(state));
}

void toggle_recorded(State& state) {
  state.options.curve_recorded = !shows_recorded(state);
  state.ladder.dirty = true;
}

std::string recorded_blocker(const State& state) {
  if (const std::string why = trainings_blocker(state); !why.empty()) return why;
  return recorded_machines(state).empty() ? "No recording of this lab's trainings is at hand." : "";
}

ChartRows training_rows(const State& state) {
  std::vector<Found> all;
  const bool with_recorded = shows_recorded(state);
  for (const RungView& row : state.ladder.rows) {
    const size_t before = all.size();
    add_newest(row, state.run(), "", nullptr, &all);
    if (all.size() > before || !with_recorded) continue;
    const RecordedCurve curve = recorded_curve(state, row);
    if (curve.series) add_newest(row, *curve.run, curve.machine, curve.series, &all);
  }
  std::erase_if(all, [&](const Found& one) { return hides_result(state, *one.series); });
  ChartRows out;
  for (const Found& found : all) {
    chart::LadderRow made = plain_row(state, *found.row);
    made.label =
        found.row->rung->title + param_words(found.series->params, differing(all, found.row));
    if (is_emulated(*found.series)) made.label += ", emulated";
    set_source(*found.run, found.machine, found.series, &made);
    out.rows.push_back(std::move(made));
    out.kernels.emplace_back(found.row->rung->kernel);
  }
  const RungView* baseline = find_row(state.ladder, state.selection.baseline);
  if (!baseline || !baseline->series || is_training(*baseline)) return out;
  chart::LadderRow made = plain_row(state, *baseline);
  made.selected = false;
  made.series = baseline->series;
  out.rows.push_back(std::move(made));
  out.kernels.emplace_back(baseline->rung->kernel);
  return out;
}

chart::ChartModel training_curves(const State& state, const ChartRows& rows) {
  chart::TrainingOptions options;
  options.metric = state.options.curve_of == 1 ? "loss" : state.selection.lab->quality_metric;
  options.by_step = state.options.curve_by_step;
  chart::ChartModel model = state.options.curve_of == 2 ? chart::gradient_chart(rows.rows)
                                                        : chart::training_chart(rows.rows, options);
  const bool any_recorded = std::any_of(rows.rows.begin(), rows.rows.end(),
                                        [](const auto& row) { return !row.origin.empty(); });
  if (any_recorded)
    model.subtitle = has_own_trainings(state) ? "hollow: recorded on " + recorded_machines(state)
                                              : "Recorded on " + recorded_machines(state) +
                                                    ": this machine has trained nothing here yet.";
  return model;
}

namespace {

/// Words of which one is chosen, as wide as they need; the index of the one clicked, else -1.
int draw_switch(Ui& ui, Area* line, const std::string& name, const std::vector<std::string>& words,
                int chosen) {
  float width = 0;
  for (const std::string& word : words) width += ui.width(word, kSmall_px) + ui.px(24);
  const Area buttons = line->take_left(std::min(width, line->w * 0.4f), ui.px(18));
  return ui.segments(name, buttons, words, chosen);
}

/// Metric or loss, seconds or steps; the button that runs the selected training.
void draw_training_bar(Ui& ui, Area area) {
  const ViewOptions& options = ui.state.options;
  Area line = area.inset(ui.px(8), ui.px(5));
  std::vector<std::string> kinds = {ui.state.selection.lab->quality_metric, "loss"};
  if (has_gradients(ui.state)) kinds.push_back("gradients");
  const int kind = std::min<int>(options.curve_of, static_cast<int>(kinds.size()) - 1);
  const int chosen = draw_switch(ui, &line, "curve", kinds, kind);
  if (chosen >= 0 || kind != options.curve_of) {
    ui.dispatch([kind = chosen >= 0 ? chosen : kind](State& state) {
      state.options.curve_of = kind;
      state.ladder.dirty = true;
    });
  }
  if (kind < 2) {
    line.take_left(ui.text(line.x, line.middle(), "over", kSmall_px, Role::muted), ui.px(8));
    const int over =
        draw_switch(ui, &line, "curve_over", {"seconds", "steps"}, options.curve_by_step);
    if (over >= 0) {
      ui.dispatch([over](State& state) {
        state.options.curve_by_step = over == 1;
        state.ladder.dirty = true;
      });
    }
  }
  if (recorded_blocker(ui.state).empty()) {
    const char* label = shows_recorded(ui.state) ? "Hide recorded" : "Show recorded";
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button("recorded_curves", line.take_left(w, ui.px(12)), label, Ui::Kind::normal);
  }
  const RungView* row = find_row(ui.state.ladder, ui.state.selection.rung);
  if (!row || !row->info || row->info->kind != RungKind::training) return;
  const std::string label = std::string("Train: ") + row->rung->title;
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  if (line.w >= w) ui.action_button("run_selected", line.take_left(w), label, Ui::Kind::normal);
}

std::span<const Action> training_actions() {
  static const Action kActions[] = {{"recorded_curves",
                                     "Show or hide recorded training curves",
                                     {},
                                     recorded_blocker,
                                     toggle_recorded}};
  return kActions;
}

}  // namespace

const ViewDesc kTrainingView = {.id = "training",
                                .label = "Training",
                                .title = "Training: curves over seconds or steps",
                                .place = 130,
                                .level = Level::kLearn,
                                .blocker = trainings_blocker,
                                .build =
                                    [](const State& state, ChartRows* rows) {
                                      *rows = training_rows(state);
                                      return training_curves(state, *rows);
                                    },
                                .bar = {.height_px = 40, .draw = draw_training_bar},
                                .actions = training_actions};
RIDGE_VIEW(kTrainingView);

}  // namespace ridge::window
