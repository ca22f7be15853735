// What binds: the map of bottlenecks. Each cause with what settles it, what helps, the rung that shows it, and the rungs
// of this session that it binds; before anything was measured those of the newest saved run, which is read beside the
// window.
#include <algorithm>
#include <future>
#include <memory>

#include "app/query/bottlenecks.h"
#include "app/query/recordings.h"
#include "app/session/saved_run.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/views/view.h"
#include "common/core/background.h"
#include "common/record/derive.h"

namespace ridge::window {
namespace {

constexpr size_t kShownCases = 4;

using KeptRun = std::shared_ptr<const Run>;

/// The first that can be read: one that is gone hides none that is there. Null: none.
KeptRun read_first(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (auto run = app::load_saved(path)) return std::make_shared<const Run>(*std::move(run));
  }
  return nullptr;
}

class BindsScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void read_kept(Ui& ui);
  void build(const State& state);
  void draw_head(Ui& ui, Area* rest) const;
  static void draw_cases(Ui& ui, Area* rest, const std::vector<app::BottleneckCase>& cases);
  static void draw_power(Ui& ui, Scroll* page, const app::PowerLine& power);
  static void draw_cause(Ui& ui, Scroll* page, const app::BottleneckLine& line);

  app::BottleneckMap map_;
  std::string of_;  ///< the saved run that the cases are of; empty: what is shown
  uint64_t version_ = ~0ull;
  std::future<KeptRun> reading_;
  /// The newest saved run; null: none was needed, none is there, or it is being read.
  KeptRun kept_;
  bool is_begun_ = false;
};

/// Once, where this session has no result of its own.
void BindsScreen::read_kept(Ui& ui) {
  const State& state = ui.state;
  if (!is_begun_ && !map_.has_results() && !state.is_replay()) {
    std::vector<std::string> paths;
    for (const RecentRun& recent : state.history.recent) {
      if (recent.path != state.history.run_file) paths.push_back(recent.path);
    }
    if (!paths.empty())
      reading_ = in_background([paths] { return read_first(paths); });
    is_begun_ = true;
  }
  if (is_ready(reading_)) {
    kept_ = reading_.get();
    version_ = ~0ull;
    build(state);
  }
  ui.needs_redraw |= reading_.valid();
}

void BindsScreen::build(const State& state) {
  if (version_ == state.ladder.version) return;
  version_ = state.ladder.version;
  const Run* kept = kept_.get();
  of_.clear();
  map_ = app::make_bottleneck_map(&state.run());
  if (map_.has_results() || !kept || state.is_replay()) return;
  map_ = app::make_bottleneck_map(kept);
  of_ = app::title_of_run(*kept);
  if (const auto& environment = kept->environment())
    of_ += "  ·  " + environment->machine() + "  ·  " + environment->time_utc.substr(0, 10);
}

/// The lab with the rung that is short of it, at the parameters at which it is, in the view that shows it.
void open_shown(State& state, const app::BottleneckLine& line) {
  if (state.selection.lab != line.lab) open_lab(state, line.lab->id);
  if (state.selection.lab != line.lab) return;  // the notice says why
  state.view.screen = ScreenId::lab;
  for (const auto& [name, value] : line.set) set_param(state, name, value);
  select_rung(state, line.shown->kernel);
  const ViewDesc* view = find_view(line.view);
  if (view && state.selection.view != view && can_fill(state, *view)) show_view(state, *view);
}

/// “loop order” (n = 512  ·  1 thread): a cause is one at a size.
std::string name_of_case(const app::BottleneckCase& one) {
  const Rung* rung = rung_of(one.kernel);
  std::string name = "“" + (rung ? std::string(rung->title) : one.kernel) + "”";
  Params params = one.params;
  if (backend_of(one.kernel) != Backend::cpu) params.erase("threads");
  for (const Lab* lab : all_labs()) {
    const auto& rungs = lab->rungs;
    const bool has_it = std::any_of(rungs.begin(), rungs.end(),
                                    [&](const Rung& of) { return one.kernel == of.kernel; });
    const std::string size = has_it ? params_summary(*lab, params) : "";
    if (!size.empty()) return name + " (" + size + ")";
  }
  return name;
}

void BindsScreen::draw_head(Ui& ui, Area* rest) const {
  const auto say = [&](const std::string& text, Role role) {
    rest->take_top(ui.paragraph(*rest, text, kBody_px - 1, role), ui.px(8));
  };
  if (map_.has_results()) {
    const std::string whose =
        !of_.empty() ? "Nothing was measured in this session. Of the saved run " + of_ + ": "
        : ui.state.is_replay() ? "Of this saved run, "
                               : "Of what was measured here, ";
    const float top = rest->y;
    say(whose + app::settled_text(map_) + ".", Role::text);
    ui.widgets["binds_of"] = {rest->x, top, rest->w, rest->y - top};
    return;
  }
  const float top = rest->y;
  say(reading_.valid() ? "Nothing was measured in this session. The newest saved run is being read."
                       : "Nothing was measured yet, so no cause has a case of this machine.",
      Role::text);
  ui.widgets["binds_empty"] = {rest->x, top, rest->w, rest->y - top};
  const Area line = rest->take_top(ui.px(40), ui.px(8));
  const bool live = !ui.state.is_replay();
  const Area place = {line.x, line.y, std::min(line.w, ui.px(220)), line.h};
  if (live)
    ui.action_button("run", place, "Run the ladder", Ui::Kind::primary);
  else if (ui.button("nothing", place, "Go to Home", Ui::Kind::primary))
    ui.dispatch([](State& state) { state.view.screen = ScreenId::home; });
}

void BindsScreen::draw_cases(Ui& ui, Area* rest, const std::vector<app::BottleneckCase>& cases) {
  const auto say = [&](const std::string& text, Role role) {
    rest->take_top(ui.paragraph(*rest, text, kSmall_px, role), ui.px(2));
  };
  for (size_t i = 0; i < cases.size() && i < kShownCases; ++i) {
    const std::string name = name_of_case(cases[i]);
    const float top = rest->y;
    say(name + ", " + cases[i].evidence + ".", Role::text);
    ui.widgets["case:" + name] = {rest->x, top, rest->w, rest->y - top};
  }
  if (cases.size() > kShownCases)
    say("And " + std::to_string(cases.size() - kShownCases) + " more.", Role::muted);
}

/// The limit of the whole chip comes before that of any unit.
void BindsScreen::draw_power(Ui& ui, Scroll* page, const app::PowerLine& power) {
  if (power.cases.empty()) return;
  Area& rest = page->rest;
  rest.take_top(ui.px(10));
  const float first = rest.y;
  const Area head = rest.take_top(ui.px(30), ui.px(2));
  ui.text(head.x, head.middle(), "Power, before the cause that a rung has below", kBody_px,
          Role::text, Face::strong, Anchor::start, head.w);
  rest.take_top(ui.paragraph(rest, "Lever: " + power.lever + ".", kSmall_px, Role::muted),
                ui.px(2));
  draw_cases(ui, &rest, power.cases);
  ui.widgets["cause:power"] = {rest.x, first, rest.w, rest.y - first};
  rest.take_top(ui.px(8));
  ui.list->AddLine({rest.x, rest.y}, {rest.x + rest.w, rest.y}, ui.color(Role::grid));
}

/// Name and link on one line, below it what settles it, the lever, and the cases.
void BindsScreen::draw_cause(Ui& ui, Scroll* page, const app::BottleneckLine& line) {
  Area& rest = page->rest;
  rest.take_top(ui.px(10));
  const std::string cause = line.entry->name;
  const float first = rest.y;
  Area head = rest.take_top(ui.px(30), ui.px(2));
  if (line.shown) {
    const std::string label =
        "See it in " + std::string(line.lab->title) + ": " + line.shown->title;
    const float w =
        std::min(head.w * 0.6f, ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32));
    if (ui.button("binds:" + cause, head.take_right(w, ui.px(12)), label, Ui::Kind::normal))
      ui.dispatch([line](State& state) { open_shown(state, line); });
  }
  ui.text(head.x, head.middle(), sentence_of(cause), kBody_px, Role::text, Face::strong,
          Anchor::start, head.w);
  const auto say = [&](const std::string& text, Role role) {
    if (!text.empty()) rest.take_top(ui.paragraph(rest, text, kSmall_px, role), ui.px(2));
  };
  say("Evidence: " + line.entry->evidence + ".", Role::muted);
  say("Lever: " + line.lever +
          (line.pulls ? std::string("; “") + line.pulls->title + "” pulls it." : std::string(".")),
      Role::muted);
  if (!line.shown) say("No lab shows it yet.", Role::muted);
  draw_cases(ui, &rest, line.cases);
  ui.widgets["cause:" + cause] = {rest.x, first, rest.w, rest.y - first};
  rest.take_top(ui.px(8));
  ui.list->AddLine({rest.x, rest.y}, {rest.x + rest.w, rest.y}, ui.color(Role::grid));
}

void BindsScreen::draw(Ui& ui, Area all) {
  build(ui.state);
  read_kept(ui);
  ui.panel(all);
  Area inner = all.inset(ui.px(28), ui.px(16));
  draw_head(ui, &inner);
  Scroll page(ui, "binds_page", inner);
  draw_power(ui, &page, map_.power);
  for (const app::BottleneckLine& line : map_.lines) draw_cause(ui, &page, line);
}

}  // namespace

std::unique_ptr<Screen> make_binds_screen() {
  return std::make_unique<BindsScreen>();
}

}  // namespace ridge::window
