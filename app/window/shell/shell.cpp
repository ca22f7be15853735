#include "app/window/shell/shell.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/query/recordings.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/climb_card.h"
#include "app/window/panels/widgets.h"
#include "app/window/panels/written_bar.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/overlays.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/predict.h"
#include "app/window/views/chart_view.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/noise_floor.h"
#include "common/view/chart/theme.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kGap = 12, kLowGap = 8, kLog = 170;
// The tabs, and under them on the lab what it measures; each in a low window.
constexpr float kTabs = 46, kLowTabs = 36, kLabBar = 42, kLowLabBar = 32;
// A window lower than this gives its room to what is in the middle.
constexpr float kLow = 860;
// A top bar wider than this has room for words on its buttons.
constexpr float kRoomyBar = 900;

/// On the screens where the climb was begun and watched; on others it waits.
bool shows_card(const State& state) {
  const ScreenId screen = state.view.screen;
  return state.first_climb.shows_card && (screen == ScreenId::lab || screen == ScreenId::home);
}

}  // namespace

std::string Shell::chart_words() const {
  ChartView* view = views_.at(ui_.state.view.screen)->chart();
  return view ? view->words() : "";
}

bool Shell::prepare(float width, float height) {
  const Appearance& look = ui_.state.appearance;
  ImGui::GetIO().ConfigInputTextCursorBlink = !look.reduced_motion;
  ui_.scale = fitting_scale(look.scale, width, height);
  if (styled_scale_ != ui_.scale || styled_light_ != look.light_theme) {
    apply_style(look, ui_.scale);
    styled_scale_ = ui_.scale;
    styled_light_ = look.light_theme;
    // All heights that panels use, and charts where they are small: baked once, before the first frame. A height
    // that is met later has all of them baked again, which takes a tenth of a second.
    for (const float size : {11.f, 12.f, 13.f, 14.f, 15.f, 16.f, 17.f, 18.f})
      fonts_.get(Face::body, ui_.px(size));
    for (const float size :
         {12.f, 13.f, 14.f, 15.f, 16.f, 17.f, 19.f, kVerdict_px, 0.72f * kVerdict_px})
      fonts_.get(Face::strong, ui_.px(size));
    for (const float size : kFitted_px)
      if (size < kVerdict_px)
        fonts_.get(Face::strong, ui_.px(size));  // higher ones are a presenter's
    for (const float size : {11.f, 12.f, 13.f, 14.f, 15.f}) fonts_.get(Face::mono, ui_.px(size));
  }
  if (!fonts_.wants_build()) return false;
  fonts_.build();
  return !compat::kDynamicFonts;
}

void Shell::draw_regions(Area all) {
  const ViewState& view = ui_.state.view;
  ui_.window = all;
  ui_.is_compact = all.h < ui_.px(kLow);
  const float gap = ui_.px(ui_.is_compact ? kLowGap : kGap);
  if (view.screen == ScreenId::presenter) return view_of(view.screen).draw(ui_, all);
  // It has medians while something is measured, and a tour hides them until its reveal.
  const bool has_bottom = view.screen != ScreenId::tour;
  const bool tells_written =
      has_written(ui_) && !shows_card(ui_.state);  // the card draws it itself
  const Area top = all.take_top(TopBar::height(ui_), gap);
  if (tells_written && !has_bottom)
    draw_written(ui_, top);
  else
    top_bar_.draw(ui_, top);
  const Area bottom = has_bottom ? all.take_bottom(bottom_bar_height(ui_), gap) : Area{};
  all = all.inset(gap, 0);
  if (view.show_log) log_.draw(ui_, all.take_bottom(std::min(ui_.px(kLog), all.h * 0.4f), gap));
  view_of(view.screen).draw(ui_, all);
  if (!has_bottom) return;
  // Last, as the keyboard's focus goes.
  if (tells_written)
    draw_written(ui_, bottom);
  else
    bottom_.draw(ui_, bottom);
}

Screen& Shell::view_of(ScreenId id) {
  std::unique_ptr<Screen>& shown = views_[id];
  if (!shown) shown = screen_of(id).make();
  return *shown;
}

const chart::Scene& Shell::chart_scene() const {
  return views_.at(ui_.state.view.screen)->scene();
}

Area Shell::chart_place() const {
  const ChartView* view = views_.at(ui_.state.view.screen)->chart();
  return view ? view->place() : Area{};
}

void Shell::draw(float width, float height) {
  ui_.widgets.clear();
  ui_.smallest = {};
  ui_.empty.clear();
  ui_.primary.clear();
  ui_.needs_redraw = false;
  ui_.wake_s = 0;
  ui_.scale = fitting_scale(ui_.state.appearance.scale, width, height);
  ui_.watch_hands();
  handle_keys(state_);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                 ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("ridgepoint", nullptr, flags);
  ui_.list = ImGui::GetWindowDrawList();
  draw_regions({0, 0, width, height});
  ImGui::End();
  if (shows_card(ui_.state)) draw_climb_card(ui_);
  draw_list(ui_);
  if (ui_.state.view.show_menu) draw_menu(ui_);
  if (ui_.state.view.show_levels) draw_levels(ui_);
  if (ui_.state.view.show_glossary) draw_glossary(ui_);
  if (ui_.state.view.show_palette) draw_palette(ui_);
  if (ui_.state.view.show_chart_menu) draw_chart_menu(ui_);
  ui_.draw_focus();
  ui_.apply_changes(state_);
  // Its screen is gone, and the field with it.
  if (!state_.typing.field.empty() && !ui_.widgets.contains(state_.typing.field))
    finish_typing(state_);
  if (run_chart_command(state_, view_of(state_.view.screen).chart())) ui_.needs_redraw = true;
  if (ui_.state.ladder.dirty || ui_.state.chart.png_in_frames > 0) ui_.needs_redraw = true;
}

namespace {

struct Badge {
  std::string text, tip;
  Role role = Role::muted;
};

Badge quiet_badge(const State& state) {
  const auto& environment = state.run().environment();
  if (state.sessions.shown->state() == app::WorkerState::lost) {
    return {"worker lost", state.sessions.shown->reason(), Role::slower};
  }
  if (!environment) return {"", "", Role::muted};
  const QuietState& quiet =
      state.run().quiet_after() ? *state.run().quiet_after() : environment->quiet;
  if (quiet.quiet && quiet.is_unknown)
    return {"load not known", "The program that measured this does not say what else ran.",
            Role::muted};
  if (quiet.quiet) {
    return {"quiet", "Nothing else was using this machine when it was measured.", Role::faster};
  }
  std::string why = "This machine is not quiet, so figures may be noisy:";
  for (const std::string& reason : quiet.reasons) why += "\n· " + reason;
  return {"not quiet", why, Role::slower};
}

void draw_buttons(Ui& ui, Area* row) {
  const bool open = ui.state.requests.run || ui.state.requests.compare;
  const auto button = [&](const char* id, const char* label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32);
    ui.action_button(id, row->take_right(w, ui.px(8)), label, kind);
  };
  if (open) button("cancel", "Cancel  Esc", Ui::Kind::primary);
  // What it will take stands on the button, where there is room for more than its key.
  const bool is_edit = is_editing_here(ui.state);
  const std::string takes =
      row->w > ui.px(kRoomyBar) && !is_edit ? estimate_of_ladder(ui.state).text() : "";
  const std::string run = is_edit         ? "Build and time  F5"
                          : takes.empty() ? "Run  F5"
                                          : "Run  ·  " + takes;
  if (!open) button("run", run.c_str(), Ui::Kind::primary);
  if (is_learning(ui.state)) return;
  button("export", "Export", Ui::Kind::normal);
  button("compare", "Compare", Ui::Kind::normal);
}

/// How much is shown; a click lists the three.
void draw_level(Ui& ui, Area* row) {
  const std::string label = "Level: " + std::string(level_choice(ui.state.appearance.level).title);
  const float w = ui.width("Level: Bench", kSmall_px + 1);
  ui.action_button("level", row->take_right(w + ui.px(24), ui.px(8)), label, Ui::Kind::quiet);
}

/// Three lines: the menu of screens.
void draw_menu_button(Ui& ui, Area* row) {
  const Area place = row->take_left(row->h, ui.px(10));
  const auto touched = ui.touch("menu", place);
  if (touched.hovered || ui.state.view.show_menu) ui.fill(place, ui.raised(2), ui.px(5));
  const float w = ui.px(16), line_h = ui.px(2), x = place.x + (place.w - w) / 2;
  for (const float at : {-6.0f, 0.0f, 6.0f}) {
    const float y = place.middle() + ui.px(at) - line_h / 2;
    ui.fill({x, y, w, line_h}, ui.color(Role::text));
  }
  if (touched.clicked)
    ui.dispatch([](State& state) {
      close_menus(state);
      state.view.show_menu = true;
    });
}

/// Beside the word of a tab, at its best and at its least, and between two groups of them.
constexpr float kTabPad = 9, kLeastTabPad = 4, kTabGroup = 13;

bool has_tab(const Ui& ui, const ScreenDesc& screen) {
  return screen.id == ui.state.view.screen || is_shown(screen.level, ui.state.appearance.level);
}

/// As wide as it is in the face of the tab in view, so that no tab moves when another is opened.
float tab_word(Ui& ui, const ScreenDesc& screen) {
  return ui.width(screen.title, kSmall_px + 1, Face::strong);
}

/// So much beside each word that all tabs have room, as far as that is possible.
float tab_pad(Ui& ui, float room) {
  std::string_view group;
  float tabs = 0;
  for (const ScreenDesc& screen : screens()) {
    if (!has_tab(ui, screen)) continue;
    room -= tab_word(ui, screen);
    ++tabs;
    if (group != screen.group) room -= ui.px(kTabGroup);
    group = screen.group;
  }
  return std::clamp(std::floor(room / std::max(1.0f, 2 * tabs)), ui.px(kLeastTabPad),
                    ui.px(kTabPad));
}

/// Its word, and a line under it where one is there.
void draw_tab(Ui& ui, const ScreenDesc& screen, const Area& tab, float middle, float pad) {
  const bool here = screen.id == ui.state.view.screen;
  // On the lab its own tab is no control: it says where one is.
  const bool is_mark = here && screen.id == ScreenId::lab;
  const auto touched = is_mark ? Ui::Touch() : ui.touch(std::string("tab:") + screen.name, tab);
  if (touched.hovered && !here) ui.fill(tab, ui.raised(2), ui.px(5));
  ui.text(tab.x + tab.w / 2, middle, screen.title, kSmall_px + 1, here ? Role::text : Role::muted,
          here ? Face::strong : Face::body, Anchor::middle);
  if (here)
    ui.fill({tab.x + pad, tab.bottom() - ui.px(3), tab.w - 2 * pad, ui.px(3)},
            ui.color(Role::series0), ui.px(1));
  if (touched.clicked && !here) ui.dispatch(screen.show);
}

/// Where one is, and the other screens as far as there is room, in groups. At Bench, where they are many, each group has
/// its heading.
void draw_tabs(Ui& ui, Area row) {
  const bool has_headings = ui.state.appearance.level == Level::kBench;
  const float drop = has_headings ? ui.px(7) : 0, pad = tab_pad(ui, row.w);
  std::string_view group;
  for (const ScreenDesc& screen : screens()) {
    if (!has_tab(ui, screen)) continue;
    const bool begins = group != screen.group;
    if (begins) {
      group = screen.group;
      const Area between = row.take_left(ui.px(kTabGroup));
      ui.fill({between.x + between.w / 2, row.y + ui.px(8), ui.px(1), row.h - ui.px(16)},
              ui.color(Role::grid));
    }
    const Area tab = row.take_left(tab_word(ui, screen) + 2 * pad);
    if (row.w < 0) return;
    if (begins && has_headings) {
      ui.text(tab.x + pad, tab.y + ui.px(7), screen.group, kTiny_px - 1, Role::muted);
      ui.widgets["tabs:" + std::string(group)] = tab;
    }
    draw_tab(ui, screen, tab, tab.middle() + drop, pad);
  }
}

/// `others`: what the names beside it need. The parameters, which their bar has too, yield first.
void draw_title(Ui& ui, Area* row, float others) {
  const Lab* lab = ui.state.selection.lab;
  const float y = row->middle();
  row->take_left(
      ui.text(row->x, y, lab ? lab->title : "Ridgepoint", kHeading_px, Role::text, Face::strong),
      ui.px(16));
  const std::string all = lab ? params_summary(*lab, title_params(ui.state)) : std::string();
  const float room = std::min(row->w * 0.4f, row->w - others - ui.px(24));
  const std::string summary = whole_parts(ui, all, room);
  if (summary.empty()) return;
  const float w = ui.width(summary, kSmall_px);
  ui.text(row->x, y, summary, kSmall_px, Role::muted, Face::body, Anchor::start, w);
  row->take_left(w, ui.px(24));
}

void draw_device(Ui& ui, const Area& chip) {
  const State& state = ui.state;
  const std::string device = device_label(state.sessions);
  ui.fill(chip, ui.raised(1), ui.px(5));
  ui.text(chip.x + ui.px(12), chip.middle(), device, kSmall_px, Role::muted, Face::body,
          Anchor::start, chip.w - ui.px(24) + 1);
  if (!ui.hovers("device", chip)) return;
  std::string tip = device;
  if (const auto& environment = state.run().environment()) {
    tip += "\n" + app::cpu_name(environment->cpu);
    if (environment->gpus.empty()) tip += "\nNo GPU: " + environment->no_gpu_reason;
  } else if (state.sessions.shown->state() == app::WorkerState::idle) {
    tip = "Its name and state are read when the first run begins.";
  }
  ui.tooltip(tip);
}

void draw_badge(Ui& ui, const Area& chip, const Badge& badge) {
  ui.fill(chip, ui.color(badge.role, chart::kTint), ui.px(5));
  ui.list->AddCircleFilled({chip.x + ui.px(15), chip.middle()}, ui.px(4), ui.color(badge.role));
  ui.text(chip.x + ui.px(27), chip.middle(), badge.text, kSmall_px, badge.role);
  if (ui.hovers("quiet", chip)) ui.tooltip(badge.tip);
}

void draw_baseline(Ui& ui, const Area& chip, const std::string& label) {
  const bool chosen = !ui.state.selection.baseline.empty();
  const float close_w = chosen ? ui.px(28) : 0;
  ui.frame(chip, ui.color(chosen ? Role::baseline : Role::grid), ui.px(5), ui.px(1));
  ui.text(chip.x + ui.px(12), chip.middle(), label, kSmall_px, chosen ? Role::text : Role::muted,
          Face::body, Anchor::start, chip.w - ui.px(23) - close_w);
  if (!chosen) {
    if (ui.hovers("baseline", chip)) {
      ui.tooltip("The rung that others are compared with.\nSelect a rung and press B.");
    }
    return;
  }
  ui.widgets["baseline"] = chip;
  const float text_w = chip.w - ui.px(23) - close_w;
  if (ui.width(label, kSmall_px) > text_w && ui.hovers("baseline_name", chip)) ui.tooltip(label);
  const Area close = {chip.right() - ui.px(32), chip.y, ui.px(32), chip.h};
  if (ui.touch("clear_baseline", close).clicked) ui.dispatch_action("clear_baseline");
  ui.text(close.x + close.w / 2, close.middle(), "×", kBody_px, Role::muted, Face::body,
          Anchor::middle);
}

float tabs_height(const Ui& ui) {
  return ui.px(ui.is_compact ? kLowTabs : kTabs);
}

/// What the lab measures: its title and parameters, the machine, the baseline, and what runs it.
void draw_lab_bar(Ui& ui, Area row) {
  const float gap = ui.px(8);
  draw_buttons(ui, &row);
  const std::string& baseline = ui.state.selection.baseline;
  const std::string label =
      baseline.empty() ? "no baseline" : "baseline: " + rung_title(ui.state.ladder, baseline);
  const Badge badge = quiet_badge(ui.state);
  const float wanted_w = ui.width(label, kSmall_px) + ui.px(baseline.empty() ? 24 : 52);
  const float badge_w = badge.text.empty() ? 0 : ui.width(badge.text, kSmall_px) + ui.px(40);
  draw_title(ui, &row, wanted_w + badge_w + 2 * gap);
  const float baseline_w = std::min(wanted_w, row.w - badge_w - gap);
  // Where room is short, the machine's name yields first.
  const float device_room = row.w - baseline_w - badge_w - 2 * gap;
  if (device_room > ui.px(90)) {
    const float device_w = ui.width(device_label(ui.state.sessions), kSmall_px) + ui.px(24);
    draw_device(ui, row.take_left(std::min(device_w, device_room), gap));
  }
  if (badge_w > 0) draw_badge(ui, row.take_left(badge_w, gap), badge);
  if (!baseline.empty() || !is_learning(ui.state))
    draw_baseline(ui, row.take_left(std::min(baseline_w, row.w), gap), label);
}

}  // namespace

float TopBar::height(const Ui& ui) {
  const bool has_lab_bar = ui.state.view.screen == ScreenId::lab;
  return tabs_height(ui) + (has_lab_bar ? ui.px(ui.is_compact ? kLowLabBar : kLabBar) : 0);
}

void TopBar::draw(Ui& ui, Area area) {
  ui.fill(area, ui.color(Role::panel));
  const Area tabs = area.take_top(tabs_height(ui));
  const float h = std::min(ui.px(36), tabs.h);
  Area row = {tabs.x + ui.px(12), tabs.middle() - h / 2, tabs.w - ui.px(24), h};
  draw_menu_button(ui, &row);
  draw_level(ui, &row);
  draw_tabs(ui, row);
  if (ui.state.view.screen != ScreenId::lab) return;
  const float low = ui.px(ui.is_compact ? 4 : 8);
  draw_lab_bar(ui, {area.x + ui.px(24), area.y, area.w - ui.px(48), area.h - low});
}

namespace {

std::string figures_of(const State& state) {
  const auto& progress = state.run().progress();
  if (!progress) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "  ·  ") + part; };
  if (const Series* series = state.run().series_of_request(progress->request, progress->series)) {
    const size_t count = series->samples.size();
    if (count > 0) add(std::to_string(count) + (count == 1 ? " sample" : " samples"));
  }
  if (progress->median_ns) {
    std::string median = format_time_ns(*progress->median_ns);
    if (progress->ci_ns && *progress->median_ns > 0) {
      const double half = (progress->ci_ns->high - progress->ci_ns->low) / 2 / *progress->median_ns;
      median += " " + format_percent_width(half);
    }
    add(median);
  }
  if (progress->left_s && *progress->left_s > 0.5)
    add(format_number(*progress->left_s, 2) + " s left");
  return text;
}

/// Share of the whole that the window asked for: of a sequence the requests that are over.
double share_done(const State& state) {
  const Sequence& sequence = state.requests.sequence;
  if (sequence.is_open())
    return static_cast<double>(sequence.number() - 1) / static_cast<double>(sequence.all);
  return state.requests.share;
}

struct Idle {
  std::string head, text;
  bool is_error = false;
};

Idle idle_text(const State& state) {
  const RunEstimate estimate = estimate_of_ladder(state);
  const int runnable = estimate.rungs;
  switch (state.sessions.shown->state()) {
    case app::WorkerState::starting:
      return {"Starting", "The worker is being started.", false};
    case app::WorkerState::lost:
      return {"Worker lost",
              state.sessions.shown->reason() +
                  (runnable ? "  F5 starts it again; everything received is kept." : ""),
              true};
    case app::WorkerState::replay: {
      const auto& environment = state.run().environment();
      if (!environment && state.run().series().empty()) {
        std::string machines;
        for (const RungView& row : state.ladder.rows) {  // the chart is of one processor
          if (backend_of(row.rung->kernel) != backend_of(state.selection.rung)) continue;
          const bool named = machines.find(row.machine) != std::string::npos;
          if (!row.machine.empty() && !named)
            machines += (machines.empty() ? "" : ", ") + row.machine;
        }
        return {"Recordings",
                machines.empty()
                    ? "No recording of this lab is at hand."
                    : "What is shown was recorded on " + machines + ". Nothing is measured here.",
                false};
      }
      std::string text = "A saved run";
      if (environment)
        text += " of " + environment->machine() + ", " + environment->time_utc.substr(0, 10);
      return {"Replay", text + ". Nothing is measured here.", false};
    }
    default:
      break;
  }
  if (state.editing && is_building(state)) return {"Compiling", "The last save.", false};
  if (!state.run().catalogue_complete())
    return {"Loading", "The worker is listing its rungs.", false};
  if (is_editing_here(state)) return {"Your turn", editing_keys(state), false};
  if (!runnable) {
    const auto& environment = state.run().environment();
    return {"Nothing can run here", environment ? environment->no_gpu_reason : std::string(), true};
  }
  // Home shows all labs: what one of them would take says nothing of what its doors begin.
  if (state.view.screen == ScreenId::home) return {"Ready", "", false};
  std::string text = "F5 runs " + std::to_string(runnable) + (runnable == 1 ? " rung" : " rungs");
  if (!predicted_rungs(state).empty()) text += ", what is predicted";
  if (!estimate.is_here) return {"Ready", text + "; how long is being estimated.", false};
  if (!estimate.text().empty()) text += ", " + estimate.text();
  return {"Ready", text + ".", false};
}

}  // namespace

std::string idle_words(const State& state) {
  return idle_text(state).text;
}

void BottomBar::draw_progress(Ui& ui, Area area) {
  const State& state = ui.state;
  const Area top = {area.x, area.y, area.w, area.h / 2},
             below = {area.x, top.bottom(), area.w, area.h / 2};
  // The bar begins at one place whatever the phase is called, so that it does not jump about.
  const float head_w = std::min(ui.px(310), area.w * 0.3f);
  ui.text(top.x, top.middle(), progress_headline(state), kBody_px - 1, Role::text, Face::strong,
          Anchor::start, head_w - ui.px(16));
  const std::string figures = figures_of(state);
  const float figures_room = std::min(ui.px(430), area.w * 0.38f);
  const Area bar = {area.x + head_w, top.middle() - ui.px(5),
                    area.w - head_w - figures_room - ui.px(16), ui.px(10)};
  ui.fill(bar, ui.raised(2), bar.h / 2);
  const float done_w = std::max(bar.h, bar.w * static_cast<float>(share_done(state)));
  ui.fill({bar.x, bar.y, done_w, bar.h}, ui.color(Role::series0), bar.h / 2);
  ui.widgets["progress"] = bar;
  ui.text(area.right(), top.middle(), figures, kSmall_px - 1, Role::text, Face::mono, Anchor::end,
          figures_room);
  const auto& progress = state.run().progress();
  std::string open = progress ? progress->open : std::string();
  if (progress && !progress->text.empty())
    open = open.empty() ? progress->text : progress->text + "  ·  " + open;
  if (!state.notice.text.empty()) open = state.notice.text;
  ui.text(below.x + head_w, below.middle(), open, kSmall_px - 1, Role::muted, Face::body,
          Anchor::start, below.w - head_w);
}

void BottomBar::draw_idle(Ui& ui, Area area) {
  const Idle idle = idle_text(ui.state);
  const Notice& notice = ui.state.notice;
  const bool has_notice = !notice.text.empty();
  // A low bar has height for one line: the notice stands in the place of what F5 does, which the button says too.
  const bool is_one_line = !has_notice || (ui.is_compact && !idle.is_error);
  const Area top = {area.x, area.y, area.w, is_one_line ? area.h : area.h / 2};
  const float head_w = ui.text(top.x, top.middle(), idle.head, kBody_px - 1,
                               idle.is_error ? Role::slower : Role::text, Face::strong);
  Area below = {area.x, top.bottom(), area.w, area.h / 2};
  Area beside = top;
  beside.take_left(head_w, ui.px(16));
  if (has_notice && is_one_line)
    below = beside;
  else
    ui.text(beside.x, beside.middle(), idle.text, kSmall_px, Role::muted, Face::body, Anchor::start,
            beside.w);
  if (!has_notice) return;
  ui.text(below.x, below.middle(), (notice.is_error ? "! " : "") + notice.text, kSmall_px,
          notice.is_error ? Role::slower : Role::text, Face::body, Anchor::start, below.w);
  if (ui.hovers("notice", below)) ui.tooltip(notice.text);
}

void BottomBar::draw(Ui& ui, Area area) {
  ui.fill(area, ui.color(Role::panel));
  Area inner = area.inset(ui.px(24), ui.px(8));
  const float h = ui.px(32), y = area.middle() - h / 2;
  const bool learning = is_learning(ui.state);
  Area right = inner.take_right(ui.px(learning ? 72 : 256), ui.px(24));
  const bool has_key = !keys_here(ui.state, action("show_shortcuts")).empty();
  ui.action_button("show_shortcuts", {right.right() - ui.px(72), y, ui.px(72), h},
                   has_key ? "? keys" : "Keys", Ui::Kind::quiet);
  if (!learning) {
    ui.action_button("telemetry", {right.x, y, ui.px(100), h}, "Telemetry", Ui::Kind::quiet);
    right.take_left(ui.px(106));
    ui.action_button("log", {right.x, y, ui.px(70), h}, ui.state.view.show_log ? "Hide log" : "Log",
                     Ui::Kind::quiet);
  }
  if (ui.state.requests.run || ui.state.requests.compare)
    draw_progress(ui, inner);
  else
    draw_idle(ui, inner);
}

void LogPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  const Area inner = area.inset(ui.px(16), ui.px(8));
  const auto& log = ui.state.run().log();
  if (log.empty()) {
    return draw_empty_state(
        ui, inner, "The log is empty.",
        "What the worker printed beside its protocol, and its restarts, appear here.");
  }
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  ImGui::BeginChild("log", {inner.w, inner.h}, false);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line_h = ui.px(22);
  float y = at.y + line_h / 2;
  for (const std::string& line : log) {
    ui.text(at.x, y, line, kTiny_px + 1, Role::muted, Face::mono, Anchor::start,
            inner.w - ui.px(16));
    y += line_h;
  }
  ImGui::Dummy({inner.w - ui.px(16), line_h * static_cast<float>(log.size())});
  ImGui::EndChild();
  ui.list = outer;
}

}  // namespace ridge::window
