// ridgepoint list: labs, rungs, and what this machine can run; --asm KERNEL: what the compiler made of a rung, its
// hot loop marked; --source KERNEL [--flat]: its file, with the kernel headers folded in; --actions: what the window can
// do.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/cli/driver.h"
#include "app/query/flat_source.h"
#include "app/query/next_steps.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/assembly.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/view/report/document.h"
#include "labs/lab.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {
namespace {

/// Why a rung cannot run here; empty: it can.
std::string reason_not_here(const Run& run, const std::string& kernel) {
  const KernelInfo* info = run.kernel(kernel);
  if (!info) return "this worker was built without it";
  return info->available ? "" : info->reason;
}

/// The reasons that several rungs of a lab share: said once, under the list.
class SharedReasons {
 public:
  SharedReasons(const Run& run, const Lab& lab) {
    std::map<std::string, std::vector<const Rung*>> all;
    for (const Rung& rung : lab.rungs) all[reason_not_here(run, rung.kernel)].push_back(&rung);
    for (auto& [reason, rungs] : all) {
      if (rungs.size() >= kShared && !reason.empty())
        reasons_.push_back({reason, std::move(rungs)});
    }
  }
  bool has(const std::string& reason) const { return number_of(reason) > 0; }
  /// "not here: needs an NVIDIA GPU", "not here (1)".
  std::string words(const std::string& reason) const {
    const size_t number = number_of(reason);
    return number > 0 ? fmt::format("not here ({})", number) : "not here: " + reason;
  }
  /// Below a list that names the rungs.
  std::string notes() const {
    std::string text;
    for (size_t i = 0; i < reasons_.size(); ++i)
      text +=
          fmt::format("  ({}) {}: {} rungs\n", i + 1, reasons_[i].text, reasons_[i].rungs.size());
    return text;
  }
  /// Below a list that leaves them out.
  std::string folded_notes(const Lab& lab) const {
    std::string text;
    for (const Reason& reason : reasons_) {
      const bool all_gpu =
          std::all_of(reason.rungs.begin(), reason.rungs.end(),
                      [](const Rung* rung) { return backend_of(rung->kernel) == Backend::cuda; });
      text += fmt::format("  {} {}rungs are not here: {}; 'ridgepoint list {} --all' names them\n",
                          reason.rungs.size(), all_gpu ? "GPU " : "", reason.text, lab.id);
    }
    return text;
  }

 private:
  static constexpr size_t kShared = 3;
  struct Reason {
    std::string text;
    std::vector<const Rung*> rungs;
  };
  /// From 1; 0: it is not shared.
  size_t number_of(const std::string& reason) const {
    for (size_t i = 0; i < reasons_.size(); ++i)
      if (reasons_[i].text == reason) return i + 1;
    return 0;
  }
  std::vector<Reason> reasons_;
};

std::string where_it_runs(const Run& run, const std::string& kernel, const SharedReasons& shared) {
  const std::string why = reason_not_here(run, kernel);
  const KernelInfo* info = run.kernel(kernel);
  if (!info || !info->available) return shared.words(why);
  if (info->library.empty()) return "runs here";
  return "runs here (" + info->library + (info->external ? ", in another process)" : ")");
}

std::string title_of(const Rung& rung) {
  return rung.title + std::string(rung.expert ? " (expert)" : "");
}

bool can_run(const Run& run, const std::string& kernel) {
  const KernelInfo* info = run.kernel(kernel);
  return info && info->available;
}

/// "18 of 46", libraries and experts' rungs among them: as many as `run` measures where it is asked for none by name.
std::string here_text(const Run& run, const Lab& lab) {
  const auto here = std::count_if(lab.rungs.begin(), lab.rungs.end(),
                                  [&](const Rung& rung) { return can_run(run, rung.kernel); });
  return fmt::format("{} of {}", here, lab.rungs.size());
}

/// A line a lab: how many of its rungs run here.
std::string labs_text(const Run& run, const std::vector<const Lab*>& asked) {
  std::vector<std::vector<std::string>> rows;
  for (const Lab* lab : asked)
    rows.push_back({std::string(lab->id) + ": " + lab->title, here_text(run, *lab)});
  return table({"lab", "rungs that run here"}, rows) +
         "'ridgepoint list LAB' names a lab's rungs, --all those of every lab\n";
}

/// A line for each rung; without `whole` those that cannot run here for one reason share a line.
std::string rungs_text(const Run& run, const Lab& lab, bool whole) {
  const SharedReasons shared(run, lab);
  std::vector<const Rung*> named;
  size_t kernel_width = 0, title_width = 0;
  for (const Rung& rung : lab.rungs) {
    if (!whole && shared.has(reason_not_here(run, rung.kernel))) continue;
    named.push_back(&rung);
    kernel_width = std::max(kernel_width, display_width(rung.kernel));
    title_width = std::max(title_width, display_width(title_of(rung)));
  }
  const auto padded = [](const std::string& cell, size_t width) {
    return cell + std::string(width - display_width(cell), ' ');
  };
  std::string text;
  for (const Rung* rung : named) {
    const std::string head =
        "  " + padded(rung->kernel, kernel_width) + "  " + padded(title_of(*rung), title_width);
    text += hanging(head + "  ", where_it_runs(run, rung->kernel, shared)) + "\n";
  }
  return text + (whole ? shared.notes() : shared.folded_notes(lab));
}

/// "1 to 16384, else as n", "hot, cold".
std::string values_text(const ParamSpec& spec) {
  if (spec.is_choice) return fmt::format("{}", fmt::join(spec.choices, ", "));
  return fmt::format("{} to {}", spec.min, spec.max);
}

std::string usual_text(const ParamSpec& spec) {
  return spec.same_as.empty() ? to_string(spec.fallback) : "as " + spec.same_as;
}

/// What --set takes, over all rungs of the lab: of two families with one name the wider range.
std::vector<ParamSpec> params_of(const Run& run, const Lab& lab) {
  std::vector<ParamSpec> all;
  for (const Rung& rung : lab.rungs) {
    const KernelInfo* info = run.kernel(rung.kernel);
    if (!info) continue;
    for (const ParamSpec& spec : info->params) {
      const auto known = std::find_if(all.begin(), all.end(),
                                      [&](const ParamSpec& one) { return one.name == spec.name; });
      if (known == all.end()) {
        all.push_back(spec);
        continue;
      }
      known->min = std::min(known->min, spec.min), known->max = std::max(known->max, spec.max);
      for (const std::string& choice : spec.choices) {
        auto& choices = known->choices;
        if (std::find(choices.begin(), choices.end(), choice) == choices.end())
          choices.push_back(choice);
      }
    }
  }
  return all;
}

std::string params_text(const Run& run, const Lab& lab) {
  std::vector<std::vector<std::string>> rows;
  for (const ParamSpec& spec : params_of(run, lab))
    rows.push_back({"  " + spec.name, values_text(spec), usual_text(spec), spec.help});
  if (rows.empty()) return "";
  return "\n" + table({"  --set NAME=", "values", "where it is not set", "what it is"}, rows) +
         "\n";
}

std::string list_text(const Run& run, const std::vector<const Lab*>& asked, bool whole) {
  std::string text;
  for (const Lab* lab : asked) {
    text +=
        fmt::format("{}  {}: {}\n", lab->id, lab->title, lab->goal) + rungs_text(run, *lab, whole);
    text += "  " + here_text(run, *lab) + " rungs run here\n";
    for (const std::string& line : ladder_ends(*lab, run)) text += "  " + line + "\n";
    if (asked.size() == 1) text += params_text(run, *lab);
    text += next_text(*lab);
  }
  return text;
}

Json list_json(const Run& run, const std::vector<const Lab*>& asked) {
  std::vector<ListedLab> labs;
  for (const Lab* lab : asked) {
    ListedLab& listed = labs.emplace_back(ListedLab{lab->id, lab->title, lab->goal, {}});
    for (const Rung& rung : lab->rungs) {
      listed.rungs.push_back({rung.kernel, rung.title, rung.change, rung.peer, rung.expert});
    }
  }
  return list_document(labs, run);
}

std::string text_of(const AssemblyText& assembly) {
  std::string text = fmt::format("{}, {}, {}\n{}\n\n", assembly.kernel, assembly.target,
                                 assembly.tool, loop_sentence(assembly));
  std::istringstream lines(assembly.text);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool hot = number >= assembly.loop_first && number <= assembly.loop_last;
    text += fmt::format("{}{:>5} {}\n", hot ? "|" : " ", number, line);
  }
  if (assembly.lines > number) text += fmt::format("({} of {} lines)\n", number, assembly.lines);
  return text;
}

int list_assembly(const CommonOptions& common, const std::string& kernel) {
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  const std::string id = full_id(kernel);
  if (auto done = (*driver)->fetch_assembly(id); !done) return fail(common, done.error());
  const AssemblyText* assembly = (*driver)->run().assembly(id);
  if (!assembly) {
    return fail(common,
                {ErrorCode::worker, "the worker sent no assembly", id, "update the worker"});
  }
  if (common.json)
    print_json({{"ridgepoint", 1}, {"assembly", Json(*assembly)}});
  else
    print_as_is(text_of(*assembly));
  return 0;
}

/// The rung's file; `flat`: with the headers it includes, asked for until none is missing.
Result<SourceText> fetch_text(Driver* driver, const std::string& kernel, bool flat) {
  RIDGE_TRY_VOID(driver->fetch_source(kernel));
  const SourceText* source = driver->run().source(kernel);
  if (!source)
    return Error{ErrorCode::worker, "the worker sent no source", kernel, "update the worker"};
  SourceText text = *source;
  if (!flat) return text;
  for (;;) {
    FlatSource folded = flat_source(driver->run(), *source);
    if (folded.missing.empty()) {
      text.text = std::move(folded.text);
      return text;
    }
    for (const std::string& path : folded.missing) {
      RIDGE_TRY_VOID(driver->fetch_source(path));
      if (!driver->run().source(path))
        return Error{ErrorCode::worker, "the worker sent no source", path, "update the worker"};
    }
  }
}

int list_source(const CommonOptions& common, const std::string& kernel, bool flat) {
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  const auto source = fetch_text(driver->get(), full_id(kernel), flat);
  if (!source) return fail(common, source.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"source", Json(*source)}});
  else
    print_as_is(source->text);
  return 0;
}

int list_actions(const CommonOptions& common) {
#ifdef RIDGE_HAS_WINDOW
  (void)common;
  print(window::actions_text());
  return 0;
#else
  return fail(common, {ErrorCode::unavailable, "this ridgepoint was built without its window",
                       "list --actions", "configure with -D RIDGE_WINDOW=ON"});
#endif
}

/// Of the lab that `id` names; empty: a line for each, with `whole` the rungs of all, each by its name.
int list_labs(const CommonOptions& common, const std::string& id, bool whole) {
  const auto all = all_labs();
  std::vector<const Lab*> asked(all.begin(), all.end());
  if (!id.empty()) {
    const auto lab = require_lab(id);
    if (!lab) return fail(common, lab.error());
    asked = {*lab};
  }
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  if (auto listed = (*driver)->fetch_catalogue(); !listed) return fail(common, listed.error());
  const Run& run = (*driver)->run();
  if (common.json) {
    print_json(list_json(run, asked));
  } else {
    print(whole || !id.empty() ? list_text(run, asked, whole) : labs_text(run, asked));
  }
  return 0;
}

struct ListOptions {
  std::string lab;        ///< empty: all
  std::string asm_of;     ///< a kernel: its assembly instead
  std::string source_of;  ///< a kernel: its file instead
  bool flat = false;      ///< its headers folded in
  bool actions = false;   ///< the window's instead
  bool all = false;       ///< the rungs of all labs, also those that cannot run here
};

int cmd_list(const CommonOptions& common, const ListOptions& options) {
  if (!options.asm_of.empty()) return list_assembly(common, options.asm_of);
  if (!options.source_of.empty()) return list_source(common, options.source_of, options.flat);
  return options.actions ? list_actions(common) : list_labs(common, options.lab, options.all);
}

Command setup_list(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ListOptions>();
  command.add_option("lab", options->lab, "one lab's rungs; default: a line for each lab");
  command.add_flag("--all", options->all,
                   "the rungs of all labs; of one lab also each that cannot run here");
  command.add_flag("--actions", options->actions, "the window's actions and keys instead");
  command.add_option("--asm", options->asm_of, "what the compiler made of this rung: KERNEL");
  CLI::Option* source =
      command.add_option("--source", options->source_of, "the file of this rung: KERNEL");
  command.add_flag("--flat", options->flat, "with the kernel headers that it includes folded in")
      ->needs(source);
  return [options, &common] { return cmd_list(common, *options); };
}

RIDGE_COMMAND(list, .about = "list the labs and rungs, and what can run here",
              .group = CommandGroup::start,
              .use =
                  "Shows what there is to measure: a line for each lab, or the rungs of one lab, "
                  "and why a rung cannot run on this machine.",
              .examples = {{"list", "the labs"},
                           {"list gemm", "the rungs of one lab, and its parameters"},
                           {"list --source gemm.cpu.loop_order", "the file of one rung"}},
              .place = 30, .level = Level::kLearn, .schema = "list", .setup = setup_list);

}  // namespace
}  // namespace ridge::app
