// ridgepoint machine: the environment and the ceilings measured here.
#include <fmt/format.h>

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

int cmd_machine(const CommonOptions& common) {
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  if (auto probed = (*driver)->fetch_ceilings(0, true); !probed)
    return fail(common, probed.error());
  const Run& run = (*driver)->run();
  if (common.json) {
    print_json(machine_document(run));
    return 0;
  }
  if (run.environment()) print(machine_text(*run.environment()) + "\n");
  print(ceilings_text(run));
  return 0;
}

Command setup_machine(CLI::App&, const CommonOptions& common) {
  return [&common] { return cmd_machine(common); };
}

RIDGE_COMMAND(
    machine, .about = "show this machine and its measured ceilings", .group = CommandGroup::machine,
    .use =
        "Shows processor, memory, compiler and the ceilings: the best rates that the probes "
        "reached here.",
    .examples = {{"machine",
                  "measures the ceilings anew, a few seconds; runs of the next hour use them"}},
    .place = 130, .level = Level::kLab, .schema = "machine", .setup = setup_machine);

}  // namespace
}  // namespace ridge::app
