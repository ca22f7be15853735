// ridgepoint shot SCENE OUT.png: pictures of the window, without opening it.
#include <sstream>

#include "app/cli/cli.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {

int cmd_shot(const CommonOptions& common, const ShotFileOptions& options) {
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
  return window::shot(shot);
#else
  (void)options;
  return fail(common, {ErrorCode::unavailable, "this ridgepoint was built without its window",
                       "shot", "configure with -D RIDGE_WINDOW=ON"});
#endif
}

}  // namespace ridge::app
