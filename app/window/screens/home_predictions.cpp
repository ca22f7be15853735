#include "app/window/screens/home_predictions.h"

#include <iterator>

#include "app/query/class_files.h"
#include "common/core/background.h"

namespace ridge::window {
namespace {

/// Of the runs in a folder but this session's, which the window holds itself.
std::vector<app::Foretold> kept_in(const std::string& folder, const std::string& own) {
  std::vector<app::Foretold> all;
  auto found = app::find_class_files({folder});
  if (!found) return all;  // nothing was kept yet
  std::erase_if(found->files, [&](const app::ClassFile& file) { return file.path == own; });
  // One thread: what is being measured meanwhile has the other processors to itself.
  for (Result<app::ClassRun>& run : app::read_class_files(found->files, 1)) {
    if (run) std::move(run->foretold.begin(), run->foretold.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

void HomePredictions::update(Ui& ui) {
  const History& history = ui.state.history;
  if (!is_begun_ && !history.runs_folder.empty()) {
    reading_ = in_background([folder = history.runs_folder, own = history.run_file] {
      return kept_in(folder, own);
    });
  }
  is_begun_ = true;
  bool is_new = false;
  if (is_ready(reading_)) {
    kept_ = reading_.get();
    is_new = true;
  }
  ui.needs_redraw |= reading_.valid();
  // A saved run that is looked at is in the folder already, or is somebody else's.
  const Run& run = ui.state.run();
  if (ui.state.is_replay() || (!is_new && version_ == run.version())) return;
  version_ = run.version();
  std::vector<app::Foretold> all = kept_;
  for (app::Foretold& one : app::foretold_in(run)) all.push_back(std::move(one));
  app::sort_by_time(&all);
  text_ = app::own_sentence(app::foresight(all));
}

void HomePredictions::draw(Ui& ui, Area* rest) {
  update(ui);
  if (text_.empty()) return;
  Area line = *rest;
  line.h = ui.paragraph(line, text_, kSmall_px, Role::muted);
  ui.widgets["own_predictions"] = line;
  rest->take_top(line.h, ui.px(12));
}

}  // namespace ridge::window
