// ridgepoint machine: the environment and the ceilings measured here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/cli/driver.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/view/report/document.h"

namespace ridge::app {
namespace {

std::string gpu_text(const GpuInfo& gpu) {
  return fmt::format("GPU {}  {}, compute capability {}.{}, {} SMs, {} memory, driver {}\n",
                     gpu.index, gpu.name, gpu.capability / 10, gpu.capability % 10, gpu.sm_count,
                     format_bytes(static_cast<double>(gpu.memory_bytes)), gpu.driver);
}

std::string machine_text(const Environment& environment) {
  const CpuInfo& cpu = environment.cpu;
  std::string text = fmt::format("CPU    {}, {} cores, {}, {} memory\n", cpu.model, cpu.cores,
                                 cpu.isa, format_bytes(double(cpu.memory_bytes)));
  for (const GpuInfo& gpu : environment.gpus) text += gpu_text(gpu);
  if (environment.gpus.empty()) text += "GPU    none: " + environment.no_gpu_reason + "\n";
  text += "OS     " + environment.os + "\n";
  text += fmt::format("build  {} {}, {}, {}", environment.version, environment.commit,
                      environment.compiler, environment.build_type);
  if (!environment.cuda.empty()) text += ", CUDA " + environment.cuda;
  text += "\n";
  for (const auto& [name, version] : environment.libraries) {
    text += fmt::format("       {} {}\n", name, version);
  }
  if (!environment.power_source.empty()) text += "power  " + environment.power_source + "\n";
  text += environment.quiet.quiet ? "quiet  yes\n" : "quiet  no\n";
  for (const std::string& reason : environment.quiet.reasons) text += "       " + reason + "\n";
  return text;
}

/// Where its ceilings come from.
enum class Ask { anew, kept, none };

int cmd_machine(const CommonOptions& common, Ask ask) {
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  const auto asked = ask == Ask::none ? (*driver)->fetch_environment()
                                      : (*driver)->fetch_ceilings(0, ask == Ask::anew);
  if (!asked) return fail(common, asked.error());
  const Run& run = (*driver)->run();
  if (common.json) {
    print_json(machine_document(run));
    return 0;
  }
  if (run.environment()) print(machine_text(*run.environment()));
  if (ask != Ask::none) print("\n" + ceilings_text(run));
  return 0;
}

Command setup_machine(CLI::App& command, const CommonOptions& common) {
  const auto ask = std::make_shared<Ask>(Ask::anew);
  add_choice(&command, "--ceilings",
             "anew: measure them, default; kept: those of the last hour, only what is missing is "
             "measured; none: the machine alone, at once",
             {"anew", "kept", "none"}, [ask](const std::string& name) {
               *ask = name == "none" ? Ask::none : name == "kept" ? Ask::kept : Ask::anew;
             });
  return [ask, &common] { return cmd_machine(common, *ask); };
}

RIDGE_COMMAND(
    machine, .about = "show this machine and its measured ceilings", .group = CommandGroup::machine,
    .use =
        "Shows processor, memory, compiler and the ceilings: the best rates that the probes "
        "reached here.",
    .examples = {{"machine",
                  "measures the ceilings anew, a few seconds; runs of the next hour use them"},
                 {"machine --ceilings none --json", "what machine this is, without a measurement"}},
    .place = 130, .level = Level::kLab, .schema = "machine", .setup = setup_machine);

}  // namespace
}  // namespace ridge::app
