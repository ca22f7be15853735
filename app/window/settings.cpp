#include "app/window/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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

void load_settings(State* state) {
  const auto text = read_text(state->settings_path);
  if (!text) return;
  const auto json = parse_json(*text, state->settings_path);
  if (!json || !json->is_object()) return;
  ViewState& view = state->view;
  const auto number = [&](const char* name, float low, float high, float* value) {
    const auto found = json->find(name);
    if (found == json->end() || !found->is_number()) return;
    const float read = found->get<float>();
    if (std::isfinite(read)) *value = std::clamp(read, low, high);
  };
  number("scale", 0.75f, 3.0f, &view.scale);
  number("left_width", 200, 600, &view.left_width);
  number("right_width", 0, 900, &view.right_width);
  const auto experts = json->find("show_experts");
  if (experts != json->end() && experts->is_boolean()) view.show_experts = experts->get<bool>();
  const auto theme = json->find("theme");
  if (theme != json->end() && theme->is_string()) view.light_theme = *theme == "light";
}

void save_settings(State* state) {
  if (state->settings_path.empty()) return;
  const ViewState& view = state->view;
  const Json json = {{"theme", view.light_theme ? "light" : "dark"},
                     {"scale", view.scale},
                     {"show_experts", view.show_experts},
                     {"left_width", view.left_width},
                     {"right_width", view.right_width}};
  const fs::path path(state->settings_path), beside(state->settings_path + ".new");
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(beside);
  out << json.dump(2) << '\n';
  out.close();
  if (out) fs::rename(beside, path, error);
  if (!out || error) {
    state->notice = {
        "Settings could not be saved in " + path.string() + "; they hold until the window closes.",
        true};
  }
}

}  // namespace ridge::window
