// ridgepoint figures FILE.md ...: whether the figures that a page's comments name are those of the recordings;
// --write puts them there.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/cli.h"
#include "app/query/figures.h"
#include "app/query/terminal.h"
#include "common/core/files.h"
#include "common/view/figure/markers.h"

namespace ridge::app {
namespace {

struct FiguresOptions {
  std::vector<std::string> files;
  bool write = false;
};

/// The first line that differs, as it stands and as it should.
std::string first_difference(const std::string& have, const std::string& want) {
  std::istringstream a(have), b(want);
  std::string mine, theirs;
  for (int line = 1;; ++line) {
    const bool more = !!std::getline(a, mine), both = !!std::getline(b, theirs) && more;
    if (!both || mine != theirs)
      return std::to_string(line) + "\n  is     " + mine + "\n  should be " + theirs + "\n";
  }
}

struct Checked {
  std::string file;
  int figures = 0;
  bool changed = false;
};

Result<Checked> check(const std::string& file, const figure::Sources& sources, bool write) {
  RIDGE_TRY(const std::string have, read_whole(file));
  RIDGE_TRY(const std::string want, figure::fill_markers(have, sources, file));
  const Checked made{file, figure::count_markers(have), have != want};
  if (made.changed && write) {
    RIDGE_TRY_VOID(write_whole(file, want));
    complain("wrote " + file);
  } else if (made.changed) {
    complain(file + ":" + first_difference(have, want));
  }
  return made;
}

int cmd_figures(const CommonOptions& common, const FiguresOptions& options) {
  std::vector<std::string> problems;
  const auto recordings = load_recordings(asset_folder("recorded"), &problems);
  if (!problems.empty())
    return fail(common, Error{ErrorCode::bad_input, problems.front(), asset_folder("recorded"),
                              "mend it first: without it a page would lose its figures"});
  const figure::Sources sources = figure_sources(nullptr, false, recordings);
  Json list = Json::array();
  bool differs = false;
  for (const std::string& file : options.files) {
    const auto checked = check(file, sources, options.write);
    if (!checked) return fail(common, checked.error());
    differs |= checked->changed && !options.write;
    list.push_back({{"file", file}, {"figures", checked->figures}, {"changed", checked->changed}});
    if (!common.json)
      print(file + ": " + std::to_string(checked->figures) + " comments with figures" +
            (checked->changed ? (options.write ? ", written" : ", out of date") : "") + "\n");
  }
  if (common.json) print_json({{"ridgepoint", 1}, {"pages", std::move(list)}});
  return differs ? static_cast<int>(ErrorCode::invalid) : 0;
}

Command setup_figures(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<FiguresOptions>();
  command.add_option("FILE", options->files, "pages of Markdown, e.g. README.md")->required();
  command.add_flag("--write", options->write, "write the figures instead of comparing them");
  return [options, &common] { return cmd_figures(common, *options); };
}

RIDGE_COMMAND(
    figures, .about = "check a page's figures against the recordings",
    .group = CommandGroup::contribute,
    .use =
        "Compares the figures that a page quotes with the recordings, and writes the right ones.",
    .examples = {{"figures README.md", "says which differ"},
                 {"figures README.md --write", "and corrects them"}},
    .place = 145, .level = Level::kBench, .schema = "", .setup = setup_figures);

}  // namespace
}  // namespace ridge::app
