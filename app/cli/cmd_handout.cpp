// ridgepoint handout LAB [RUN.jsonl] --out FILE.html: one page for a reader who cannot install the program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/lab_sources.h"
#include "app/query/diff.h"
#include "app/query/figures.h"
#include "app/query/reporting.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "app/study/assets.h"
#include "app/study/handout.h"
#include "common/core/files.h"

namespace ridge::app {
namespace {

struct HandoutOptions {
  std::string lab, run, out;
  bool without_answers = false;
};

Result<void> write_page(const std::string& path, [[maybe_unused]] const study::Handout& handout) {
  if (!path.ends_with(".html"))
    return Error{ErrorCode::usage, "a handout is a page", path, "give it the ending .html"};
#ifdef RIDGE_HAS_MARKDOWN
  return write_whole(path, study::to_html(handout));
#else
  return Error{ErrorCode::unavailable, "this ridgepoint was built without Markdown", path,
               "install libmd4c-dev and build it again"};
#endif
}

/// Whether a line of code says nothing of how a rung computes.
bool is_frame(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.empty() || line.starts_with("//") || line.starts_with("#include") ||
         line.starts_with("namespace") || line.starts_with("using namespace") ||
         line.starts_with("}  // namespace");
}

/// The most telling lines of a change, as the window shows them in little room, without what every file of code has.
std::string change_text(const std::vector<DiffLine>& lines) {
  constexpr size_t kMost = 10;
  std::vector<DiffLine> code = without_registration(lines);
  std::erase_if(code, [](const DiffLine& line) { return is_frame(line.text); });
  code = fold_equal(code, 0);
  std::string text;
  for (const DiffLine& line : key_lines(code, kMost)) {
    const bool is_cut = line.old_number == 0 && line.new_number == 0;
    const char* sign = is_cut                                 ? "⋯"
                       : line.kind == DiffLine::Kind::added   ? "+ "
                       : line.kind == DiffLine::Kind::removed ? "- "
                                                              : "  ";
    text += sign + std::string(line.text) + "\n";
  }
  return text + (code.size() > kMost ? "⋯ all of it in the HTML page\n" : "");
}

/// What each step changes in the code; of a run the steps that it measured. A first rung is all new.
std::map<std::string, std::string> changes_of(const study::Handout& handout, const Run* run) {
  std::map<std::string, std::string> changes;
  for (const Rung& rung : handout.lab->rungs) {
    const auto after = handout.sources.find(rung.kernel);
    if (rung.peer || after == handout.sources.end() || (run && !run->latest(rung.kernel))) continue;
    const Rung* previous = previous_rung(*handout.lab, rung);
    const auto before = handout.sources.find(previous ? previous->kernel : "");
    if (previous && before == handout.sources.end()) continue;
    changes[rung.kernel] =
        change_text(diff_code(previous ? before->second.text : "", after->second.text));
  }
  return changes;
}

Result<void> make_handout(const CommonOptions& common, const HandoutOptions& options) {
  study::Handout handout;
  handout.with_answers = !options.without_answers;
  RIDGE_TRY(handout.lab, require_lab(options.lab));
  RIDGE_TRY(handout.lesson, study::read_asset(handout.lab->lesson));
  std::optional<Run> run;
  if (!options.run.empty()) {
    RIDGE_TRY(run, load_saved(options.run));
    const report::Input input{&*run, options.run};
    RIDGE_TRY(handout.report,
              report::build_report({&input, 1}, report_options(*handout.lab, *run)));
  }
  const auto recordings = load_all_recordings(nullptr);
  handout.sources = lab_sources(common, *handout.lab, run ? &*run : nullptr, recordings);
  for (const Rung& rung : handout.lab->rungs)
    handout.own_types[rung.kernel] = own_type(run ? &*run : nullptr, recordings, rung.kernel);
  handout.changes = changes_of(handout, run ? &*run : nullptr);
  const figure::Sources sources = figure_sources(run ? &*run : nullptr, true, recordings);
  RIDGE_TRY(const figure::Text lesson,
            figure::expand(handout.lesson, sources, handout.lab->lesson));
  figure::Footnotes notes;
  handout.lesson = notes.print(lesson);
  handout.notes = notes.lines();
  handout.marks = notes.machines();
  handout.machines = figure::machine_table(handout.marks, handout.lab->id, sources.recordings);
  return write_beside_older(common, options.out, [&] { return write_page(options.out, handout); });
}

int cmd_handout(const CommonOptions& common, const HandoutOptions& options) {
  if (const auto made = make_handout(common, options); !made) return fail(common, made.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"handout", options.out}});
  else
    complain("wrote " + options.out);
  return 0;
}

Command setup_handout(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<HandoutOptions>();
  command.add_option("LAB", options->lab, "the lab, e.g. gemm")->required();
  command.add_option("RUN", options->run, "RUN.jsonl, for its charts and sources");
  command.add_option("--out", options->out, "FILE.html")->required();
  command.add_flag("--without-answers", options->without_answers,
                   "a copy for students: no answers, no \"what happened\", no charts of the run");
  return [options, &common] { return cmd_handout(common, *options); };
}

RIDGE_COMMAND(
    handout, .about = "write one offline page: lesson, sources, charts, answers folded away",
    .group = CommandGroup::teach,
    .use =
        "One HTML page for students without the program: the lab's lesson, its sources "
        "and, of a saved run, the charts. It needs no network. Printed, the answers have pages of "
        "their own at the end.",
    .examples = {{"handout gemm --out gemm.html", "the lesson and the sources"},
                 {"handout gemm run.jsonl --out gemm.html", "with the charts of a saved run"},
                 {"handout gemm --without-answers --out students.html",
                  "the copy to hand out first"}},
    .place = 20, .level = Level::kLab, .schema = "", .setup = setup_handout);

}  // namespace
}  // namespace ridge::app
