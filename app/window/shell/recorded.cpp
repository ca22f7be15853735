#include "app/window/shell/recorded.h"

#include <fstream>
#include <sstream>

namespace ridge::window {

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace ridge::window
