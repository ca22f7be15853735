// The registry of commands: a file each, and what the pages say of them.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "app/cli/cli.h"
#include "tests/catch.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

std::string source_file(const std::string& path) {
  const char* root = std::getenv("RIDGE_SOURCE");
  REQUIRE(root != nullptr);
  return std::string(root) + "/" + path;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> command_names() {
  std::set<std::string> names;
  for (const app::CommandDesc* command : app::all_commands()) names.insert(command->name);
  return names;
}

}  // namespace

TEST_CASE("each command has its file, and each file its command") {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(source_file("app/cli"))) {
    const std::string stem = entry.path().stem().string();
    if (stem.starts_with("cmd_")) files.insert(stem.substr(4));
  }
  CHECK(files.size() > 10);
  CHECK(command_names() == files);
}

TEST_CASE("each command says what it is, where it stands, and which schema its JSON keeps to") {
  std::set<int> places;
  for (const app::CommandDesc* command : app::all_commands()) {
    INFO(command->name);
    CHECK(std::string(command->about).size() > 10);
    CHECK(places.insert(command->place).second);
    CHECK(command->setup != nullptr);
    const std::string schema = command->schema;
    if (schema.empty()) continue;
    CHECK(fs::exists(source_file("docs/schema/" + schema + ".schema.json")));
  }
}

TEST_CASE("app/run builds without the window for exactly the commands that need none") {
  REQUIRE(text_of(source_file("app/run")).find("grep -q needs_window") != std::string::npos);
  for (const app::CommandDesc* command : app::all_commands()) {
    INFO(command->name);
    const std::string file = source_file("app/cli/cmd_" + std::string(command->name) + ".cpp");
    CHECK((text_of(file).find("needs_window") != std::string::npos) == command->needs_window);
  }
}

TEST_CASE("README says how to start the program before it names a command of it") {
  const std::string readme = text_of(source_file("README.md"));
  const size_t start = readme.find("`app/run list` is `ridgepoint list`");
  REQUIRE(start != std::string::npos);
  CHECK(start < readme.find("`ridgepoint report"));
  // app/run climbs in the terminal first, also where the window opens afterwards.
  const std::string script = text_of(source_file("app/run"));
  const size_t climbs = script.find("run gemm"), opens = script.find("exec ");
  REQUIRE(climbs < opens);
  const size_t line = readme.find("\napp/run ");
  const std::string words = readme.substr(line + 1, readme.find('\n', line + 1) - line);
  CHECK(words.find("in the terminal") < words.find("window"));
}

TEST_CASE("the pages know the commands: all of them, and no other") {
  const std::set<std::string> names = command_names();
  std::set<std::string> seen;
  std::vector<fs::path> pages = {source_file("README.md")};
  for (const auto& entry : fs::directory_iterator(source_file("docs"))) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const std::regex call("(?:^|`)(?:app/run|ridgepoint) ([a-z]+)\\b");
  for (const fs::path& page : pages) {
    std::istringstream lines(text_of(page.string()));
    for (std::string line; std::getline(lines, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, call)) continue;
      INFO(page.string() << ": " << line);
      CHECK(names.contains(found[1]));
      seen.insert(found[1]);
    }
  }
  CHECK(seen == names);
}
