#include "app/study/named_limits.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "common/record/bottleneck_map.h"

namespace ridge::study {
namespace {

/// How a lesson calls a cause: the beginning of a word, or of several. A word of two causes names both: a
/// difference is said only where no reading of the lesson agrees with the run.
struct LimitWord {
  std::string_view word;
  Bottleneck cause;
};
constexpr LimitWord kLimitWords[] = {
    {"unit", Bottleneck::compute},
    {"fma", Bottleneck::compute},
    {"ffma", Bottleneck::compute},
    {"arithmetic", Bottleneck::compute},
    {"multiply-add", Bottleneck::compute},
    {"multiplication", Bottleneck::compute},
    {"product", Bottleneck::compute},
    {"instruction", Bottleneck::compute},
    {"tensor core", Bottleneck::compute},
    {"tf32 rate", Bottleneck::compute},
    {"rate of", Bottleneck::compute},
    {"unpacking", Bottleneck::compute},
    {"the step", Bottleneck::compute},
    {"memory", Bottleneck::memory_bandwidth},
    {"bandwidth", Bottleneck::memory_bandwidth},
    {"byte", Bottleneck::memory_bandwidth},
    {"l1", Bottleneck::memory_bandwidth},
    {"l2", Bottleneck::memory_bandwidth},
    {"l3", Bottleneck::memory_bandwidth},
    {"cache", Bottleneck::memory_bandwidth},
    {"line", Bottleneck::memory_bandwidth},
    {"load", Bottleneck::memory_bandwidth},
    {"store", Bottleneck::memory_bandwidth},
    {"traffic", Bottleneck::memory_bandwidth},
    {"sector", Bottleneck::memory_bandwidth},
    {"reading", Bottleneck::memory_bandwidth},
    {"bank conflict", Bottleneck::memory_bandwidth},
    {"cop", Bottleneck::memory_bandwidth},
    {"cop", Bottleneck::host_copy},
    {"launch", Bottleneck::launch_overhead},
    {"the host", Bottleneck::launch_overhead},
    {"call", Bottleneck::launch_overhead},
    {"loading", Bottleneck::input_pipeline},
    {"decod", Bottleneck::input_pipeline},
    {"load is", Bottleneck::input_pipeline},
    {"message", Bottleneck::collectives},
    {"link", Bottleneck::collectives},
    {"port", Bottleneck::collectives},
    {"ring", Bottleneck::collectives},
    {"rank", Bottleneck::collectives},
    {"outputs of all parts", Bottleneck::activation_memory},
    {"latency", Bottleneck::latency},
    {"wait", Bottleneck::latency},
    {"wait", Bottleneck::synchronisation},
    {"chain", Bottleneck::latency},
    {"dependence", Bottleneck::latency},
    {"in flight", Bottleneck::latency},
    {"at a time", Bottleneck::latency},
    {"empty", Bottleneck::latency},
    {"barrier", Bottleneck::synchronisation},
    {"meeting", Bottleneck::synchronisation},
};

/// What names nothing that limits: a denial, and the outlook to another rung.
constexpr std::string_view kDenials[] = {"not", "no", "neither", "nor", "nothing", "next"};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Whether a word of the text begins so; `whole`: and ends so.
bool has_word(std::string_view text, std::string_view word, bool whole) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    if (begins && (!whole || end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool denies(std::string_view clause) {
  return std::any_of(std::begin(kDenials), std::end(kDenials),
                     [&](std::string_view word) { return has_word(clause, word, true); });
}

}  // namespace

std::vector<Bottleneck> limits_named(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::set<Bottleneck> named;
  for (std::string_view rest = low; !rest.empty();) {
    const std::string_view clause = rest.substr(0, rest.find_first_of(".,;:?"));
    rest.remove_prefix(std::min(clause.size() + 1, rest.size()));
    if (denies(clause)) continue;
    for (const LimitWord& one : kLimitWords) {
      if (has_word(clause, one.word, false)) named.insert(one.cause);
    }
  }
  std::vector<Bottleneck> in_order;
  for (const BottleneckEntry& entry : bottleneck_map()) {
    if (named.contains(entry.cause)) in_order.push_back(entry.cause);
  }
  return in_order;
}

}  // namespace ridge::study
