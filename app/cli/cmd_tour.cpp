// ridgepoint tour: the tours there are; ridgepoint tour ID: its steps; with --rehearse: run here.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/rehearsal.h"
#include "app/query/reporting.h"
#include "app/query/terminal.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

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

Json step_json(const study::TourStep& step) {
  return {{"lab", step.lab},           {"rungs", step.rungs},
          {"baseline", step.baseline}, {"set", params_to_json(step.set)},
          {"mode", step.mode},         {"cache", step.cache},
          {"chart", step.chart},       {"question", step.question},
          {"words", step.words},       {"minutes", step.minutes}};
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
    text += fmt::format("{:<12} {:>3g} min, {:>2} steps  {}\n{:29}{}\n", id, tour->minutes,
                        tour->steps.size(), tour->title, "", tour->audience);
  }
  if (common.json)
    print_json({{"ridgepoint", 1}, {"tours", std::move(list)}});
  else
    print(text + "\n'ridgepoint tour ID' shows one, with --rehearse it is run here.\n");
  return 0;
}

int show_tour(const CommonOptions& common, const study::Tour& tour) {
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"tour", tour_json(tour)}});
    return 0;
  }
  std::string text = fmt::format("{}, {:g} min\n{}\n", tour.title, tour.minutes, tour.audience);
  for (size_t i = 0; i < tour.steps.size(); ++i) {
    const study::TourStep& step = tour.steps[i];
    text += fmt::format("\n{}. {}: {}  {}  ({:g} min)\n", i + 1, step.lab, rungs_text(step),
                        to_string(step.set), step.minutes);
    if (!step.question.empty()) text += "   Ask: " + step.question + "\n";
    text += "   Say: " + step.words + "\n";
  }
  print(text);
  return 0;
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
    print(
        fmt::format("\nmeasuring takes {} of the {:g} minutes; the rest is for talk\n"
                    "{} of {} steps have a fallback in {}: open one with --replay\n",
                    minutes_text(total_s), tour.minutes, saved, tour.steps.size(), *folder));
  }
  return code_of(steps);
}

}  // namespace

int cmd_tour(const CommonOptions& common, const TourOptions& options) {
  if (options.id.empty()) {
    if (!options.rehearse) return list_tours(common);
    return fail(common, {ErrorCode::usage, "it needs a tour", "--rehearse",
                         "'ridgepoint tour' lists them"});
  }
  const auto tour = study::load_tour(options.id);
  if (!tour) return fail(common, tour.error());
  return options.rehearse ? rehearse_tour(common, options, *tour) : show_tour(common, *tour);
}

}  // namespace ridge::app
