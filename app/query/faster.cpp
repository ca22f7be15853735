#include "app/query/faster.h"

#include <algorithm>
#include <set>

#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/view/report/content.h"

namespace ridge::app {
namespace {

/// "gemm.cuda" of "gemm.cuda.naive".
std::string_view stem_of(std::string_view kernel) {
  return kernel.substr(0, kernel.rfind('.'));
}

std::vector<FasterOption> options_of(const Run& run, const Series& series, const Lab& lab,
                                     const RecordingsOf& recordings) {
  const auto ladder = ladder_after(lab, series.kernel, series.params);
  if (ladder.empty()) return {};
  const FasterSource own[] = {{&run}};
  auto options = faster_options(own, series, ladder);
  if (!options.empty() || !recordings) return options;
  return faster_options(faster_sources(run, recordings()), series, ladder);
}

}  // namespace

std::vector<LadderRung> ladder_after(const Lab& lab, const std::string& kernel,
                                     const Params& params) {
  const std::string_view original = original_of(kernel);
  const auto at = std::find_if(lab.rungs.begin(), lab.rungs.end(),
                               [&](const Rung& rung) { return rung.kernel == original; });
  if (at == lab.rungs.end() || at->peer) return {};
  std::vector<LadderRung> ladder;
  for (auto rung = lab.rungs.begin(); rung != lab.rungs.end(); ++rung) {
    const bool is_kin = stem_of(rung->kernel) == stem_of(original);
    const bool is_wrong = rung->wrong != nullptr && rung->wrong(params);
    const bool is_step = rung->no_step == nullptr || rung->no_step(params) == nullptr;
    if (is_kin && !is_wrong && is_step && (rung->peer || rung > at))
      ladder.push_back({rung->kernel, rung->peer});
  }
  return ladder;
}

std::vector<FasterSource> faster_sources(const Run& run, std::span<const Recording> recordings) {
  std::vector<FasterSource> sources = {{&run}};
  for (const Recording& one : recordings) {
    if (one.run.get() != &run) sources.push_back({one.run.get(), one.machine});
  }
  return sources;
}

namespace {

/// The comparison that decides between the rung and the option.
std::string deciding_command(const Series& series, const FasterOption& option) {
  std::string text = "ridgepoint compare " + series.lab + " --baseline " +
                     short_name(series.kernel) + " --candidate " + short_name(option.kernel);
  const Params told = report::differing(report::told_params(series), {}, series.size_param);
  for (const auto& [name, value] : told) text += " --set " + name + "=" + to_string(value);
  return text;
}

}  // namespace

std::string faster_rungs_text(const Run& run, int64_t request, const Lab& lab,
                              const RecordingsOf& recordings) {
  std::string text;
  bool is_alone = false;
  std::set<std::string> told;  // a rung that was measured at several sizes may say the same of each
  for (const Series& series : run.series()) {
    if (request != 0 && series.request != request) continue;
    const auto found = options_of(run, series, lab, recordings);
    const std::string options = faster_text(found, short_name);
    is_alone |= std::any_of(found.begin(), found.end(),
                            [](const FasterOption& one) { return !one.is_paired; });
    const std::string line = name_among(run, series) + ": " + options;
    if (!options.empty() && told.insert(line).second)
      text += wrapped("  " + line, text_width(), 4) + "\n";
  }
  if (text.empty()) return "";
  return "\nfaster options\n" + text +
         (is_alone ? "  each timed alone: 'ridgepoint compare' decides whether it is faster\n"
                   : "");
}

std::string faster_line(const Run& run, int64_t request, const Lab& lab) {
  const Series* fastest = nullptr;
  for (const Series& series : run.series()) {
    if (series.request != request || !has_speed(series) || !series.quality_passed()) continue;
    const Rung* rung = rung_of(std::string(original_of(series.kernel)));
    if (!rung || rung->peer) continue;
    if (!fastest || series.stats->median_ns < fastest->stats->median_ns) fastest = &series;
  }
  if (!fastest) return "";
  const auto found = options_of(run, *fastest, lab, {});
  if (found.empty()) return "";
  const bool is_open = is_undecided(found);
  std::string text =
      wrapped("  A faster option than " + short_name(fastest->kernel) +
                  (is_open ? " may exist: " : " exists: ") + faster_text(found, short_name) +
                  (is_open ? "; a pair decides:" : ""),
              text_width(), 4) +
      "\n";
  if (is_open && !is_edit(fastest->kernel))
    text += "    " + deciding_command(*fastest, found.back()) + "\n";
  return text;
}

}  // namespace ridge::app
