#include "app/cli/lab_sources.h"

#include "app/query/terminal.h"

namespace ridge::app {
namespace {

using Sources = std::map<std::string, SourceText>;

void add_sources(const Run& run, const Lab& lab, Sources* sources) {
  for (const Rung& rung : lab.rungs) {
    if (const SourceText* source = run.source(rung.kernel))
      sources->try_emplace(rung.kernel, *source);
  }
}

Result<void> ask_worker(const CommonOptions& common, const Lab& lab, Sources* sources) {
  std::vector<KernelRequest> missing;
  for (const Rung& rung : lab.rungs) {
    if (!sources->contains(rung.kernel)) missing.push_back({rung.kernel, {}});
  }
  if (missing.empty()) return {};
  RIDGE_TRY(const auto driver, Driver::start(common, ""));
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  std::erase_if(missing,
                [&](const KernelRequest& one) { return !driver->run().kernel(one.kernel); });
  RIDGE_TRY_VOID(driver->fetch_sources(missing));
  add_sources(driver->run(), lab, sources);
  return {};
}

}  // namespace

Sources lab_sources(const CommonOptions& common, const Lab& lab, const Run* run,
                    const std::vector<Recording>& recordings) {
  Sources sources;
  if (run) add_sources(*run, lab, &sources);
  if (const auto asked = ask_worker(common, lab, &sources); !asked)
    complain("ridgepoint: some sources are missing: " + asked.error().sentence());
  for (const Recording& recording : recordings) add_sources(*recording.run, lab, &sources);
  return sources;
}

}  // namespace ridge::app
