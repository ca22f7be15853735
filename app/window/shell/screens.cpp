#include "app/window/shell/screens.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/window/shell/actions.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_view.h"

namespace ridge::window {
namespace {

template <ScreenId id>
void show(State& state) {
  show_screen(state, id);
}

void open_nth_lab(State& state, int digit) {
  open_lab_at(state, static_cast<size_t>(digit - 1));
}

const ScreenDesc kScreens[] = {
    {ScreenId::home, "home", "Home", "labs, progress, last results", "H", 'h', make_home_screen,
     show<ScreenId::home>, open_nth_lab, Level::kLearn},
    {ScreenId::lab, "lab", "Lab", "the ladder: run, read, compare", "", 0, make_lab_screen,
     show<ScreenId::lab>, nullptr, Level::kLearn},
    {ScreenId::workbench, "workbench", "Your turn", "edit a rung: its time after each save", "", 0,
     make_workbench_screen, show<ScreenId::workbench>, nullptr, Level::kLab, "Practise"},
    {ScreenId::cards, "cards", "Study", "cards, and a quiz on what ran here", "K", 'k',
     make_cards_screen, show<ScreenId::cards>, study_digit, Level::kLearn, "Practise"},
    {ScreenId::compare, "compare", "Compare", "verdicts, from rounds run in turns", "V", 'v',
     make_compare_screen, show<ScreenId::compare>, nullptr, Level::kLab, "Measure"},
    {ScreenId::beside, "beside", "Side by side", "a second saved run beside this one", "", 0,
     make_beside_screen, show<ScreenId::beside>, nullptr, Level::kBench, "Measure"},
    {ScreenId::timeline, "timeline", "Timeline", "what the worker did when", "I", 'i',
     make_timeline_screen, show<ScreenId::timeline>, nullptr, Level::kLab, "Measure"},
    {ScreenId::machine, "machine", "Machine", "what it is, and what it can do at most", "M", 'm',
     make_machine_screen, show<ScreenId::machine>, nullptr, Level::kLab, "Measure"},
    {ScreenId::binds, "binds", "What binds", "each cause, its lever, and its cases here", "", 0,
     make_binds_screen, show<ScreenId::binds>, nullptr, Level::kLab, "Explain"},
    {ScreenId::report, "report", "Report", "as it will be exported", "O", 'o', make_report_screen,
     show<ScreenId::report>, nullptr, Level::kLab, "Explain"},
    {ScreenId::classroom, "class", "Class", "exercises, and a leaderboard", "", 0,
     make_class_screen, show<ScreenId::classroom>, nullptr, Level::kLab, "Teach"},
    {ScreenId::tour, "tour", "Tour", "a lesson in steps: predict, run, reveal", "", 0,
     make_tour_screen, show_tour, answer_digit, Level::kLearn, "Teach"},
    {ScreenId::presenter, "presenter", "Presenter", "predict, run, reveal, explain", "P", 'p',
     make_presenter_screen, present_here, answer_digit, Level::kLab, "Teach"},
    {ScreenId::settings, "settings", "Settings", "theme, scale, folders", ",", ',',
     make_settings_screen, show<ScreenId::settings>, nullptr, Level::kLab, "Program"},
    {ScreenId::shortcuts, "shortcuts", "Shortcuts", "every action and its key; F1 too", "?", '?',
     make_shortcuts_screen, show_keys, nullptr, Level::kLab, "Program"},
};

}  // namespace

const chart::Scene& Screen::scene() {
  static const chart::Scene kEmpty;
  ChartView* view = chart();
  return view ? view->scene() : kEmpty;
}

std::span<const ScreenDesc> screens() {
  return kScreens;
}

const ScreenDesc& screen_of(ScreenId id) {
  for (const ScreenDesc& screen : kScreens) {
    if (screen.id == id) return screen;
  }
  std::abort();  // an identifier without a row: a mistake in the code, not a state
}

void show_screen(State& state, ScreenId id) {
  state.view.show_menu = false;
  state.view.screen = state.view.screen == id ? ScreenId::lab : id;
  state.notice = {};
  state.ladder.dirty = true;
}

// ---- places that screens draw into, and what several screens say alike --------------------------

Overlay::Overlay(Ui& ui, const char* name, float dim) : ui_(ui) {
  ui.begin_overlay();
  ImGui::SetNextWindowPos({ui.window.x, ui.window.y});
  ImGui::SetNextWindowSize({ui.window.w, ui.window.h});
  ImGui::SetNextWindowFocus();
  ImGui::Begin(
      name, nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove);
  outer_ = std::exchange(ui.list, ImGui::GetWindowDrawList());
  ui.fill(ui.window, ui.color(Role::canvas, dim));
}

Overlay::~Overlay() {
  ui_.list = outer_;
  ImGui::End();
}

bool Overlay::clicked_outside(const Area& box) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside =
      mouse.x >= box.x && mouse.x < box.right() && mouse.y >= box.y && mouse.y < box.bottom();
  return ImGui::IsMouseClicked(0) && !inside;
}

void draw_cut_edges(Ui& ui, const std::string& name, const Area& place, ImU32 ground) {
  const float above = ImGui::GetScrollY(), below = ImGui::GetScrollMaxY() - above;
  const float high = std::min(ui.px(18), place.h / 4), w = place.w - Scroll::bar(ui);
  const ImU32 clear = ground & ~IM_COL32_A_MASK;
  const auto fade = [&](const char* edge, float y, ImU32 top, ImU32 bottom) {
    ui.list->AddRectFilledMultiColor({place.x, y}, {place.x + w, y + high}, top, top, bottom,
                                     bottom);
    ui.widgets["more:" + name + ":" + edge] = {place.x, y, w, high};
  };
  if (above > 1) fade("above", place.y, ground, clear);
  if (below > 1) fade("below", place.bottom() - high, clear, ground);
}

Scroll::Scroll(Ui& ui, const char* name, const Area& area, std::optional<ImU32> ground)
    : ui_(ui), name_(name), place_(area), ground_(ground.value_or(ui.color(Role::panel))) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::BeginChild(name, {area.w, area.h}, false);
  outer_ = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  top_ = at.y;
  rest = {at.x, at.y, area.w - bar(ui), 0};  // always kept: nothing jumps when a bar appears
}

Scroll::~Scroll() {
  ImGui::SetCursorScreenPos({rest.x, top_});
  ImGui::Dummy({rest.w, rest.y - top_});
  draw_cut_edges(ui_, name_, place_, ground_);
  ImGui::EndChild();
  ui_.list = outer_;
}

bool Scroll::turn_pages(int asked, int* turned) {
  constexpr float kPage = 0.85f;  // the last lines are on the next page too
  if (asked != *turned) {
    const float to = ImGui::GetScrollY() + place_.h * kPage;
    ImGui::SetScrollY(asked > *turned ? std::min(to, ImGui::GetScrollMaxY()) : 0);
    *turned = asked;
    ui_.needs_redraw = true;
  }
  return ImGui::GetScrollMaxY() - ImGui::GetScrollY() > 1;
}

void Scroll::to_top() {
  ImGui::SetScrollY(0);
  ui_.needs_redraw = true;
}

void Scroll::show_row(const Area& row) {
  if (row.y >= place_.y && row.bottom() <= place_.bottom()) return;
  ImGui::SetScrollY(std::max(0.0f, ImGui::GetScrollY() + row.y - place_.y - place_.h / 3));
  ui_.needs_redraw = true;
}

bool Scroll::sees(const Area& area) const {
  return area.bottom() >= place_.y && area.y <= place_.bottom();
}

void draw_heading(Ui& ui, Area* rest, const char* text) {
  const Area line = rest->take_top(ui.px(34));
  ui.text(line.x, line.y + ui.px(12), text, kTiny_px, Role::muted, Face::strong);
}

bool draw_nothing(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                  const std::string& button) {
  const float w = std::min(area.w - ui.px(48), ui.px(520));
  const float next_h = ui.paragraph({0, 0, w, 0}, next, kSmall_px, Role::muted, Face::body, true);
  const float head_h =
      ui.paragraph({0, 0, w, 0}, sentence, kHeading_px, Role::text, Face::strong, true);
  const float gap = ui.px(10), button_h = ui.px(40);
  Area box = {area.x + (area.w - w) / 2, 0, w, head_h + next_h + button_h + 3 * gap};
  box.y = area.y + std::max(0.0f, (area.h - box.h) * 0.4f);
  ui.paragraph(box.take_top(head_h, gap), sentence, kHeading_px, Role::text, Face::strong);
  ui.paragraph(box.take_top(next_h, 2 * gap), next, kSmall_px, Role::muted);
  if (button.empty()) return false;
  const float button_w = std::min(w, ui.width(button, kSmall_px + 1, Face::strong) + ui.px(40));
  return ui.button("nothing", {box.x, box.y, button_w, button_h}, button, Ui::Kind::primary);
}

void draw_not_measured(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                       const char* button, const char* action) {
  const bool live = !ui.state.is_replay();
  if (!draw_nothing(ui, area, sentence, next, live ? button : "Go to Home")) return;
  if (live)
    ui.dispatch_action(action);
  else
    ui.dispatch([](State& state) { state.view.screen = ScreenId::home; });
}

}  // namespace ridge::window
