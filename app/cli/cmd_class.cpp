// ridgepoint class FOLDER --out page.html: a class's saved runs on one page.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/query/class_page.h"
#include "app/query/class_roll.h"
#include "app/query/terminal.h"
#include "common/core/files.h"

namespace ridge::app {
namespace {

struct ClassOptions {
  std::vector<std::string> paths;
  std::string out, csv;
};

Result<void> write_files(const CommonOptions& common, const ClassRoll& roll,
                         const ClassOptions& options) {
  const auto keep = [&](const std::string& path, const std::string& text) {
    return write_beside_older(common, path, [&] { return write_whole(path, text); });
  };
  if (!options.out.empty()) {
    if (!options.out.ends_with(".html"))
      return Error{ErrorCode::usage, "a class page is HTML", options.out,
                   "give it the ending .html"};
    RIDGE_TRY_VOID(keep(options.out, class_html(roll)));
    complain("wrote " + options.out);
  }
  if (options.csv.empty()) return {};
  RIDGE_TRY_VOID(keep(options.csv, class_csv(roll)));
  complain("wrote " + options.csv);
  return {};
}

int cmd_class(const CommonOptions& common, const ClassOptions& options) {
  const auto roll = read_class(options.paths);
  if (!roll) return fail(common, roll.error());
  if (roll->files == 0) {
    return fail(common, {ErrorCode::bad_input, "no run is in it", options.paths.front(),
                         "put each person's saved runs (*.jsonl) into a folder of it"});
  }
  if (const auto written = write_files(common, *roll, options); !written)
    return fail(common, written.error());
  if (common.json)
    print_json(class_json(*roll));
  else
    print(class_text(*roll));
  return 0;
}

Command setup_class(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ClassOptions>();
  command
      .add_option("FOLDER", options->paths,
                  "of saved runs, with a folder or a file for each person; or several of these")
      ->required();
  command.add_option("--out", options->out, "FILE.html: the page, for a browser, offline");
  command.add_option("--csv", options->csv, "FILE.csv: a line for each person, for a gradebook");
  return [options, &common] { return cmd_class(common, *options); };
}

RIDGE_COMMAND(
    class, .about = "a class's saved runs on one page: ladders, predictions, exercises",
    .group = CommandGroup::teach,
    .use =
        "Puts a class's saved runs on one page: each person's ladder, predictions and exercises.",
    .examples = {{"class handed_in", "a line for each person, here"},
                 {"class handed_in --out class.html --csv class.csv",
                  "a page for a browser, and a table for a gradebook"}},
    .place = 62, .level = Level::kLab, .schema = "", .setup = setup_class);

}  // namespace
}  // namespace ridge::app
