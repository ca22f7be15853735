// How far each tour was taken: the place that Resume goes on from, and the steps that were done. A small file keeps it
// beside the study progress (tours.json), so that a tour outlives the window.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::study {
struct Tour;
}

namespace ridge::window {

struct State;

struct TourPlace {
  int step = 0;        ///< the step that was open last, from 0
  std::set<int> done;  ///< steps whose words were reached
  bool operator==(const TourPlace&) const = default;
};

struct TourProgress {
  std::map<std::string, TourPlace> places;  ///< by the tour's id
  std::string last;                         ///< id of the tour that was on last; empty: none was
  std::string path;                         ///< of the file; empty: nothing is kept (tests, shot)
  std::string problem;                      ///< why the file could not be read, one sentence
  std::string kept;                         ///< the file's text as it was read or written last
};

std::string tour_progress_json(const TourProgress& progress);
/// Places and last; a field of another shape is left out, a text that is no such file is an error.
Result<TourProgress> parse_tour_progress(const std::string& text, const std::string& where);

/// $XDG_DATA_HOME or ~/.local/share, then ridgepoint/tours.json. Empty without a home.
std::string default_tour_progress_path();
/// Reads state.tour_progress.path. A damaged file becomes `problem`; the first save sets it aside as tours.json.damaged.
void load_tour_progress(State& state);
/// At each refresh: notes where the tour that is on stands, and saves it where that is new.
void keep_tour_place(State& state);

/// Whether this tour is on, and not at its end.
bool is_tour_on(const State& state, const std::string& id);
/// The step at which the tour was left; 0 of one that was never opened, or is done.
int kept_step(const State& state, const std::string& id);
/// Opens the tour at kept_step(); one that is on goes on.
void resume_tour(State& state, const std::string& id);
/// Steps that this tour still has and that were done.
int steps_done(const State& state, const study::Tour& tour);
/// Whether the last tour was begun and is not done: it has a place to go on at.
bool has_begun_tour(const State& state);
/// The tour that the door offers: the last one unless it is done, else the first behind it that is not done, else the first
/// that is not, else the last one again.
std::string tour_to_resume(const State& state);
/// Whether the last tour is done: what the door offers is the next one.
bool has_ended_tour(const State& state);
/// The tours of this build, read once.
const std::map<std::string, std::shared_ptr<const study::Tour>>& built_in_tours();
/// The same in the order in which every list has them.
std::vector<const study::Tour*> tours_in_order();

}  // namespace ridge::window
