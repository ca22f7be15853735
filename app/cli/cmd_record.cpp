// ridgepoint record LAB [POINT...]: a recording of one lab. With --contribute: every lab that this machine can run,
// or those named, each checked, in one file to send (docs/contributing_recordings.md).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/driver.h"
#include "app/cli/recorder.h"
#include "app/query/recording_check.h"
#include "app/query/recording_pack.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"
#include "common/core/files.h"
#include "common/core/work_folder.h"
#include "common/record/derive.h"

namespace ridge::app {
namespace {

struct RecordOptions {
  std::string lab;
  std::string processor;          ///< "gpu", "cpu"; empty: not said
  std::vector<std::string> labs;  ///< --contribute: these only; empty: all
  RecordPlan plan;
  bool dirty = false, contribute = false;
};

int record_one(const CommonOptions& common, const RecordOptions& options) {
  const auto lab = require_lab(options.lab);
  if (!lab) return fail(common, lab.error());
  if (options.plan.out.empty()) {
    return fail(common, {ErrorCode::usage, "the file for the recording is not named", "record",
                         "give --out LAB.MACHINE.jsonl"});
  }
  const auto allowed = may_record(build_info().commit, options.plan.out, options.dirty);
  if (!allowed) return fail(common, allowed.error());
  const auto recorded = record(**lab, options.plan, common);
  if (!recorded) return fail(common, recorded.error());
  const auto scrubbed = scrub_recording(options.plan.out);
  if (!scrubbed) return fail(common, scrubbed.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"recording", options.plan.out}});
  else
    print(*recorded);
  return 0;
}

// ---- --contribute ------------------------------------------------------------------------------

/// With --contribute labs and points may be several: a number, settings and "-" are points, other words are labs.
void sort_words(RecordOptions* options) {
  const auto is_point = [](const std::string& word) {
    return word == "-" || word.find('=') != std::string::npos ||
           word.find_first_not_of("0123456789") == std::string::npos;
  };
  std::vector<std::string> words = std::exchange(options->plan.points, {});
  if (!options->lab.empty()) words.insert(words.begin(), options->lab);
  for (std::string& word : words)
    (is_point(word) ? options->plan.points : options->labs).push_back(std::move(word));
}

/// What this machine is, and which labs it has a rung for.
struct Here {
  std::string machine;  ///< as a file's name has it
  Backend backend = Backend::cpu;
  std::vector<const Lab*> labs{};
};

Result<Here> look_here(const CommonOptions& common, const RecordOptions& options) {
  RIDGE_TRY(const auto driver, Driver::start(common, ""));
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  RIDGE_TRY_VOID(driver->fetch_environment());
  const Run& run = driver->run();
  if (!run.environment())
    return Error{ErrorCode::worker, "the worker does not say what machine this is", "",
                 "update the worker"};
  Here here{.machine = machine_word(run.environment()->machine())};
  const bool has_gpu = !run.environment()->gpus.empty();
  if (options.processor == "gpu" && !has_gpu) {
    return Error{ErrorCode::unavailable, "this machine has no NVIDIA GPU", "--processor gpu",
                 "leave it out to record the CPU"};
  }
  if (options.processor == "cpu" && has_gpu) {
    return Error{ErrorCode::usage, "the worker sees a GPU, whose name the recording would have",
                 "--processor cpu", "begin the worker's command with CUDA_VISIBLE_DEVICES="};
  }
  if (has_gpu) here.backend = Backend::cuda;
  for (const Lab* lab : all_labs()) {
    const bool wanted =
        options.labs.empty() || std::count(options.labs.begin(), options.labs.end(), lab->id) > 0;
    const bool runs = std::any_of(lab->rungs.begin(), lab->rungs.end(), [&](const Rung& rung) {
      const KernelInfo* info = run.kernel(rung.kernel);
      return backend_of(rung.kernel) == here.backend && info && info->available;
    });
    if (wanted && runs) here.labs.push_back(lab);
  }
  return here;
}

/// One lab's recording, scrubbed and checked; the reason where there is none.
Result<PackedFile> contribute_lab(const CommonOptions& common, const RecordOptions& options,
                                  const Here& here, const Lab& lab, const std::string& folder) {
  RecordPlan plan = options.plan;
  plan.backend = here.backend;
  if (plan.points.empty() && plan.sustained.empty()) plan.points = {"-"};
  const std::string name = std::string(lab.id) + "." + here.machine + ".jsonl";
  plan.out = folder + "/" + name;
  RIDGE_TRY(const std::string table, record(lab, plan, common));
  RIDGE_TRY_VOID(scrub_recording(plan.out));
  RIDGE_TRY_VOID(check_recording(plan.out, {.dirty_too = options.dirty}));
  RIDGE_TRY(std::string text, read_whole(plan.out));
  if (!common.json) print(table + "\n");
  return PackedFile{name, std::move(text)};
}

int contribute(const CommonOptions& common, const RecordOptions& options) {
  const auto allowed = may_contribute(build_info().commit, options.dirty);
  if (!allowed) return fail(common, allowed.error());
  for (const std::string& lab : options.labs) {
    if (const auto known = require_lab(lab); !known) return fail(common, known.error());
  }
  // A recording is named after the GPU that its worker sees.
  if (options.processor == "cpu") setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const auto here = look_here(common, options);
  if (!here) return fail(common, here.error());
  const auto folder = WorkFolder::make();
  if (!folder) return fail(common, folder.error());
  std::vector<PackedFile> files;
  Json left_out = Json::object();
  const auto leave_out = [&](const std::string& lab, const std::string& why) {
    left_out[lab] = why;
    complain("left out: " + lab + ": " + why);
  };
  for (const std::string& lab : options.labs) {
    const bool runs = std::any_of(here->labs.begin(), here->labs.end(),
                                  [&](const Lab* one) { return one->id == lab; });
    if (!runs) leave_out(lab, "it has no rung for this machine");
  }
  for (const Lab* lab : here->labs) {
    complain(
        fmt::format("lab {} on {}, {:g} s at most", lab->id, here->machine, options.plan.budget_s));
    auto file = contribute_lab(common, options, *here, *lab, folder->path());
    if (file) {
      files.push_back(*std::move(file));
      continue;
    }
    if (file.error().code == ErrorCode::cancelled) return fail(common, file.error());
    leave_out(lab->id, file.error().sentence());
  }
  if (files.empty()) {
    return fail(common, {ErrorCode::unavailable, "no lab could be recorded here", here->machine,
                         "see the reasons above"});
  }
  const std::string out = !options.plan.out.empty()
                              ? options.plan.out
                              : fmt::format("ridgepoint-{}-{:%Y-%m-%d}.tar.gz", here->machine,
                                            fmt::gmtime(std::time(nullptr)));
  if (const auto written = write_pack(out, files); !written) return fail(common, written.error());
  if (common.json) {
    Json names = Json::array();
    for (const PackedFile& file : files) names.push_back(file.name);
    print_json({{"ridgepoint", 1}, {"pack", out}, {"recordings", names}, {"left_out", left_out}});
  } else {
    print(fmt::format("wrote {}: {} recordings of {}\nto see them here, unpack it into {}\n", out,
                      files.size(), here->machine, data_folder("recorded")));
  }
  return 0;
}

int cmd_record(const CommonOptions& common, RecordOptions options) {
  if (options.contribute) {
    sort_words(&options);
    return contribute(common, options);
  }
  if (options.lab.empty())
    return fail(common,
                {ErrorCode::usage, "it needs LAB (the lab, e.g. gemm)", "record",
                 "'ridgepoint list' shows them, 'ridgepoint record --help' has an example"});
  options.plan.backend = options.processor == "cpu" ? Backend::cpu : Backend::cuda;
  if (options.plan.points.empty() && options.plan.sustained.empty()) options.plan.points = {"-"};
  return record_one(common, options);
}

Command setup_record(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<RecordOptions>();
  RecordPlan& plan = options->plan;
  command.add_option("LAB", options->lab, "the lab, e.g. gemm; with --contribute several");
  command.add_option("POINT", plan.points,
                     "a size (4096), settings (m=1000,n=777), the parts of a network "
                     "(workload=resnet50,n=64), or - for the lab's defaults");
  command.add_option("--out", plan.out, "LAB.MACHINE.jsonl, or LAB.MACHINE.NAME.jsonl");
  command.add_option("--seconds", plan.budget_s,
                     "nothing is begun after that; default 260, for each lab");
  command.add_option(
      "--longest", plan.longest_s,
      "seconds: a rung whose call takes longer is left out, default 0.6; a training has a "
      "hundred times that");
  add_choice(&command, "--processor",
             "whose rungs: gpu (default; with --contribute cpu where there is no GPU) or cpu",
             {"gpu", "cpu"}, [options](const std::string& name) { options->processor = name; });
  one_at_a_time(command.add_option("--dtypes", plan.dtypes, "a,b; default: each rung's own"))
      ->delimiter(',');
  one_at_a_time(command.add_option("--rungs", plan.rungs, "a,b: rungs whose ids hold one of these"))
      ->delimiter(',');
  one_at_a_time(
      command.add_option("--energy", plan.energy,
                         "a POINT where energy, telemetry and counters are recorded too (repeat)"));
  one_at_a_time(
      command.add_option("--sustained", plan.sustained,
                         "a POINT whose last rung meets the libraries in turns alone; one that is "
                         "not among POINT holds these turns and nothing else (repeat)"));
  command.add_flag(
      "--lanes", plan.lanes,
      "after the figures of each POINT what the warps of each rung with a stamped copy do there");
  command.add_flag("--dirty", options->dirty,
                   "from a build of changed files; the recording names its commit so");
  command.add_flag(
      "--contribute", options->contribute,
      "the labs named, or every lab that this machine can run, in one checked file to send");
  return [options, &common] { return cmd_record(common, *options); };
}

RIDGE_COMMAND(
    record, .about = "record a lab, to be shown where it cannot run",
    .group = CommandGroup::contribute,
    .use = "Records a lab on this machine, so that machines that cannot run it can show it.",
    .examples = {{"record gemm 512 --processor cpu --out gemm.my_machine.jsonl",
                  "one size of one lab"},
                 {"record gemm --contribute", "what the project lacks, as a file to send"}},
    .place = 135, .level = Level::kBench, .schema = "", .setup = setup_record);

}  // namespace
}  // namespace ridge::app
