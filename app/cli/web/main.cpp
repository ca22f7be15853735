// The page: the window at once, and in it what the page's address asks for (docs/web.md).
#include <emscripten.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "app/window/shell/look.h"
#include "app/window/shell/window.h"
#include "common/record/params.h"

// clang-format off
/// What the page has to say before the window stands, to be freed.
EM_JS(char*, ridge_page_notice, (), { return stringToNewUTF8(ridgepoint.notices.join(' ')); });
// clang-format on

namespace {

constexpr const char* kLinkedRun = "/linked/run.jsonl";  // web/page.js has written it

const ridge::window::Shell* g_shell = nullptr;
const ridge::window::State* g_state = nullptr;

std::string page_notice() {
  char* said = ridge_page_notice();
  std::string notice = said;
  std::free(said);
  return notice;
}

}  // namespace

/// For the page: look_text() of the frame that was drawn last.
extern "C" EMSCRIPTEN_KEEPALIVE const char* ridge_look() {
  static std::string text;
  text = g_shell ? ridge::window::look_text(*g_shell, *g_state) : "";
  return text.c_str();
}

int main(int argc, char** argv) {
  // Files that came with the page, and those that the browser keeps (web/page.js).
  ::setenv("RIDGEPOINT_ASSETS", "/assets", 1);
  ::setenv("HOME", "/home", 1);
  ridge::window::WindowOptions options;
  std::vector<std::string> assignments;
  for (const std::string word : std::vector<std::string>(argv + 1, argv + argc)) {
    if (word.rfind("lab=", 0) == 0)
      options.lab = word.substr(4);
    else if (word.rfind("rung=", 0) == 0)
      options.rung = word.substr(5);
    else
      assignments.push_back(word);
  }
  options.notice = page_notice();
  if (const auto params = ridge::parse_params(assignments); params)
    options.params = *params;
  else
    options.notice = "The page's address: " + params.error().sentence();
  if (::access(kLinkedRun, R_OK) == 0) options.claimed = kLinkedRun;
  options.observe = [](const ridge::window::Shell& shell, const ridge::window::State& state) {
    g_shell = &shell;
    g_state = &state;
  };
  return ridge::window::open_window(options);
}
