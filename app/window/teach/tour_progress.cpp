#include "app/window/teach/tour_progress.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/session/shared_file.h"
#include "app/window/teach/presenter.h"
#include "common/core/files.h"
#include "common/record/json.h"
#include "common/record/tour_note.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

constexpr int kMostSteps = 1000;  // of a file that is not ours

TourPlace place_of(const Json& json) {
  TourPlace place;
  const auto whole = [](const Json& value) {
    return value.is_number_integer() && value >= 0 && value < kMostSteps;
  };
  if (const auto step = json.find("step"); step != json.end() && whole(*step))
    place.step = step->get<int>();
  if (const auto done = json.find("done"); done != json.end() && done->is_array()) {
    for (const Json& step : *done) {
      if (whole(step)) place.done.insert(step.get<int>());
    }
  }
  return place;
}

/// What could not be read is not written over.
bool set_aside(State& state) {
  TourProgress& progress = state.tour_progress;
  std::error_code failed;
  fs::rename(progress.path, progress.path + ".damaged", failed);
  if (failed) {
    state.notice = {"The place in the tour is not kept: " + progress.problem, true};
    return false;
  }
  state.notice = {"The old file of tours was damaged; it is kept as " + progress.path + ".damaged",
                  false};
  progress.problem.clear();
  return true;
}

void save_places(State& state) {
  TourProgress& progress = state.tour_progress;
  if (progress.path.empty()) return;
  if (!progress.problem.empty() && !set_aside(state)) return;
  if (const auto saved =
          app::write_shared(progress.path, tour_progress_json(progress), &progress.kept);
      !saved)
    state.notice = {"The place in the tour is not kept. " + saved.error().sentence(), true};
}

bool is_done(const State& state, const study::Tour& tour) {
  return steps_done(state, tour) == static_cast<int>(tour.steps.size());
}

}  // namespace

std::string tour_progress_json(const TourProgress& progress) {
  Json tours = Json::object();
  for (const auto& [id, place] : progress.places)
    tours[id] = {{"step", place.step}, {"done", place.done}};
  return Json({{"ridgepoint_tours", 1}, {"last", progress.last}, {"tours", tours}})
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<TourProgress> parse_tour_progress(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  const auto tours = json.is_object() ? json.find("tours") : json.end();
  if (!json.is_object() || !json.contains("ridgepoint_tours") || !tours->is_object()) {
    return Error{ErrorCode::bad_input, "this is no file of places in tours", where,
                 "move it away to begin with none"};
  }
  TourProgress progress;
  if (const auto last = json.find("last"); last != json.end() && last->is_string())
    progress.last = last->get<std::string>();
  for (const auto& [id, place] : tours->items()) {
    if (place.is_object()) progress.places[id] = place_of(place);
  }
  return progress;
}

std::string default_tour_progress_path() {
  return data_folder("tours.json");
}

void load_tour_progress(State& state) {
  const std::string path = state.tour_progress.path;
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return;
  const auto text = read_whole(path);
  auto read = text ? parse_tour_progress(*text, path) : Result<TourProgress>(text.error());
  if (read)
    state.tour_progress = *std::move(read);
  else
    state.tour_progress.problem = read.error().sentence();
  state.tour_progress.path = path;
  if (text) state.tour_progress.kept = *text;
}

void keep_tour_place(State& state) {
  const Teaching& teach = state.teaching;
  // A rehearsal that is shown answers for no learner, nor does a talk.
  const bool is_rehearsal = state.is_replay() && tour_note(state.run().notes());
  if (!teach.tour || teach.leaves_place || is_rehearsal) return;
  TourProgress& progress = state.tour_progress;
  TourPlace now = progress.places[teach.tour->id];
  now.step = teach.tour_step;
  const auto result = teach.results.find(teach.tour_step);
  const bool is_cut = result != teach.results.end() && result->second.is_cancelled;
  if (teach.beat == Beat::explain && !is_cut) now.done.insert(teach.tour_step);
  if (now == progress.places[teach.tour->id] && progress.last == teach.tour->id) return;
  progress.places[teach.tour->id] = now;
  progress.last = teach.tour->id;
  save_places(state);
}

const std::map<std::string, std::shared_ptr<const study::Tour>>& built_in_tours() {
  static const auto kTours = [] {
    std::map<std::string, std::shared_ptr<const study::Tour>> tours;
    for (const std::string& id : study::tour_ids()) {
      if (auto tour = study::load_tour(id))
        tours[id] = std::make_shared<const study::Tour>(*std::move(tour));
    }
    return tours;
  }();
  return kTours;
}

int steps_done(const State& state, const study::Tour& tour) {
  const auto place = state.tour_progress.places.find(tour.id);
  if (place == state.tour_progress.places.end()) return 0;
  return static_cast<int>(
      std::count_if(place->second.done.begin(), place->second.done.end(),
                    [&](int step) { return step < static_cast<int>(tour.steps.size()); }));
}

std::vector<const study::Tour*> tours_in_order() {
  std::vector<const study::Tour*> all;
  for (const auto& [id, tour] : built_in_tours()) all.push_back(tour.get());
  std::sort(all.begin(), all.end(),
            [](const study::Tour* a, const study::Tour* b) { return a->place < b->place; });
  return all;
}

bool has_begun_tour(const State& state) {
  const auto& tours = built_in_tours();
  const auto place = state.tour_progress.places.find(state.tour_progress.last);
  const auto tour = tours.find(state.tour_progress.last);
  return place != state.tour_progress.places.end() && tour != tours.end() &&
         (place->second.step > 0 || !place->second.done.empty()) && !is_done(state, *tour->second);
}

std::string tour_to_resume(const State& state) {
  const auto& tours = built_in_tours();
  const auto last = tours.find(state.tour_progress.last);
  if (last != tours.end() && !is_done(state, *last->second)) return last->first;
  // After one that is done those behind it come first: it was chosen past the ones before it.
  std::vector<const study::Tour*> all = tours_in_order();
  const auto behind = std::find_if(all.begin(), all.end(), [&](const study::Tour* tour) {
    return last != tours.end() && tour->id == last->first;
  });
  if (behind != all.end()) std::rotate(all.begin(), behind, all.end());
  for (const study::Tour* tour : all) {
    if (!is_done(state, *tour)) return tour->id;
  }
  return all.empty() ? "" : all.front()->id;
}

bool has_ended_tour(const State& state) {
  const auto last = built_in_tours().find(state.tour_progress.last);
  return last != built_in_tours().end() && is_done(state, *last->second);
}

bool is_tour_on(const State& state, const std::string& id) {
  const Teaching& teach = state.teaching;
  return teach.tour && teach.tour->id == id && teach.beat != Beat::done;
}

namespace {

/// Below 0: it was never opened, or is done.
int place_to_go_on(const State& state, const std::string& id) {
  const auto& tours = built_in_tours();
  const auto place = state.tour_progress.places.find(id);
  const auto tour = tours.find(id);
  const bool is_known = place != state.tour_progress.places.end() && tour != tours.end();
  const bool goes_on = is_known && !is_done(state, *tour->second) &&
                       place->second.step < static_cast<int>(tour->second->steps.size());
  return goes_on ? place->second.step : -1;
}

}  // namespace

int kept_step(const State& state, const std::string& id) {
  return std::max(0, place_to_go_on(state, id));
}

void resume_tour(State& state, const std::string& id) {
  if (is_tour_on(state, id)) return show_tour(state);  // what it revealed stays
  const auto& tours = built_in_tours();
  const auto tour = tours.find(id);
  if (tour != tours.end() && is_done(state, *tour->second)) return show_end_card(state, id);
  start_tour(state, id, place_to_go_on(state, id));
}

}  // namespace ridge::window
