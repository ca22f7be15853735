#include "common/view/figure/reference.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "common/record/params.h"
#include "common/view/figure/metrics.h"
#include "common/view/figure/unit.h"

namespace ridge::figure {
namespace {

Error bad_word(std::string what, std::string_view in, std::string hint) {
  return {ErrorCode::bad_input, std::move(what), "{{" + std::string(in) + "}}", std::move(hint)};
}

/// "producer_consumer" beside gemm.cuda.wide_tile is gemm.cuda.producer_consumer.
std::string full_kernel(const std::string& name, const std::string& beside) {
  if (name.find('.') != std::string::npos) return name;
  return beside.substr(0, beside.rfind('.') + 1) + name;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// One name=value; what is no word of ours is a parameter.
Result<void> take_assignment(const std::string& name, const std::string& value, Reference* to) {
  if (value.empty()) return bad_word(name + "= has no value", to->text, "");
  if (name == "vs") {
    to->versus = value;
  } else if (name == "metric") {
    to->metric = value;
  } else if (name == "in") {
    to->unit = value;
  } else if (name == "cache") {
    const auto mode = value_named<CacheMode>(value);
    if (!mode) return bad_word("cache is hot or cold", to->text, "");
    to->cache = *mode;
  } else if (name == "clock") {
    if (value != "equal") return bad_word("the only choice of clock is 'equal'", to->text, "");
    to->at_equal_clock = true;
  } else if (name == "interval") {
    if (value != "no") return bad_word("the only choice of interval is 'no'", to->text, "");
    to->shows_interval = false;
  } else if (name == "size") {
    if (value != "fixed") return bad_word("the only choice of size is 'fixed'", to->text, "");
    to->has_fixed_size = true;
  } else if (name == "answer") {
    if (value != "yes") return bad_word("the only choice of answer is 'yes'", to->text, "");
    to->is_answer = true;
  } else {
    RIDGE_TRY(const Params one, parse_params({name + "=" + value}));
    to->set.insert(one.begin(), one.end());
  }
  return {};
}

Result<void> check_whole(Reference* reference) {
  if (reference->kernel.empty())
    return bad_word("it names no rung", reference->text, "write its id: gemm.cuda.wide_tile");
  const bool is_pair = !reference->versus.empty();
  std::istringstream sides(std::exchange(reference->versus, ""));
  for (std::string name; std::getline(sides, name, ',');) {
    const std::string full = full_kernel(name, reference->kernel);
    if (reference->versus.empty())
      reference->versus = full;
    else
      reference->or_versus.push_back(full);
  }
  if (reference->metric.empty()) reference->metric = is_pair ? "ratio" : "time_per_call";
  const Metric* metric = find_metric(reference->metric).metric;
  if (!metric)
    return bad_word("no metric '" + reference->metric + "'", reference->text,
                    "it is one of " + joined(metric_names()));
  if (!is_pair && metric->of_seeds)
    return bad_word(reference->metric + " is of two rungs", reference->text, "add vs=");
  if (is_pair && !metric->of_pair && !metric->of_seeds)
    return bad_word("a pair has no " + reference->metric, reference->text,
                    "leave out vs= or metric=");
  if (metric->unit && !fits(metric->unit, reference->unit))
    return wrong_unit(*reference, metric->unit);
  if (reference->at_equal_clock && !is_pair)
    return bad_word("clock=equal is a choice of pairs", reference->text, "add vs=");
  return {};
}

}  // namespace

Error wrong_unit(const Reference& reference, const std::string& unit) {
  const bool is_bare = unit.empty() || unit == "×" || unit == "count";
  return bad_word("'" + reference.unit + "' is no unit of " + reference.metric, reference.text,
                  is_bare ? "write in=number" : "it is in " + unit);
}

Result<Reference> parse_reference(std::string_view text) {
  Reference made;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    made.text += (made.text.empty() ? "" : " ") + word;
    const size_t equals = word.find('=');
    if (equals != std::string::npos) {
      RIDGE_TRY_VOID(take_assignment(word.substr(0, equals), word.substr(equals + 1), &made));
    } else if (word.find('.') != std::string::npos && made.kernel.empty()) {
      made.kernel = word;
    } else if (made.machine.empty() && made.kernel.empty()) {
      made.machine = word;
    } else {
      return bad_word("'" + word + "' is neither machine, rung nor name=value", text,
                      "write [MACHINE] RUNG [name=value ...]");
    }
  }
  RIDGE_TRY_VOID(check_whole(&made));
  return made;
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Metric& metric : metrics())
      made.push_back(std::string(metric.name) + (metric.has_parts ? ".PART" : ""));
    return made;
  }();
  return names;
}

}  // namespace ridge::figure
