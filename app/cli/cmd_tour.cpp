// ridgepoint tour: the tours there are; ridgepoint tour ID: its steps; with --rehearse: run here without a window,
// to see what each step takes on this machine and to save a run of each, for when the room's machine fails.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/figures.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "app/study/tour.h"
#include "common/record/params.h"
#include "common/record/tour_note.h"

namespace ridge::app {
namespace {

struct TourOptions {
  std::string id;         ///< empty: the list of tours
  bool rehearse = false;  ///< run every step here, headless
  std::string out;        ///< folder of the fallback runs; empty: one beside the reports
};

std::string minutes_text(double seconds) {
  const int whole = static_cast<int>(seconds + 0.5);
  return whole < 60 ? fmt::format("{:.1f} s", seconds)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string rungs_text(const study::TourStep& step) {
  std::string text;
  for (const std::string& kernel : step.rungs)
    text += (text.empty() ? "" : ", ") + kernel.substr(kernel.rfind('.') + 1);
  return text;
}

Json bar_json(const study::StepBar& bar) {
  return {{"kernel", bar.kernel},
          {"set", params_to_json(bar.set)},
          {"cache", to_string(bar.cache)},
          {"label", bar.label}};
}

Json step_json(const study::TourStep& step) {
  Json bars = Json::array();
  for (const study::StepBar& bar : study::bars_of(step)) bars.push_back(bar_json(bar));
  return {{"kind", study::kind_name(step.kind)},
          {"lab", step.lab},
          {"rungs", step.rungs},
          {"bars", std::move(bars)},
          {"mode", step.mode},
          {"ask", study::ask_name(step.ask)},
          {"choices", step.choices},
          {"question", step.question},
          {"words", step.words},
          {"minutes", step.minutes}};
}

Json tour_json(const study::Tour& tour) {
  Json steps = Json::array();
  for (const study::TourStep& step : tour.steps) steps.push_back(step_json(step));
  return {{"id", tour.id},
          {"title", tour.title},
          {"audience", tour.audience},
          {"minutes", tour.minutes},
          {"steps", std::move(steps)}};
}

int list_tours(const CommonOptions& common) {
  Json list = Json::array();
  std::string text;
  for (const std::string& id : study::tour_ids()) {
    const auto tour = study::load_tour(id);
    if (!tour) return fail(common, tour.error());
    list.push_back(tour_json(*tour));
    text += fmt::format("{:<12} {:>3g} min, {:>2} steps  {}\n", id, tour->minutes,
                        tour->steps.size(), tour->title) +
            hanging(std::string(29, ' '), tour->audience) + "\n";
  }
  if (common.json)
    print_json({{"ridgepoint", 1}, {"tours", std::move(list)}});
  else
    print(text + "\n'ridgepoint tour ID' shows one, with --rehearse it is run here.\n");
  return 0;
}

/// Its figures from the recordings, marked and with their intervals; `notes` takes what the marks stand for.
Result<study::Tour> with_figures(study::Tour tour, figure::Footnotes* notes) {
  const auto recordings = load_all_recordings(nullptr);
  const figure::Sources sources = figure_sources(nullptr, false, recordings);
  for (size_t i = 0; i < tour.steps.size(); ++i) {
    study::TourStep& step = tour.steps[i];
    for (std::string* text : {&step.question, &step.words, &step.why}) {
      RIDGE_TRY(const figure::Text made,
                figure::expand(*text, sources, fmt::format("{}, step {}", tour.id, i + 1)));
      *text = notes->print(made);
    }
  }
  return tour;
}

/// Which answer is right, for the one who asks: of a choice the file says it, of all else the run does.
std::string fitting_text(const study::TourStep& step) {
  const std::string last =
      step.rungs.empty() ? "" : step.rungs.back().substr(step.rungs.back().rfind('.') + 1);
  switch (step.ask) {
    case study::Ask::choice:
      return step.choices.at(static_cast<size_t>(step.right));
    case study::Ask::time:
      return "the time of a call of " + last + ", as the run shows it";
    case study::Ask::share:
      return "the share of the ceiling of " + last + ", as the run shows it";
    case study::Ask::ratio:
      return "how many times as fast " + last + " is, as the run shows it";
    case study::Ask::factor:
      return "the misleading figure over the honest one, as the run shows them";
    case study::Ask::longest:
      return "the longest bar of the run";
    case study::Ask::largest_step:
      return "the bar of the run that gains most over the bar before it";
    case study::Ask::verdict:
      return "the verdict on " + last +
             ", as the rounds give it: faster, slower, the same or unresolved";
    case study::Ask::stage:
      return "the stage that takes longest in the run";
  }
  return "";
}

int show_tour(const CommonOptions& common, const study::Tour& written) {
  figure::Footnotes footnotes;
  const auto made = with_figures(written, &footnotes);
  if (!made) return fail(common, made.error());
  const study::Tour& tour = *made;
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"tour", tour_json(tour)}});
    return 0;
  }
  std::string text = fmt::format("{}, {:g} min\n{}\n", tour.title, tour.minutes, tour.audience);
  for (size_t i = 0; i < tour.steps.size(); ++i) {
    const study::TourStep& step = tour.steps[i];
    text += fmt::format("\n{}. {}, {}: {}  {}  ({:g} min)\n", i + 1, study::kind_name(step.kind),
                        step.lab, rungs_text(step), to_string(step.set), step.minutes);
    text += hanging("   Ask: ", step.question) + "\n";
    for (const std::string& choice : step.choices) text += hanging("        - ", choice) + "\n";
    text += hanging("   Fits: ", fitting_text(step)) + "\n";
    text += hanging("   Say: ", step.words) + "\n";
    if (!step.why.empty()) text += hanging("   Why: ", step.why) + "\n";
  }
  const std::vector<std::string> notes = footnotes.lines();
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += note + "\n";
  print(text);
  return 0;
}

struct RehearsedStep {
  int number = 0;  ///< from 1
  const study::TourStep* step = nullptr;
  /// Of its runs and its comparison, with those ceilings that no step of the last hour has measured; 0: nothing ran.
  double run_s = 0;
  std::string path;             ///< the saved run; empty: none
  std::vector<NotRun> not_run;  ///< rungs that this machine cannot run
  std::string outcome;          ///< "2 rungs, faster"
  int code = 0;                 ///< 0, 3 (a check failed), 69 (nothing runs here), or of the error
  std::string error;
};

using Clock = std::chrono::steady_clock;

/// What a step runs, one cache state after the other.
struct StepSelection {
  struct Part {
    CacheMode cache = CacheMode::hot;
    std::vector<KernelRequest> kernels;
  };
  std::vector<Part> parts;
  std::vector<KernelRequest> kernels;  ///< all of them
  std::vector<NotRun> not_run;
};

/// Rungs that cannot run here are left out and named; a step is not lost for one of them.
StepSelection select_step(const Lab& lab, const Run& run, const study::TourStep& step) {
  StepSelection selection;
  for (const study::StepBar& bar : study::bars_of(step)) {
    const KernelInfo* info = run.kernel(bar.kernel);
    Params set;
    for (const auto& [name, value] : bar.set) {
      const bool takes = info && std::any_of(info->params.begin(), info->params.end(),
                                             [&, wanted = &name](const ParamSpec& spec) {
                                               return spec.name == *wanted;
                                             });
      if (takes) set[name] = value;
    }
    const auto one = select_rungs(lab, run, {bar.kernel}, set);
    if (!one) {
      selection.not_run.push_back(
          {bar.kernel, info && !info->reason.empty() ? info->reason : one.error().sentence()});
      continue;
    }
    if (selection.parts.empty() || selection.parts.back().cache != bar.cache)
      selection.parts.push_back({bar.cache, {}});
    selection.parts.back().kernels.push_back(one->kernels.front());
    selection.kernels.push_back(one->kernels.front());
  }
  return selection;
}

WorkRequest request_of(const study::TourStep& step, RequestType type, CacheMode cache) {
  WorkRequest request;
  request.type = type;
  request.lab = step.lab;
  request.mode = step.mode;
  request.cache = cache;
  return request;
}

Result<void> compare_step(Driver& driver, const StepSelection& selection, RehearsedStep* out) {
  WorkRequest compare = request_of(*out->step, RequestType::compare, out->step->cache);
  compare.kernels = selection.kernels;
  int64_t id = 0;
  RIDGE_TRY_VOID(driver.carry_out(std::move(compare), &id));
  if (!driver.run().comparisons().empty())
    out->outcome += ", " + to_string(driver.run().comparisons().back().verdict);
  // Slower and unresolved are answers; only a failed check spoils a step.
  if (compare_exit_code(driver.run(), id) == 3) out->code = 3;
  return {};
}

Result<void> measure_step(Driver& driver, const Lab& lab, const StepSelection& selection,
                          RehearsedStep* out) {
  RIDGE_TRY_VOID(driver.fetch_sources(selection.kernels));
  const auto begin = Clock::now();
  for (const StepSelection::Part& part : selection.parts) {
    WorkRequest request = request_of(*out->step, RequestType::run, part.cache);
    request.kernels = part.kernels;
    int64_t id = 0;
    RIDGE_TRY_VOID(driver.carry_out(std::move(request), &id));
    out->code = std::max(out->code, run_exit_code(driver.run(), id, lab));
  }
  const size_t bars = selection.kernels.size();
  out->outcome = fmt::format("{} bar{}", bars, bars == 1 ? "" : "s");
  const bool pairs = out->step->kind == study::StepKind::compare && bars == 2 && out->code == 0;
  if (pairs) {
    RIDGE_TRY_VOID(compare_step(driver, selection, out));
  }
  out->run_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return {};
}

Result<void> rehearse_step(const CommonOptions& common, const study::Tour& tour,
                           const std::string& folder, RehearsedStep* out) {
  if (!out->step->measures()) {
    out->outcome = "a question: nothing runs";
    return {};
  }
  RIDGE_TRY(const Lab* lab, require_lab(out->step->lab));
  const std::string path = folder + "/" + study::rehearsal_file(tour, out->number);
  RIDGE_TRY(const auto driver, Driver::start(common, path));
  driver->note(kTourNote, to_string(TourNote{tour.id, out->number}));
  auto done = driver->fetch_catalogue();
  const StepSelection selection =
      done ? select_step(*lab, driver->run(), *out->step) : StepSelection();
  out->not_run = selection.not_run;
  const bool runs = done && !selection.kernels.empty();
  if (runs) done = measure_step(*driver, *lab, selection, out);
  RIDGE_TRY(const bool saved, driver->close_file());
  if (runs && saved) {
    out->path = path;
  } else {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // a run of nothing is no fallback
  }
  if (done && !runs) {
    out->code = static_cast<int>(ErrorCode::unavailable);
    out->outcome = "cannot run here";
  }
  return done;
}

/// Stops early only where it was cancelled or the folder cannot be written. `done` hears of each step.
std::vector<RehearsedStep> rehearse(const CommonOptions& common, const study::Tour& tour,
                                    const std::string& folder,
                                    const std::function<void(const RehearsedStep&)>& done) {
  std::vector<RehearsedStep> steps;
  for (const study::TourStep& step : tour.steps) {
    RehearsedStep out;
    out.number = static_cast<int>(steps.size()) + 1;
    out.step = &step;
    const auto ended = rehearse_step(common, tour, folder, &out);
    if (!ended) {
      out.error = ended.error().sentence();
      out.code = ended.error().exit_code();
    }
    steps.push_back(out);
    done(steps.back());
    const bool ends = !ended && (ended.error().code == ErrorCode::cancelled ||
                                 ended.error().code == ErrorCode::cannot_write);
    if (ends) break;
  }
  return steps;
}

std::string step_text(const RehearsedStep& step) {
  std::string text =
      fmt::format("{:>2}. {:<9} {:>9}  of {:>4g} min  {}", step.number, step.step->lab,
                  step.run_s > 0 ? minutes_text(step.run_s) : "-", step.step->minutes,
                  step.error.empty() ? step.outcome : step.error);
  if (step.run_s > step.step->minutes * 60) text += "  (longer than planned)";
  text += "\n      " + rungs_text(*step.step) + "\n";
  for (const NotRun& rung : step.not_run)
    text += "      not here: " + rung.kernel + ": " + rung.reason + "\n";
  return text;
}

Json rehearsed_json(const std::vector<RehearsedStep>& steps) {
  Json list = Json::array();
  for (const RehearsedStep& step : steps) {
    Json not_run = Json::array();
    for (const NotRun& rung : step.not_run)
      not_run.push_back({{"kernel", rung.kernel}, {"reason", rung.reason}});
    list.push_back({{"step", step.number},
                    {"kind", study::kind_name(step.step->kind)},
                    {"lab", step.step->lab},
                    {"rungs", step.step->rungs},
                    {"planned_s", step.step->minutes * 60},
                    {"run_s", step.run_s > 0 ? Json(step.run_s) : Json(nullptr)},
                    {"outcome", step.outcome},
                    {"error", step.error},
                    {"fallback", step.path},
                    {"not_run", std::move(not_run)}});
  }
  return list;
}

Result<std::string> folder_for(const TourOptions& options) {
  if (options.out.empty()) return make_report_folder(report_root(), "tour-" + options.id);
  std::error_code failed;
  std::filesystem::create_directories(options.out, failed);
  if (!std::filesystem::is_directory(options.out)) {
    return Error{ErrorCode::cannot_write, "the folder could not be made", options.out,
                 "choose a place that you may write to"};
  }
  return options.out;
}

/// A cancel or a failed check outweighs a step that this machine cannot run.
int code_of(const std::vector<RehearsedStep>& steps) {
  constexpr int kUnavailable = static_cast<int>(ErrorCode::unavailable);
  bool any = false;
  int worst = 0;
  for (const RehearsedStep& step : steps) {
    any |= !step.path.empty();
    if (step.code != kUnavailable) worst = std::max(worst, step.code);
  }
  return worst == 0 && !any ? kUnavailable : worst;
}

int rehearse_tour(const CommonOptions& common, const TourOptions& options,
                  const study::Tour& tour) {
  const auto folder = folder_for(options);
  if (!folder) return fail(common, folder.error());
  if (!common.json) print(fmt::format("{}, {:g} min planned\n", tour.title, tour.minutes));
  const auto steps = rehearse(common, tour, *folder, [&](const RehearsedStep& step) {
    if (!common.json) print(step_text(step));
  });
  double total_s = 0;
  size_t saved = 0;
  for (const RehearsedStep& step : steps) {
    total_s += step.run_s;
    saved += !step.path.empty();
  }
  if (common.json) {
    print_json({{"ridgepoint", 1},
                {"tour", tour.id},
                {"planned_s", tour.minutes * 60},
                {"run_s", total_s},
                {"folder", *folder},
                {"steps", rehearsed_json(steps)}});
  } else {
    print(fmt::format(
        "\nmeasuring takes {} of the {:g} minutes; the rest is for talk\n"
        "{} of {} steps have a fallback in {}: open one with --replay, and it shows that step\n",
        minutes_text(total_s), tour.minutes, saved, tour.steps.size(), *folder));
  }
  return code_of(steps);
}

int cmd_tour(const CommonOptions& common, const TourOptions& options) {
  if (!options.rehearse && !options.out.empty())
    return fail(common, {ErrorCode::usage, "only a rehearsal has runs to save", "tour --out",
                         "give --rehearse too, or leave out --out"});
  if (options.id.empty()) {
    if (!options.rehearse) return list_tours(common);
    return fail(common, {ErrorCode::usage, "it needs a tour", "--rehearse",
                         "'ridgepoint tour' lists them"});
  }
  const auto tour = study::load_tour(options.id);
  if (!tour) return fail(common, tour.error());
  return options.rehearse ? rehearse_tour(common, options, *tour) : show_tour(common, *tour);
}

Command setup_tour(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<TourOptions>();
  command.add_option("ID", options->id, "which; none: all are listed");
  command.add_flag("--rehearse", options->rehearse,
                   "run every step here and save a fallback run for each");
  command.add_option("--out", options->out, "with --rehearse: folder of the fallback runs");
  return [options, &common] { return cmd_tour(common, *options); };
}

RIDGE_COMMAND(tour, .about = "list the tours, print one, or rehearse one",
              .group = CommandGroup::learn,
              .use =
                  "A tour leads through a lab's rungs step by step: a question, a measurement, the "
                  "answer. The window plays it; here it is listed, printed or rehearsed.",
              .examples = {{"tour", "every tour, with its minutes"},
                           {"tour first_hour", "the steps of one"},
                           {"tour meetup --rehearse --out fallbacks",
                            "runs each step here, and saves a run of each for the day"}},
              .place = 10, .level = Level::kLearn, .schema = "", .setup = setup_tour);

}  // namespace
}  // namespace ridge::app
