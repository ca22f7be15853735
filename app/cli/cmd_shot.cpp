// ridgepoint shot SCENE OUT.png: pictures of the window, without opening it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/driver.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {
namespace {

struct ShotFileOptions {
  std::string scenes;  ///< one, several with commas between, or all
  std::string out, lab, rung;
  std::vector<std::string> themes = {"dark"};  ///< each scene in each, at each scale
  std::vector<float> scales = {1};
  std::string size;  ///< "1600x1000"
  std::string level = "lab";
  int width = 1600, height = 1000;
};

bool parse_size(const std::string& text, ShotFileOptions* options) {
  if (text.empty()) return true;
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%dx%d%n", &options->width, &options->height, &end);
  const auto sane = [](int pixels) { return pixels >= 320 && pixels <= 16384; };
  return read == 2 && static_cast<size_t>(end) == text.size() && sane(options->width) &&
         sane(options->height);
}

int cmd_shot(const CommonOptions& common, ShotFileOptions options) {
  if (!parse_size(options.size, &options)) {
    return fail(common, {ErrorCode::usage, "'" + options.size + "' is no size", "--size",
                         "give WIDTHxHEIGHT, each from 320 to 16384, as in 1600x1000"});
  }
#ifdef RIDGE_HAS_WINDOW
  window::ShotOptions shot;
  shot.scenes.clear();
  std::istringstream scenes(options.scenes);
  for (std::string scene; std::getline(scenes, scene, ',');) shot.scenes.push_back(scene);
  shot.out = options.out;
  shot.replay = common.replay;
  shot.lab = options.lab;
  shot.rung = options.rung;
  if (!options.lab.empty()) {
    if (const auto lab = require_lab(options.lab); !lab) return fail(common, lab.error());
  }
  shot.themes = options.themes;
  shot.scales = options.scales;
  shot.width = options.width;
  shot.height = options.height;
  shot.level = *level_named(options.level);
  return window::shot(shot);
#else
  return fail(common, {ErrorCode::unavailable, "this ridgepoint was built without its window",
                       "shot", "configure with -D RIDGE_WINDOW=ON"});
#endif
}

/// What can be drawn; a build without the window draws nothing.
std::string scenes_help() {
#ifdef RIDGE_HAS_WINDOW
  return fmt::format("one, several with commas between, or all; there are {}",
                     fmt::join(window::scene_names(), ", "));
#else
  return "e.g. lab, or home,lab, or all";
#endif
}

Command setup_shot(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ShotFileOptions>();
  command.add_option("scene", options->scenes, scenes_help())->required();
  command.add_option("out", options->out, "OUT.png; of several pictures their folder")->required();
  command.add_option("--lab", options->lab, "default: the saved run's, else the first");
  command.add_option("--rung", options->rung, "the rung that is selected");
  command.add_option("--theme", options->themes, "dark, light, or dark,light")
      ->delimiter(',')
      ->check(CLI::IsMember({"dark", "light"}));
  command.add_option("--scale", options->scales, "0.75 to 3, or several: 1,1.5,2")
      ->delimiter(',')
      ->check(CLI::Range(0.75, 3.0));
  command.add_option("--size", options->size, "WIDTHxHEIGHT, e.g. 1600x1000");
  add_choice(&command, "--level", "learn, lab (default) or bench: how much of the window is shown",
             {"learn", "lab", "bench"},
             [options](const std::string& name) { options->level = name; });
  return [options, &common] { return cmd_shot(common, *options); };
}

RIDGE_COMMAND(shot, .about = "draw the window's screens as PNG files",
              .group = CommandGroup::contribute,
              .use = "Draws screens of the window into PNG files, for documents and tests.",
              .examples = {{"shot lab lab.png --lab gemm", "one screen"},
                           {"shot home,lab pictures --theme dark,light",
                            "two screens in both themes"}},
              .place = 150, .level = Level::kBench, .schema = "", .setup = setup_shot,
              .needs_window = true, .takes_replay = true);

}  // namespace
}  // namespace ridge::app
