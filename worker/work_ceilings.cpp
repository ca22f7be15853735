// The ceilings that a request's rungs are held to: measured once a session, sent when there is news.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/measure/ceilings.h"
#include "common/measure/machine.h"
#include "common/record/params.h"
#include "worker/work.h"

namespace ridge::worker {

/// The ceilings that a request needs: of its devices, thread counts and types. A bare probe wants all.
std::set<Work::CeilingKey> Work::ceilings_wanted(const WorkRequest& request,
                                                 const std::vector<Asked>& asked) const {
  std::set<CeilingKey> wanted;
  const auto want = [&](Backend backend, int number, const std::string& what) {
    wanted.insert({backend, number, ""});
    wanted.insert({backend, number, what});
  };
  for (const Asked& one : asked) {
    // Traps are held to no ceiling, pipelines to their own stages.
    if (!one.cannot.empty() || one.trap != nullptr || one.pipeline != nullptr) continue;
    const bool cpu = one.backend() == Backend::cpu;
    const int number = cpu ? static_cast<int>(param_int(one.params, "threads", 1)) : request.device;
    const FamilyDesc* family = find_family(one.kernel != nullptr ? family_of(one.kernel->id)
                                           : one.edit != nullptr ? one.edit->info.family
                                                                 : "");
    if (family != nullptr && family->works != nullptr) want(one.backend(), number, family->works);
    want(one.backend(), number,
         one.kernel != nullptr ? measure::dtype_of(*one.kernel, one.params)
         : one.edit != nullptr && !one.edit->info.dtypes.empty()
             ? param_text(one.params, "dtype", one.edit->info.dtypes.front())
             : param_text(one.params, "dtype", "fp32"));
  }
  if (request.type == "probe") {
    for (const measure::CeilingRow& row : measure::ceiling_rows()) {
      if (row.backend == Backend::cpu) {
        want(Backend::cpu, 1, row.asked_by());
        want(Backend::cpu, measure::read_cpu().cores, row.asked_by());
      } else if (!gpus_.empty()) {
        want(Backend::cuda, request.device, row.asked_by());
      }
    }
  }
  return wanted;
}

Result<void> Work::ceilings(const WorkRequest& request, const std::vector<Asked>& asked,
                            LineObserver* observer) {
  const bool send_known = request.type == "probe";
  // For tests and scripts that start many workers: without ceilings utilization is unavailable.
  const char* setting = std::getenv("RIDGE_CEILINGS");
  if (!send_known && setting != nullptr && std::string(setting) == "off") return {};
  const std::set<CeilingKey> wanted = ceilings_wanted(request, asked);
  bool news = false;
  for (const CeilingKey& key : wanted) {
    if (ceilings_.count(key) > 0) continue;
    const auto& [backend, number, what] = key;
    const auto where = device(backend, request.device);
    if (!where) continue;  // its rungs will say why they cannot run
    const int threads = backend == Backend::cpu ? number : 1;
    RIDGE_TRY(ceilings_[key], measure::measure_ceilings(&bench_, *where, threads, what, observer));
    news = true;
  }
  if (!news && !send_known) return {};
  Json list = Json::array();
  for (const CeilingKey& key : wanted) {
    for (const Ceiling& ceiling : ceilings_[key]) list.push_back(ceiling);
  }
  emitter_->emit("result", {{"request", request.id}, {"ceilings", list}});
  return {};
}

}  // namespace ridge::worker
