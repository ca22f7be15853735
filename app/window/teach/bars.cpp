#include "app/window/teach/bars.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/step_outcome.h"
#include "app/window/teach/step_run.h"
#include "app/window/teach/teaching.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/processor_share.h"
#include "common/record/trap.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

constexpr double kRace_s = 1.2, kFrame_s = 1.0 / 30;
/// A ceiling that is farther from the longest bar is said, not drawn: it would leave no length to compare.
constexpr double kFarCeiling = 3;
constexpr float kTwoLines = 40;   // of a bar with its words above it
constexpr float kMostRow = 130,
                kMostRail = 56;   // few bars are no thicker than many: their length counts
constexpr float kAnswerRow = 24;  // under the last bar, where there is an answer; at scale 1

/// Which bars are recordings, and of which machine; empty: none is.
std::string recorded_text(const StepBars& bars) {
  std::string titles, machine;
  size_t recorded = 0;
  for (const LessonBar& bar : bars.bars) {
    if (bar.machine.empty()) continue;
    ++recorded;
    machine = bar.machine;
    titles += (titles.empty() ? "“" : ", “") + bar.title + "”";
  }
  if (recorded == 0) return {};
  return (recorded == bars.bars.size() ? "Hatched: recorded"
                                       : "Hatched: " + titles + ", recorded") +
         " on " + machine + ". ";
}

/// Which bars an earlier step measured; empty: none. The last of those steps is named.
std::string known_text(const StepBars& bars) {
  std::string titles;
  size_t known = 0;
  int step = 0;
  for (const LessonBar& bar : bars.bars) {
    if (bar.measured_at < 0) continue;
    ++known;
    step = std::max(step, bar.measured_at + 1);
    titles += (titles.empty() ? "“" : ", “") + bar.title + "”";
  }
  if (known == 0) return {};
  return (known == bars.bars.size() ? "Measured" : titles + ": measured") + " in step " +
         std::to_string(step) + ". ";
}

/// One line about where a bar comes from: its size, the machine of a recording, the step that measured it.
std::string origin_of(const LessonBar& bar) {
  std::string text = bar.detail;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "  ·  ") + more; };
  if (bar.series && !bar.machine.empty()) add("recorded on " + bar.machine);
  if (bar.measured_at >= 0) add("measured in step " + std::to_string(bar.measured_at + 1));
  return text;
}

std::string error_of(const LessonBar& bar) {
  const QualityCheck* check = bar.series ? bar.series->quality() : nullptr;
  return check && check->task.empty() && check->nmse > 0 ? "error " + format_scientific(check->nmse)
                                                         : "";
}

bool is_peer(const LessonBar& bar) {
  const Rung* rung = rung_of(bar.asked.kernel);
  return rung && rung->peer;
}

/// The bar that the step is about: the one whose figure it asks for, a library's too; else the last of the ladder's own, also
/// where a library stands below it.
size_t coloured_bar(const study::TourStep& step, const std::vector<LessonBar>& bars) {
  if (step.ask == study::Ask::share || step.ask == study::Ask::time) return bars.size() - 1;
  for (size_t i = bars.size(); i-- > 0;)
    if (!is_peer(bars[i])) return i;
  return bars.size();
}

Role role_of(bool is_coloured) {
  return is_coloured ? Role::series0 : Role::baseline;
}

/// Of the parts of the figures as many as have room, whole.
std::string fitting_figures(Ui& ui, std::string figures, float width) {
  while (ui.width(figures, kSmall_px + 1, Face::strong) > width) {
    const size_t last = figures.rfind("  ·  ");
    if (last == std::string::npos) break;
    figures.resize(last);
  }
  return figures;
}

std::string about_of(const LessonBar& bar) {
  std::string about = is_peer(bar) ? "a library" : "";
  if (!bar.detail.empty()) about += (about.empty() ? "" : "  ·  ") + bar.detail;
  return about;
}

/// What a bar's words need on one line.
float head_needs(Ui& ui, const LessonBar& bar, const std::string& figures) {
  const std::string about = about_of(bar);
  return ui.width(bar.title, kBody_px, Face::strong) +
         ui.width(figures, kSmall_px + 1, Face::strong) +
         (about.empty() ? 0 : ui.width(about, kSmall_px) + ui.px(12)) + ui.px(14);
}

/// Title and size at the left, the figures at the right: what a bar is called is whole before its last figure is.
void draw_bar_head(Ui& ui, Area head, const LessonBar& bar, const std::string& all_figures,
                   bool is_last, bool is_verdict) {
  constexpr float kMostTitle = 0.5f, kMostFigures = 0.72f;
  const float title_w =
      ui.width(bar.title, kBody_px, is_last ? Face::strong : Face::body) + ui.px(12);
  const float most =
      std::min(head.w * kMostFigures, head.w - std::min(title_w, head.w * kMostTitle));
  const std::string figures = fitting_figures(ui, all_figures, most);
  // What the step is about is read from afar, where its line has the room.
  const bool is_large = is_verdict && head.h >= ui.px(kHeading_px);
  const float size = is_large
                         ? ui.fitting_size(figures, most, kHeading_px, kSmall_px + 1, Face::strong)
                         : kSmall_px + 1;
  const float w = std::min(ui.width(figures, size, Face::strong), most);
  ui.text(head.right(), head.middle(), figures, size, bar.series ? Role::text : Role::muted,
          bar.series ? Face::strong : Face::body, Anchor::end, most);
  if (is_verdict) ui.widgets["verdict_figure"] = {head.right() - w, head.y, w, ui.px(size)};
  head.take_right(w, ui.px(12));
  head.take_left(ui.text(head.x, head.middle(), bar.title, kBody_px, Role::text,
                         is_last ? Face::strong : Face::body, Anchor::start, head.w),
                 ui.px(12));
  if (head.w > ui.px(40))
    ui.text(head.x, head.middle(), about_of(bar), kSmall_px, Role::muted, Face::body, Anchor::start,
            head.w);
}

/// Stripes over a bar that was not measured here, as in the charts.
void draw_stripes(Ui& ui, const Area& bar, ImU32 color) {
  const float step = ui.px(9);
  ui.list->PushClipRect({bar.x, bar.y}, {bar.right(), bar.bottom()}, true);
  for (float x = bar.x - bar.h; x < bar.right(); x += step)
    ui.list->AddLine({x, bar.bottom()}, {x + bar.h, bar.y}, color, ui.px(1.5f));
  ui.list->PopClipRect();
}

/// A recording is fainter and hatched, with an outline.
void draw_bar(Ui& ui, const Area& rail, const LessonBar& bar, bool is_coloured, double share) {
  ui.fill(rail, ui.raised(1), ui.px(2));
  if (!(share > 0)) return;
  const bool is_recorded = !bar.machine.empty();
  const Area filled = {rail.x, rail.y, std::max(rail.w * static_cast<float>(share), ui.px(1)),
                       rail.h};
  const Role role = role_of(is_coloured);
  ui.fill(filled, ui.color(role, is_recorded ? 0.45f : 1), ui.px(2));
  if (is_recorded) draw_stripes(ui, filled, ui.color(role, 0.8f));
  if (is_recorded) ui.frame(filled, ui.color(role), ui.px(2), ui.px(1.5f));
}

/// From the answer to what it missed: how far off it was, where there is room for the words.
void draw_gap(Ui& ui, const Area& label, float answer_x, float missed_x, const std::string& far) {
  const Area& said = ui.widgets["answer_said"];
  const bool is_low = answer_x < missed_x;
  const float gap = ui.px(10), from = is_low ? said.right() + gap : missed_x,
              to = is_low ? missed_x : said.x - gap;
  const float w = ui.width(far, kSmall_px, Face::strong), y = label.middle(), thick = ui.px(2);
  if (far.empty() || to - from < w + ui.px(48)) return;
  const float text_x = (from + to - w) / 2;
  for (const auto& [left, right] : {std::pair(from, text_x - gap), std::pair(text_x + w + gap, to)})
    ui.fill({left, y - thick / 2, right - left, thick}, ui.color(Role::slower));
  ui.fill({missed_x - thick / 2, label.y, thick, label.h}, ui.color(Role::slower));
  ui.text(text_x, y, far, kSmall_px, Role::slower, Face::strong);
  ui.widgets["answer_gap"] = {from, label.y, to - from, label.h};
}

/// The answer as a line over the last bar, and its words in `label`, a row of their own; `share` above 1 stands at the
/// end, with an arrow.
void draw_mark(Ui& ui, const Area& rail, const Area& label, double share, const std::string& said) {
  const float x = rail.x + rail.w * static_cast<float>(std::min(1.0, share));
  ui.fill({x - ui.px(1.5f), rail.y - ui.px(4), ui.px(3), label.y - rail.y + ui.px(6)},
          ui.color(Role::text));
  const std::string text = "you said " + said + (share > 1 ? " →" : "");
  const float w = ui.width(text, kSmall_px, Face::strong);
  const float from = std::clamp(x - w / 2, label.x, std::max(label.x, label.right() - w));
  ui.text(from, label.middle(), text, kSmall_px, Role::text, Face::strong, Anchor::start, label.w);
  ui.widgets["answer_mark"] = {x, rail.y, ui.px(3), rail.h};
  ui.widgets["answer_said"] = {from, label.y, w, label.h};
}

/// How much of their length the racing bars have, 0 to 1.
float race_of(Ui& ui) {
  const Teaching& teach = ui.state.teaching;
  const double at_s = teach.now_s - teach.beat_started_s;
  const bool races = teach.beat == Beat::reveal && !ui.state.appearance.reduced_motion;
  if (!races || at_s >= kRace_s) return 1;
  ui.wake_in(kFrame_s);
  return static_cast<float>(std::clamp(at_s / kRace_s, 0.0, 1.0));
}

/// The axis of the bars: from zero to `end`.
struct Scale {
  double end = 0;
  std::optional<double> ceiling;  ///< within `end`
  std::string beyond;             ///< of a ceiling that is too far to be drawn
  double share_of(double value) const { return end > 0 ? value / end : 0; }
};

/// What the bars are of: speeds, so that a longer bar is the faster one; of a step that asks for a time, times. Of a trap how
/// far it is off.
struct Plotted {
  std::vector<double> values;
  std::optional<double> mark, ceiling;  ///< the answer; what the ceiling allows
  std::optional<Comparison> pair{};     ///< the bars are ratios to the first one, which is 1
  std::vector<std::optional<Interval>> intervals{};  ///< of each bar, as the values are
  bool is_between_clocks = false;  ///< the last of them is from processor time to wall time
  bool are_times = false;          ///< of one call, in nanoseconds
  double most() const {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  }
};

/// Of a step that compares one quantity is drawn: the ratio that its rounds came to. A bar between the two sides was timed
/// apart from them: it stands as far from the last one as those two times do, for with that one a room compares it.
Plotted plotted_pair(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                     const Comparison& pair) {
  Plotted all{.values = {1}, .mark = {}, .ceiling = {}, .pair = pair};
  const double last = bars.bars.back().value;
  for (size_t i = 1; i + 1 < bars.bars.size(); ++i)
    all.values.push_back(last > 0 ? pair.ratio * bars.bars[i].value / last : 0);
  all.values.push_back(pair.ratio);
  all.intervals.resize(all.values.size());
  all.intervals.back() = pair.ci;
  const auto said = parse_answer(step.ask, answer.typed);
  if (said && step.ask == study::Ask::ratio) all.mark = *said;
  return all;
}

/// Of the speed of a bar that was timed by itself: from the interval of its time.
std::optional<Interval> interval_of(const LessonBar& bar) {
  if (bar.reading) return bar.reading->ci;
  if (!bar.series || !bar.series->stats || bar.series->trap) return std::nullopt;
  const Stats& stats = *bar.series->stats;
  if (!stats.ci_ns || !(bar.value > 0) || !(stats.ci_ns->low > 0)) return std::nullopt;
  const double of_ns = bar.value * stats.median_ns;
  return Interval{of_ns / stats.ci_ns->high, of_ns / stats.ci_ns->low};
}

/// The bars are what is asked for.
bool asks_for_times(const study::TourStep& step, const StepBars& bars) {
  return step.ask == study::Ask::time && !bars.bars.empty() &&
         std::none_of(bars.bars.begin(), bars.bars.end(), [](const LessonBar& bar) {
           return bar.series && (bar.series->trap || !bar.series->stats);
         });
}

Plotted plotted_times(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                      const StepOutcome& outcome) {
  Plotted all{.values = {},
              .mark = answer_mark(step, bars, answer, outcome),
              .ceiling = {},
              .are_times = true};
  for (const LessonBar& bar : bars.bars) {
    all.values.push_back(bar.series ? bar.series->stats->median_ns : 0);
    all.intervals.push_back(bar.series ? bar.series->stats->ci_ns : std::nullopt);
  }
  // Beside other programs the time may be off by more than its samples say.
  if (outcome.range) all.intervals.back() = outcome.range;
  all.is_between_clocks = outcome.is_between_clocks;
  return all;
}

Plotted plotted(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                const StepOutcome& outcome) {
  if (outcome.pair && outcome.pair->ratio > 0 && bars.bars.size() > 1) {
    Plotted of_pair = plotted_pair(step, bars, answer, *outcome.pair);
    of_pair.is_between_clocks = outcome.is_between_clocks;
    return of_pair;
  }
  if (asks_for_times(step, bars)) return plotted_times(step, bars, answer, outcome);
  Plotted all{.values = {},
              .mark = answer_mark(step, bars, answer, outcome),
              .ceiling = shared_ceiling(bars)};
  for (const LessonBar& bar : bars.bars) {
    all.values.push_back(bar.value);
    all.intervals.push_back(interval_of(bar));
  }
  if (bars.unit == kShareUnit && outcome.is_bound) all.intervals.back() = outcome.range;
  return all;
}

Scale scale_of(const Plotted& all, const std::string& unit) {
  if (unit == kShareUnit) return {std::max(1.0, all.most()), 1, {}};
  constexpr double kLongWhisker = 4;  // of the longest bar; beyond it the whisker is cut at the end
  double most = all.most();
  const double longest = most;
  for (const auto& interval : all.intervals) {
    if (interval) most = std::max(most, std::min(interval->high * 1.02, longest * kLongWhisker));
  }
  // An answer that is far off would shorten all bars: beyond twice the longest it stands at the end.
  Scale scale = {all.mark ? std::max(most, std::min(*all.mark * 1.05, most * 2)) : most, {}, {}};
  if (!all.ceiling || !(most > 0)) return scale;
  if (*all.ceiling > kFarCeiling * most) {
    scale.beyond = format_rate(*all.ceiling, unit) + ", " + format_ratio(*all.ceiling / most) +
                   " the longest bar";
  } else {
    scale.ceiling = *all.ceiling;
    scale.end = std::max(scale.end, *all.ceiling);
  }
  return scale;
}

/// Where the baseline ends, beside the interval of a ratio to it.
void draw_one(Ui& ui, const Area& rail, const Scale& scale) {
  const auto share = static_cast<float>(std::clamp(scale.share_of(1), 0.0, 1.0));
  ui.fill({rail.x + rail.w * share, rail.y, ui.px(1), rail.h}, ui.color(Role::muted));
}

/// The interval on its bar.
void draw_interval(Ui& ui, const Area& rail, const Scale& scale, const Interval& interval) {
  const auto at = [&](double value) {
    return rail.x + rail.w * static_cast<float>(std::clamp(scale.share_of(value), 0.0, 1.0));
  };
  const float low = at(interval.low), high = at(interval.high), y = rail.y + rail.h * 0.74f;
  const float cap = std::min(ui.px(9), rail.h * 0.2f);
  for (const bool is_edge : {true, false}) {  // readable on the bar and beside it
    const float more = ui.px(is_edge ? 1.5f : 0), half = ui.px(1.25f) + more;
    const uint32_t color = ui.color(is_edge ? Role::canvas : Role::text);
    ui.fill({low - more, y - half, high - low + 2 * more, 2 * half}, color);
    for (const float x : {low, high})
      ui.fill({x - half, y - cap - more, 2 * half, 2 * (cap + more)}, color);
  }
  ui.widgets["interval_mark"] = {low, y - cap, high - low, 2 * cap};
}

void draw_ceiling(Ui& ui, const Area& rail, double share) {
  const float w = ui.px(2), x = rail.x + rail.w * static_cast<float>(share) - w;
  ui.fill({x, rail.y - ui.px(3), w, rail.h + ui.px(6)}, ui.color(Role::limit));
  ui.widgets["ceiling_mark"] = {x, rail.y, w, rail.h};
}

std::optional<double> share_of(const LessonBar& bar) {
  const auto use = bar.series ? derive(*bar.series, *bar.run).compute : std::nullopt;
  return use ? std::optional(use->value) : std::nullopt;
}

/// Of a bar that is a share: that, and the speed that was measured; `own` is the bar as this run has it.
std::string said_of_share(const LessonBar& drawn, const LessonBar& own, const std::string& unit) {
  if (!own.series) return own.reason;
  const std::string rate = format_rate(own.value, unit);
  if (!(drawn.value > 0)) return rate + "  ·  its share is in doubt";
  const std::string share = format_share(drawn.value);
  return drawn.series == own.series ? share + "  ·  " + rate
                                    : share + ", recorded  ·  here " + rate;
}

/// Of a bar that is a time this comes first.
std::string time_first(const LessonBar& bar, const std::string& figures) {
  const std::string time = format_time_ns(bar.series->stats->median_ns), join = "  ·  ";
  const size_t at = figures.find(join + time);
  return at == std::string::npos
             ? figures
             : time + join + figures.substr(0, at) + figures.substr(at + join.size() + time.size());
}

/// Over the bar above: of a pair run in turns where there is one, else of two times alone.
std::string gain_text(const State& state, const StepBars& bars, size_t place, double before) {
  if (const auto pair = gain_pair(state, bars, place))
    return headline_ratio_text(*pair) + " the one above, in turns";
  return before > 0 ? "≈ " + format_ratio(bars.bars[place].value / before) + " the one above" : "";
}

/// Of the step that a bar is about, after its figures.
std::string said_of(const State& state, const study::TourStep& step, const StepBars& bars,
                    size_t place, double before, bool is_brief) {
  const LessonBar& bar = bars.bars[place];
  if (!bar.series) return bar.reason;
  if (bar.reading) return reading_text(*bar.series->trap, *bar.reading);
  const bool asks_gain = step.ask == study::Ask::largest_step;
  std::string text =
      is_brief && asks_gain ? format_rate(bar.value, bars.unit) : figures_of(bar, bars.unit);
  if (asks_for_times(step, bars)) text = time_first(bar, text);
  const std::string gain = asks_gain ? gain_text(state, bars, place, before) : "";
  if (!gain.empty()) text += "  ·  " + gain;
  if (step.kind == study::StepKind::side_by_side && !error_of(bar).empty())
    text += "  ·  " + error_of(bar);
  return text;
}

std::string ratio_of(const StepBars& bars, const Plotted& all, size_t place) {
  const LessonBar& bar = bars.bars[place];
  if (place == 0) return "1×, the baseline";
  if (place + 1 == bars.bars.size()) return pair_headline(*all.pair);
  if (!(all.values[place] > 0)) return bar.reason;
  return "≈ " + format_ratio(all.values[place] / all.values.back()) + " as fast as “" +
         bars.bars.back().title + "”, timed apart";
}

/// " The line is its 95 % interval.": what the whiskers are; empty: there is none.
std::string line_text(const Plotted& all) {
  const auto count = std::count_if(all.intervals.begin(), all.intervals.end(),
                                   [](const auto& interval) { return interval.has_value(); });
  if (count == 0) return "";
  if (all.is_between_clocks && all.intervals.back()) {
    const std::string clocks = " runs from processor time to wall time.";
    return count == 1 ? " The line" + clocks
                      : " The lines are 95 % intervals, but the last" + clocks;
  }
  if (count > 1) return " The lines are 95 % intervals.";
  // Of one bar among several it is no interval of what stands beside them, as their ratio.
  return all.values.size() > 1 && !all.pair ? " The line is the 95 % interval of its own bar."
                                            : " The line is its 95 % interval.";
}

std::string caption_of(const StepBars& bars, const Plotted& all, const Scale& scale) {
  const std::string from = recorded_text(bars) + known_text(bars);
  if (all.pair)
    return from + "Speed from zero, longer is faster, as a multiple of “" +
           bars.bars.front().title + "”; of “" + bars.bars.back().title + "” from runs in turns." +
           (bars.bars.size() > 2 ? " What has ≈ was timed apart." : "") + line_text(all);
  if (bars.bars.back().reading)
    return from + "The same thing, read in two ways, from zero: as it is, and as “" +
           rung_of(bars.bars.back().asked.kernel)->title + "” has it." + line_text(all);
  if (bars.is_factor())
    return from + "How far each figure is from the honest one, from zero: longer is further off.";
  if (all.are_times && all.most() > 0)
    return from + "Time of one call from zero, shorter is faster" +
           (bars.bars.size() > 1 ? ", each timed by itself." : ".") + line_text(all);
  if (bars.unit.empty()) return from + "No bar has a speed here.";
  if (bars.unit == kShareUnit)
    return from + "Share of the measured ceiling, from zero. Orange: the ceiling, 100 %." +
           line_text(all);
  return from + "Speed from zero, longer is faster" +
         (bars.bars.size() > 1 ? ", each timed by itself." : ".") + line_text(all) +
         (scale.ceiling
              ? " Orange: the measured ceiling, " + format_rate(*scale.ceiling, bars.unit) + "."
          : scale.beyond.empty() ? ""
                                 : " Beyond the end: the measured ceiling, " + scale.beyond + ".");
}

}  // namespace

std::string figures_of(const LessonBar& bar, const std::string& unit) {
  const Series& series = *bar.series;
  if (series.trap) {
    const std::string bias = bias_text(*series.trap);
    return bias.substr(0, bias.find(':'));  // beside a bar there is no room for why it is open
  }
  std::string text = format_rate(bar.value, unit);
  if (series.stats) text += "  ·  " + format_time_ns(series.stats->median_ns);
  if (const auto task = task_of(bar)) {  // what the speed was bought with
    const std::string mean = seed_mean_text(task->seeds);
    text += "  ·  " +
            (find_lab(series.lab)->quality_metric + (" " + format_number(task->mean, 4))) +
            (mean.empty() ? "" : ", " + mean);
  }
  const Derived derived = derive(series, *bar.run);
  if (const Utilization* nearest = nearest_ceiling(derived); nearest && unit == "FLOP/s")
    text += "  ·  " + (derived.compute && nearest == &*derived.compute
                           ? format_share(nearest->value) + " of ceiling"
                           : nearest_ceiling_text(derived));
  return text;
}

std::optional<double> shared_ceiling(const StepBars& bars) {
  constexpr double kSame = 1e-6;
  std::optional<double> shared;
  for (const LessonBar& bar : bars.bars) {
    if (!bar.series || !(bar.value > 0)) continue;
    const auto use = derive(*bar.series, *bar.run).compute;
    if (!use || !(use->value > 0) || bars.unit != "FLOP/s") return {};
    const double ceiling = bar.value / use->value;
    if (shared && std::abs(ceiling / *shared - 1) > kSame) return {};
    shared = ceiling;
  }
  return shared;
}

namespace {

/// A light that runs over the rest of the rail: a long call or a check has no fraction, and a room sees that it goes on.
void draw_moving(Ui& ui, const Area& rail, double share) {
  if (ui.state.appearance.reduced_motion) return;
  constexpr double kSweep_s = 1.6;
  const float w = ui.px(46), from = rail.x + rail.w * static_cast<float>(share);
  const double at = std::fmod(ui.state.teaching.now_s, kSweep_s) / kSweep_s;
  const float x = from + std::max(0.0f, rail.right() - from - w) * static_cast<float>(at);
  ui.fill({x, rail.y, std::min(w, rail.right() - x), rail.h}, ui.color(Role::series0, 0.35f),
          ui.px(4));
  ui.widgets["step_moves"] = {x, rail.y, w, rail.h};
}

}  // namespace

namespace {

/// What a row of the progress says: its name and where it comes from at the left, how it stands at the right.
struct ProgressRow {
  std::string label = {}, origin = {}, state = {};
  double share = 0;
  bool is_missing = false;       ///< nothing runs here
  std::string_view widget = {};  ///< of its state
  bool is_now = false;
};
constexpr std::string_view kCeilingsRow = "step_ceilings";

ProgressRow row_of_bar(const LessonBar& bar, double share, bool is_cancelled) {
  ProgressRow row{bar.title, origin_of(bar), "", share, !bar.can_run && !bar.series};
  row.state = row.is_missing ? bar.reason
              : is_cancelled ? "cancelled"
              : share >= 1   ? (bar.machine.empty() ? "measured" : "played")
                             : "";
  return row;
}

ProgressRow row_of_pair(const State& state, double share, bool is_cancelled) {
  ProgressRow row{"both in turns", "the paired comparison", rounds_so_far(state), share};
  if (is_cancelled)
    row.state = "cancelled";
  else if (!row.state.empty())
    row.widget = "step_rounds";
  else if (share >= 1)
    row.state = "measured";
  return row;
}

/// The first row that is not done is the one that is measured; while the ceilings have a row, they are.
void mark_now(const State& state, std::vector<ProgressRow>* rows) {
  const bool has_ceilings = rows->back().widget == kCeilingsRow;
  bool is_taken = has_ceilings || !is_step_running(state);
  for (ProgressRow& row : *rows) {
    const bool is_next = row.share < 1 && !row.is_missing;
    row.is_now = is_next && !is_taken;
    is_taken |= is_next;
  }
  rows->back().is_now |= has_ceilings;
  for (ProgressRow& row : *rows) {
    if (!row.state.empty()) continue;
    row.state = row.share > 0 ? format_share(row.share) : row.is_now ? "now" : "waits";
  }
}

/// The bars, the pair behind them, and while they are measured the ceilings: they have a row of their own, since all bars
/// may be full by then.
std::vector<ProgressRow> progress_rows(const State& state, const study::TourStep& step,
                                       const StepBars& bars) {
  const std::vector<double> shares = progress_of(state, step, bars);
  std::vector<ProgressRow> rows;
  for (size_t i = 0; i < shares.size(); ++i) {
    const bool is_cancelled = is_row_cancelled(state, bars, i);
    rows.push_back(i < bars.bars.size() ? row_of_bar(bars.bars[i], shares[i], is_cancelled)
                                        : row_of_pair(state, shares[i], is_cancelled));
  }
  if (const Request* request = at_ceilings(state))
    rows.push_back({.label = "this machine's ceilings",
                    .origin = "measured once: " + ceilings_words(state, *request),
                    .share = share_of_ceilings(state, *request).value_or(0),
                    .widget = kCeilingsRow});
  if (!rows.empty()) mark_now(state, &rows);
  return rows;
}

void draw_progress_row(Ui& ui, Area row, const ProgressRow& made) {
  const bool has_widget = !made.widget.empty();
  Area head = row.take_top(ui.px(26), ui.px(4));
  const float most = head.w * (has_widget ? 0.7f : 0.5f);
  const float w = std::min(ui.width(made.state, kSmall_px), most);
  ui.text(head.right(), head.middle(), made.state, kSmall_px, has_widget ? Role::text : Role::muted,
          Face::body, Anchor::end, most);
  if (has_widget) ui.widgets[std::string(made.widget)] = {head.right() - w, head.y, w, head.h};
  head.take_right(w, ui.px(12));
  head.take_left(ui.text(head.x, head.middle(), made.label, kBody_px, Role::text, Face::body,
                         Anchor::start, head.w * 0.6f),
                 ui.px(12));
  if (head.w > ui.px(60))
    ui.text(head.x, head.middle(), made.origin, kSmall_px, Role::muted, Face::body, Anchor::start,
            head.w);
}

}  // namespace

size_t count_progress_rows(const State& state, const study::TourStep& step, const StepBars& bars) {
  return progress_rows(state, step, bars).size();
}

void draw_step_progress(Ui& ui, const Area& area, const study::TourStep& step,
                        const StepBars& bars) {
  const std::vector<ProgressRow> rows = progress_rows(ui.state, step, bars);
  if (is_step_running(ui.state)) ui.wake_in(kFrame_s);
  Area rest = area;
  ui.widgets["step_progress"] = area;
  const float row_h = std::min(ui.px(58), area.h / static_cast<float>(rows.size()));
  for (const ProgressRow& made : rows) {
    const Area row = rest.take_top(row_h);
    draw_progress_row(ui, row, made);
    const Area rail = {row.x, row.y + ui.px(30), row.w, ui.px(10)};
    ui.fill(rail, ui.raised(1), ui.px(4));
    if (made.share > 0)
      ui.fill({rail.x, rail.y, std::max(rail.h, rail.w * static_cast<float>(made.share)), rail.h},
              ui.color(Role::series0), ui.px(4));
    if (made.is_now) draw_moving(ui, rail, made.share);
  }
}

namespace {

/// What stands under the bars: the answer's row, then the words about all of them.
struct Foot {
  std::string says;
  float size = kSmall_px;  ///< of the words
  float said_h = 0, says_h = 0;
};

Foot foot_of(Ui& ui, float width, const StepBars& bars, const Plotted& all, const Scale& scale) {
  const Teaching& teach = ui.state.teaching;
  // On a wall Reveal has said what the axis is: Explain's picture has the room.
  const bool is_brief = teach.presenting && teach.beat == Beat::explain;
  Foot foot{is_brief ? recorded_text(bars) : caption_of(bars, all, scale)};
  foot.size = teach.presenting ? kBody_px : kSmall_px;
  const float h =
      ui.paragraph({0, 0, width, 0}, foot.says, foot.size, Role::muted, Face::body, true);
  foot.says_h = foot.says.empty() ? 0 : std::max(ui.px(22), h);
  foot.said_h = all.mark ? ui.px(kAnswerRow) : 0;
  return foot;
}

}  // namespace

StepBars drawn_bars(const State& state, const study::TourStep& step, const StepBars& bars) {
  if (step.ask != study::Ask::share || bars.unit.empty()) return bars;
  StepBars drawn = bars;
  drawn.unit = kShareUnit;
  for (LessonBar& bar : drawn.bars) {
    std::optional<double> share = share_of(bar);
    if (bar.series && !share) {
      const LessonBar recorded = recorded_bar(state, bar.asked);
      if ((share = share_of(recorded)))
        bar.series = recorded.series, bar.run = recorded.run, bar.machine = recorded.machine;
    }
    bar.value = share.value_or(0);
  }
  return drawn;
}

std::string step_bars_words(const State& state, const study::TourStep& step, const StepBars& of) {
  const StepBars bars = of.drawn();
  const StepBars drawn = drawn_bars(state, step, bars);
  const Plotted all = plotted(step, drawn, answer_here(state), outcome_of(state, step, bars));
  return caption_of(drawn, all, scale_of(all, drawn.unit));
}

float step_bars_foot(Ui& ui, float width, const study::TourStep& step, const StepBars& of) {
  const StepBars bars = of.drawn();
  const StepAnswer& answer = answer_here(ui.state);
  const StepBars drawn = drawn_bars(ui.state, step, bars);
  const Plotted all = plotted(step, drawn, answer, outcome_of(ui.state, step, bars));
  const Foot foot = foot_of(ui, width, drawn, all, scale_of(all, drawn.unit));
  return foot.said_h + foot.says_h + ui.px(4);
}

namespace {

/// Of each bar what stands at the right of its head. `own`: as this run has them.
std::vector<std::string> figures_of_bars(const State& state, const study::TourStep& step,
                                         const StepBars& own, const StepBars& drawn,
                                         const Plotted& all, bool is_flat) {
  std::vector<std::string> figures;
  double before = 0;
  for (size_t i = 0; i < own.bars.size(); ++i) {
    const LessonBar& bar = drawn.bars[i];
    figures.push_back(all.pair                   ? ratio_of(own, all, i)
                      : drawn.unit == kShareUnit ? said_of_share(bar, own.bars[i], own.unit)
                                                 : said_of(state, step, own, i, before, is_flat));
    if (bar.value > 0) before = bar.value;
  }
  return figures;
}

/// Beside flat bars: as wide as the longest of their words needs, so that all bars begin alike, and are left some length.
float flat_head_width(Ui& ui, float width, const StepBars& drawn,
                      const std::vector<std::string>& figures) {
  constexpr float kLeast = 0.62f, kMost = 0.8f;
  float needed = 0;
  for (size_t i = 0; i < figures.size(); ++i)
    needed = std::max(needed, head_needs(ui, drawn.bars[i], figures[i]));
  return std::clamp(needed, width * kLeast, width * kMost);
}

}  // namespace

void draw_step_bars(Ui& ui, const Area& area, const study::TourStep& step, const StepBars& of) {
  const StepBars bars = of.drawn();
  const StepAnswer& answer = answer_here(ui.state);
  const StepBars drawn = drawn_bars(ui.state, step, bars);
  const Plotted all = plotted(step, drawn, answer, outcome_of(ui.state, step, bars));
  const Scale scale = scale_of(all, drawn.unit);
  const float grown = race_of(ui);
  ui.widgets["step_bars"] = area;
  Area rest = area;
  const Foot foot = foot_of(ui, area.w, drawn, all, scale);
  const Area caption = rest.take_bottom(foot.says_h, ui.px(4));
  const float row_h =
      std::min((rest.h - foot.said_h) / static_cast<float>(bars.bars.size()), ui.px(kMostRow));
  const float head_h = std::min(ui.px(26), row_h * 0.5f);
  const float rail_h = std::min(ui.px(kMostRail), std::max(ui.px(8), row_h - head_h - ui.px(18)));
  // Many in a low place: the words stand beside their bar, not on it.
  const bool is_flat = row_h < ui.px(kTwoLines);
  const std::vector<std::string> figures =
      figures_of_bars(ui.state, step, bars, drawn, all, is_flat);
  const float flat_w = is_flat ? flat_head_width(ui, area.w, drawn, figures) : 0;
  const size_t coloured = coloured_bar(step, drawn.bars);
  for (size_t i = 0; i < bars.bars.size(); ++i) {
    const LessonBar& bar = drawn.bars[i];
    const bool is_last = i + 1 == bars.bars.size();
    Area row = rest.take_top(row_h);
    ui.widgets[fmt::format("bar:{}", i + 1)] = row;
    const Area head = is_flat ? row.take_left(flat_w, ui.px(14)) : row.take_top(head_h, ui.px(2));
    ui.widgets[fmt::format("bar_head:{}", i + 1)] = head;
    draw_bar_head(ui, head, bar, figures[i], is_last, is_last && all.pair);
    const Area rail = is_flat ? Area{row.x, row.y + row.h * 0.2f, row.w, row.h * 0.6f}
                              : Area{row.x, row.y, row.w, rail_h};
    const double share = scale.share_of(all.values[i]);
    draw_bar(ui, rail, bar, i == coloured, share * grown);
    ui.widgets[fmt::format("bar_fill:{}", i + 1)] = {
        rail.x, rail.y, rail.w * static_cast<float>(share) * grown, rail.h};
    if (scale.ceiling) draw_ceiling(ui, rail, scale.share_of(*scale.ceiling));
    const auto& interval = all.intervals[i];
    const bool has_interval = is_last && all.pair && interval && grown >= 1;
    if (has_interval) draw_one(ui, rail, scale);
    if (interval && grown >= 1) draw_interval(ui, rail, scale, *interval);
    ui.widgets[fmt::format("rail:{}", i + 1)] = rail;
    if (is_last && all.mark && grown >= 1) {
      // Of a bar beside its words the answer's have the row: the bar alone would cut them.
      const Area label = {head.x, rail.bottom() + ui.px(4), rail.right() - head.x,
                          ui.px(kAnswerRow - 4)};
      // Of an interval to its nearer end: by so much at least.
      const double missed =
          has_interval ? std::clamp(*all.mark, interval->low, interval->high) : all.values[i];
      const double to = std::min(1.0, scale.share_of(missed)), at = scale.share_of(*all.mark);
      const std::string said = answer_text(step, bars, answer);
      const std::string far = how_far(step, bars, answer, outcome_of(ui.state, step, bars));
      // Between a near answer and the bar there is no room for words: they follow the answer's.
      constexpr float kAround = 90;
      const float words = ui.width("you said " + said + far, kSmall_px, Face::strong);
      const auto between = static_cast<float>(std::abs(to - std::min(1.0, at))) * rail.w;
      const bool has_room = between > words + ui.px(kAround);
      draw_mark(ui, rail, label, at, has_room || far.empty() ? said : said + ": " + far);
      if (has_room)
        draw_gap(ui, label, ui.widgets["answer_mark"].x, rail.x + rail.w * static_cast<float>(to),
                 far);
    }
  }
  ui.paragraph(caption, foot.says, foot.size, Role::muted);
}

}  // namespace ridge::window
