// ridgepoint edit KERNEL: a copy of a rung's file to change; --watch runs it whenever it is saved.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/driver.h"
#include "app/query/editing.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/error_map.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct EditOptions {
  std::string kernel, to;        ///< to: the copy; empty: in the learner's folder
  std::vector<std::string> set;  ///< watch; "n=1024"
  bool watch = false;            ///< run it at every save
};

Result<SourceText> source_of(Driver* driver, const std::string& kernel) {
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  RIDGE_TRY_VOID(driver->fetch_sources({{kernel, {}}}));
  const SourceText* source = driver->run().source(kernel);
  const KernelInfo* info = driver->run().kernel(kernel);
  if (source == nullptr || info == nullptr) {
    return no_such_rung(kernel, driver->run());
  }
  if (info->kind != RungKind::kernel || !info->library.empty()) {
    return Error{ErrorCode::unavailable,
                 info->library.empty()
                     ? "it is a " + info->kind.text() + ", and only kernels are edited"
                     : "its work is done by " + info->library,
                 kernel, "choose a kernel of ours"};
  }
  return *source;
}

double since_s(int64_t real_ns) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return 1e-9 * static_cast<double>(
                    std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - real_ns);
}

/// Whether the series of `request` has passed a check and has a sample: its first verified number.
bool has_number(const Run& run, int64_t request) {
  for (const Series& series : run.series()) {
    if (series.request == request && series.quality_passed() && !series.samples.empty())
      return true;
  }
  return false;
}

/// Compile, load, check, time: once. Prints what came of it. `saved_ns`: when it was saved, 0 for not now.
void turn(Driver* driver, const EditArgument& edit, int64_t saved_ns, const std::string& lab,
          const Params& given) {
  const auto build = build_file(driver, edit, given);
  if (!build) return complain(build.error().sentence());
  const auto kernel = select_edit(driver->run(), build->kernel, given);
  if (!kernel) return complain(kernel.error().sentence());
  WorkRequest request;
  request.type = RequestType::run;
  request.lab = lab;
  request.mode = RunMode::live;
  request.kernels = {*kernel};
  int64_t id = 0;
  std::optional<double> first_s;
  const auto done = driver->carry_out(request, &id, [&] {
    if (saved_ns > 0 && !first_s && has_number(driver->run(), id)) first_s = since_s(saved_ns);
  });
  if (!done) complain(done.error().sentence());
  for (const Series& series : driver->run().series()) {
    if (series.request != id) continue;
    const bool ok = series.status == SeriesStatus::ok && series.stats;
    print(ok ? fmt::format("verified: {} a call\n", format_time_ns(series.stats->median_ns))
             : fmt::format("{}: {}\n", to_string(series.status), series.reason));
    if (const ErrorMap* map = error_map_of(series)) print(error_map_text(*map) + "\n");
  }
  if (first_s) {
    print(fmt::format(
        "compiled {:.2f} s, loaded {:.2f} s, first verified number {:.2f} s after the save\n",
        build->compile_s, build->load_s, *first_s));
  }
}

Result<void> watch(Driver* driver, const EditArgument& edit, const std::string& lab,
                   const Params& given) {
  FileWatch file(edit.file);
  // What takes seconds the first time is not the learner's wait: a machine's ceilings, the text's headers
  // precompiled, compiler and driver read from the disk.
  RIDGE_TRY_VOID(driver->fetch_ceilings(0, false));
  turn(driver, edit, 0, lab, given);
  complain("watching " + edit.file + "; save it to see it run, Ctrl+C ends");
  while (interrupts() == 0) {
    if (file.changed()) turn(driver, edit, file.saved_ns(), lab, given);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

int cmd_edit(const CommonOptions& common, const EditOptions& options) {
  const auto [of_lab, kernel] = lab_and_rung(options.kernel);
  const std::string lab = of_lab != nullptr ? of_lab->id : "";
  const auto given = parse_params(options.set);
  if (!given) return fail(common, given.error());
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  const auto source = source_of(driver->get(), kernel);
  if (!source) return fail(common, source.error());
  const bool is_cuda = source->path.ends_with(".cu");
  const std::string path =
      options.to.empty() ? learner_file(learner_folder("edits"), kernel, is_cuda) : options.to;
  const auto made = make_copy(path, source->text);
  if (!made) return fail(common, made.error());
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"kernel", kernel}, {"file", path}, {"copied", *made}});
  } else {
    print_as_is(path + "\n");
    complain(*made ? fmt::format("a copy of {}; change it, then: ridgepoint run {} --edit '{}={}'",
                                 source->path, lab, kernel, path)
                   : "it was there already and is left as it is; delete it to begin afresh");
  }
  if (!options.watch) return 0;
  const auto watched = watch(driver->get(), {kernel, path}, lab, *given);
  return watched ? 0 : fail(common, watched.error());
}

Command setup_edit(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<EditOptions>();
  command.add_option("KERNEL", options->kernel, "the rung, e.g. gemm.cpu.loop_order")->required();
  command.add_option("--to", options->to, "where to; default: your folder of edits");
  command.add_flag("--watch", options->watch, "then build, check and time it at every save");
  one_at_a_time(command.add_option("--set", options->set, "a parameter: n=1024 (repeat)"));
  return [options, &common] { return cmd_edit(common, *options); };
}

RIDGE_COMMAND(edit, .about = "copy a rung's file, for you to change", .group = CommandGroup::learn,
              .use =
                  "Copies the file of a rung, so that you can change it, and tells how it compares "
                  "with the original after each save.",
              .examples = {{"edit gemm.cpu.loop_order", "copies it to your folder of edits"},
                           {"edit loop_order --watch --set n=256",
                            "then builds, checks and times it at every save"}},
              .place = 40, .level = Level::kLab, .schema = "", .setup = setup_edit);

}  // namespace
}  // namespace ridge::app
