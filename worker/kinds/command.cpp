// A command of the user's: no entry of the catalogue, but made for one request, whose line holds its words. It is only
// ever a side of a comparison with other commands.
#include "common/record/command.h"
#include "common/harness/measure/compare_commands.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class CommandRung : public Rung {
 public:
  explicit CommandRung(KernelInfo info) : Rung(std::move(info)) {}

  Result<Series> measure(const Job& job) const override {
    return skipped_series(*this, job, "a command is only compared with another one");
  }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    const Job& first = jobs.front();
    std::vector<measure::CommandSide> commands;
    for (const KernelRequest& side : first.request.kernels)
      commands.push_back({side.kernel, side.command});
    return measure::compare_commands(commands, first.request.commands,
                                     compare_options_of(first.request), first.observer);
  }
};

}  // namespace

Result<std::unique_ptr<Rung>> command_rung(const KernelRequest& request) {
  const std::string_view name = command_name(request.kernel);
  if (name.empty() || one_line(name, name.size() + 1) != name) {
    return Error{ErrorCode::usage, "a command has no name, or one with control characters",
                 one_line(request.kernel, 80), "call it " + command_id("NAME")};
  }
  KernelInfo info;
  info.id = request.kernel;
  info.family = "command";
  info.kind = RungKind::command;
  info.backend = Backend::cpu;
  info.available = true;
  return std::unique_ptr<Rung>(std::make_unique<CommandRung>(std::move(info)));
}

}  // namespace ridge::worker
