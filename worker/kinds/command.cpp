// A command or a library of the user's: no entry of the catalogue, but made for one request, whose line holds its words.
// It is only ever a side of a comparison with others like it.
#include <unistd.h>

#include <filesystem>

#include "common/harness/measure/compare_commands.h"
#include "common/record/command.h"
#include "worker/edit/build.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

/// Where the library of a side is, compiled first where the side is a source; none: the side is a command.
Result<std::optional<measure::LibraryFile>> library_of(const KernelRequest& side,
                                                       const std::string& folder,
                                                       measure::Observer* observer) {
  const auto word = library_word(side.command);
  if (!word) return std::optional<measure::LibraryFile>();
  std::error_code unknown;
  const std::string path = std::filesystem::absolute(word->file, unknown).string();
  if (access(path.c_str(), R_OK) != 0) {
    return Error{ErrorCode::unavailable, "there is no file '" + one_line(word->file, 80) + "'",
                 std::string(command_name(side.kernel)),
                 "check its path, on the machine where the worker runs"};
  }
  if (!word->is_source) return std::optional(measure::LibraryFile{path, word->side, ""});
  const std::string name = std::filesystem::path(path).filename().string();
  observer->phase(0, {.phase = "prepare", .text = "compiling " + one_line(name, 80)});
  RIDGE_TRY(const BuiltLibrary built, compile_library(path, word->is_cuda, folder, [observer] {
              return observer->cancelled();
            }));
  return std::optional(measure::LibraryFile{built.path, word->side, built.how});
}

class CommandRung : public Rung {
 public:
  explicit CommandRung(KernelInfo info) : Rung(std::move(info)) {}

  Result<Series> measure(const Job& job) const override {
    return skipped_series(*this, job, "a command is only compared with another one");
  }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    const Job& first = jobs.front();
    const Scratch folder;  // of what is compiled, until the comparison is over
    std::vector<measure::CommandSide> commands;
    for (const KernelRequest& side : first.request.kernels) {
      commands.push_back({side.kernel, side.command});
      RIDGE_TRY(commands.back().library, library_of(side, folder.path(), first.observer));
      if (commands.back().library.has_value() != commands.front().library.has_value())
        return Error{ErrorCode::usage, "a library and a command cannot be compared", "kernels", ""};
    }
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
