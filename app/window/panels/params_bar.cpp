#include "app/window/panels/lab_panels.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/views/model_views.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

ParamGroup stops_of(const State& state, const Params& shown, const ParamView& param) {
  ParamGroup group{param.name, param.control(), param.label, {}, -1, true};
  const int64_t value = param_int(shown, param.name);
  const ParamSpec* spec = find_spec(state, param.name);
  if (spec && spec->is_choice) {
    group.is_integer = false;
    group.options = choices_of(state, param.name);
    const std::string chosen = param_text(shown, param.name);
    const auto at = std::find(group.options.begin(), group.options.end(), chosen);
    group.chosen = at == group.options.end() ? -1 : static_cast<int>(at - group.options.begin());
    return group;
  }
  const auto held = shown.find(param.name);
  if (!spec && held != shown.end() && std::holds_alternative<std::string>(held->second)) {
    // No worker and no recording said what else there is.
    group.is_integer = false;
    group.options = {std::get<std::string>(held->second)}, group.chosen = 0;
    return group;
  }
  std::vector<int64_t> stops;
  for (const int64_t stop : param.stops) {
    if (!spec || (stop >= spec->min && stop <= spec->max)) stops.push_back(stop);
  }
  // A value from a saved run or the default need not be one of the lab's stops.
  if (std::find(stops.begin(), stops.end(), value) == stops.end()) stops.push_back(value);
  std::sort(stops.begin(), stops.end());
  for (size_t i = 0; i < stops.size(); ++i) {
    group.options.push_back(std::to_string(stops[i]));
    if (stops[i] == value) group.chosen = static_cast<int>(i);
  }
  if (spec && !spec->help.empty()) group.tip += "\n" + spec->help;
  return group;
}

std::vector<ParamGroup> groups_of(const State& state, bool of_selected) {
  std::vector<ParamGroup> groups;
  if (!state.selection.lab) return groups;
  const Params shown = shown_params(state);
  // The described model says all the rest, and its rungs are measured hot.
  const bool of_model = state.selection.view == &kDecodeView && state.selection.lab->decodes_model;
  for (const ParamView& param : state.selection.lab->params) {
    const bool is_chosen = state.selection.params.contains(param.name);  // by a lesson's link
    if (!is_chosen && !is_shown(param.level, state.appearance.level)) continue;
    if (of_model && param.name != std::string_view("threads")) continue;
    const bool is_idle = param.name == std::string_view("threads") && !of_model &&
                         !selected_takes(state, param.name);
    if (is_idle && !is_chosen) continue;
    if ((of_selected || of_model) && !selected_takes(state, param.name)) continue;
    if (!shown.count(param.name)) continue;
    groups.push_back(stops_of(state, shown, param));
    groups.back().is_kept = is_chosen;
  }
  if (of_model || is_learning(state)) return groups;
  groups.push_back({"cache",
                    "",
                    "hot: the data was just used. cold: it has to come from memory.\nTwo different "
                    "results, never mixed.",
                    {to_string(CacheMode::hot), to_string(CacheMode::cold)},
                    state.selection.cache == CacheMode::cold ? 1 : 0,
                    false,
                    true});
  groups.push_back(
      {"mode",
       "",
       "live: a second a rung, for exploring.\nmeasure: until the interval is narrow, for "
       "figures you want to quote.",
       {to_string(RunMode::live), to_string(RunMode::measure)},
       state.selection.mode == RunMode::live ? 0 : 1,
       false,
       true});
  return groups;
}

constexpr float kLine = 32, kGap = 14, kCompactGap = 10, kPad = 12;
constexpr int kMostLines = 4;       // the chart under them needs the rest
constexpr float kLongList = 0.66f;  // of a line: more is a stepper
constexpr size_t kShortList = 2;    // a learner's: a longer one is a stepper

float label_width(Ui& ui, const ParamGroup& group) {
  return group.label.empty() ? 0 : ui.width(group.label, kSmall_px) + ui.px(10);
}

float options_width(Ui& ui, const ParamGroup& group, bool stepper) {
  float widest = 0, total = 0;
  for (const std::string& option : group.options) {
    const float w = ui.width(option, kSmall_px);
    widest = std::max(widest, w);
    total += w + ui.px(ui.is_compact ? 16 : 22);
  }
  return stepper ? widest + ui.px(ui.is_compact ? 62 : 68) : total;
}

float more_width(Ui& ui, const std::string& button) {
  return button.empty() ? 0 : ui.width(button, kSmall_px) + ui.px(22);
}

void apply(State& state, const ParamGroup& group, int index) {
  const std::string& option = group.options[static_cast<size_t>(index)];
  if (group.name == "cache")
    set_cache(state, *value_named<CacheMode>(option));
  else if (group.name == "mode")
    set_mode(state, *value_named<RunMode>(option));
  else if (group.is_integer)
    set_param(state, group.name, static_cast<int64_t>(std::stoll(option)));
  else
    set_param(state, group.name, option);
}

}  // namespace

/// What there is to choose stands in the catalogues of all recordings: looked for once for each ladder.
const std::array<std::vector<ParamGroup>, 2>& ParamsBar::groups(const State& state) {
  if (version_ != state.ladder.version || chart_ != state.selection.view ||
      level_ != state.appearance.level) {
    version_ = state.ladder.version;
    level_ = state.appearance.level;
    chart_ = state.selection.view;
    groups_ = {groups_of(state, false), groups_of(state, true)};
  }
  return groups_;
}

int ParamsBar::lines_of(Ui& ui, const Shown& shown, float room) {
  float x = 0;
  int lines = 1;
  const auto add = [&](float w) {
    if (x > 0 && x + w > room) x = 0, ++lines;
    x += w + ui.px(ui.is_compact ? kCompactGap : kGap);
  };
  for (size_t i = 0; i < shown.groups.size(); ++i)
    add(label_width(ui, shown.groups[i]) + options_width(ui, shown.groups[i], shown.stepper[i]));
  if (!shown.button.empty()) add(more_width(ui, shown.button));
  return lines;
}

/// Rows of stops while two lines hold them all, then steppers; and where those take too many lines, only what the
/// selected rung takes.
ParamsBar::Shown ParamsBar::in_lines(Ui& ui, const std::array<std::vector<ParamGroup>, 2>& groups,
                                     float room) {
  Shown shown;
  for (const std::vector<ParamGroup>& some : groups) {
    shown.groups = some;
    shown.stepper.assign(shown.groups.size(), false);
    // A learner's line is short, whatever there is to choose from.
    if (!is_learning(ui.state) && lines_of(ui, shown, room) <= 2) break;
    for (size_t i = 0; i < shown.groups.size(); ++i) {
      const ParamGroup& group = shown.groups[i];
      shown.stepper[i] = group.is_integer || options_width(ui, group, false) > kLongList * room ||
                         (is_learning(ui.state) && group.options.size() > kShortList);
    }
    if (lines_of(ui, shown, room) <= kMostLines) break;
  }
  return shown;
}

/// Long lists become steppers, then the parameters of other rungs fold, then the last ones.
ParamsBar::Shown ParamsBar::in_one_line(
    Ui& ui, const std::array<std::vector<ParamGroup>, 2>& groups, float room) {
  Shown shown;
  for (const std::vector<ParamGroup>& some : groups) {
    shown.groups = some;
    shown.stepper.clear();
    for (const ParamGroup& group : some)
      shown.stepper.push_back(group.is_integer || group.options.size() > kShortList);
    const size_t folded = groups[0].size() - some.size();
    if (folded > 0) shown.button = fmt::format("{} more", folded);
    if (lines_of(ui, shown, room) <= 1) return shown;
  }
  while (lines_of(ui, shown, room) > 1) {
    size_t last = shown.groups.size();
    while (last > 0 && shown.groups[last - 1].is_kept) --last;
    if (last == 0) break;
    const auto at = static_cast<std::ptrdiff_t>(last - 1);
    shown.groups.erase(shown.groups.begin() + at);
    shown.stepper.erase(shown.stepper.begin() + at);
    shown.button = fmt::format("{} more", groups[0].size() - shown.groups.size());
  }
  return shown;
}

ParamsBar::Shown ParamsBar::shown_in(Ui& ui, float room) {
  const auto& all = groups(ui.state);
  Shown whole = in_lines(ui, all, room);
  if (!ui.is_compact || is_learning(ui.state) || lines_of(ui, whole, room) <= 1) return whole;
  Shown folded = in_one_line(ui, all, room);
  if (!is_unfolded_) return folded;
  if (!folded.button.empty()) whole.button = "Less";
  return whole;
}

float ParamsBar::height(Ui& ui, float width) {
  const float room = width - 2 * ui.px(kPad + 4);
  const Shown shown = shown_in(ui, room);
  if (shown.groups.empty()) return 0;
  const int lines = lines_of(ui, shown, room);
  return ui.px(kLine) * static_cast<float>(lines) + ui.px(8) * static_cast<float>(lines - 1) +
         2 * ui.px(kPad - 4);
}

void ParamsBar::draw_group(Ui& ui, const ParamGroup& group, bool stepper, Area place) {
  const float label_w = label_width(ui, group);
  const Area label = place.take_left(label_w);
  ui.text(label.x, label.middle(), group.label, kSmall_px, Role::muted);
  if (ui.hovers("label:" + group.name, label)) ui.tooltip(group.tip);
  const int clicked = stepper ? ui.stepper(group.name, place, group.options, group.chosen)
                              : ui.segments(group.name, place, group.options, group.chosen);
  if (group.label.empty() &&
      ImGui::IsMouseHoveringRect({place.x, place.y}, {place.right(), place.bottom()})) {
    ui.tooltip(group.tip);
  }
  if (clicked >= 0) ui.dispatch([group, clicked](State& state) { apply(state, group, clicked); });
}

void ParamsBar::draw(Ui& ui, Area area) {
  ui.panel(area);
  const Area inner = area.inset(ui.px(kPad + 4), ui.px(kPad - 4));
  const Shown shown = shown_in(ui, inner.w);
  float x = inner.x, y = inner.y;
  const auto next = [&](float w) {
    if (x > inner.x && x + w > inner.right()) {
      x = inner.x;
      y += ui.px(kLine) + ui.px(8);
    }
    const Area place = {x, y, w, ui.px(kLine)};
    x += w + ui.px(ui.is_compact ? kCompactGap : kGap);
    return place;
  };
  for (size_t i = 0; i < shown.groups.size(); ++i) {
    const ParamGroup& group = shown.groups[i];
    const bool stepper = shown.stepper[i];
    draw_group(ui, group, stepper,
               next(label_width(ui, group) + options_width(ui, group, stepper)));
  }
  if (shown.button.empty()) return;
  if (ui.button("params_more", next(more_width(ui, shown.button)), shown.button,
                Ui::Kind::normal)) {
    is_unfolded_ = !is_unfolded_;
    ui.needs_redraw = true;
  }
}

}  // namespace ridge::window
