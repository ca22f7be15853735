#include "app/window/shell/export.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/query/article.h"
#include "app/query/elsewhere.h"
#include "app/query/reporting.h"
#include "app/session/transcript_file.h"
#include "app/study/assets.h"
#include "app/study/tour.h"
#include "app/window/teach/step.h"
#include "app/window/views/view.h"
#include "common/core/files.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/view/chart/figures.h"
#include "common/view/report/format.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

/// What is on screen: this session's run; where it has nothing of the lab, that of the session before; where only recorded
/// results are shown, the recording.
struct Shown {
  const Run* run = nullptr;
  const Comparison* comparison = nullptr;
  Params params;
};

/// The selected rung's own result is in view: what a recording says of it is not.
bool is_own_in_view(const State& state) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  return row && row->series && row->origin == Origin::live;
}

/// Of the session before, for the lab in view; null: none is kept, or this session has results of its own.
const Run* kept_run(const State& state) {
  return state.sessions.before && !has_results(state.run(), *state.selection.lab)
             ? state.sessions.before.get()
             : nullptr;
}

/// The sizes alone: results in several types, on several threads or of several families are of one problem.
Params problem_of(const State& state, Params params) {
  std::set<std::string> sizes;
  for (const auto& [kernel, all] : state.run().series_by_kernel()) {
    // A kernel's size is the same in all of them.
    if (!all.empty() && all.back()->lab == state.selection.lab->id)
      sizes.insert(all.back()->size_param);
  }
  params.erase_if([&](const auto& param) { return !sizes.contains(param.first); });
  return params;
}

/// Of this lab's comparisons in the session's own run the newest of a learner's edit: of the problem in view, or where
/// nothing was compared since. Null: there is none.
const Comparison* own_comparison(const State& state) {
  const auto& all = state.run().comparisons();
  const Comparison* newest = nullptr;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->lab != state.selection.lab->id) continue;
    const bool is_newest = !newest;
    newest = &*one;
    const bool is_here =
        agrees(one->candidate_params,
               problem_of(state, view_params(state, state.run().kernel(one->candidate))));
    if (is_edit(one->candidate) && (is_newest || is_here)) return newest;
  }
  return nullptr;
}

/// What the steps of an ended tour showed of the lab in view: this run where one of them measured there, else the recording
/// of the newest step with a figure. Its run is null where no step had one.
Shown what_tour_showed(const State& state) {
  const Teaching& teach = state.teaching;
  Shown shown;
  for (auto result = teach.results.rbegin(); result != teach.results.rend(); ++result) {
    const study::TourStep& step = teach.tour->steps[static_cast<size_t>(result->first)];
    if (step.lab != state.selection.lab->id) continue;
    const StepBars bars = step_bars(state, step);
    for (auto bar = bars.bars.rbegin(); bar != bars.bars.rend(); ++bar) {
      if (!bar->series) continue;
      if (bar->run == &state.run()) return {bar->run, nullptr, {}};
      if (!shown.run) shown = {bar->run, nullptr, bar->series->params};
    }
  }
  return shown;
}

bool is_at_tours_end(const State& state) {
  const Teaching& teach = state.teaching;
  return teach.tour && !teach.results.empty() && teach.beat == Beat::done;
}

Shown what_is_shown(const State& state) {
  Shown shown = is_at_tours_end(state) ? what_tour_showed(state) : Shown();
  if (shown.run) return shown;
  shown.comparison = shown_comparison(state, nullptr, &shown.run);
  if (shown.comparison && shown.run != &state.run() && is_own_in_view(state)) shown = {};
  if (!shown.comparison && (shown.comparison = own_comparison(state))) shown.run = &state.run();
  if (shown.comparison) {
    shown.params = shown.comparison->candidate_params;
    return shown;
  }
  const RungView* recorded = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (row.series && row.origin == Origin::live) return {&state.run(), nullptr, {}};
    if (row.series && (!recorded || state.selection.rung == row.rung->kernel)) recorded = &row;
  }
  if (const Run* kept = kept_run(state)) return {kept, nullptr, {}};
  if (recorded) shown = {recorded->run, nullptr, recorded->series->params};
  return shown;
}

const Recording* recording_of(const State& state, const Run* run) {
  for (const Recording& recording : state.sessions.recordings) {
    if (recording.run.get() == run) return &recording;
  }
  return nullptr;
}

/// A run may hold many sizes, and a saved one many types: the report is of what is on screen. Empty: of all of it, since
/// the chart is of the sizes, or nothing was measured at the one in view.
Params problem_in_view(const State& state, const Shown& shown, const Recording* recording) {
  if (shown.run && shown.run == kept_run(state)) return {};
  if (recording || state.is_replay()) {
    Params only = shown.params;
    only.erase("threads");
    return only;
  }
  if (shown.comparison) return problem_of(state, shown.params);
  const chart::Figure* figure =
      state.selection.view->build ? nullptr : chart::find_figure(state.selection.view->figure);
  if (figure && figure->rows == chart::FigureRows::kSizes) return {};
  const Params problem = problem_of(state, shown_params(state));
  const auto& all = state.run().series();
  const bool is_measured = std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return series.lab == state.selection.lab->id && series.stats && agrees(series.params, problem);
  });
  return is_measured ? problem : Params();
}

/// Where its results are, as the reader knows it.
std::string source_of(const State& state, const Shown& shown, const Recording* recording) {
  const auto when = [](const Run& run) {
    constexpr size_t kMinutes = 16;  // letters of "2026-11-26T02:51"
    std::string time = run.environment() ? run.environment()->time_utc.substr(0, kMinutes) : "";
    std::replace(time.begin(), time.end(), 'T', ' ');
    return time.empty() ? time : " of " + time + " UTC";
  };
  if (recording) return "the recording";
  if (state.sessions.is_claimed()) return "a link, claimed elsewhere" + when(state.run());
  if (shown.run && shown.run == kept_run(state)) return "your last session" + when(*shown.run);
  return state.is_replay() ? "the saved run" + when(state.run()) : "this session";
}

/// A tour's answers and what its comparisons allow to be said: the report of a class hands both in.
report::Section tour_section(const State& state) {
  const study::Tour& tour = *state.teaching.tour;
  // Its end was reached once the last step was revealed, whichever screen stands over its end card now.
  const bool is_ended = state.teaching.results.contains(static_cast<int>(tour.steps.size()) - 1);
  report::Section section{.id = "tour",
                          .title = (is_ended ? "The tour: " : "A tour, not ended: ") + tour.title,
                          .part = report::Part::results};
  const std::string& learner = state.settings.learner;
  if (!learner.empty()) section.paragraphs.push_back("By " + learner + ".");
  section.paragraphs.push_back("What each step showed when it was revealed.");
  section.table = report::Table{.columns = {"Step", "At", "Predicted", "Measured"}};
  for (const auto& [step, result] : state.teaching.results) {
    const std::string& doubt = result.withdrawn.empty() ? result.ungraded : result.withdrawn;
    section.table->rows.push_back({std::to_string(step + 1) + "  " + result.title,
                                   result.at.empty() ? "several sizes" : result.at,
                                   result.said.empty() ? "nothing" : result.said,
                                   result.measured + (doubt.empty() ? "" : ". " + doubt)});
    if (!result.claim.empty()) section.bullets.push_back(result.claim + ".");
  }
  return section;
}

}  // namespace

Result<report::Report> shown_report(const State& state) {
  const bool has_tour = state.teaching.tour && !state.teaching.results.empty();
  const bool is_of_tour = is_at_tours_end(state);
  const Shown shown = what_is_shown(state);
  const Recording* recording = recording_of(state, shown.run);
  const bool is_kept = shown.run && shown.run == kept_run(state);
  const Run& run = recording || is_kept ? *shown.run : state.run();
  report::Options options = app::report_options(*state.selection.lab, run);
  options.source = source_of(state, shown, recording);
  if (recording)
    options.recorded = "Recorded on " + shown.run->environment()->machine() + ", not measured here";
  if (is_of_tour) {
    options.page_one.push_back(tour_section(state));
  } else if (shown.comparison) {
    options.baseline = shown.comparison->baseline;
    options.candidate = shown.comparison->candidate;
  }
  if (has_tour && !is_of_tour) options.sections.push_back(tour_section(state));
  options.only = problem_in_view(state, shown, recording);
  options.notes = state.run().notes();  // of this session, whichever run is on screen
  const report::Input input = {&run, "run.jsonl"};
  RIDGE_TRY(report::Report report, report::build_report({&input, 1}, options));
  if (!recording) app::add_elsewhere(run, *state.selection.lab, options.only, &report);
  return report;
}

std::string format_names() {
  std::string names;
  for (const report::FormatDesc* format : report::all_formats())
    names += (names.empty() ? "" : ", ") + std::string(format->name);
  return names;
}

Result<std::string> write_export(const State& state, const report::Report& report,
                                 const std::string& root) {
  const Recording* recording = recording_of(state, what_is_shown(state).run);
  RIDGE_TRY(const fs::path folder, app::make_report_folder(root, state.selection.lab->id));
  for (const report::FormatDesc* format : report::all_formats()) {
    const std::string name = std::string("report") + format->ending;
    RIDGE_TRY_VOID(report::write_report(report, (folder / name).string()));
  }
  const bool is_kept = kept_run(state) && what_is_shown(state).run == kept_run(state);
  if (!recording && !is_kept) {
    RIDGE_TRY_VOID(state.sessions.shown->save((folder / "run.jsonl").string()));
    return folder.string();
  }
  std::vector<std::string> lines =
      app::read_lines(recording ? recording->path : state.sessions.before_path);
  for (const auto& [key, text] : state.run().notes()) lines.push_back(app::note_line(key, text));
  RIDGE_TRY_VOID(app::save_transcript((folder / "run.jsonl").string(), lines));
  return folder.string();
}

void export_report(State& state) {
  recall_session(state);
  const auto report = shown_report(state);
  const auto folder = report ? write_export(state, *report, state.settings.export_root)
                             : Result<std::string>(report.error());
  if (!folder) {
    state.notice = {"Export failed. " + folder.error().sentence(), true};
    return;
  }
  state.history.last_export = *folder;
  // What is opened is what a person reads first: the format with the first place.
  note_written(state, "report (" + format_names() + ") and run.jsonl",
               *folder + "/report" + report::all_formats().front()->ending,
               report::plain_summary(*report));
}

void export_article(State& state) {
  const Lab& lab = *state.selection.lab;
  recall_session(state);
  const auto report = shown_report(state);
  const Recording* recording = recording_of(state, what_is_shown(state).run);
  const Run& run = recording ? *recording->run : state.run();
  app::Article article{.lab = &lab, .report = report ? &*report : nullptr};
  article.run = &run;
  article.learner = run.learner().empty() && !recording && !state.is_replay()
                        ? state.settings.learner
                        : run.learner();
  // A page without diagrams is still one.
  if (auto lesson = study::read_asset(lab.lesson)) article.lesson = *std::move(lesson);
  for (const Rung& rung : lab.rungs) {
    if (const SourceText* source = find_source(state, rung.kernel))
      article.sources.try_emplace(rung.kernel, *source);
  }
  const auto page = report ? app::article_html(article) : Result<std::string>(report.error());
  if (!page) {
    state.notice = {"Export failed. " + page.error().sentence(), true};
    return;
  }
  export_file(state, lab.id + std::string("-article"), "article.html", *page, "article (HTML)",
              report::plain_summary(*report));
}

void export_file(State& state, const std::string& kind, const std::string& name,
                 const std::string& text, const std::string& what, const std::string& summary) {
  const auto folder = app::make_report_folder(state.settings.export_root, kind);
  const std::string path = folder ? *folder + "/" + name : "";
  const Result<void> written = folder ? write_whole(path, text) : Result<void>(folder.error());
  if (!written) {
    state.notice = {"Export failed. " + written.error().sentence(), true};
    return;
  }
  note_written(state, what, path, summary);
}

}  // namespace ridge::window
