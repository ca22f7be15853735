#include "common/record/faster.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"

namespace ridge {
namespace {

/// Below it a difference is what a clock does from minute to minute.
constexpr double kClear = 1.02;

bool is_candidate(const Series& series, const Series& of) {
  return series.status == SeriesStatus::ok && series.stats && series.stats->median_ns > 0 &&
         series.quality_passed() && !series.stale && series.reduced_from.empty() &&
         series.cache == of.cache && agrees(series.params, of.params) &&
         agrees(of.params, series.params);
}

/// What was found of two rungs in one run: how many times as fast the second is; 1 where it is not known to be faster.
struct Found {
  double ratio = 1, least = 1;  ///< least: the ratio's lower end
  std::string text{}, rests_on{};
  bool is_paired = false;
  bool is_faster() const { return !text.empty(); }
};

/// The weightiest comparison of the two; its ratio is over `of`.
std::optional<Comparison> pair_of(const Run& run, const std::string& of, const Series& like,
                                  const std::string& kernel) {
  return weightiest_either_way(
      run, [&](const PairSide& from, const PairSide& to, const Comparison& one) {
        return from.kernel == of && to.kernel == kernel && one.ratio > 0 &&
               one.verdict != Verdict::invalid && one.cache == like.cache &&
               agrees(from.params, like.params) && agrees(to.params, like.params);
      });
}

/// Rungs of unlike work are held to the same work.
double times_as_fast(const Series& of, const Series& other) {
  return of.items_per_s > 0 && other.items_per_s > 0 ? other.items_per_s / of.items_per_s
                                                     : of.stats->median_ns / other.stats->median_ns;
}

Found of_times(const Series& of, const Series& other) {
  const double ratio = times_as_fast(of, other);
  const double least = ratio * (1 - spread_of(*of.stats)) * (1 - spread_of(*other.stats));
  const bool is_busy = was_disturbed(*of.stats) || was_disturbed(*other.stats);
  if (is_busy || is_noisy_quotient(of, other) || !(least > kClear)) return {};
  const GainText text = gain_text(nullptr, ratio, of, other);
  return {ratio, least, text.ratio, text.rests_on};
}

/// None where this run has nothing of the two that could be held against each other.
std::optional<Found> find_in(const Run& run, const std::string& of_kernel, const Series& like,
                             const std::string& kernel) {
  if (const auto pair = pair_of(run, of_kernel, like, kernel)) {
    if (pair->verdict != Verdict::faster) return Found{};
    return Found{
        pair->ratio, pair->ci ? pair->ci->low : pair->ratio, ratio_text(pair->ratio, pair->ci),
        "in turns" + (pair->ci ? ", 95 % interval " + ratio_interval_text(pair->ci, pair->margin)
                               : std::string()),
        true};
  }
  // Of the newest run that timed both.
  const auto& all = run.series_of_kernel(of_kernel);
  for (auto of = all.rbegin(); of != all.rend(); ++of) {
    if (!is_candidate(**of, like)) continue;
    const std::vector<const Series*> of_run = run.series_of_request((*of)->request);
    const auto other = std::find_if(of_run.rbegin(), of_run.rend(), [&](const Series* one) {
      return one->kernel == kernel && is_candidate(*one, like);
    });
    if (other != of_run.rend() && !is_in_turns(run, **of)) return of_times(**of, **other);
  }
  return std::nullopt;
}

/// Over what the options' ratios are, and what they have to exceed.
struct Start {
  std::string kernel;
  double beaten = 1;  ///< by the edit, over its original
};

FasterOption option_of(const Found& found, const LadderRung& rung, const FasterSource& source,
                       const Start& start, const Series& of) {
  FasterOption option{rung.kernel, rung.is_library, found.is_paired,
                      found.ratio, found.text,      found.rests_on};
  if (!source.machine.empty()) option.rests_on += ", recorded on " + source.machine;
  if (start.kernel != of.kernel) option.over = start.kernel;
  return option;
}

std::vector<FasterOption> options_from(std::span<const FasterSource> sources, const Series& of,
                                       std::span<const LadderRung> ladder, const Start& start) {
  std::optional<FasterOption> next, library;
  bool is_library_paired = false;
  for (const LadderRung& rung : ladder) {
    if (!rung.is_library && next) continue;
    for (const FasterSource& source : sources) {
      const auto found = find_in(*source.run, start.kernel, of, rung.kernel);
      if (!found) continue;
      if (found->is_faster() && found->least > start.beaten) {
        FasterOption option = option_of(*found, rung, source, start, of);
        if (!rung.is_library) {
          next = std::move(option);
        } else if (!library || std::pair(found->is_paired, option.ratio) >
                                   std::pair(is_library_paired, library->ratio)) {
          library = std::move(option);
          is_library_paired = found->is_paired;
        }
      }
      break;  // what the nearest source says stands
    }
  }
  std::vector<FasterOption> options;
  if (next) options.push_back(*std::move(next));
  if (library) options.push_back(*std::move(library));
  return options;
}

/// What an edit was compared with, in turns, last.
std::optional<Start> original_start(const Run& run, const Series& edit) {
  const auto& all = run.comparisons();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Comparison& one) {
    return one.candidate == edit.kernel && one.ratio > 0 && one.verdict != Verdict::invalid;
  });
  if (found == all.rend()) return std::nullopt;
  return Start{found->baseline, std::max(1.0, found->ci ? found->ci->high : found->ratio)};
}

}  // namespace

std::vector<FasterOption> faster_options(std::span<const FasterSource> sources, const Series& of,
                                         std::span<const LadderRung> ladder) {
  if (!of.stats || !of.quality_passed() || sources.empty()) return {};
  auto options = options_from(sources, of, ladder, {of.kernel});
  if (!options.empty() || !is_edit(of.kernel)) return options;
  const auto start = original_start(*sources.front().run, of);
  return start ? options_from(sources, of, ladder, *start) : options;
}

std::string faster_text(std::span<const FasterOption> options, const TitleOf& title) {
  std::string text;
  for (const FasterOption& option : options) {
    text += text.empty() ? "" : "; ";
    text += (option.is_library ? "the library " : "") + title(option.kernel) + " " + option.text +
            " as fast" + (option.over.empty() ? "" : " as " + title(option.over)) + " (" +
            option.rests_on + ")";
  }
  return text;
}

bool is_undecided(std::span<const FasterOption> options) {
  return std::none_of(options.begin(), options.end(),
                      [](const FasterOption& one) { return one.is_paired; });
}

std::string faster_sentence(std::span<const FasterOption> options, const TitleOf& title) {
  const std::string text = faster_text(options, title);
  if (text.empty()) return "";
  return is_undecided(options) ? "A faster option may exist: " + text + "; only a pair decides."
                               : "A faster option exists: " + text + ".";
}

}  // namespace ridge
