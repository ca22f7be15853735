#include "app/window/views/chart_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "app/query/recordings.h"
#include "app/window/teach/predict.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/view/chart/size_curve.h"
#include "common/view/report/decision.h"

namespace ridge::window {

namespace {

/// Of its rung in the lab's list; a learner's copy has its original's.
int place_of(const State& state, const Rung& rung) {
  const auto& rungs = state.selection.lab->rungs;
  const auto found = std::find_if(rungs.begin(), rungs.end(), [&](const Rung& one) {
    return original_of(rung.kernel) == one.kernel;
  });
  return found == rungs.end() ? -1 : static_cast<int>(found - rungs.begin());
}

}  // namespace

chart::LadderRow plain_row(const State& state, const RungView& row) {
  chart::LadderRow out;
  out.label = row.rung->title;
  out.is_baseline = state.selection.baseline == row.rung->kernel;
  out.selected = state.selection.rung == row.rung->kernel;
  out.is_peer = row.rung->peer;
  out.place = place_of(state, *row.rung);
  out.processor = backend_of(row.rung->kernel);
  out.is_trap = row.series ? row.series->kind == RungKind::trap
                           : row.info && row.info->kind == RungKind::trap;
  return out;
}

void set_source(const Run& run, const std::string& machine, const Series* series,
                chart::LadderRow* row) {
  row->series = series;
  row->run = &run;
  row->origin = machine;
}

namespace {

/// The processors of this machine: of one where it can run a rung of the lab, or has a result, no other machine's figures
/// stand among its own. Until the worker has said what it can run, the CPU is one.
std::set<std::string> own_processors(const State& state) {
  std::set<std::string> own;
  if (state.sessions.shown->state() == app::WorkerState::starting)
    own.insert(OpenEnum<Backend>(Backend::cpu).text());
  for (const RungView& row : state.ladder.rows) {
    if (row.can_run || row.origin == Origin::live) own.insert(backend_of(row.rung->kernel).text());
  }
  return own;
}

/// "needs AVX-512; 152 GFLOP/s at n = 1024 on Xeon": a result of another machine in words.
std::string elsewhere_reason(const State& state, const RungView& row) {
  std::string why = row.info && !row.info->available ? row.info->reason : "";
  if (why.empty()) why = state.is_replay() ? "not in this saved run" : "not measured here";
  const std::string figure = elsewhere_text(state, row);
  return figure.empty() ? why : why + "; " + figure;
}

bool equal_where_named(const Params& params, const std::string& name, const ParamValue& value) {
  const auto found = params.find(name);
  return found == params.end() || found->second == value;
}

/// Threads count where they are this machine's.
bool has_threads(const Params& shown, const Series& series, bool live) {
  const auto wanted = shown.find("threads");
  return !live || wanted == shown.end() ||
         equal_where_named(series.params, "threads", wanted->second);
}

std::string dtype_of_row(const State& state, const RungView& row) {
  const std::string chosen = param_text(state.selection.params, "dtype");
  const std::string wanted = chosen == kOwnType ? "" : chosen;
  if (!wanted.empty() || !row.info || row.info->dtypes.empty()) return wanted;
  return row.series ? dtype_of(*row.series) : row.info->dtypes.front();
}

/// What copies another parameter (m and k of n) does so here too. A sweep over two of them has shapes of
/// its own: they are the heatmap's, and would be so many more lines of one rung here.
bool has_lab_shape(const RungView& row, const Series& series) {
  if (!row.info) return true;
  return std::all_of(row.info->params.begin(), row.info->params.end(), [&](const ParamSpec& spec) {
    const auto source = series.params.find(spec.same_as);
    return source == series.params.end() ||
           equal_where_named(series.params, spec.name, source->second);
  });
}

/// The newest series of each set of parameters but for the seed, in the order they were first measured.
std::vector<const Series*> newest_sizes(const State& state, const Params& shown, const Run& run,
                                        const RungView& row, bool live) {
  const std::string dtype = dtype_of_row(state, row);
  std::vector<const Series*> found;
  for (const Series& series : run.series()) {
    if (series.kernel != row.rung->kernel || series.cache != state.selection.cache) continue;
    if ((!series.stats && !chart::did_not_fit(series)) || !has_threads(shown, series, live))
      continue;
    if (live && !has_lab_shape(row, series)) continue;
    if (hides_result(state, series)) continue;
    if (!dtype.empty() && dtype_of(series) != dtype) continue;
    const auto known = std::find_if(found.begin(), found.end(), [&](const Series* other) {
      return without_seed(other->params) == without_seed(series.params);
    });
    if (known == found.end())
      found.push_back(&series);
    else if (takes_place_of(run, series, **known))
      *known = &series;
  }
  return found;
}

using RecordedSizes = std::vector<std::pair<const Recording*, std::vector<const Series*>>>;

/// From all recordings of the first machine that has this rung. A point that two of them have is that which is not stale.
RecordedSizes recorded_sizes(const State& state, const Params& shown, const RungView& row) {
  RecordedSizes all;
  const auto has = [](const std::vector<const Series*>& some, const Series& series,
                      bool stale_too) {
    return std::any_of(some.begin(), some.end(), [&](const Series* other) {
      return other != &series && without_seed(other->params) == without_seed(series.params) &&
             (stale_too || !other->stale);
    });
  };
  for (const Recording& recording : state.sessions.recordings) {
    if (!all.empty() && recording.machine != all.front().first->machine) continue;
    auto found = newest_sizes(state, shown, *recording.run, row, false);
    for (auto& [earlier, some] : all) {
      std::erase_if(found, [&, &some = some](const Series* one) { return has(some, *one, one->stale); });
      std::erase_if(some, [&](const Series* one) { return has(found, *one, false); });
    }
    if (!found.empty()) all.emplace_back(&recording, std::move(found));
  }
  return all;
}

/// What a rung's curve over sizes holds: the parameters of the result that the ladder shows, else those in view, else
/// (nothing was measured there) those of the newest result.
Params held_params(const State& state, const RungView& row,
                   const std::vector<const Series*>& found) {
  const Params in_view = view_params(state, row.info);
  for (const Params& wanted : {row.series ? row.series->params : in_view, in_view}) {
    if (std::any_of(found.begin(), found.end(), [&](const Series* series) {
          return differing_beside_size(wanted, series->params, series->size_param).empty();
        }))
      return wanted;
  }
  return found.empty() ? in_view : found.back()->params;
}

/// The newest live result with these parameters, else the nearest recorded one of another machine's processor.
bool find_type(const State& state, const RungView& view, bool is_own, const Params& wanted,
               chart::LadderRow* row) {
  const Series* live = nullptr;
  for (const Series* series : state.run().series_of_kernel(view.rung->kernel)) {
    const bool is_it = series->cache == state.selection.cache && series->stats &&
                       !hides_result(state, *series) &&
                       std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
                         return equal_where_named(series->params, item.first, item.second);
                       });
    if (is_it && (!live || takes_place_of(state.run(), *series, *live))) live = series;
  }
  if (live) {
    set_source(state.run(), "", live, row);
    row->in_turns = is_in_turns(state.run(), *live);
    return true;
  }
  if (is_own) return false;
  const app::Snapped snapped = app::recorded_series(
      state.sessions.recordings, view.rung->kernel, [&](const Run&) { return wanted; },
      state.selection.cache);
  if (!snapped.series || hides_result(state, *snapped.series)) return false;
  set_source(*snapped.recording->run, snapped.recording->machine, snapped.series, row);
  if (!snapped.shown_size.empty()) row->sublabel = "at " + snapped.shown_size;
  return true;
}

/// A row that could only say why it is empty: a rung that cannot run here and was not recorded, or
/// that lacks the chosen type. The rail lists it all the same, with the reason. A covered row has a result: it stays.
bool is_hidden_row(const State& state, const RungView& row) {
  if (row.series || row.covered) return false;
  const std::string chosen = param_text(state.selection.params, "dtype", kOwnType);
  const std::vector<std::string> dtypes = row.info ? row.info->dtypes : std::vector<std::string>();
  const bool has_type = chosen == kOwnType || dtypes.empty() ||
                        std::find(dtypes.begin(), dtypes.end(), chosen) != dtypes.end();
  return !has_type || (!row.can_run && state.run().catalogue_complete());
}

template <class Wanted>
void keep_where(ChartRows* rows, const Wanted& is_wanted) {
  ChartRows kept;
  for (size_t i = 0; i < rows->rows.size(); ++i) {
    if (!is_wanted(i)) continue;
    kept.rows.push_back(std::move(rows->rows[i]));
    kept.kernels.push_back(std::move(rows->kernels[i]));
  }
  *rows = std::move(kept);
}

void add_fold(const Fold& fold, const std::string& section, ChartRows* out) {
  chart::LadderRow row;
  row.label = fold_text(fold);
  row.section = section;
  row.state = "folded: X opens";
  out->rows.push_back(std::move(row));
  out->kernels.emplace_back(kFoldRow);
}

}  // namespace

void keep_rungs(ChartRows* rows, const std::vector<std::string>& kernels) {
  keep_where(rows, [&](size_t i) {
    return std::find(kernels.begin(), kernels.end(), rows->kernels[i]) != kernels.end();
  });
}

void keep_size(ChartRows* rows) {
  keep_where(rows, [&](size_t i) { return rows->rows[i].at_size; });
}

namespace {

/// The type that is chosen; where each rung has its own, that of the selected one's result.
std::string type_in_view(const State& state) {
  const std::string chosen = param_text(state.selection.params, "dtype", kOwnType);
  if (chosen != kOwnType) return chosen;
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  return selected && selected->series ? dtype_of(*selected->series) : "";
}

}  // namespace

std::string elsewhere_text(const State& state, const RungView& row) {
  const auto rate = row.series ? throughput_of(*row.series) : std::nullopt;
  if (!rate) return "";
  std::string text =
      format_rate(rate->value, unit_in_words(*state.selection.lab, rate->unit, row.rung->kernel));
  const std::string type = dtype_of(*row.series), shown = type_in_view(state);
  if (!type.empty() && !shown.empty() && type != shown) text += " in " + type;
  if (!row.shown_size.empty()) text += " at " + row.shown_size;
  return row.machine.empty() ? text : text + " on " + app::short_machine(row.machine);
}

bool has_frontier(const Lab& lab) {
  return std::string_view(lab.quality_metric) == "accuracy";
}

namespace {

constexpr std::string_view kBetweenSizes = ", ";

/// "images = 20000" and "workers = 2", in the text's order.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(kBetweenSizes), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kBetweenSizes.size(), text.size()));
  }
  return parts;
}

std::set<std::string> sizes_in(std::string_view text) {
  const std::vector<std::string> parts = parts_of(text);
  return {parts.begin(), parts.end()};
}

/// What of a row's size is not in `above`, in its own order.
std::string sizes_beside(std::string_view text, const std::set<std::string>& above) {
  std::string rest;
  for (const std::string& part : parts_of(text)) {
    if (!above.contains(part)) rest += (rest.empty() ? "" : std::string(kBetweenSizes)) + part;
  }
  return rest;
}

/// What need not stand beside a name: it stands above.
struct Said {
  std::set<std::string> sizes{};
  bool machine = false;
};

/// The size first: where a name leaves little room, the last parts go, and a time of another size beside others misleads.
std::string beside_name(const RungView& row, const Said& above = {}) {
  const std::string size = sizes_beside(row.shown_size, above.sizes);
  std::string text = size.empty() ? "" : "at " + size;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (row.origin == Origin::recorded && !above.machine) add(app::short_machine(row.machine));
  if (row.greyed) add("before the worker was lost");
  return text;
}

/// A row's words without those that stand above; none of them leaves no separator behind.
void leave_out(const std::string& words, const std::string& rest, std::string* text) {
  const std::string between = " · ";
  const size_t at = words.empty() ? std::string::npos : text->find(words);
  if (at == std::string::npos) return;
  text->replace(at, words.size(), rest);
  if (!rest.empty()) return;
  if (text->compare(at, between.size(), between) == 0)
    text->erase(at, between.size());
  else if (at >= between.size())
    text->erase(at - between.size(), between.size());
}

}  // namespace

namespace {

/// "workers" of "workers = 16".
std::string_view name_of_size(std::string_view part) {
  return part.substr(0, part.find(" = "));
}

/// What the results of some rows have in common. A size is shared by all rows that take its parameter, where those are
/// most rows: a library beside a loader's rungs has no workers to tell the number of.
class Shared {
 public:
  void add(const Lab& lab, const RungView& view) {
    ++rows_;
    const std::vector<std::string> own = parts_of(view.shown_size);
    for (const std::string& part : own) ++said_[part];
    if (own.size() > parts_of(most_).size()) most_ = view.shown_size;
    if (view.series) {
      for (const auto& [name, value] : asked_params(*view.series))
        ++taken_[std::string(name_of_size(param_in_words(lab, name, value)))];
    }
    machines_.insert(view.origin == Origin::recorded ? view.machine : "");
  }
  std::set<std::string> sizes() const {
    std::set<std::string> shared = sizes_in(most_);
    std::erase_if(shared, [&](const std::string& part) {
      const auto said = said_.find(part), taken = taken_.find(std::string(name_of_size(part)));
      const int takers = taken == taken_.end() ? rows_ : std::max(taken->second, said->second);
      return said->second < takers || 2 * takers <= rows_;
    });
    return shared;
  }
  /// Empty: of several machines, or of this one.
  std::string machine() const { return machines_.size() == 1 ? *machines_.begin() : ""; }
  /// "at n = 2048, recorded on NVIDIA H200", without what is said already.
  std::string text(const Said& above = {}) const {
    std::set<std::string> others = sizes_in(most_);
    const std::set<std::string> shared = sizes();
    std::erase_if(others, [&](const std::string& one) { return shared.contains(one); });
    others.insert(above.sizes.begin(), above.sizes.end());
    std::string text = sizes_beside(most_, others);
    if (!text.empty()) text = "at " + text;
    if (machine().empty() || above.machine) return text;
    return text + (text.empty() ? "" : ", ") + "recorded on " + machine();
  }

 private:
  std::set<std::string> machines_;
  std::map<std::string, int> said_, taken_;  ///< rows that say a size, and that take a parameter
  std::string most_;                         ///< of the rows' sizes those of the one that says most
  int rows_ = 0;
};

}  // namespace

void say_place_once(const State& state, const ChartRows& rows, chart::ChartModel* model) {
  Shared all;
  std::map<std::string, Shared> by_section;
  const auto view_of = [&](size_t i) -> const RungView* {
    return rows.rows[i].series ? find_row(state.ladder, rows.kernels[i]) : nullptr;
  };
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const RungView* view = view_of(i);
    if (!view) continue;
    const Lab& lab = *state.selection.lab;
    all.add(lab, *view);
    if (!rows.rows[i].section.empty()) by_section[rows.rows[i].section].add(lab, *view);
  }
  // Over rows that are still empty, and will be this machine's, no recording's place can stand.
  const bool is_mixed = std::any_of(rows.kernels.begin(), rows.kernels.end(), [&](const auto& one) {
    const RungView* view = find_row(state.ladder, one);
    return view && view->can_run && view->origin != Origin::recorded && !all.machine().empty();
  });
  model->subtitle = is_mixed ? "" : all.text();
  const Said above =
      is_mixed ? Said{} : Said{.sizes = all.sizes(), .machine = !all.machine().empty()};
  for (size_t i = 0; i < model->rows.size(); ++i) {
    chart::Row& row = model->rows[i];
    const Shared& section = by_section[rows.rows[i].section];
    if (const std::string own = section.text(above); !own.empty()) row.section += " · " + own;
    Said said = above;
    said.sizes.merge(section.sizes());
    said.machine = said.machine || !section.machine().empty();
    if (const RungView* view = view_of(i))
      leave_out(beside_name(*view), beside_name(*view, said), &row.sublabel);
  }
}

ChartRows unpaired_ladder_rows(const State& state) {
  ChartRows out;
  const std::set<std::string> own = own_processors(state);
  std::string section;
  for (size_t i = 0; i < state.ladder.rows.size(); ++i) {
    const RungView& row = state.ladder.rows[i];
    if (const Section* begins = section_at(*state.selection.lab, *row.rung))
      section = begins->title;
    if (is_folded(state, *row.rung)) {
      if (const Fold fold = fold_at(state, i); fold.can_show) add_fold(fold, section, &out);
      continue;
    }
    if (is_hidden_row(state, row)) continue;
    chart::LadderRow made = plain_row(state, row);
    made.section = section;
    if (row.origin == Origin::recorded && own.contains(backend_of(row.rung->kernel).text())) {
      made.state = elsewhere_reason(state, row);
      out.rows.push_back(std::move(made));
      out.kernels.emplace_back(row.rung->kernel);
      continue;
    }
    made.series = row.series;
    made.run = row.run;
    made.in_turns = row.run && row.series && is_in_turns(*row.run, *row.series);
    made.state = row.reason;
    if (row.origin == Origin::recorded) made.origin = row.machine;
    made.sublabel = beside_name(row);
    out.rows.push_back(std::move(made));
    out.kernels.emplace_back(row.rung->kernel);
  }
  return out;
}

ChartRows ladder_rows(const State& state) {
  ChartRows out = unpaired_ladder_rows(state);
  if (has_frontier(*state.selection.lab)) {
    chart::pair_seeds(state.run().series().pointers(), state.selection.lab->quality_metric,
                      out.rows);
    for (const Recording& recording : state.sessions.recordings)
      chart::pair_seeds(recording.run->series().pointers(), state.selection.lab->quality_metric,
                        out.rows);
  }
  return out;
}

ChartRows type_rows(const State& state) {
  ChartRows out;
  ChartRows ladder = ladder_rows(state);
  const std::set<std::string> own = own_processors(state);
  const auto name_type = [](chart::LadderRow* row, const std::string& dtype) {
    if (row->label.find(dtype) == std::string::npos) row->label += " · " + dtype;
  };
  for (size_t i = 0; i < ladder.rows.size(); ++i) {
    if (ladder.kernels[i] == kFoldRow) continue;
    const RungView& view = *find_row(state.ladder, ladder.kernels[i]);
    const std::string shown = view.series ? dtype_of(*view.series) : "";
    const bool is_own = own.contains(backend_of(view.rung->kernel).text());
    const size_t first = out.rows.size();
    out.rows.push_back(ladder.rows[i]);
    for (const std::string& dtype : view.info ? view.info->dtypes : std::vector<std::string>()) {
      Params wanted = params_for(state, *view.info);
      wanted["dtype"] = dtype;
      chart::LadderRow made = plain_row(state, view);
      if (dtype == shown || !find_type(state, view, is_own, wanted, &made)) continue;
      name_type(&made, dtype);
      out.rows.push_back(std::move(made));
    }
    if (out.rows.size() > first + 1 && !shown.empty()) name_type(&out.rows[first], shown);
    out.kernels.resize(out.rows.size(), ladder.kernels[i]);
  }
  return out;
}

namespace {

/// What a result's rung is, and where the result is from.
struct SizeResult {
  const RungView* row;
  const Run* run;
  std::string machine;  ///< of a recording
  const Series* series;
};

/// This session's results of a rung at every size, else, where that is not this machine's processor, the recorded ones.
std::vector<SizeResult> size_results(const State& state, const Params& shown, const RungView& row,
                                     bool is_own) {
  std::vector<SizeResult> all;
  for (const Series* series : newest_sizes(state, shown, state.run(), row, true))
    all.push_back({&row, &state.run(), "", series});
  if (!all.empty() || is_own) return all;
  for (const auto& [recording, found] : recorded_sizes(state, shown, row)) {
    for (const Series* series : found)
      all.push_back({&row, recording->run.get(), recording->machine, series});
  }
  return all;
}

/// Whether a chart with the selected rung has this one too: a plot is of one processor.
bool is_on_its_processor(const State& state, const RungView& row) {
  const std::string& selected = state.selection.rung;
  return selected.empty() || backend_of(selected) == backend_of(row.rung->kernel);
}

void add_result(const State& state, const SizeResult& one, const std::string& label,
                ChartRows* out) {
  chart::LadderRow made = plain_row(state, *one.row);
  made.label = label;
  set_source(*one.run, one.machine, one.series, &made);
  made.at_size = one.row->series && one.row->series->params == one.series->params;
  out->rows.push_back(std::move(made));
  out->kernels.emplace_back(one.row->rung->kernel);
}

/// Rows that differ in their size alone. A value that is held and is not the one in view stands in their names.
void add_held(const State& state, const Params& shown, const std::vector<SizeResult>& all,
              ChartRows* out) {
  std::vector<const Series*> found;
  for (const SizeResult& one : all) found.push_back(one.series);
  const RungView& row = *all.front().row;
  const Params held = held_params(state, row, found);
  for (const SizeResult& one : all) {
    const Series& series = *one.series;
    const auto left_out = differing_beside_size(held, series.params, series.size_param);
    if (!left_out.empty() && is_on_its_processor(state, row)) {
      out->held.insert(left_out.begin(), left_out.end());
      ++out->otherwise;
    }
    if (!left_out.empty()) continue;
    std::string label = row.rung->title;
    for (const std::string& name : differing_beside_size(held, shown, series.size_param))
      label += " · " + param_in_words(*state.selection.lab, name, held.at(name));
    add_result(state, one, label, out);
  }
}

}  // namespace

ChartRows size_rows(const State& state) {
  ChartRows out;
  const Params shown = shown_params(state);
  const std::set<std::string> own = own_processors(state);
  for (const RungView& row : state.ladder.rows) {
    if (is_folded(state, *row.rung)) continue;
    const bool is_own = own.contains(backend_of(row.rung->kernel).text());
    const auto all = size_results(state, shown, row, is_own);
    if (!all.empty()) add_held(state, shown, all, &out);
  }
  return out;
}

ChartRows count_rows(const State& state) {
  ChartRows out;
  Params shown = shown_params(state);
  shown.erase(state.selection.lab->scaling.param);
  const std::set<std::string> own = own_processors(state);
  for (const RungView& row : state.ladder.rows) {
    if (is_folded(state, *row.rung)) continue;
    const bool is_own = own.contains(backend_of(row.rung->kernel).text());
    for (const SizeResult& one : size_results(state, shown, row, is_own))
      add_result(state, one, row.rung->title, &out);
  }
  return out;
}

std::string held_text(const ChartRows& rows, const Lab& lab) {
  if (rows.otherwise == 0) return "";
  std::string names;
  for (const std::string& name : rows.held)
    names += (names.empty() ? "" : ", ") + param_title(lab, name);
  return fmt::format("{} result{} at other values of {} left out", rows.otherwise,
                     rows.otherwise == 1 ? "" : "s", names);
}

namespace {

/// Of the type of the selected rung: under one roof stand rungs of one problem.
void keep_one_type(const State& state, ChartRows* rows) {
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  if (!selected || !selected->series) return;
  const std::string dtype = dtype_of(*selected->series);
  keep_where(rows, [&](size_t i) {
    const Series* series = rows->rows[i].series;
    return !series || dtype_of(*series) == dtype;
  });
}

}  // namespace

ChartRows path_rows(const State& state) {
  ChartRows out = type_rows(state);
  keep_one_type(state, &out);
  const ChartRows sizes = size_rows(state);
  for (size_t i = 0; i < sizes.rows.size(); ++i) {
    const Series* series = sizes.rows[i].series;
    const bool is_shown = std::any_of(out.rows.begin(), out.rows.end(),
                                      [&](const auto& row) { return row.series == series; });
    if (sizes.kernels[i] != state.selection.rung || is_shown) continue;
    out.rows.push_back(sizes.rows[i]);
    out.kernels.push_back(sizes.kernels[i]);
  }
  return out;
}

}  // namespace ridge::window
