// The page: the window at once, and in it what the page's address asks for (docs/web.md).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/window/shell/window.h"
#include "common/record/params.h"

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
  if (const auto params = ridge::parse_params(assignments); params)
    options.params = *params;
  else
    std::fprintf(stderr, "ridgepoint: the address: %s\n", params.error().sentence().c_str());
  return ridge::window::open_window(options);
}
