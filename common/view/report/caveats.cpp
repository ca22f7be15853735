#include "common/view/report/caveats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/record/one_run.h"
#include "common/record/stale_words.h"
#include "common/view/report/content.h"
#include "common/view/report/front.h"

namespace ridge::report {
namespace {

bool is_flagged(const Line& line, const char* flag) {
  if (!line.series->stats || !line.problem.empty()) return false;
  const auto& flags = line.series->stats->flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// Whether the headline's sentence already has it that other processes ran meanwhile.
bool has_reserve(const Material& material) {
  return material.is_of_pair && !material.claims.back().decision.reserve.empty();
}

/// "The machine was not quiet: load 6.2 on 2 cores; after the run: load 6.9 on 2 cores. Other programs took processor time
/// while “naive” ran." Said once.
void add_quiet_caveats(const Material& material, const Climb& climb, Section* section) {
  std::set<std::string> said;
  std::vector<const Line*> contended;
  for (const Line* line : climb.lines) {
    if (was_busy(*line) && line->problem.empty()) contended.push_back(line);
  }
  const std::string meanwhile =
      contended.empty() || has_reserve(material)
          ? ""
          : "Other programs took processor time while " +
                (contended.size() == climb.lines.size() && contended.size() > 1
                     ? std::string("every rung")
                     : some_titles(contended, *material.options)) +
                " ran.";

  for (const Input& input : material.inputs) {
    const auto& env = input.run->environment();
    if (!env) said.insert("The run does not say what machine it ran on.");
    const auto& after = input.run->quiet_after();
    std::string text;
    const auto add = [&](const QuietState& state, const char* first, const char* second) {
      if (state.quiet) return;  // or not known, which the line of the machine says
      text += text.empty() ? first : second;
      for (const std::string& reason : state.reasons)
        text += (reason == state.reasons.front() ? ": " : ", ") + reason;
    };
    if (env) add(env->quiet, "The machine was not quiet", "");
    if (after) add(*after, "The machine was not quiet after the run", "; after the run");
    if (!text.empty()) said.insert(text + ". Times are then longer, and scatter more.");
  }
  std::vector<std::string> bullets(said.begin(), said.end());
  if (bullets.size() == 1 && !meanwhile.empty())
    bullets.front() += " " + meanwhile;
  else if (!meanwhile.empty())
    bullets.push_back(meanwhile);
  section->bullets.insert(section->bullets.end(), bullets.begin(), bullets.end());
}

/// The ladder is of one run; what was timed again alone, or never in it, is named with its time.
void add_time_caveats(const Climb& climb, const Options& options, Section* section) {
  std::string later;
  std::set<int64_t> requests;
  const Line *first = nullptr, *last = nullptr;
  for (const Line* line : climb.lines) {
    if (line->later)
      later += (later.empty() ? "" : "; ") + quoted_title(*line, options) + " " +
               later_words(*line, options);
    if (line->in_turns || !line->problem.empty()) continue;
    requests.insert(line->series->request);
    const auto time = [](const Line* one) { return ended_utc_s(*one->input->run, *one->series); };
    if (!time(line)) continue;
    if (!first || *time(line) < *time(first)) first = line;
    if (!last || *time(line) > *time(last)) last = line;
  }
  if (!later.empty())
    section->bullets.push_back("The ladder keeps the results of its own run. Outside it: " + later +
                               ".");
  if (requests.size() < 2) return;
  const auto day = [](const Line* line) { return time_of_day(*line->input->run, *line->series); };
  section->bullets.push_back("The results are of several runs" +
                             (first && day(first) != day(last)
                                  ? ", from " + day(first) + " to " + day(last)
                                  : std::string()) +
                             ". Two results have a ratio here only where one run measured both.");
}

/// Whether the run timed it more than once, and this page shows more than its bar: a pair, or a tour's steps.
bool has_several_speeds(const Material& material, const Line& line,
                        const std::vector<const Claim*>& pairs) {
  if (line.in_turns || !rate_of(line)) return false;
  const Series& own = *line.series;
  const bool is_in_pair = std::any_of(pairs.begin(), pairs.end(), [&](const Claim* claim) {
    const Comparison& c = claim->comparison;
    return (c.baseline == own.kernel && c.baseline_params == own.params) ||
           (c.candidate == own.kernel && c.candidate_params == own.params);
  });
  const auto& all = line.input->run->series_of_kernel(own.kernel);
  const bool is_again = std::any_of(all.begin(), all.end(), [&](const Series* other) {
    return other->params == own.params && other->request != own.request && other->stats &&
           other->status == SeriesStatus::ok;
  });
  return is_in_pair || (is_again && !material.options->page_one.empty());
}

/// Why one rung has a speed in its bar and others beside it, and which of them a claim rests on.
void add_speed_caveats(const Material& material, const Climb& climb,
                       const std::vector<const Claim*>& pairs, Section* section) {
  std::vector<const Line*> several;
  for (const Line* line : climb.lines) {
    if (has_several_speeds(material, *line, pairs)) several.push_back(line);
  }
  if (several.empty()) return;
  section->bullets.push_back(
      fmt::format("Timed alone and again in pairs{1}: {0}. The two speeds differ; a claim rests "
                  "on a pair's ratio, never on two bars.",
                  some_titles(several, *material.options),
                  material.options->page_one.empty() ? "" : " or in a tour's step"));
}

/// What a statistic's flag means to somebody who did not compute it.
struct FlagWords {
  const char* flag;
  const char* words;
};
constexpr FlagWords kFlagWords[] = {
    {"few_samples", "Too few calls were timed for an interval"},
    {"noisy", "The times scatter more than they should"},
};

void add_flag_caveats(const Climb& climb, const Options& options, Section* section) {
  for (const auto& [flag, words] : kFlagWords) {
    std::vector<const Line*> flagged;
    for (const Line* line : climb.lines) {
      if (is_flagged(*line, flag)) flagged.push_back(line);
    }
    if (!flagged.empty())
      section->bullets.push_back(std::string(words) + ": " + some_titles(flagged, options) + ".");
  }
}

/// Rungs without a usable speed, figures of another text than today's, files that were changed.
void add_broken_caveats(const Material& material, const Climb& climb, Section* section) {
  const Options& options = *material.options;
  for (const Input& input : material.inputs) {
    if (const std::string& broken = input.run->seals().broken(); !broken.empty())
      section->bullets.push_back(input.name + " was changed after it was saved: " + broken + ".");
  }
  std::vector<const Line*> stale, failed;
  for (const Line* line : climb.lines) {
    if (line->series->stale) stale.push_back(line);
    if (!line->problem.empty()) failed.push_back(line);
  }
  if (!failed.empty())
    section->bullets.push_back("No speed: " + some_titles(failed, options) +
                               "; the appendix says why.");
  if (!stale.empty()) {
    section->bullets.push_back(
        stale_sentence("The figures of " + some_titles(stale, options), "their kernels have"));
  }
}

void add_untested(const Material& material, Section* section) {
  std::string untested;
  for (const std::string& one : untested_of(material))
    untested += (untested.empty() ? "" : "; ") + one;
  if (!untested.empty()) section->bullets.push_back("Not tested: " + untested + ".");
}

/// What a share above 100 % is; its rungs are named.
void add_over_caveats(const Climb& climb, const Options& options, Section* section) {
  std::vector<const Line*> over;
  for (const Line* line : climb.lines) {
    if (line->problem.empty() && is_over_ceiling(line->on_page_1)) over.push_back(line);
  }
  if (!over.empty())
    section->bullets.push_back("Share of the ceiling of " + some_titles(over, options) + " " +
                               kOverCeiling + ".");
}

void add_doubt_caveats(const Material& material, Section* section) {
  for (const Input& input : material.inputs) {
    const auto& all = input.run->ceilings();
    const auto doubted = static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const Ceiling& one) { return !one.doubt.empty(); }));
    if (doubted > 0)
      section->bullets.push_back(
          fmt::format("{} of {} measured ceilings {} in doubt: no share is taken of {}.", doubted,
                      all.size(), doubted == 1 ? "is" : "are", doubted == 1 ? "it" : "them"));
  }
}

/// What the run holds and page 1 does not, or what was not run at all.
void add_left_out(const Material& material, const Climb& climb, Section* section) {
  if (!material.other_labs.empty()) {
    section->bullets.push_back(
        fmt::format("A report is of one lab. In the run are results of others too: {}.",
                    fmt::join(material.other_labs, ", ")));
  }
  if (climb.not_run > 0)
    section->bullets.push_back(fmt::format("Not run here: {} rung{} of the ladder.", climb.not_run,
                                           climb.not_run == 1 ? "" : "s"));
}

/// What the clock did to the comparison that matters most, and in how many others it was held down.
void add_clock_caveats(const Material& material, const Climb& climb, Section* section) {
  std::string first;
  size_t others = 0;
  for (const Claim* claim : front_claims(material, climb)) {
    const Comparison& c = claim->comparison;
    if (!c.clock_held || c.clock.empty() || claim->decision.verdict == Verdict::invalid) continue;
    if (first.empty())
      first = sides_words(*claim, *material.options) + ": " + c.clock + ".";
    else
      ++others;
  }
  if (first.empty()) return;
  if (others > 0)
    first += fmt::format(" In {} other comparison{} too: see “The clocks” in the appendix{}.",
                         others, others == 1 ? "" : "s",
                         material.is_of_pair ? "" : ", on paper in the HTML page");
  section->bullets.push_back(std::move(first));
}

}  // namespace

Section caveats_section(const Material& material, const Climb& climb,
                        const std::vector<const Claim*>& pairs) {
  Section section{.id = "caveats", .title = "Read with care"};
  if (!material.options->recorded.empty())
    section.bullets.push_back(material.options->recorded + ".");
  if (is_cut_by_cancel(material))
    section.bullets.push_back(
        "The run was cancelled before its end: this page has what was measured until then.");
  add_broken_caveats(material, climb, &section);
  add_quiet_caveats(material, climb, &section);
  for (const Claim& claim : material.claims) {
    if (!claim.differences.empty()) section.bullets.push_back(claim.differences);
  }
  add_untested(material, &section);
  add_clock_caveats(material, climb, &section);
  if (material.inputs.size() == 1) add_time_caveats(climb, *material.options, &section);
  add_speed_caveats(material, climb, pairs, &section);
  add_flag_caveats(climb, *material.options, &section);
  add_over_caveats(climb, *material.options, &section);
  add_doubt_caveats(material, &section);
  add_left_out(material, climb, &section);
  return section;
}

}  // namespace ridge::report
