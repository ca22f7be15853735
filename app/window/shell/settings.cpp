#include "app/window/shell/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/window/teach/presenter.h"
#include "common/core/files.h"
#include "common/record/json.h"

namespace ridge::window {
namespace fs = std::filesystem;

std::string default_settings_path() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) {
    return (fs::path(config) / "ridgepoint/settings.json").string();
  }
  const char* home = std::getenv("HOME");
  return home && *home ? (fs::path(home) / ".config/ridgepoint/settings.json").string() : "";
}

namespace {

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Last lab, window, recent runs, verified rungs; what has another shape is left out.
void load_history(State* state, const Json& json) {
  state->history.last_lab = text_in(json, "last_lab");
  if (const auto window = json.find("window"); window != json.end() && window->is_array()) {
    for (size_t i = 0; i < 4 && window->size() == 4; ++i) {
      const Json& value = (*window)[i];
      if (!value.is_number_integer() || std::abs(value.get<int64_t>()) > 32767) break;
      state->settings.window[i] = value.get<int>();
    }
  }
  state->history.recent.clear();
  if (const auto runs = json.find("recent"); runs != json.end() && runs->is_array()) {
    for (const Json& run : *runs) {
      if (!run.is_object() || text_in(run, "path").empty()) continue;
      std::error_code ignored;
      if (!fs::exists(text_in(run, "path"), ignored)) continue;  // deleted since
      state->history.recent.push_back({text_in(run, "path"), text_in(run, "title"),
                                       text_in(run, "machine"), text_in(run, "time_utc")});
    }
  }
  state->history.verified.clear();
  if (const auto labs = json.find("verified"); labs != json.end() && labs->is_object()) {
    for (const auto& [lab, kernels] : labs->items()) {
      for (const Json& kernel : kernels) {
        if (kernel.is_string()) state->history.verified[lab].insert(kernel.get<std::string>());
      }
    }
  }
}

Json history_json(const State& state) {
  Json recent = Json::array();
  for (const RecentRun& run : state.history.recent) {
    recent.push_back({{"path", run.path},
                      {"title", run.title},
                      {"machine", run.machine},
                      {"time_utc", run.time_utc}});
  }
  return recent;
}

}  // namespace

void load_settings(State* state) {
  const auto text = read_whole(state->settings.path);
  if (!text) return;
  const auto json = parse_json(*text, state->settings.path);
  if (!json || !json->is_object()) return;
  Appearance& look = state->appearance;
  const auto number = [&](const char* name, float low, float high, float* value) {
    const auto found = json->find(name);
    if (found == json->end() || !found->is_number()) return;
    const float read = found->get<float>();
    if (std::isfinite(read)) *value = std::clamp(read, low, high);
  };
  number("scale", 0.75f, 3.0f, &look.scale);
  number("left_width", 200, 600, &look.left_width);
  number("right_width", 0, 900, &look.right_width);
  const auto experts = json->find("show_experts");
  if (experts != json->end() && experts->is_boolean())
    state->view.show_experts = experts->get<bool>();
  const auto theme = json->find("theme");
  if (theme != json->end() && theme->is_string()) look.light_theme = *theme == "light";
  const auto reduced = json->find("reduced_motion");
  if (reduced != json->end() && reduced->is_boolean()) look.reduced_motion = *reduced;
  state->settings.class_folder = text_in(*json, "class_folder");
  load_history(state, *json);
}

void save_settings(State* state) {
  if (state->settings.path.empty()) return;
  // What a presenter's mode changed is not what was chosen.
  const BeforePresenting* before = state->teaching.before.get();
  const Appearance& look = before ? before->appearance : state->appearance;
  const bool show_experts = before ? before->view.show_experts : state->view.show_experts;
  const Json json = {{"theme", look.light_theme ? "light" : "dark"},
                     {"scale", look.scale},
                     {"show_experts", show_experts},
                     {"left_width", look.left_width},
                     {"right_width", look.right_width},
                     {"reduced_motion", look.reduced_motion},
                     {"last_lab", state->history.last_lab},
                     {"class_folder", state->settings.class_folder},
                     {"window", state->settings.window},
                     {"recent", history_json(*state)},
                     {"verified", state->history.verified}};
  const fs::path path(state->settings.path);
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  if (!write_whole(path.string(), json.dump(2) + '\n')) {
    state->notice = {
        "Settings could not be saved in " + path.string() + "; they hold until the window closes.",
        true};
  }
}

}  // namespace ridge::window
