// The ceilings that a request's rungs are held to: measured once a session, sent when there is news.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/harness/measure/ceiling_rules.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/machine.h"
#include "common/record/params.h"
#include "worker/work.h"

namespace ridge::worker {

/// The ceilings that a request needs: of its devices, thread counts and types. A bare probe wants all.
std::map<Work::Place, std::set<Work::CeilingKey>> Work::ceilings_wanted(
    const WorkRequest& request, const std::vector<Asked>& asked) const {
  std::map<Place, std::set<CeilingKey>> wanted;
  const auto want = [&](Backend backend, int threads, const std::string& what) {
    const bool cpu = backend == Backend::cpu;
    auto& of = wanted[{backend, cpu ? 0 : request.device}];
    of.insert({cpu ? threads : 1, ""});
    of.insert({cpu ? threads : 1, what});
  };
  for (const Asked& one : asked) {
    if (!one.rung->cannot().empty()) continue;
    const int threads = static_cast<int>(param_int(one.params, "threads", 1));
    for (const std::string& what : one.rung->ceilings(one.params)) {
      want(one.rung->backend(), threads, what);
    }
  }
  if (request.type == RequestType::probe) {
    for (const measure::CeilingRow& row : measure::ceiling_rows()) {
      if (row.backend == Backend::cuda && machine_.gpus().empty()) continue;
      want(row.backend, 1, row.asked_by());
      want(row.backend, measure::read_cpu().cores, row.asked_by());
    }
  }
  return wanted;
}

Result<void> Work::measure_missing(measure::Device* where, const std::set<CeilingKey>& wanted,
                                   DeviceCeilings* ceilings, LineObserver* observer) {
  for (const CeilingKey& key : wanted) {
    if (ceilings->asked.count(key) > 0) continue;
    const auto& [threads, what] = key;
    RIDGE_TRY(const auto found,
              measure::measure_ceilings(&machine_.bench, where, threads, what, observer));
    ceilings->known.insert(ceilings->known.end(), found.begin(), found.end());
    ceilings->asked.insert(key);
    ceilings->has_news = true;
  }
  if (!ceilings->has_news) return {};
  return measure::settle_ceilings(&ceilings->known, [&](const Ceiling& known) {
    return measure::measure_again(&machine_.bench, where, known, observer);
  });
}

double Work::ceilings_left_s(const WorkRequest& request, const std::vector<Asked>& asked) {
  constexpr double kRow_s = 0.6;  // making its buffers, warming up, timing
  if (const char* setting = std::getenv("RIDGE_CEILINGS"); setting && std::string(setting) == "off")
    return 0;
  WorkRequest run = request;
  run.type = RequestType::run;  // a probe asks for all that there are
  int rows = 0;
  for (const auto& [place, wanted] : ceilings_wanted(run, asked)) {
    const auto known = ceilings_.find(place);
    for (const CeilingKey& key : wanted) {
      if (known != ceilings_.end() && known->second.asked.count(key) > 0) continue;
      for (const measure::CeilingRow& row : measure::ceiling_rows())
        rows += row.backend == place.first && row.asked_by() == key.second;
    }
  }
  return kRow_s * rows;
}

Result<void> Work::ceilings(const WorkRequest& request, const std::vector<Asked>& asked,
                            LineObserver* observer) {
  const bool send_known = request.type == RequestType::probe;
  // For tests and scripts that start many workers: without ceilings utilization is unavailable.
  const char* setting = std::getenv("RIDGE_CEILINGS");
  if (!send_known && setting != nullptr && std::string(setting) == "off") return {};
  Json list = Json::array();
  for (const auto& [place, wanted] : ceilings_wanted(request, asked)) {
    const auto where = machine_.device(place.first, request.device);
    if (!where) continue;  // its rungs will say why they cannot run
    DeviceCeilings& of = ceilings_[place];
    RIDGE_TRY_VOID(measure_missing(*where, wanted, &of, observer));
    if (!of.has_news && !send_known) continue;
    for (const Ceiling& ceiling : of.known) list.push_back(ceiling);
    of.has_news = false;
  }
  if (list.empty() && !send_known) return {};
  emitter_->emit("result", {{"request", request.id}, {"ceilings", list}});
  return {};
}

}  // namespace ridge::worker
