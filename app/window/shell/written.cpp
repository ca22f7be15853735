#include "app/window/shell/written.h"

#include <filesystem>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/window/shell/state.h"
#include "common/core/program.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

void open_path(State& state, const std::string& path, const char* what) {
  Written& written = state.written;
  auto opener = open_on_desktop(path);
  written.until_s = 0;
  written.is_error = !opener;
  if (!opener) {
    written.said = opener.error().sentence();
    return;
  }
  written.said = std::string(what) + " opens with " + opener->program + ".";
  written.openers.push_back(*std::move(opener));
}

void copy_words(State& state, const std::string& words, const char* said) {
  ImGui::SetClipboardText(words.c_str());
  state.written.said = said;
  state.written.is_error = false;
  state.written.until_s = 0;
}

}  // namespace

void note_written(State& state, const std::string& what, const std::string& file,
                  const std::string& summary) {
  // Absolute, so that no name is read as an option of the program that opens it.
  std::error_code ignored;
  const fs::path path = fs::absolute(file, ignored);
  Written written{.what = what, .file = path.string(), .folder = path.parent_path().string()};
  written.summary = summary;
  written.screen = state.view.screen;
  written.openers = std::exchange(state.written.openers, {});
  state.written = std::move(written);
  state.notice = {};
}

bool watch_written(State& state) {
  Written& written = state.written;
  // A notice stands in the same place: it is newer.
  const bool has_left =
      !written.what.empty() && (written.screen != state.view.screen || !state.notice.text.empty());
  if (has_left) close_written(state);
  bool any_failed = false;
  std::erase_if(written.openers, [&](const Opener& opener) {
    const auto ending = reap(opener.pid, 0);
    const bool has_failed = ending && ending->known && (ending->signalled || ending->value != 0);
    if (has_failed && !written.what.empty()) {
      written.said =
          opener.program + " could not open it (it " + ending->text() + "): copy the path.";
      written.is_error = any_failed = true;
      written.until_s = 0;
    }
    return ending.has_value();
  });
  return any_failed || has_left;
}

std::string written_blocker(const State& state) {
  return state.written.what.empty() ? "Nothing was written yet: export something first." : "";
}

void open_written(State& state) {
  open_path(state, state.written.file, "The file");
}

void show_written_folder(State& state) {
  open_path(state, state.written.folder, "The folder");
}

void copy_summary(State& state) {
  copy_words(state, state.written.summary, "The summary is on the clipboard as plain text.");
}

void copy_written_path(State& state) {
  copy_words(state, state.written.file, "The path is on the clipboard.");
}

void close_written(State& state) {
  state.written = {.openers = std::exchange(state.written.openers, {})};
}

}  // namespace ridge::window
