// Compares a text with tests/golden/<name>. RIDGE_UPDATE_GOLDEN=1 writes it instead; look at the
// difference before you commit it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/catch.h"

namespace ridge::test {

/// The checkout: what ctest says, or the current folder for a test run by hand.
inline std::string source_folder() {
  const char* source = std::getenv("RIDGE_SOURCE");
  return source ? source : ".";
}

inline std::string golden_path(const std::string& name) {
  return source_folder() + "/tests/golden/" + name;
}

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = golden_path(name);
  if (std::getenv("RIDGE_UPDATE_GOLDEN")) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  INFO("golden file " << path << "; RIDGE_UPDATE_GOLDEN=1 writes it");
  CHECK(text == text_of_file(path));
}

}  // namespace ridge::test
