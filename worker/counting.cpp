#include "worker/counting.h"

#include <nlohmann/json.hpp>

#include "common/harness/measure/child.h"
#include "common/harness/measure/tool.h"

namespace ridge::worker {
namespace {

WorkRequest request_to_count(const WorkRequest& request, const std::vector<Series>& series) {
  WorkRequest other = request;
  other.id = 1;
  other.counters = false;
  other.mode = RunMode::live;  // the gate's awkward shapes were checked here
  other.count_only = true;
  other.kernels.clear();
  for (const Series& one : series) other.kernels.push_back({one.kernel, one.params});
  return other;
}

/// One line of the other worker. True when it was the last.
bool take_line(const std::string& line, std::vector<Counted>* all) {
  const auto parsed = parse_json(line, "the counting worker");
  if (!parsed) return false;
  const std::string type = text_field(*parsed, "type");
  if (const Json* error = object_field(*parsed, "error")) {
    for (Counted& one : *all) one.reason = text_field(*error, "what", one.reason);
  }
  const Json* outcome = object_field(*parsed, "outcome");
  const int64_t index = whole_field(*parsed, "series", -1);
  if (type == "result" && outcome != nullptr && index >= 0 && size_t(index) < all->size()) {
    Series series;
    from_json(*outcome, series);
    Counted& counted = (*all)[size_t(index)];
    const auto why = series.unavailable.find("counters");
    counted.reason = why != series.unavailable.end() ? why->second : series.reason;
    counted.counters = std::move(series.counters);
  }
  return type == "done" || type == "fatal";
}

}  // namespace

std::vector<Counted> count_elsewhere(const WorkRequest& request, const std::vector<Series>& series,
                                     measure::Observer* observer) {
  std::vector<Counted> all(series.size(), {{}, "the worker that counts sent no result"});
  const auto give_up = [&](const std::string& why) {
    for (Counted& one : all) {
      if (one.counters.empty()) one.reason = why;
    }
    return all;
  };
  // The child answers on fd 3; a worker speaks on fd 1. It measures no ceilings of its own.
  measure::Child child("the worker that counts",
                       {"/bin/sh", "-c", "exec \"$0\" --stdio >&3", measure::own_program()},
                       {{"RIDGE_CEILINGS", "off"}}, true);
  if (const auto hello = child.receive(); !hello) return give_up(hello.error().what);
  auto line = child.ask(dump_json(to_line(request_to_count(request, series))));
  for (; line; line = child.receive()) {
    if (observer->cancelled()) return give_up("cancelled");
    if (take_line(*line, &all)) return all;
    observer->phase(-1,
                    {.phase = "counters", .text = "hardware counters, in a worker of their own"});
  }
  return give_up(line.error().what);
}

}  // namespace ridge::worker
