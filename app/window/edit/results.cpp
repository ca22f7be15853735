#include "app/window/edit/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/window/edit/editing.h"
#include "app/window/edit/feedback.h"
#include "app/window/edit/puzzle_results.h"
#include "app/window/panels/verdict_card.h"
#include "app/window/panels/widgets.h"
#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/error_map.h"
#include "common/record/ratio_text.h"
#include "common/stats/stats.h"
#include "common/view/chart/paired.h"
#include "common/view/chart/ramp.h"

namespace ridge::window {
namespace {

constexpr float kBars = 96, kMostBar = 26, kMap = 230, kMostCell = 14;
/// Times that differ by more have a logarithmic axis.
constexpr double kNear = 3;

/// The open copy's own run, as it is now; null: it was not run.
const Series* series_now(const State& state) {
  const Editing& editing = *state.editing;
  const auto& all = state.run().series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const Request* request = state.run().request(it->request);
    if (it->kernel != editing.id || !request || request->type != RequestType::run) continue;
    return it->request > editing.build_request ? &*it : nullptr;
  }
  return nullptr;
}

struct Now {
  std::string headline;
  Role role = Role::text;
};

bool is_refused(const Series& series) {
  return series.status == SeriesStatus::failed || series.status == SeriesStatus::skipped;
}

/// The state in two words, or the time.
Now now_of(const State& state) {
  const Editing& editing = *state.editing;
  const Series* series = series_now(state);
  const EditBuild* build = last_build(state);
  if (is_building(state) || editing.wants_build) return {"Compiling", Role::muted};
  const bool is_empty = !editing.exercise.empty() && editing.built == editing.original;
  if (is_empty) return {"Your turn", Role::text};
  // The learner left it so: an old failure is no news when the file opens.
  if (is_as_left(state) && ((series && is_refused(*series)) || (build && !build->built)))
    return {"As you left it", Role::text};
  if (build && !build->built) return {refused_headline(*build), Role::slower};
  if (series && is_refused(*series))
    return {error_map_of(*series) ? "Wrong result" : "Failed", Role::slower};
  if (series && series->stats) return {format_time_ns(series->stats->median_ns), Role::text};
  const bool is_running = series && series->is_under_way();
  const RungView* row = find_row(state.ladder, editing.id);
  if (is_running && row && row->series && row->series->stats && row->series->quality_passed())
    return {format_time_ns(row->series->stats->median_ns), Role::text};  // of what came so far
  if (is_running || editing.wants_run) return {"Checking", Role::muted};
  return {"Not timed", Role::muted};
}

bool is_time(const Now& now) {
  return now.role == Role::text && std::isdigit(static_cast<unsigned char>(now.headline[0]));
}

/// "702 ms a call when run alone, busy": of the save's own run.
std::string alone_text(const Save& save) {
  const std::string caution = caution_of(*save.series->stats);
  const std::string size = size_of(save);
  return format_time_ns(save.median_ns()) + " a call when run alone" +
         (size.empty() ? "" : " at " + size) + (caution.empty() ? "" : ", " + caution);
}

/// A cross for a save without a time.
void draw_cross(Ui& ui, float x, float y) {
  const float r = ui.px(4), w = ui.px(2);
  const ImU32 color = ui.color(Role::slower);
  ui.list->AddLine({x - r, y - r}, {x + r, y + r}, color, w);
  ui.list->AddLine({x - r, y + r}, {x + r, y - r}, color, w);
}

/// The original's own time at the problem of the save, whatever size was chosen since, ns; 0: it was not measured there.
double original_ns(const State& state, const Save& save) {
  const Series* found = original_beside(state.run(), save, state.editing->kernel);
  return found ? found->stats->median_ns : 0;
}

/// The last that was timed: the others are drawn beside it where they are of its problem. Null: none was.
const Save* last_timed(const std::vector<Save>& saves) {
  const auto found =
      std::find_if(saves.rbegin(), saves.rend(), [](const Save& save) { return save.verified(); });
  return found == saves.rend() ? nullptr : &*found;
}

/// Where the two times above say another thing than the pairs: which to believe. Empty: they agree.
std::string alone_sentence(double own_ns, double original_ns, double paired) {
  constexpr double kApart = 1.25;
  if (!(own_ns > 0) || !(original_ns > 0) || !(paired > 0)) return "";
  const double alone = original_ns / own_ns;
  if (alone < paired * kApart && paired < alone * kApart) return "";
  return fmt::format(
      "Run alone, at different times, the two differ by {}. The pairs count: both sides of a pair "
      "met the same machine.",
      format_ratio(std::max(alone, 1 / alone)));
}

/// A cell's colour: grey where it is right, then the ramp by the logarithm of how far it is off.
ImU32 cell_color(const Ui& ui, double least, double most, double error) {
  if (error < 0) return ui.color(Role::slower);
  if (error == 0) return ui.raised(2);
  const double share = most > least ? std::log(error / least) / std::log(most / least) : 1;
  const double step = 3 + std::clamp(share, 0.0, 1.0) * (chart::kRampSteps - 4);
  return ui.shade(static_cast<int>(std::lround(step)));
}

/// What the cells' colours mean, in the order of the errors; those that the map has.
void draw_key(Ui& ui, Area* rest, double least, double most, bool has_special) {
  const Area line = rest->take_top(ui.px(20), ui.px(2));
  float x = line.x;
  const auto entry = [&](ImU32 color, const std::string& text) {
    ui.fill({x, line.middle() - ui.px(5), ui.px(10), ui.px(10)}, color);
    x += ui.px(15);
    x += ui.text(x, line.middle(), text, kTiny_px, Role::muted) + ui.px(14);
  };
  entry(cell_color(ui, 1, 1, 0), "right");
  if (least > 0 && least < most)
    entry(cell_color(ui, least, most, least), fmt::format("off by {:.2g}×", least));
  if (most > 0) entry(cell_color(ui, least, most, most), fmt::format("off by {:.2g}×", most));
  if (has_special) entry(cell_color(ui, 1, 1, -1), "NaN or infinite");
}

}  // namespace

void draw_tick(Ui& ui, float x, float y) {
  const float r = ui.px(5), w = ui.px(2);
  const ImU32 color = ui.color(Role::faster);
  ui.list->AddLine({x - r, y}, {x - r * 0.2f, y + r * 0.8f}, color, w);
  ui.list->AddLine({x - r * 0.2f, y + r * 0.8f}, {x + r * 1.1f, y - r * 0.9f}, color, w);
}

void SaveResults::read(const State& state) {
  const Run& run = state.run();
  const int64_t build = state.editing->build_request;
  if (of_ == &run && version_ == run.version() && build_ == build) return;
  of_ = &run, version_ = run.version(), build_ = build;
  saves_ = saves_of(run, state.editing->id, state.editing->kernel);
  number_saves(state.editing->numbers, &saves_);
}

const std::vector<Save>& SaveResults::saves(const State& state) {
  read(state);
  return saves_;
}

bool SaveResults::is_empty(const State& state) {
  read(state);
  if (is_puzzle_open(state)) return !state.editing->build_request;
  return saves_.empty() || (saves_.size() == 1 && state.editing->is_as_handed_out() &&
                            saves_.front().series == nullptr);
}

std::string times_in_turns(const Run& run, const Comparison& comparison) {
  const auto median_ns = [&](bool candidate) {
    const std::vector<double> times_ns =
        chart::side_of(run, comparison, candidate).samples.times_ns();
    return times_ns.empty() ? 0 : stats::median(times_ns);
  };
  const double own = median_ns(true), original = median_ns(false);
  if (!(own > 0) || !(original > 0)) return "";
  return format_time_ns(own) + " against the original's " + format_time_ns(original) +
         " a call, in turns";
}

const Comparison* SaveResults::settled_pair(const State& state) const {
  if (saves_.empty() || !is_time(now_of(state))) return nullptr;
  const Save& last = saves_.back();
  const bool is_settled =
      last.comparison && last.verified() && last.comparison->ratio > 0 &&
      (last.comparison->verdict == Verdict::faster || last.comparison->verdict == Verdict::slower ||
       last.comparison->verdict == Verdict::same);
  return is_settled ? last.comparison : nullptr;
}

namespace {

/// The headline in one line, as large as it can be, with its interval beside it where there is room.
void draw_pair_line(Ui& ui, const Area& line, const VerdictWords& words,
                    const Comparison& comparison) {
  const bool has_room = ui.width(words.headline, kVerdict_px, Face::strong) < line.w;
  const float most = has_room ? kVerdict_px : kVerdict_px * 0.72f;
  const float size = ui.fitting_size(words.headline, line.w, most, kBody_px, Face::strong);
  ui.widgets["pair_headline"] = {line.x, line.y, ui.width(words.headline, size, Face::strong),
                                 line.h};
  const float x = line.x + ui.px(10) +
                  ui.text(line.x, line.middle(), words.headline, size, words.role, Face::strong);
  const std::string interval = ratio_interval_text(comparison.ci, comparison.margin);
  if (ui.width(interval, kSmall_px) < line.right() - x)  // else it stands below, with its rounds
    ui.text(x, line.middle() + ui.px(6), interval, kSmall_px, Role::muted);
}

}  // namespace

/// What the pairs say stands first: both sides of a pair met the same machine, a time alone had a machine of its own.
void SaveResults::draw_pair(Ui& ui, Area* rest, const Comparison& comparison) const {
  const State& state = ui.state;
  const VerdictWords words = verdict_words(state, state.run(), comparison);
  const float side = words.arrow != 0 ? ui.px(28) : 0, indent = side > 0 ? side + ui.px(8) : 0;
  const float room = rest->w - indent;
  // A range may be wider than the column at the smallest size: then it takes two lines.
  const bool is_wide = ui.width(words.headline, kBody_px, Face::strong) > room;
  const Area whole = {rest->x + indent, rest->y + ui.px(4), room, 0};
  const float wide_h =
      is_wide ? ui.paragraph(whole, words.headline, kBody_px, words.role, Face::strong) + ui.px(8)
              : 0;
  const Area line = rest->take_top(std::max(ui.px(kVerdict_px + 8), wide_h), ui.px(2));
  if (side > 0)
    ui.triangle(line.x + side / 2, line.middle(), side, words.arrow > 0, ui.color(words.role));
  if (is_wide)
    ui.widgets["pair_headline"] = {whole.x, line.y, room, wide_h};
  else
    draw_pair_line(ui, {line.x + indent, line.y, room, line.h}, words, comparison);
  ui.widgets["now"] = ui.widgets["save_verdict"] = line;
  if (const std::string times = times_in_turns(state.run(), comparison); !times.empty())
    rest->take_top(ui.paragraph(*rest, times, kBody_px, Role::text), ui.px(2));
  rest->take_top(ui.paragraph(*rest, alone_text(saves_.back()), kTiny_px + 1, Role::muted),
                 ui.px(2));
}

void SaveResults::draw_now(Ui& ui, Area* rest) const {
  if (const Comparison* pair = settled_pair(ui.state)) {
    draw_pair(ui, rest, *pair);
  } else {
    const Now now = now_of(ui.state);
    const Area line = rest->take_top(ui.px(kVerdict_px + 8), ui.px(2));
    const float size = is_time(now) ? kVerdict_px : kVerdict_px * 0.72f;
    const float w = ui.text(line.x, line.middle(), now.headline, size, now.role, Face::strong);
    const Series* series = series_now(ui.state);
    const std::string caution = series && series->stats ? caution_of(*series->stats) : "";
    if (is_time(now))
      ui.text(line.x + w + ui.px(10), line.middle() + ui.px(6),
              "a call, alone" + (caution.empty() ? "" : ", " + caution), kSmall_px, Role::muted);
    ui.widgets["now"] = line;
  }
  bool is_error = false;
  std::string said = editing_status(ui.state, &is_error);
  constexpr std::string_view kSaid = "it does not compile, ";  // the headline
  if (said.starts_with(kSaid)) said.erase(0, kSaid.size());
  const Role role = is_error && !is_as_left(ui.state) ? Role::slower : Role::muted;
  const float h = ui.paragraph(*rest, said, kSmall_px, role);
  ui.widgets["source_said"] = {rest->x, rest->y, rest->w, h};
  rest->take_top(h, ui.px(14));
}

/// Which elements are wrong, where the last save failed its check.
void SaveResults::draw_errors(Ui& ui, Area* rest) const {
  const Series* series = series_now(ui.state);
  const KernelCounts* counts = is_puzzle_open(ui.state) ? puzzle_counts(ui.state) : nullptr;
  const ErrorMap* map = series ? error_map_of(*series)
                        : counts && counts->check && !counts->check->passed && counts->check->errors
                            ? &*counts->check->errors
                            : nullptr;
  if (!map || map->cell_rows <= 0 || map->cell_columns <= 0 ||
      map->cells.size() != static_cast<size_t>(map->cell_rows * map->cell_columns))
    return;
  draw_heading(ui, rest, "WHERE IT IS WRONG");
  const std::string text = error_map_text(*map);
  rest->take_top(ui.paragraph(*rest, text, kSmall_px, Role::text), ui.px(8));
  const auto down = static_cast<float>(map->cell_rows),
             across = static_cast<float>(map->cell_columns);
  const float w = std::max(1.0f, std::floor(std::min(ui.px(kMostCell), rest->w / across)));
  const float h = std::max(1.0f, std::floor(std::min(ui.px(kMostCell), ui.px(kMap) / down)));
  const Area grid = {rest->x, rest->y, w * across, h * down};
  double least = 0, most = 0;
  for (const double error : map->cells) {
    if (error > 0) least = least > 0 ? std::min(least, error) : error;
    most = std::max(most, error);
  }
  const float line = w > 4 && h > 4 ? 1 : 0;
  for (size_t i = 0; i < map->cells.size(); ++i) {
    const auto columns = static_cast<size_t>(map->cell_columns);
    const Area cell = {grid.x + w * static_cast<float>(i % columns),
                       grid.y + h * static_cast<float>(i / columns), w - line, h - line};
    ui.fill(cell, cell_color(ui, least, most, map->cells[i]));
  }
  ui.frame(grid.inset(-2), ui.color(Role::grid), 0);
  if (ui.hovers("error_map", grid)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ui.tooltip(error_cell_text(*map, static_cast<int64_t>((mouse.y - grid.y) / h),
                               static_cast<int64_t>((mouse.x - grid.x) / w)));
  }
  rest->take_top(grid.h, ui.px(6));
  draw_key(ui, rest, least, most,
           std::count_if(map->cells.begin(), map->cells.end(), [](double one) { return one < 0; }));
  const std::string key =
      fmt::format("{} {}s down, {} {}s across; ×: of the output's root mean square.", map->rows,
                  map->row_name, map->columns, map->column_name);
  rest->take_top(ui.paragraph(*rest, key, kTiny_px, Role::muted), ui.px(14));
}

namespace {

/// Where the times of saves and original stand: from zero where all are near each other, else on a logarithmic axis, so
/// that the original is in the picture and the saves still differ.
struct TimeScale {
  double least_ns = 0, most_ns = 1;
  bool is_log = false;
  /// From 0 at the floor to 1.
  float place(double ns) const {
    if (!is_log) return static_cast<float>(ns / most_ns);
    return static_cast<float>(std::log(ns / least_ns) / std::log(most_ns / least_ns));
  }
};

/// Of those at the problem of the last that was timed: another size's times have no place on its axis.
TimeScale time_scale(const std::vector<Save>& saves, const Save* last, double original_ns) {
  double least = 0, most = original_ns;
  for (const Save& save : saves) {
    const double ns = save.median_ns();
    if (!(ns > 0) || !last || !is_same_problem(save, *last)) continue;
    least = least > 0 ? std::min(least, ns) : ns;
    most = std::max(most, ns);
  }
  if (!(least > 0) || most <= kNear * least) return {0, most > 0 ? most : 1, false};
  return {least / 2, most, true};
}

/// A line across at the original's time, named.
void draw_original(Ui& ui, const Area& plot, float y, double ns) {
  for (float x = plot.x; x < plot.right(); x += ui.px(8))
    ui.fill({x, y, std::min(ui.px(4), plot.right() - x), ui.px(1)}, ui.color(Role::baseline));
  ui.text(plot.right(), y - ui.px(9), "original, run alone: " + format_time_ns(ns), kTiny_px,
          Role::muted, Face::body, Anchor::end);
  ui.widgets["save_original"] = {plot.x, y, plot.w, ui.px(1)};
}

/// A bar from zero, on a logarithmic axis a dot; a cross where it failed, a small dot where it was not timed at the axis'
/// problem.
void draw_save(Ui& ui, const Area& slot, const Save& save, const TimeScale& scale, float high,
               bool is_last, bool is_comparable) {
  const float middle = slot.x + slot.w / 2, gap = slot.w > 6 ? ui.px(2) : 0, base = slot.bottom();
  const ImU32 color = ui.color(Role::series0, is_last ? 1 : 0.6f);
  if (save.failed()) return draw_cross(ui, middle, base - ui.px(9));
  if (!is_comparable)
    return ui.list->AddCircleFilled({middle, base - ui.px(6)}, ui.px(2), ui.color(Role::muted));
  const float top = base - std::max(ui.px(2), scale.place(save.median_ns()) * high);
  if (scale.is_log)
    ui.list->AddCircleFilled({middle, top}, ui.px(5), color);
  else
    ui.fill({slot.x + gap, top, slot.w - 2 * gap, base - top}, color);
}

}  // namespace

/// The time of each save, by its number, and the original's.
void SaveResults::draw_saves(Ui& ui, Area* rest) {
  if (is_empty(ui.state)) return;
  const Save* timed = last_timed(saves_);
  const double original = timed ? original_ns(ui.state, *timed) : 0;
  const TimeScale scale = time_scale(saves_, timed, original);
  const std::string size = timed ? size_of(*timed) : "";
  const std::string heading = "ALL SAVES, TIME A CALL, ALONE" + (size.empty() ? "" : ", " + size) +
                              (scale.is_log ? " (LOG)" : "");
  draw_heading(ui, rest, heading.c_str());
  const Area plot = rest->take_top(ui.px(kBars));
  const Area numbers = rest->take_top(ui.px(18), ui.px(4));
  const float step = std::min(ui.px(kMostBar), plot.w / static_cast<float>(saves_.size()));
  const float high = plot.h - ui.px(19);
  ui.fill({plot.x, plot.bottom(), plot.w, ui.px(1)}, ui.color(Role::grid));
  for (size_t i = 0; i < saves_.size(); ++i) {
    const Save& save = saves_[i];
    const Area slot = {plot.x + step * static_cast<float>(i), plot.y, step, plot.h};
    const std::string number = std::to_string(save.number);
    const bool is_comparable = timed && is_same_problem(save, *timed);
    draw_save(ui, slot, save, scale, high, i + 1 == saves_.size(), is_comparable);
    ui.widgets[(is_comparable ? "save_timed:" : "save_apart:") + number] = slot;
    if (ui.width(number, kTiny_px) < step)
      ui.text(slot.x + step / 2, numbers.middle(), number, kTiny_px, Role::muted, Face::body,
              Anchor::middle);
    if (ui.hovers("save:" + number, slot)) ui.tooltip(save_text(save));
  }
  if (original > 0) draw_original(ui, plot, plot.bottom() - scale.place(original) * high, original);
  if (saves_.back().failed()) return;  // its reason stands above
  rest->take_top(ui.paragraph(*rest, save_text(saves_.back()), kTiny_px + 1, Role::muted),
                 ui.px(14));
}

/// The latest paired comparison with the original; of an older save it says so.
void SaveResults::draw_verdict(Ui& ui, Area* rest) const {
  const State& state = ui.state;
  const Editing& editing = *state.editing;
  draw_heading(ui, rest, "AGAINST THE ORIGINAL, IN PAIRS");
  const auto say = [&](const std::string& text, float size, Role role) {
    if (!text.empty()) rest->take_top(ui.paragraph(*rest, text, size, role), ui.px(3));
  };
  const auto& progress = state.run().progress();
  const bool is_open = state.requests.compare && state.requests.compare == editing.compare_request;
  if (is_open) {
    const size_t rounds = state.run().rounds(state.requests.compare).size();
    const bool begun = progress && progress->request == state.requests.compare;
    return say(begun && rounds > 0
                   ? fmt::format("Comparing with {}: {} {} so far, {:.0f} s at most.",
                                 rung_title(state.ladder, editing.kernel), rounds,
                                 rounds == 1 ? "round" : "rounds", kComparison_s)
                   : "Comparing with " + rung_title(state.ladder, editing.kernel) + ".",
               kSmall_px, Role::text);
  }
  const auto compared = std::find_if(saves_.rbegin(), saves_.rend(),
                                     [](const Save& save) { return save.comparison != nullptr; });
  if (compared == saves_.rend())
    return say("A save that passes its check is compared with " +
                   rung_title(state.ladder, editing.kernel) + " at once.",
               kSmall_px, Role::muted);
  const VerdictWords words = verdict_words(state, state.run(), *compared->comparison);
  if (!settled_pair(state)) {
    const Area line = rest->take_top(ui.px(36), ui.px(2));
    float x = line.x;
    if (words.arrow != 0) {
      const float side = ui.px(22);
      ui.triangle(x + side / 2, line.middle(), side, words.arrow > 0, ui.color(words.role));
      x += side + ui.px(8);
    }
    ui.text(x, line.middle(), words.headline, kVerdict_px * 0.7f, words.role, Face::strong,
            Anchor::start, line.right() - x);
    ui.widgets["save_verdict"] = line;
  }
  if (compared != saves_.rbegin())
    say(fmt::format("Of save {}, not of the last one.", compared->number), kSmall_px, Role::slower);
  say(words.evidence, kTiny_px + 1, Role::text);
  say(words.reason, kTiny_px + 1, Role::muted);
  if (compared != saves_.rbegin()) return;
  say(alone_sentence(compared->median_ns(), original_ns(state, *compared),
                     compared->comparison->ratio),
      kTiny_px + 1, Role::muted);
  const std::string slow = slow_sentence(state, *compared->comparison);
  ui.widgets["save_slow"] = {rest->x, rest->y, rest->w, slow.empty() ? 0 : ui.px(20)};
  say(slow, kSmall_px, Role::text);
  const Series* series = series_now(state);
  const std::string faster = series ? faster_words(state, *series, state.run()) : "";
  if (faster.empty()) return;
  const float top = rest->y;
  say(faster, kSmall_px, Role::text);
  ui.widgets["save_faster"] = {rest->x, top, rest->w, rest->y - top};
}

void SaveResults::draw(Ui& ui, Area area) {
  read(ui.state);
  Scroll scroll(ui, "save_results", area);
  Area& rest = scroll.rest;
  if (is_puzzle_open(ui.state)) {
    draw_puzzle(ui, &rest);
    draw_errors(ui, &rest);
    return;
  }
  draw_now(ui, &rest);
  draw_errors(ui, &rest);
  draw_saves(ui, &rest);
  draw_verdict(ui, &rest);
}

}  // namespace ridge::window
