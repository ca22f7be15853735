#include "common/view/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/figure/metrics.h"
#include "common/view/figure/unit.h"

namespace ridge::figure {
namespace {

Error bad_reference(const Reference& reference, std::string what, std::string hint = "") {
  return {ErrorCode::bad_input, std::move(what), "{{" + reference.text + "}}", std::move(hint)};
}

// ---- which point -------------------------------------------------------------------------------

/// What was set, and what copies it: of a square product m and k follow n.
Params with_copies(Params set, const KernelInfo* info) {
  if (!info) return set;
  for (bool grew = true; grew;) {
    grew = false;
    for (const ParamSpec& spec : info->params) {
      const auto from = set.find(spec.same_as);
      if (spec.same_as.empty() || from == set.end() || set.contains(spec.name)) continue;
      set[spec.name] = from->second;
      grew = true;
    }
  }
  return set;
}

bool holds_all(const Params& params, const Params& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
    const auto found = params.find(item.first);
    return found != params.end() && found->second == item.second;
  });
}

/// How many of the parameters that were left open are as in view, or where nothing is in view their family's fallback.
int at_fallback(const Params& params, const Params& wanted, const KernelInfo* info,
                const Params& near) {
  int count = 0;
  if (!info) return count;
  for (const ParamSpec& spec : info->params) {
    const auto found = params.find(spec.name), seen = near.find(spec.name);
    if (found != params.end() && !wanted.contains(spec.name))
      count += found->second == (seen != near.end() ? seen->second : spec.fallback);
  }
  return count;
}

template <class T>
struct Point {
  const T* found = nullptr;
  std::string doubt;  ///< what several points differ in
  int at_fallback = -1;
};

/// How well one run answers a reference.
struct Match {
  bool is_found = false;
  int nearness = -1;  ///< Point::at_fallback
  std::string doubt;  ///< Point::doubt
};

/// The same of a pair, which may have been turned round.
struct PairPoint {
  std::optional<Comparison> found;
  std::string doubt;
  int at_fallback = -1;
};

template <class AnyPoint>
Match match_of(const AnyPoint& point) {
  return {bool(point.found), point.at_fallback, point.doubt};
}

const Params& params_of(const Series& series) {
  return series.params;
}
const Params& params_of(const Comparison& comparison) {
  return comparison.candidate_params;
}

/// Of those that match: nearest to what is in view and to the fallbacks, the latest of equals. Two that differ and are as
/// near are a doubt.
template <class T>
Point<T> choose(const std::vector<const T*>& matching, const Params& wanted, const KernelInfo* info,
                const Params& near) {
  Point<T> best;
  for (const T* one : matching) {
    const int count = at_fallback(params_of(*one), wanted, info, near);
    if (count < best.at_fallback) continue;
    if (count > best.at_fallback) best.doubt.clear();
    if (count == best.at_fallback && params_of(*best.found) != params_of(*one))
      best.doubt = to_string(params_of(*best.found)) + " and " + to_string(params_of(*one));
    best.found = one;
    best.at_fallback = count;
  }
  return best;
}

/// A training whose arithmetic is emulated has an accuracy and no time, and so has a network whose call is too long.
bool has_result(const Series& series, const std::string& metric) {
  return series.status == SeriesStatus::ok && series.quality_passed() &&
         (series.stats || series.trap || series.kind == RungKind::training || metric == "accuracy");
}

/// Those of `all` that match, without the ones that a newer one at the same point replaces: a session of hours has hundreds
/// of results at one point. `all` begins with the oldest, and so does what is returned.
template <class All, class Matches>
std::vector<const Series*> newest_of_each_point(const All& all, const Matches& matches) {
  std::vector<const Series*> newest;
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const Series* one = *it;
    const bool is_older = std::any_of(newest.begin(), newest.end(), [&](const Series* other) {
      return one->params == other->params;
    });
    if (!is_older && matches(*one)) newest.push_back(one);
  }
  std::reverse(newest.begin(), newest.end());
  return newest;
}

/// The same of comparisons, of which one that outweighs the others stands for its point.
template <class Matches>
std::vector<Comparison> weightiest_of_each_point(const Run& run, const Matches& matches) {
  std::vector<Comparison> all;
  for (const Comparison& one : run.comparisons()) {
    auto asked = as_asked(one, matches);
    if (!asked) continue;
    const auto earlier = std::find_if(all.begin(), all.end(), [&](const Comparison& other) {
      return other.candidate_params == asked->candidate_params &&
             other.equal_clock.has_value() == asked->equal_clock.has_value();
    });
    const bool is_lighter = earlier != all.end() && !outweighs(*asked, *earlier);
    if (is_lighter) continue;
    if (earlier != all.end()) all.erase(earlier);
    all.push_back(*std::move(asked));
  }
  return all;
}

Point<Series> find_series(const Reference& reference, const Run& run, const Params& near) {
  const KernelInfo* info = run.kernel(reference.kernel);
  const Params wanted = with_copies(reference.set, info);
  const auto matches = [&](const Series& series) {
    // A side of a comparison is timed in its rounds: its own samples are none of a run alone.
    return series.cache == reference.cache && series.mode != RunMode::compare &&
           has_result(series, reference.metric) && holds_all(series.params, wanted);
  };
  const auto matching = newest_of_each_point(run.series_of_kernel(reference.kernel), matches);
  return choose(matching, wanted, info, near);
}

/// A pair that was measured, whichever of the two was its baseline, as the reference names it.
PairPoint find_pair(const Reference& reference, const Run& run, const Params& near) {
  const KernelInfo* info = run.kernel(reference.kernel);
  const Params wanted = with_copies(reference.set, info);
  const auto matches = [&](const PairSide& from, const PairSide& to, const Comparison& one) {
    return from.kernel == reference.versus && to.kernel == reference.kernel &&
           one.cache == reference.cache && !is_self_check(one) && holds_all(to.params, wanted);
  };
  const std::vector<Comparison> all = weightiest_of_each_point(run, matches);
  std::vector<const Comparison*> matching;
  matching.reserve(all.size());
  for (const Comparison& one : all) matching.push_back(&one);
  const Point<Comparison> point = choose(matching, wanted, info, near);
  if (!point.found) return {};
  const Comparison* leading = point.found;
  for (const Comparison& one : all) {
    // Of the same point the sustained verdict leads.
    const bool is_sustained = one.equal_clock && one.candidate_params == leading->candidate_params;
    if (is_sustained && !point.found->equal_clock && !reference.at_equal_clock) leading = &one;
  }
  return {*leading, point.doubt, point.at_fallback};
}

Result<void> check_params(const Reference& reference, const Run& run) {
  const KernelInfo* info = run.kernel(reference.kernel);
  if (!info || info->params.empty()) return {};
  for (const auto& [name, value] : reference.set) {
    const bool known =
        std::any_of(info->params.begin(), info->params.end(),
                    [wanted = &name](const ParamSpec& spec) { return spec.name == *wanted; });
    if (!known) return bad_reference(reference, reference.kernel + " has no parameter " + name);
  }
  return {};
}

// ---- what it says ------------------------------------------------------------------------------

std::string gap_text(const Reference& reference) {
  return reference.machine.empty() ? "not measured here" : "not recorded";
}

Figure gap(const Reference& reference, std::string why) {
  Figure made;
  made.reference = reference.text;
  made.text = gap_text(reference);
  made.gap = std::move(why);
  made.value = std::numeric_limits<double>::quiet_NaN();
  made.source = reference.text + ": " + made.gap;
  return made;
}

void add_place(const Place& place, bool is_recorded, Figure* figure) {
  figure->machine = place.machine;
  figure->is_recorded = is_recorded;
  if (const auto& environment = place.run->environment()) {
    figure->commit = environment->commit;
    figure->time_utc = environment->time_utc;
  }
}

/// What is no number has its text already.
void add_texts(const Reference& reference, Figure* figure) {
  if (!figure->text.empty() && std::isnan(figure->value)) return;
  if (figure->unit == "×" && figure->value > 0) {
    const RatioTexts texts = ratio_texts(figure->value, figure->interval);
    figure->text = texts.value + (reference.unit.empty() ? "×" : "");
    if (reference.shows_interval) figure->interval_text = texts.interval;
    return;
  }
  figure->text = text_in(figure->value, figure->unit, reference.unit);
  if (!reference.shows_interval || !figure->interval) return;
  std::string& interval = figure->interval_text;
  interval = interval_in(*figure->interval, figure->unit, reference.unit);
  // The unit stands behind the value already; an interval that would take another prefix has the value's.
  const size_t end = interval.rfind(']') + 1;
  if (!figure->text.ends_with(interval.substr(end)))
    interval = interval_like(*figure->interval, figure->value, figure->text);
  interval.resize(interval.rfind(']') + 1);
  figure->text = within(interval, *figure->interval, figure->value, figure->text);
}

/// "gemm.cuda.wide_tile n=4096: 1.03× [1.027, 1.030], faster, 40 rounds. Recorded on NVIDIA H200, ..."
void add_source(const Reference& reference, const std::string& how, Figure* figure) {
  Figure whole = *figure;
  Reference plain = reference;
  plain.unit.clear();
  plain.shows_interval = true;
  add_texts(plain, &whole);
  std::string text = reference.text + ": " + whole.text;
  if (!whole.interval_text.empty()) text += " " + whole.interval_text;
  if (!how.empty()) text += ", " + how;
  text += (figure->is_recorded ? ". Recorded on " : ". Measured on ") + figure->machine;
  if (!figure->time_utc.empty()) text += ", " + figure->time_utc.substr(0, 10);
  if (!figure->commit.empty()) text += ", commit " + figure->commit;
  if (figure->is_stale) text += "; " + changed_since("the code has");
  figure->source = text + ".";
}

std::string verdict_source(const Comparison& comparison) {
  std::string text = "against " + comparison.baseline + ", " + to_string(comparison.verdict) +
                     ", " + rounds_text(comparison);
  if (comparison.equal_clock)
    text += ", sustained; at equal clock " +
            ratio_text(comparison.equal_clock->ratio, comparison.equal_clock->ci) + " " +
            ratio_interval_text(comparison.equal_clock->ci, comparison.margin);
  else if (lacks_sustained(comparison))
    text += ", at equal clock; how fast each is alone was not measured";
  return text;
}

/// Without a pair of the run that is shown, the quotient of the two medians, as the chart beside the text has it: "≈".
/// It has no verdict.
Figure medians_in(const Reference& reference, const Place& place, bool is_recorded, Match* match) {
  Reference other = reference;
  other.kernel = reference.versus;
  const Point<Series> point = find_series(reference, *place.run, place.near);
  const Series* own = point.found;
  match->nearness = point.at_fallback;
  const Series* versus = find_series(other, *place.run, place.near).found;
  const bool has_both = own && versus && own->stats && versus->stats && own->stats->median_ns > 0 &&
                        agrees(versus->params, own->params);
  match->is_found = has_both && !reference.at_equal_clock;
  Figure made;
  if (!match->is_found) return made;
  made.reference = reference.text;
  made.value = versus->stats->median_ns / own->stats->median_ns;
  made.unit = "×";
  made.is_stale = own->stale || versus->stale;
  add_place(place, is_recorded, &made);
  add_texts(reference, &made);
  add_source(reference, "against " + reference.versus + ", each timed alone; no pair was made",
             &made);
  made.text = "≈ " + made.text;
  return made;
}

bool is_known(const std::optional<Value>& value) {
  return value && (std::isfinite(value->value) || !value->text.empty());
}

/// A result was measured, and lacks this.
Figure not_known(const Reference& reference, std::string why) {
  Figure made = gap(reference, std::move(why));
  made.text = "not known";
  return made;
}

Result<Figure> figure_of(const Reference& reference, const Value& value) {
  Figure made;
  made.reference = reference.text;
  made.value = value.value;
  const char* usual = find_metric(reference.metric).metric->unit;
  made.unit = value.unit.empty() && usual ? usual : value.unit;
  if (!fits(made.unit, reference.unit)) return wrong_unit(reference, made.unit);
  made.interval = value.interval;
  made.text = value.text;
  add_texts(reference, &made);
  return made;
}

Result<Figure> pair_in(const Reference& reference, const Place& place, bool is_recorded,
                       Match* match) {
  const PairPoint point = find_pair(reference, *place.run, place.near);
  *match = match_of(point);
  const bool is_ratio = reference.metric == "ratio";
  const bool may_differ = point.found.has_value() && !place.near.empty();
  if (is_ratio && (may_differ || (!point.found && !is_recorded))) {
    // A pair of 2 ranks is no answer beside 4: what was timed alone at the point in view comes before it.
    Match match_alone;
    const Figure alone = medians_in(reference, place, is_recorded, &match_alone);
    if (match_alone.is_found && (!point.found || match_alone.nearness > point.at_fallback)) {
      *match = match_alone;
      return alone;
    }
  }
  if (!point.found) return Figure();
  const Comparison comparison =
      reference.at_equal_clock ? at_equal_clock(*point.found) : *point.found;
  const auto value = find_metric(reference.metric).metric->of_pair(comparison);
  if (!is_known(value))
    return gap(reference, comparison.reasons.empty() ? "the comparison is invalid"
                                                     : comparison.reasons.front());
  RIDGE_TRY(Figure made, figure_of(reference, *value));
  if (is_ratio) made.verdict = comparison.verdict;
  made.is_stale = comparison.stale;
  made.is_sustained = comparison.equal_clock.has_value();
  add_place(place, is_recorded, &made);
  add_source(reference, verdict_source(comparison), &made);
  return made;
}

std::string why_no_value(const std::string& metric, const Derived& derived) {
  const std::string& why = metric == "utilization"       ? derived.no_compute_reason
                           : metric == "bandwidth_share" ? derived.no_bandwidth_reason
                                                         : metric;
  return why.empty() || why == metric ? "its result has no " + metric : "no share: " + why;
}

Result<Figure> alone_in(const Reference& reference, const Place& place, bool is_recorded,
                        Match* match) {
  const Point<Series> point = find_series(reference, *place.run, place.near);
  *match = match_of(point);
  if (!point.found) return Figure();
  const Series& series = *point.found;
  const NamedMetric named = find_metric(reference.metric);
  const Derived derived = derive(series, *place.run);
  const auto value = named.metric->of({series, derived, *place.run, named.part});
  if (!is_known(value)) return not_known(reference, why_no_value(reference.metric, derived));
  RIDGE_TRY(Figure made, figure_of(reference, *value));
  made.is_stale = series.stale && !named.metric->is_of_machine;
  add_place(place, is_recorded, &made);
  add_source(reference, value->how.empty() ? "alone, " + to_string(series.params) : value->how,
             &made);
  return made;
}

/// Of the rung's latest counts, which are of a size of their own.
Result<Figure> counted_in(const Reference& reference, const Place& place, bool is_recorded,
                          Match* match) {
  const KernelCounts* counts = place.run->latest_counts(reference.kernel);
  match->is_found = counts != nullptr && counts->stopped.empty();
  if (!match->is_found) return Figure();
  const NamedMetric named = find_metric(reference.metric);
  const auto value = named.metric->of_counts(*counts, named.part);
  if (!value) return not_known(reference, "nothing of that name is counted");
  RIDGE_TRY(Figure made, figure_of(reference, *value));
  made.is_stale = counts->stale;
  add_place(place, is_recorded, &made);
  add_source(reference, value->how, &made);
  return made;
}

/// Of the trainings of both rungs, seed by seed.
Result<Figure> seeds_in(const Reference& reference, const Place& place, bool is_recorded,
                        Match* match) {
  const Point<Series> point = find_series(reference, *place.run, place.near);
  *match = match_of(point);
  if (!point.found) return Figure();
  const auto delta = seed_delta(place.run->series().pointers(), reference.versus, reference.kernel,
                                point.found->params, "accuracy");
  match->is_found = delta.has_value();
  if (!delta) return Figure();
  const auto value = find_metric(reference.metric).metric->of_seeds(*delta);
  RIDGE_TRY(Figure made, figure_of(reference, *value));
  made.is_stale = point.found->stale;
  add_place(place, is_recorded, &made);
  add_source(reference, value->how, &made);
  return made;
}

/// A whole word of its name: "h200" is no GH200.
bool names_machine(const std::string& machine, const std::string& word) {
  const auto lower = [](std::string text) {
    for (char& letter : text) {
      const auto code = static_cast<unsigned char>(letter);
      letter = std::isalnum(code) ? static_cast<char>(std::tolower(code)) : ' ';
    }
    return " " + text + " ";
  };
  return lower(machine).find(lower(word)) != std::string::npos;
}

/// Where a reference may look, in this order; `is_recorded`: what is found there is marked.
struct Shelf {
  Place place;
  bool is_recorded = false;
};

std::vector<Shelf> shelves_for(const Reference& reference, const Sources& sources) {
  std::vector<Shelf> shelves;
  if (reference.machine.empty() && sources.own) {
    const auto& environment = sources.own->environment();
    shelves.push_back(
        {{sources.own, environment ? environment->machine() : "this machine", sources.view.params},
         sources.is_own_saved});
  }
  for (const Place& place : sources.recordings) {
    if (reference.machine.empty() || names_machine(place.machine, reference.machine))
      shelves.push_back({place, true});
  }
  return shelves;
}

/// Lower is better: without a value, another verdict than the one that leads, changed since.
auto rank(const Reference& reference, const Figure& figure) {
  const bool leads = reference.at_equal_clock || figure.is_sustained;
  return std::make_tuple(!figure.gap.empty(), !leads, figure.is_stale);
}

/// A run of an older build may lack a parameter that a recording has: it holds no such point. What none of them has is a
/// mistake.
Result<void> check_known(const Reference& reference, std::span<const Shelf> shelves) {
  Result<void> last;
  for (const Shelf& shelf : shelves) {
    if (!shelf.place.run->kernel(reference.kernel)) continue;
    last = check_params(reference, *shelf.place.run);
    if (last) return last;
  }
  return last;
}

/// A figure, and how near its point is to the fallbacks of what the reference leaves open.
struct Found {
  Figure figure;
  int nearness = 0;
  std::string doubt;  ///< two points of a recording that are as near
};

/// Errors: the figure is one of several.
Result<Figure> settled(const Reference& reference, Found found) {
  if (found.doubt.empty()) return std::move(found.figure);
  return bad_reference(reference, "the recording holds several such points: " + found.doubt,
                       "set what they differ in");
}

/// Of one baseline in these places of one machine, as figure.h ranks them; empty: none has the point.
Result<std::optional<Found>> best_place(const Reference& reference,
                                        std::span<const Shelf> shelves) {
  const Metric& metric = *find_metric(reference.metric).metric;
  const auto in = metric.of_counts           ? counted_in
                  : metric.of_seeds          ? seeds_in
                  : reference.versus.empty() ? alone_in
                                             : pair_in;
  std::optional<Figure> best;
  Match of_best;
  bool is_best_recorded = false;
  // What is left open is the fallback where one of the recordings holds it, be it not the latest.
  const auto place_rank = [&reference](const Figure& figure, int nearness) {
    return std::make_tuple(!figure.gap.empty(), -nearness, rank(reference, figure));
  };
  for (const Shelf& shelf : shelves) {
    if (!check_params(reference, *shelf.place.run)) continue;
    Match match;
    RIDGE_TRY(Figure made, in(reference, shelf.place, shelf.is_recorded, &match));
    if (!match.is_found) continue;
    if (best && std::make_tuple(place_rank(made, match.nearness), best->time_utc) >=
                    std::make_tuple(place_rank(*best, of_best.nearness), made.time_utc))
      continue;
    best = std::move(made);
    of_best = std::move(match);
    is_best_recorded = shelf.is_recorded;
  }
  if (!best) return std::optional<Found>();
  return std::optional<Found>(
      {*std::move(best), of_best.nearness, is_best_recorded ? of_best.doubt : ""});
}

/// Of all baselines in these places of one machine the lowest ratio of those that answer best.
Result<std::optional<Found>> best_baseline(const Reference& reference,
                                           std::span<const Shelf> shelves) {
  RIDGE_TRY(std::optional<Found> best, best_place(reference, shelves));
  for (const std::string& other : reference.or_versus) {
    Reference one = reference;
    one.versus = other;
    RIDGE_TRY(std::optional<Found> made, best_place(one, shelves));
    if (!made) continue;
    const auto answers = [&](const Found& found) {
      const auto [is_gap, is_other, is_stale] = rank(reference, found.figure);
      return std::make_tuple(is_gap, is_other, found.figure.value);
    };
    if (!best || answers(*made) < answers(*best)) best = std::move(made);
  }
  return best;
}

/// "; against naive_o1 it is 16.4×": the pair of the run in hand with another baseline; empty: it holds none.
std::string other_pair(const Reference& reference, const Run* run) {
  if (!run || reference.versus.empty() || !reference.machine.empty()) return "";
  const Params wanted = with_copies(reference.set, run->kernel(reference.kernel));
  const Comparison* newest = nullptr;
  const auto fits = [&](const Comparison& one) {
    return one.candidate == reference.kernel && one.cache == reference.cache &&
           !is_self_check(one) && one.verdict != Verdict::invalid && one.ratio > 0 &&
           holds_all(one.candidate_params, wanted);
  };
  for (const Comparison& one : run->comparisons()) {
    if (fits(one)) newest = &one;
  }
  if (!newest) return "";
  const Comparison* found = weightiest_of(*run, [&](const Comparison& one) {
    return fits(one) && one.baseline == newest->baseline &&
           one.candidate_params == newest->candidate_params;
  });
  const std::string& baseline = found->baseline;
  return "; against " + baseline.substr(baseline.rfind('.') + 1) + " it is " +
         ratio_text(found->ratio, found->ci);
}

Figure nothing_found(const Reference& reference, const Run* run, bool has_place) {
  if (!has_place && !reference.machine.empty())
    return gap(reference, "there is no recording of a machine called " + reference.machine);
  Figure made = gap(reference, reference.versus.empty()
                                   ? "no run at hand holds this point"
                                   : "no run at hand compares these two in pairs at this point");
  made.text += other_pair(reference, run);
  return made;
}

}  // namespace

namespace {

/// The reference at the sizes in view.
Reference at_sizes(const Reference& reference, const InView& view) {
  Reference here = reference;
  for (const auto& [name, value] : reference.set) {
    const auto seen = view.params.find(name);
    if (view.sizes.contains(name) && seen != view.params.end()) here.set[name] = seen->second;
  }
  return here;
}

/// The same; empty: it is of no view.
std::optional<Reference> in_view(const Reference& reference, const InView& view) {
  if (view.params.empty() || !reference.machine.empty() || reference.has_fixed_size) return {};
  return at_sizes(reference, view);
}

/// "n = 1024": what is written of the sizes that are others in view; empty: none is.
std::string other_sizes(const Reference& written, const Reference& here) {
  std::string text;
  // A machine is of no size.
  if (find_metric(written.metric).metric->is_of_machine) return text;
  for (const auto& [name, value] : written.set) {
    if (here.set.at(name) != value)
      text += (text.empty() ? "" : ", ") + name + " = " + to_string(value);
  }
  return text;
}

/// " (n = 512, recorded)": what the figure is, where it is not of what is in view; empty: it is.
std::string elsewhere_text(const Reference& written, const Reference& here, const Figure& figure) {
  std::string text = other_sizes(written, here);
  if (figure.is_recorded) text += text.empty() ? "recorded" : ", recorded";
  return text.empty() || !figure.gap.empty() || !written.unit.empty() ? "" : " (" + text + ")";
}

Result<Figure> resolve_written(const Reference& reference, const Sources& sources) {
  std::vector<Shelf> left = shelves_for(reference, sources);
  RIDGE_TRY_VOID(check_known(reference, left));
  const bool has_place = !left.empty();
  std::optional<Found> best;
  while (!left.empty()) {
    const Shelf first = left.front();
    // What is shown comes before what was recorded, be it of one machine.
    const auto others = std::stable_partition(left.begin(), left.end(), [&](const Shelf& one) {
      return first.place.run == sources.own ? one.place.run == sources.own
                                            : one.place.machine == first.place.machine;
    });
    RIDGE_TRY(std::optional<Found> made,
              best_baseline(reference, {left.data(), size_t(others - left.begin())}));
    if (made && first.place.run == sources.own) return settled(reference, *std::move(made));
    // What is left open is the fallback where one of the machines holds it, be it not the first of that name.
    const auto answers = [](const Found& one) {
      return std::make_tuple(one.figure.gap.empty(), one.nearness);
    };
    if (made && (!best || answers(*made) > answers(*best))) best = std::move(made);
    left.erase(left.begin(), others);
  }
  if (best) return settled(reference, *std::move(best));
  return nothing_found(reference, sources.own, has_place);
}

/// What this machine measured of what is asked of another, for a reader who looks at its run; empty: nothing, or several
/// points, of which the reference names none.
std::string measured_here(const Reference& reference, const Sources& sources) {
  const bool is_read_here = sources.own && !sources.is_own_saved && !sources.view.params.empty();
  if (!is_read_here || reference.machine.empty() || !reference.unit.empty()) return "";
  Reference here = reference;
  here.machine.clear();
  const Shelf own = shelves_for(here, sources).front();
  const auto made = best_baseline(here, {&own, 1});
  return made && *made && (*made)->figure.gap.empty() ? (*made)->figure.text : "";
}

}  // namespace

namespace {

/// Of the problem in view, from what is shown beside the text; empty: that does not hold it.
Result<std::optional<Figure>> found_in_view(const Reference& here, const Sources& sources) {
  std::vector<Shelf> recorded;
  for (const Shelf& shelf : shelves_for(here, sources)) {
    if (shelf.place.run == sources.own) {
      RIDGE_TRY(std::optional<Found> made, best_baseline(here, {&shelf, 1}));
      if (made) {
        RIDGE_TRY(Figure figure, settled(here, *std::move(made)));
        return std::optional<Figure>(std::move(figure));
      }
    } else if (shelf.place.machine == sources.view.machine) {
      recorded.push_back(shelf);
      recorded.back().place.near = sources.view.params;
    }
  }
  auto made = best_baseline(here, recorded);
  const bool is_found = made && *made && (*made)->figure.gap.empty() && (*made)->doubt.empty();
  // Else as it is written.
  return is_found ? std::optional<Figure>(std::move((*made)->figure)) : std::optional<Figure>();
}

/// Of a figure that names its machine: " (n = 1024; 5.84× at n = 4096)", so that two sizes of one page do not contradict each
/// other; empty: it is of the step's size.
std::string beside_step(const Reference& reference, const Figure& figure, const Sources& sources) {
  const InView& view = sources.view;
  if (!view.is_step || reference.machine.empty() || !reference.unit.empty() ||
      reference.has_fixed_size || !figure.gap.empty())
    return "";
  const Reference here = at_sizes(reference, view);
  const std::string written = other_sizes(reference, here);
  if (written.empty()) return "";
  const auto own = found_in_view(here, sources);
  if (!own || !*own || !(*own)->gap.empty()) return " (" + written + ")";
  // With the digits that it has in the step's bars.
  const Figure& step = **own;
  const std::string text = step.unit == "×" ? ratio_text(step.value, step.interval) : step.text;
  return " (" + written + "; " + text + " at " + other_sizes(here, reference) + ")";
}

}  // namespace

Result<Figure> resolve(const Reference& reference, const Sources& sources) {
  const auto here = in_view(reference, sources.view);
  const bool is_moved = here && here->set != reference.set;
  if (is_moved || (here && !sources.view.machine.empty())) {
    RIDGE_TRY(std::optional<Figure> made, found_in_view(*here, sources));
    if (made) {
      made->is_answer = reference.is_answer;
      made->set = here->set;
      return *std::move(made);
    }
  }
  RIDGE_TRY(Figure made, resolve_written(reference, sources));
  made.text +=
      here ? elsewhere_text(reference, *here, made) : beside_step(reference, made, sources);
  made.is_answer = reference.is_answer;
  made.set = reference.set;
  if (made.is_recorded) made.here = measured_here(reference, sources);
  return made;
}

std::string verdict_words(const Figure& figure) {
  if (!figure.verdict) return figure.gap.empty() ? "no verdict" : figure.text;
  switch (*figure.verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::same:
      return "the same";
    default: {
      // The interval may leave out 1 and still reach into the margin.
      const auto& ci = figure.interval;
      const bool has_one = !ci || (ci->low <= 1 && ci->high >= 1);
      return has_one ? "no difference shown" : "no difference beyond the margin shown";
    }
  }
}

}  // namespace ridge::figure
