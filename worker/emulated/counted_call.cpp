#include "worker/emulated/counted_call.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "common/core/files.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/tool.h"
#include "common/record/derive.h"
#include "common/record/door.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "worker/edit/loading.h"
#include "worker/edit/sandbox.h"
#include "worker/edit/scratch.h"
#include "worker/emulated/emulated_rung.h"
#include "worker/emulated/emulator.h"
#include "worker/emulated/line_counts.h"

namespace ridge::worker {
namespace {

using emulated::LaunchCounts;
using emulated::Site;

constexpr double kCountedWork =
    2.0 * 128 * 128 * 128;                      // operations that are counted in a second or two
constexpr const char* kAnswer = "counts.json";  // what it came to, in the folder of the process
constexpr size_t kMostFaultsSaid = 50;
constexpr size_t kMostLineText = 60'000;  ///< of a protocol's line of 64 KiB

// ---- from process to process: places as offsets in the object ----------------------------------------------------------

int64_t offset_of(Site site, uintptr_t base) {
  return site == nullptr ? 0 : static_cast<int64_t>(reinterpret_cast<uintptr_t>(site) - base);
}

Site site_at(const Json& offset) {
  const auto at = offset.is_number_integer() ? offset.get<int64_t>() : 0;
  return reinterpret_cast<Site>(static_cast<uintptr_t>(std::max<int64_t>(at, 0)));
}

Json raw_json(const LaunchCounts& launch, uintptr_t base) {
  Json sites = Json::array(), visits = Json::array(), branches = Json::array(),
       warp_flop = Json::array(), faults = Json::array();
  for (const auto& [site, counts] : launch.sites)
    sites.push_back({offset_of(site, base), Json(counts)});
  for (const auto& [site, count] : launch.visits) visits.push_back({offset_of(site, base), count});
  for (const auto& [site, flop] : launch.warp_flop)
    warp_flop.push_back({offset_of(site, base), flop});
  for (const auto& [site, ways] : launch.branches) {
    if (ways.is_two_way) branches.push_back({offset_of(site, base), ways.warps, ways.splits});
  }
  for (const emulated::Fault& fault : launch.faults)
    faults.push_back({{"kind", fault.kind},
                      {"at", offset_of(fault.at, base)},
                      {"other", offset_of(fault.other, base)},
                      {"detail", fault.detail}});
  Json steps = Json::array();
  for (const emulated::WarpStep& step : launch.steps)
    steps.push_back({offset_of(step.site, base), Json(step.request)});
  return {{"blocks", launch.blocks},
          {"threads", launch.threads},
          {"static", launch.static_shared_bytes},
          {"dynamic", launch.dynamic_shared_bytes},
          {"sites", sites},
          {"visits", visits},
          {"warp_flop", warp_flop},
          {"branches", branches},
          {"faults", faults},
          {"steps", steps},
          {"steps_made", launch.steps_made}};
}

/// The rung's code is in the process that wrote it: what is no launch is taken for none.
LaunchCounts launch_of(const Json& raw) {
  LaunchCounts launch;
  launch.blocks = whole_field(raw, "blocks");
  launch.threads = whole_field(raw, "threads");
  launch.static_shared_bytes = whole_field(raw, "static");
  launch.dynamic_shared_bytes = whole_field(raw, "dynamic");
  const auto is_pair = [](const Json& one) { return one.is_array() && one.size() == 2; };
  if (const Json* sites = list_field(raw, "sites")) {
    for (const Json& one : *sites) {
      if (is_pair(one)) from_json(one[1], launch.sites[site_at(one[0])]);
    }
  }
  if (const Json* visits = list_field(raw, "visits")) {
    for (const Json& one : *visits) {
      if (is_pair(one) && one[1].is_number_integer())
        launch.visits[site_at(one[0])] = one[1].get<int64_t>();
    }
  }
  if (const Json* warp_flop = list_field(raw, "warp_flop")) {
    for (const Json& one : *warp_flop) {
      if (is_pair(one) && one[1].is_number_integer())
        launch.warp_flop[site_at(one[0])] = one[1].get<int64_t>();
    }
  }
  if (const Json* branches = list_field(raw, "branches")) {
    for (const Json& one : *branches) {
      if (one.is_array() && one.size() == 3 && one[1].is_number_integer() &&
          one[2].is_number_integer())
        launch.branches[site_at(one[0])] = {.warps = one[1].get<int64_t>(),
                                            .splits = one[2].get<int64_t>(),
                                            .next = nullptr,
                                            .is_two_way = true};
    }
  }
  if (const Json* faults = list_field(raw, "faults")) {
    for (const Json& one : *faults) {
      const auto kind = value_named<FaultKind>(text_field(one, "kind"));
      if (!kind || !one.contains("at") || !one.contains("other")) continue;
      launch.faults.push_back(
          {*kind, site_at(one["at"]), site_at(one["other"]), text_field(one, "detail")});
    }
  }
  launch.steps_made = whole_field(raw, "steps_made");
  if (const Json* steps = list_field(raw, "steps")) {
    for (const Json& one : *steps) {
      if (!is_pair(one) || launch.steps.size() >= kMostWarpRequests) continue;
      WarpRequest request;
      from_json(one[1], request);
      if (is_usable(request)) launch.steps.push_back({site_at(one[0]), std::move(request)});
    }
  }
  return launch;
}

// ---- the worker's side -------------------------------------------------------------------------------------------------

/// How long the process may compute without a block more: a block of a thousand threads at the limit of their steps.
double patience_s() {
  const char* text = std::getenv("RIDGE_EDIT_PATIENCE_S");
  const double value = text == nullptr ? 0 : std::atof(text);
  return value > 0 ? value : 60;
}

constexpr double kIdlePatience = 4;

Error ended(const std::string& kernel, std::string why) {
  return {ErrorCode::invalid, "it is not counted: " + std::move(why), kernel, ""};
}

/// Until the process says that it is done. Errors: invalid; cancelled.
Result<void> await(measure::Child* child, const std::string& kernel, measure::Observer* observer) {
  double heard_s = measure::now_s(), heard_cpu_ns = child->cpu_ns();
  for (;;) {
    if (observer->cancelled()) {
      child->give_up("cancelled");
      return measure::cancelled_error();
    }
    const double silent_s = measure::now_s() - heard_s;
    if (1e-9 * (child->cpu_ns() - heard_cpu_ns) > patience_s() ||
        silent_s > kIdlePatience * patience_s()) {
      child->give_up("it gave no sign");
      return ended(kernel, "it gave no sign for " + std::to_string(std::lround(silent_s)) +
                               " s and was stopped: an endless loop?");
    }
    if (!child->speaks_within(0.1)) continue;
    const auto line = child->receive();
    if (!line) return ended(kernel, line.error().what);
    const auto json = parse_json(*line, "the counted rung's process");
    if (!json || !json->is_object()) continue;  // its own doing
    if (const Json* object = object_field(*json, "error")) {
      Error error;
      from_json(*object, error);
      return error;
    }
    if (json->contains("done")) return {};
    if (const auto share = number_field(*json, "progress"))
      observer->phase(0, {.phase = "check",
                          .text = "counting",
                          .open = "",
                          .progress = std::clamp(*share, 0.0, 1.0)});
    heard_s = measure::now_s();
    heard_cpu_ns = child->cpu_ns();
  }
}

/// Lines and faults of all launches, with their places looked up.
Result<void> put_together(const std::vector<LaunchCounts>& launches, const emulated::Object& object,
                          KernelCounts* counts) {
  LaunchCounts all;
  std::set<Site> places;
  for (const LaunchCounts& launch : launches) {
    counts->launches.push_back(
        {launch.blocks, launch.threads, launch.static_shared_bytes, launch.dynamic_shared_bytes});
    for (const auto& [site, one] : launch.sites) all.sites[site].add(one);
    for (const auto& [site, visits] : launch.visits) all.visits[site] += visits;
    for (const auto& [site, flop] : launch.warp_flop) all.warp_flop[site] += flop;
    for (const auto& [site, ways] : launch.branches) all.branches[site].add(ways);
    for (const emulated::Fault& fault : launch.faults) {
      if (all.faults.size() >= kMostFaultsSaid) break;
      all.faults.push_back(fault);
      for (const Site place : {fault.at, fault.other})
        if (place != nullptr) places.insert(place);
    }
  }
  const auto logged = std::find_if(launches.begin(), launches.end(),
                                   [](const LaunchCounts& one) { return !one.steps.empty(); });
  if (logged != launches.end())
    for (const emulated::WarpStep& step : logged->steps) places.insert(step.site);
  RIDGE_TRY(const auto lines, emulated::line_counts_of(object, all));
  for (const auto& [line, one] : lines) {
    if (one.flop > 0 || one.counts != SiteCounts{}) counts->lines.push_back(one);
  }
  RIDGE_TRY(const auto where, emulated::lines_of(object, places));
  const auto line_of = [&](Site place) {
    const auto found = where.find(place);
    return found == where.end() ? 0 : found->second.own.line;
  };
  for (const emulated::Fault& fault : all.faults)
    counts->faults.push_back({fault.kind, line_of(fault.at), line_of(fault.other), fault.detail});
  if (logged == launches.end()) return {};
  counts->steps.made = std::max(logged->steps_made, std::ssize(logged->steps));
  for (const emulated::WarpStep& step : logged->steps) {
    WarpRequest& request = counts->steps.requests.emplace_back(step.request);
    request.line = line_of(step.site);
  }
  return {};
}

/// Of the warp's requests those for which the counts leave room in a line of the protocol.
void add_steps(const WarpSteps& steps, KernelCounts* counts) {
  constexpr size_t kAround = 40;  // "steps":{"made":123,"requests":[]}
  const size_t taken = dump_json(Json(*counts)).size() + kAround;
  size_t left = kMostLineText - std::min(taken, kMostLineText);
  counts->steps.made = steps.made;
  for (const WarpRequest& request : steps.requests) {
    const size_t bytes = dump_json(Json(request)).size() + 1;
    if (bytes > left) break;
    left -= bytes;
    counts->steps.requests.push_back(request);
  }
}

/// What does not fit a line of the protocol is counted at line 0, from the quietest line on.
void fit_to_line(KernelCounts* counts) {
  const WarpSteps steps = std::exchange(counts->steps, {});
  while (counts->lines.size() > 1 && dump_json(Json(*counts)).size() > kMostLineText) {
    const auto quietest = std::min_element(counts->lines.begin(), counts->lines.end(),
                                           [](const LineCounts& one, const LineCounts& other) {
                                             const auto work = [](const LineCounts& line) {
                                               return line.line == 0
                                                          ? INT64_MAX
                                                          : line.flop + line.counts.global().lanes +
                                                                line.counts.shared().lanes;
                                             };
                                             return work(one) < work(other);
                                           });
    const LineCounts moved = *quietest;
    counts->lines.erase(quietest);
    if (counts->lines.front().line != 0) counts->lines.insert(counts->lines.begin(), LineCounts{});
    counts->lines.front().add(moved);
  }
  add_steps(steps, counts);
}

/// Of the family's awkward problems those that are run through thread by thread in a fraction of a second, all together.
Result<Json> awkward_questions(const std::string& kernel, const Params& params) {
  Json all = Json::array();
  const FamilyDesc* family = find_family(family_of(kernel));
  if (family == nullptr) return all;
  RIDGE_TRY(const auto problems, measure::awkward_problems(*family, params));
  double left = kCountedWork / 8;
  for (const Params& one : problems) {
    RIDGE_TRY(const auto problem, family->make_problem(one));
    left -= std::max(problem->flop(), problem->bytes_min());
    if (left > 0) all.push_back(params_to_json(one));
  }
  return all;
}

std::vector<std::string> program_of(const std::string& folder) {
  return {"/bin/sh", "-c", "exec \"$0\" \"$@\" >&3", measure::own_program(), "--counted", folder};
}

}  // namespace

Result<Params> countable(const FamilyDesc& family, const Params& params) {
  if (family.shrink == nullptr) return params;
  RIDGE_TRY(const auto problem, family.make_problem(params));
  const double work = std::max(problem->flop(), problem->bytes_min());
  return work > kCountedWork ? family.shrink(params, kCountedWork / work) : params;
}

Result<KernelCounts> counted_call(const std::string& kernel, const std::string& text,
                                  const Params& params, measure::Observer* observer) {
  const KernelSource* source = find_source(std::string(original_of(kernel)));
  if (backend_of(kernel) != Backend::cuda || (text.empty() && source == nullptr))
    return Error{ErrorCode::usage, "only a CUDA rung of ours is counted", kernel,
                 "name one whose id has .cuda."};
  const Scratch scratch;
  // It starts while the compiler works.
  measure::Child child("the counted rung", program_of(scratch.path()), {}, false);
  observer->phase(0, {.phase = "prepare", .text = "compiling for this CPU"});
  RIDGE_TRY(const EmulatedBuild build,
            compile_emulated(kernel, text.empty() ? std::string(source->text) : text,
                             scratch.path(), [&] { return observer->cancelled(); }));
  observer->phase(0, {.phase = "check", .text = "counting"});
  Json question = {{"kernel", build.kernel},
                   {"path", build.path},
                   {"artifact", build.artifact},
                   {"params", params_to_json(params)}};
  if (!text.empty()) {
    RIDGE_TRY(question["awkward"], awkward_questions(kernel, params));
  }
  child.send(dump_json(question));
  RIDGE_TRY_VOID(await(&child, kernel, observer));
  RIDGE_TRY(const std::string answer, read_whole(scratch.path() + "/" + kAnswer));
  RIDGE_TRY(const Json raw, parse_json(answer, "the counted rung's process"));
  KernelCounts counts{.kernel = text.empty() ? kernel : build.kernel,
                      .path = build.path,
                      .hash = build.hash,
                      .params = params};
  if (const FamilyDesc* family = find_family(family_of(kernel))) {
    RIDGE_TRY(const auto problem, family->make_problem(params));
    counts.problem_flop = problem->flop();
    counts.problem_bytes = problem->bytes_min();
  }
  if (const Json* check = object_field(raw, "check")) from_json(*check, counts.check.emplace());
  counts.stopped = text_field(raw, "stopped");
  std::vector<LaunchCounts> launches;
  if (const Json* list = list_field(raw, "launches"))
    for (const Json& one : *list) launches.push_back(launch_of(one));
  const emulated::Object object{build.artifact, build.path.substr(build.path.rfind('/') + 1), 0};
  RIDGE_TRY_VOID(put_together(launches, object, &counts));
  fit_to_line(&counts);
  return counts;
}

// ---- in the process of the rung ----------------------------------------------------------------------------------------

namespace {

/// Whole lines: the reader may be killed between two, and takes junk for the rung's own doing.
void say(int fd, const Json& line) {
  const std::string text = dump_json(line) + "\n";
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(70);
}

/// Says how far a launch has come whenever blocks have ended, as long as it lives.
class ProgressTeller {
 public:
  explicit ProgressTeller(int fd) : thread_([this, fd] { tell(fd); }) {}
  ~ProgressTeller() {
    is_over_ = true;
    thread_.join();
  }
  ProgressTeller(const ProgressTeller&) = delete;
  ProgressTeller& operator=(const ProgressTeller&) = delete;

 private:
  void tell(int fd) {
    int64_t said = 0;
    for (int tick = 1; !is_over_; ++tick) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (tick % 20 != 0) continue;
      const auto progress = emulated::Emulator::get().progress();
      if (progress.begun != said) say(fd, {{"progress", progress.share()}});
      said = progress.begun;
    }
  }

  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

/// A text that is right at one size is tried at others. The first that it is wrong at becomes the check of `call`, and
/// faults there are among its faults; what was counted stays.
void try_awkward(const EmulatedRung& rung, const FamilyDesc& family, const Json& problems,
                 measure::Device* device, EmulatedCall* call, Json* answer) {
  for (const Json& problem : problems) {
    const Params params = params_from_json(problem);
    std::vector<LaunchCounts> launches;
    const auto tried = rung.call(family, params, device, &launches);
    if (!tried && launches.empty()) continue;  // the rung does not take it
    for (const LaunchCounts& launch : tried ? tried->launches : launches) {
      auto& faults = call->launches.back().faults;
      faults.insert(faults.end(), launch.faults.begin(), launch.faults.end());
    }
    Params sizes = params;
    sizes.erase_if([](const auto& one) { return !std::holds_alternative<int64_t>(one.second); });
    if (!tried) (*answer)["stopped"] = tried.error().sentence() + ", at " + to_string(sizes);
    if (tried && !tried->check.passed) {
      call->check = tried->check;
      call->check.reason += ", at " + to_string(sizes);
    }
    if (!tried || !tried->check.passed || !call->launches.back().faults.empty()) return;
  }
}

Result<Json> make_call(const Json& question, int out_fd) {
  const std::string kernel = text_field(question, "kernel");
  const FamilyDesc* family = find_family(family_of(kernel));
  const Json* params = object_field(question, "params");
  if (family == nullptr || params == nullptr)
    return Error{ErrorCode::invalid, "its family is not here", kernel, ""};
  RIDGE_TRY(const auto device, measure::make_cpu_device());
  RIDGE_TRY(const auto rung, EmulatedRung::load({kernel, text_field(question, "path"), "",
                                                 text_field(question, "artifact")}));
  const ProgressTeller teller(out_fd);
  std::vector<LaunchCounts> launches;
  auto call = rung->call(*family, params_from_json(*params), device.get(), &launches);
  if (!call && launches.empty()) return call.error();
  Json answer = {{"launches", Json::array()}};
  if (!call) answer["stopped"] = call.error().sentence();
  if (call && call->check.passed && question.contains("awkward"))
    try_awkward(*rung, *family, question["awkward"], device.get(), &*call, &answer);
  if (call) answer["check"] = call->check;
  for (const LaunchCounts& launch : call ? call->launches : launches)
    answer["launches"].push_back(raw_json(launch, rung->object().base));
  return answer;
}

}  // namespace

int serve_counted(const std::string& folder, int in_fd, int out_fd) {
  if (chdir(folder.c_str()) != 0) return 70;
  limit_process({.folder = folder, .readable = {}, .gpu = false});
  const auto line = line_from(in_fd);
  if (!line) return 0;
  Result<Json> answer = parse_json(*line, "a question");
  if (answer) answer = make_call(*answer, out_fd);
  if (answer) {
    if (const auto written = write_whole(folder + "/" + kAnswer, dump_json(*answer)); !written)
      answer = written.error();
  }
  say(out_fd, answer ? Json{{"done", true}} : Json{{"error", Json(answer.error())}});
  return 0;
}

}  // namespace ridge::worker
