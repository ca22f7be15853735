// ridgepoint list: labs, rungs, and what this machine can run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/cli/driver.h"
#include "app/query/ladder_end.h"
#include "app/query/terminal.h"
#include "common/view/report/document.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

std::string where_it_runs(const Run& run, const std::string& kernel) {
  const KernelInfo* info = run.kernel(kernel);
  if (!info) return "not here: this worker was built without it";
  if (!info->available) return "not here: " + info->reason;
  if (info->library.empty()) return "runs here";
  return "runs here (" + info->library + (info->external ? ", in another process)" : ")");
}

std::string title_of(const Rung& rung) {
  return rung.title + std::string(rung.expert ? " (expert)" : "");
}

std::string list_text(const Run& run) {
  std::string text;
  for (const Lab* lab : all_labs()) {
    text += fmt::format("{}  {}: {}\n", lab->id, lab->title, lab->goal);
    size_t kernel_width = 0, title_width = 0;
    for (const Rung& rung : lab->rungs) {
      kernel_width = std::max(kernel_width, display_width(rung.kernel));
      title_width = std::max(title_width, display_width(title_of(rung)));
    }
    const auto padded = [](const std::string& cell, size_t width) {
      return cell + std::string(width - display_width(cell), ' ');
    };
    for (const Rung& rung : lab->rungs) {
      text += "  " + padded(rung.kernel, kernel_width) + "  " +
              padded(title_of(rung), title_width) + "  " + where_it_runs(run, rung.kernel) + "\n";
    }
    for (const std::string& line : ladder_ends(*lab, run)) text += "  " + line + "\n";
  }
  return text;
}

Json list_json(const Run& run) {
  std::vector<ListedLab> labs;
  for (const Lab* lab : all_labs()) {
    ListedLab& listed = labs.emplace_back(ListedLab{lab->id, lab->title, lab->goal, {}});
    for (const Rung& rung : lab->rungs) {
      listed.rungs.push_back({rung.kernel, rung.title, rung.change, rung.peer, rung.expert});
    }
  }
  return list_document(labs, run);
}

}  // namespace

int cmd_list(const CommonOptions& common) {
  auto driver = Driver::start(common, "");
  if (!driver) return fail(common, driver.error());
  if (auto listed = (*driver)->fetch_catalogue(); !listed) return fail(common, listed.error());
  const Run& run = (*driver)->run();
  if (common.json) {
    print_json(list_json(run));
  } else {
    print(list_text(run));
  }
  return 0;
}

}  // namespace ridge::app
