// ridgepoint list --asm KERNEL: what the compiler made of a rung, its hot loop marked.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/driver.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/assembly.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

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

}  // namespace

int cmd_assembly(const CommonOptions& common, const std::string& kernel) {
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
    print(text_of(*assembly));
  return 0;
}

}  // namespace ridge::app
