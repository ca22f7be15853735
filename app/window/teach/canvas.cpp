#include "app/window/teach/canvas.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "app/query/editing.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/study/markdown.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/source_tab.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/bars.h"
#include "app/window/teach/end_card.h"
#include "app/window/teach/presenter.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/view/chart/figures.h"

namespace ridge::window {
namespace {

using study::StepKind;
using study::TourStep;

constexpr float kQuestion_px = kHeading_px;
/// How much larger than elsewhere words are written where their place has room, the largest first.
constexpr float kGrown[] = {1.4f, 1.2f, 1};
/// On a wall a question has the half that it stands on.
constexpr float kGrownOnWall[] = {1.9f, 1.7f, 1.5f, 1.3f, 1.15f, 1};
constexpr float kFigure = 1.5f;  // of what answers the question, over the words about it
constexpr const char* kBeats[] = {"Predict", "Run", "Reveal", "Explain"};

/// Whether Run measures or plays something at this step.
bool has_a_run(const State& state) {
  const TourStep step = shown_step(state);
  return step.measures() && !is_known(step, step_bars(state, step));
}

/// The step after this one in a few words, for the presenter.
std::string step_ahead(const State& state) {
  const study::Tour* tour = state.teaching.tour.get();
  const auto next = static_cast<size_t>(state.teaching.tour_step) + 1;
  if (!tour) return "the next rung";
  if (next >= tour->steps.size()) return "how near you were";
  const Rung* rung = rung_of(tour->steps[next].rungs.back());
  return fmt::format("step {}{}", next + 1, rung ? std::string(", ") + rung->title : "");
}

/// What the clicker does next, and how the presenter is left.
std::string stage_hint(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.presenting) return {};
  const bool reads_on = teach.beat == Beat::explain && teach.has_more;
  const std::string next = teach.beat == Beat::predict   ? has_a_run(state) ? "run it" : "reveal"
                           : teach.beat == Beat::run     ? "reveal"
                           : teach.beat == Beat::reveal  ? "explain"
                           : reads_on                    ? "read on"
                           : teach.beat == Beat::explain ? step_ahead(state)
                                                         : "";
  return (next.empty() ? "" : "Page Down: " + next + "  ·  ") +
         (is_step_running(state) ? "Esc: cancel" : "Esc: leave");
}

std::string next_label(const State& state) {
  switch (state.teaching.beat) {
    case Beat::predict:
      return has_a_run(state) ? "Run" : "Reveal";
    case Beat::run:
      return "Reveal";
    case Beat::reveal:
      return "Explain";
    case Beat::explain: {
      const study::Tour* tour = state.teaching.tour.get();
      const bool is_last = tour && state.teaching.tour_step + 1 == std::ssize(tour->steps);
      return state.teaching.has_more ? "Read on"
             : is_last               ? "Finish"
             : tour                  ? "Next step"
                                     : "Next rung";
    }
    case Beat::done:
      return "Leave the tour";
  }
  return {};
}

/// The code that a step is about: the last rung of ours, and beside it the rung of ours before it in the step.
struct CodePair {
  const Rung *before = nullptr, *rung = nullptr;
};
CodePair code_of(const TourStep& step) {
  CodePair pair;
  for (const std::string& kernel : step.rungs) {
    const Rung* rung = rung_of(kernel);
    if (!rung || rung->peer || (pair.rung && rung == pair.rung)) continue;
    pair = {pair.rung, rung};
  }
  if (!pair.rung && !step.rungs.empty()) pair.rung = rung_of(step.rungs.back());
  const bool crosses =
      pair.before && backend_of(pair.before->kernel) != backend_of(pair.rung->kernel);
  if (crosses) pair.before = nullptr;
  return pair;
}

}  // namespace

// ---- head and foot -------------------------------------------------------------------------------

void LessonCanvas::draw_head(Ui& ui, Area area) const {
  const State& state = ui.state;
  const Teaching& teach = state.teaching;
  Area line = area.take_top(ui.px(38), ui.px(4));
  const auto button = [&](const char* id, const std::string& label, Ui::Kind kind) {
    const float w = std::max(ui.px(96), ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28));
    ui.action_button(id, line.take_right(w, ui.px(8)), label, kind);
  };
  if (!teach.presenting) {
    button("advance", next_label(state), Ui::Kind::primary);
    button("go_back", "Back", Ui::Kind::normal);
    if (teach.beat != Beat::done) button("end_tour", "End", Ui::Kind::quiet);
    button("show_presenter", "Present", Ui::Kind::quiet);
  }
  const std::string hint = teach.beat == Beat::done ? "" : tour_clock(state);
  const float hint_w = ui.width(hint, kSmall_px);
  if (line.w > hint_w + ui.px(380)) {
    ui.text(line.right(), line.middle(), hint, kSmall_px, Role::muted, Face::body, Anchor::end);
    line.take_right(hint_w, ui.px(16));
  }
  ui.widgets["presenter_clock"] = line;
  for (int i = 0; i < 4 && teach.beat != Beat::done; ++i) {
    const bool here = i == static_cast<int>(teach.beat);
    const Face face = here ? Face::strong : Face::body;
    const std::string label = std::to_string(i + 1) + "  " + kBeats[i];
    const float w = ui.width(label, kBody_px, face);
    if (line.w < w) break;
    const Area place = line.take_left(w, ui.px(22));
    ui.text(place.x, place.middle(), label, kBody_px, here ? Role::text : Role::muted, face);
    if (here)
      ui.fill({place.x, place.bottom() - ui.px(4), w, ui.px(3)}, ui.color(Role::series0), ui.px(1));
  }
  const std::string title = teach.tour ? teach.tour->title : state.selection.lab->title;
  const float w = ui.text(area.x, area.y + ui.px(12), title, kBody_px, Role::muted, Face::strong,
                          Anchor::start, area.w * 0.6f);
  const TourStep* step = tour_step(state);
  const bool has_one_size = !step || step->kind == StepKind::run || step->kind == StepKind::compare;
  const std::string params = params_summary(*state.selection.lab, shown_params(state));
  if (teach.beat != Beat::done && has_one_size)
    ui.text(area.x + w + ui.px(14), area.y + ui.px(12), params, kSmall_px, Role::muted, Face::body,
            Anchor::start, area.w - w - ui.px(14));
}

namespace {

/// What goes on at this step, where no notice stands in its place.
std::string step_status(const State& state) {
  const Teaching& teach = state.teaching;
  if (teach.beat == Beat::run) {
    const bool runs = is_step_running(state);
    if (!runs) return "Measured. Reveal shows it.";
    if (teach.playback_from_s >= 0)
      return "A recording is played back: its results were measured on the machine named.";
    const auto& progress = state.run().progress();
    const std::string phase = progress && !progress->phase.empty() ? ": " + progress->phase : "";
    return fmt::format("Running{}, {:.0f} s", phase,
                       std::floor(teach.now_s - teach.beat_started_s));
  }
  if (teach.beat == Beat::predict) {
    const TourStep step = shown_step(state);
    const StepBars bars = step_bars(state, step);
    if (is_known(step, bars))
      return fmt::format("Step {} measured these rungs: nothing has to run again.",
                         bars.last()->measured_at + 1);
    if (state.is_replay() && step.measures())
      return "This is a saved run: nothing is measured; the bars come from it and from recordings.";
  }
  return teach.has_more && !teach.presenting ? "Page Down reads on." : "";
}

}  // namespace

/// One line: what runs, or what the last key could not do; for a presenter what the next key does. No figure in it.
void LessonCanvas::draw_foot(Ui& ui, Area area) {
  const State& state = ui.state;
  ui.widgets["canvas_foot"] = area;
  if (const std::string next = stage_hint(state); !next.empty()) {
    const float w = ui.text(area.right(), area.middle(), next, kSmall_px, Role::muted, Face::body,
                            Anchor::end, area.w * 0.6f);
    ui.widgets["stage_hint"] = {area.right() - w, area.y, w, area.h};
    area.take_right(w, ui.px(16));
  }
  const bool is_noticed = !state.notice.text.empty();
  const Role role = state.notice.is_error ? Role::slower : is_noticed ? Role::text : Role::muted;
  ui.text(area.x, area.middle(), is_noticed ? state.notice.text : step_status(state), kSmall_px,
          role, Face::body, Anchor::start, area.w);
}

// ---- left: question, answer, outcome, words --------------------------------------------------------

/// As large as there is room for, and smaller rather than cut; returns its height.
float LessonCanvas::draw_text(Ui& ui, const Area& area, const std::string& text, float size,
                              Face face) {
  const std::span<const float> grown =
      ui.state.teaching.presenting ? std::span<const float>(kGrownOnWall) : kGrown;
  for (const float larger : grown) {
    const float height = std::round(size * larger);
    if (figures_.paragraph(ui, area, text, height, Role::text, face, true) <= area.h)
      return figures_.paragraph(ui, area, text, height, Role::text, face);
  }
  while (size > kSmall_px &&
         figures_.paragraph(ui, area, text, size, Role::text, face, true) > area.h)
    size -= 1;
  return figures_.paragraph(ui, area, text, size, Role::text, face);
}

void LessonCanvas::draw_choices(Ui& ui, Area area, const Shown& shown) const {
  const std::vector<std::string> choices = choices_of(shown.step, shown.bars);
  const int chosen = answer_here(ui.state).choice;
  if (chosen >= 0 && compat::key_pressed(compat::Key::enter)) ui.dispatch_action("advance");
  const float gap = ui.px(6), room = area.h / static_cast<float>(choices.size()) - gap;
  const float h = std::clamp(room, ui.px(24), ui.px(54));
  const float size = h >= ui.px(50) ? kHeading_px : kBody_px;
  for (size_t i = 0; i < choices.size(); ++i) {
    const Area place = area.take_top(h, gap);
    const bool is_chosen = static_cast<int>(i) == chosen;
    const auto touched = ui.touch("answer:" + std::to_string(i + 1), place);
    ui.fill(place, ui.raised(touched.hovered ? 3 : is_chosen ? 2 : 1), ui.px(5));
    if (is_chosen) ui.frame(place, ui.color(Role::series0), ui.px(5), ui.px(2));
    const Area text = place.inset(ui.px(14), 0);
    const Face face = is_chosen ? Face::strong : Face::body;
    const std::string label = fmt::format("{}   {}", i + 1, choices[i]);
    const bool fits = ui.width(label, size, Face::strong) <= text.w;
    ui.text(text.x, text.middle(), label, fits ? size : kBody_px, Role::text, face, Anchor::start,
            text.w);
    if (touched.clicked)
      ui.dispatch([i](State& state) { choose_answer(state, static_cast<int>(i)); });
  }
}

void LessonCanvas::draw_field(Ui& ui, Area area, const Shown& shown) const {
  const StepAnswer& answer = answer_here(ui.state);
  Area line = area.take_top(ui.px(44), ui.px(8));
  const Area box = line.take_left(std::min(line.w, ui.px(170)), ui.px(14));
  ui.widgets["answer_field"] = box;
  ui.fill(box, ui.raised(2), ui.px(5));
  char text[32] = {};
  std::snprintf(text, sizeof text, "%s", answer.typed.c_str());
  const float height = ui.px(kBody_px);
  compat::push_font(ui.fonts.get(Face::strong, height), height);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(12), (box.h - height) / 2});
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::SetNextItemWidth(box.w);
  const bool entered =
      ImGui::InputText("##answer", text, sizeof text,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  // Who comes to a question types: the field has the keyboard, and keeps it where an answer cannot be read.
  const int here = ui.state.teaching.tour_step;
  const bool is_active = ImGui::IsItemActive();
  if (ui.state.teaching.focused_step != here) {
    if (!is_active)
      ImGui::SetKeyboardFocusHere(
          -1);  // until it has it: an overlay that closes takes it once more
    ui.needs_redraw = true;
    if (is_active) ui.dispatch([here](State& state) { state.teaching.focused_step = here; });
  }
  ui.frame(box, ui.color(is_active ? Role::series0 : Role::muted), ui.px(5), ui.px(1.5f));
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  // Esc leaves the field, and ImGui takes back what was typed since: the answer stays.
  if (answer.typed != text && !compat::key_pressed(compat::Key::escape))
    ui.dispatch([now = std::string(text)](State& state) { type_answer(state, now); });
  const auto read = parse_answer(shown.step.ask, text);
  if (entered) {
    ui.dispatch_action("advance");
    if (!read) ui.dispatch([](State& state) { state.teaching.focused_step = -1; });
  }
  const bool is_wrong = *text && !read;
  const char* example = shown.step.ask == study::Ask::time    ? "for example 80 ms"
                        : shown.step.ask == study::Ask::share ? "for example 40 %"
                                                              : "for example 3";
  ui.text(line.x, line.middle(),
          *text && read ? answer_text(shown.step, shown.bars, answer) : example, kSmall_px,
          Role::muted, Face::body, Anchor::start, line.w);
  ui.paragraph(area, is_wrong ? read.error().sentence() : asked_for(shown.step, shown.bars),
               kSmall_px, is_wrong ? Role::slower : Role::muted);
}

void LessonCanvas::draw_answer(Ui& ui, Area area, const Shown& shown) {
  const StepAnswer& answer = answer_here(ui.state);
  if (ui.state.teaching.beat == Beat::predict) {
    const bool has_choices = !choices_of(shown.step, shown.bars).empty();
    return has_choices ? draw_choices(ui, area, shown) : draw_field(ui, area, shown);
  }
  if (ui.state.teaching.focused_step >= 0)
    ui.dispatch([](State& state) { state.teaching.focused_step = -1; });
  const std::string said = answer_text(shown.step, shown.bars, answer);
  const float size = ui.state.teaching.presenting ? kQuestion_px * 1.3f : kBody_px;
  ui.paragraph(area, said.empty() ? "Nothing was predicted." : "You said " + said + ".", size,
               Role::text, Face::strong);
}

namespace {

/// Words that stand one under another.
struct Words {
  std::string text;
  float size;
  Role role;
  float gap;  ///< under them
  bool is_figure = false;
};

/// Returns their height, and draws nothing where it only measures.
float lay_words(Ui& ui, Area area, const std::vector<Words>& all, float larger, bool measure) {
  const float top = area.y;
  for (const Words& one : all) {
    if (one.text.empty()) continue;
    float size = std::round(one.size * larger * (one.is_figure ? kFigure : 1));
    if (one.is_figure) {  // on one line
      while (size > kBody_px && ui.width(one.text, size, Face::strong) > area.w) size -= 4;
      const Area line = area.take_top(ui.px(size * 1.3f), ui.px(one.gap));
      if (!measure)
        ui.text(line.x, line.middle(), one.text, size, one.role, Face::strong, Anchor::start,
                area.w);
      continue;
    }
    area.take_top(ui.paragraph(area, one.text, size, one.role, Face::body, measure),
                  ui.px(one.gap));
  }
  return area.y - top;
}

}  // namespace

namespace {

/// What may be said of the ratio above it: without it a large figure reads as a gain.
Words verdict_word(const Comparison& pair) {
  const Verdict verdict = supported_verdict(pair);
  const char* word = verdict == Verdict::faster       ? "faster"
                     : verdict == Verdict::slower     ? "slower"
                     : verdict == Verdict::same       ? "the same, within the margin"
                     : verdict == Verdict::unresolved ? "unresolved: no difference was shown"
                                                      : "invalid";
  const Role role = verdict == Verdict::faster   ? Role::faster
                    : verdict == Verdict::slower ? Role::slower
                                                 : Role::text;
  return {word, kHeading_px, role, 6};
}

/// Which bars were measured here while other programs ran; empty: none.
std::string disturbed_text(const StepBars& bars) {
  std::string titles;
  for (const LessonBar& bar : bars.bars) {
    if (bar.series && bar.machine.empty() && is_disturbed(*bar.series))
      titles += (titles.empty() ? "“" : ", “") + bar.title + "”";
  }
  return titles.empty() ? "" : "Other programs took processor time meanwhile: " + titles + ".";
}

}  // namespace

/// The figure, what it is of, predicted against measured, and the verdict of a comparison.
void LessonCanvas::draw_outcome(Ui& ui, const Area& area, const Shown& shown) {
  const StepOutcome outcome = outcome_of(ui.state, shown.step, shown.bars);
  const bool is_number = choices_of(shown.step, shown.bars).empty();
  std::vector<Words> all = {{shown.step.question, kSmall_px + 1, Role::muted, 16}};
  if (outcome.missing.empty()) {
    all.push_back({outcome.shown, kVerdict_px, Role::text, 2, true});
    if (is_number && outcome.pair) all.push_back(verdict_word(*outcome.pair));
    all.push_back({outcome.interval, kSmall_px + 1, Role::text, 10});
  }
  const LessonBar* last = shown.bars.last();
  if (is_number && outcome.missing.empty()) {
    std::string about = asked_for(shown.step, shown.bars);
    if (last && last->series && shown.step.ask == study::Ask::time)
      about += ": " + figures_of(*last, shown.bars.unit);
    all.push_back({about, kSmall_px + 1, Role::muted, 12});
  }
  all.push_back({outcome_sentence(shown.step, shown.bars, answer_here(ui.state), outcome), kBody_px,
                 Role::text, 12});
  all.push_back({ratio_sentence(shown, outcome), kBody_px, Role::muted, 12});
  all.push_back({disturbed_text(shown.bars), kSmall_px + 1, Role::slower, 0});
  const auto fits = [&](float larger) { return lay_words(ui, area, all, larger, true) <= area.h; };
  const float* larger = std::find_if(std::begin(kGrown), std::end(kGrown), fits);
  const float by = larger == std::end(kGrown) ? 1 : *larger;
  ui.widgets["outcome"] = {area.x, area.y, area.w, lay_words(ui, area, all, by, false)};
}

/// How the last bar compares with the first: the verdict of a pair, else that none follows.
std::string LessonCanvas::ratio_sentence(const Shown& shown, const StepOutcome& outcome) {
  const LessonBar* last = shown.bars.last();
  const LessonBar* first = last ? &shown.bars.bars.front() : nullptr;
  if (outcome.pair && choices_of(shown.step, shown.bars).empty())  // the verdict stands above
    return outcome.pair_machine.empty() ? "" : "Recorded on " + outcome.pair_machine + ".";
  if (outcome.pair)
    return verdict_sentence(*outcome.pair, first->title, last->title) + ". Run in turns" +
           (outcome.pair_machine.empty() ? "." : ", recorded on " + outcome.pair_machine + ".");
  const study::Ask ask = shown.step.ask;  // a choice about all of them is not about these two
  const bool have_ratio = last && first != last && first->value > 0 && last->value > 0 &&
                          ask != study::Ask::factor && ask != study::Ask::choice &&
                          !shown.bars.is_factor();
  if (!have_ratio) return {};
  const auto [slow, fast] =
      first->value > last->value ? std::pair(last, first) : std::pair(first, last);
  return "“" + fast->title + "” is ≈ " + format_ratio(fast->value / slow->value) + " as fast as “" +
         slow->title + "”" +
         (first->machine == last->machine ? ", measured one after the other, not in turns."
                                          : ", on two machines: no verdict follows.");
}

void LessonCanvas::draw_left(Ui& ui, Area area, const Shown& shown) {
  const Beat beat = ui.state.teaching.beat;
  ui.widgets["presenter_words"] = area;
  if (beat == Beat::explain) {
    const StepOutcome outcome = outcome_of(ui.state, shown.step, shown.bars);
    has_more_ |=
        explanation_.draw(ui, area, shown.step, shown.bars, outcome,
                          outcome_sentence(shown.step, shown.bars, answer_here(ui.state), outcome));
    return;
  }
  if (beat == Beat::reveal) return draw_outcome(ui, area, shown);
  const Area top = {area.x, area.y, area.w, area.h * 0.5f};
  area.take_top(draw_text(ui, top, shown.step.question, kQuestion_px, Face::strong), ui.px(20));
  draw_answer(ui, area, shown);
}

// ---- right: code, progress, bars, diagram ----------------------------------------------------------

namespace {

/// Without what a file begins and ends with: the comment tells what the step asks, and a wall has no room for includes.
void trim_to_code(std::vector<std::string_view>* lines) {
  const auto is_head = [](std::string_view line) {
    return line.empty() || line.starts_with("//") || line.starts_with("#include") ||
           line.starts_with("namespace") || line.starts_with("using namespace");
  };
  const auto is_foot = [](std::string_view line) {
    return line.empty() || line.starts_with("}  // namespace");
  };
  while (!lines->empty() && is_foot(lines->back())) lines->pop_back();
  lines->erase(lines->begin(), std::find_if_not(lines->begin(), lines->end(), is_head));
}

/// As large as the longest line and all lines allow, within what a wall can bear.
float wall_code_size(Ui& ui, const Area& area, const std::vector<std::string_view>& lines) {
  constexpr float kLeast = 12.5f, kMost = kCode_px * 2, kLeading = 1.57f;
  size_t columns = 1;
  for (const std::string_view line : lines) columns = std::max(columns, line.size());
  const std::string longest(columns, '0');
  const auto count = static_cast<float>(lines.size() + 3);
  const auto fits = [&](float size) {
    return ui.width(longest, size, Face::mono) <= area.w &&
           std::round(ui.px(size * kLeading)) * count <= area.h;
  };
  float size = kMost;
  while (size > kLeast && !fits(size)) size -= 0.5f;
  return size;
}

/// Larger where most lines fit across and the first of them down: a class reads it from the last row, and a short text
/// leaves no empty wall.
float code_size(Ui& ui, const Area& area, const std::vector<std::string_view>& lines) {
  constexpr size_t kSeen = 16;
  if (ui.state.teaching.presenting) return wall_code_size(ui, area, lines);
  constexpr float kMost = kCode_px * 1.4f;
  size_t columns = 0;
  for (const std::string_view line : lines) columns = std::max(columns, line.size());
  const float least = ui.width(std::string(columns, '0'), kCode_px, Face::mono);
  const float wide = area.w / std::max(1.0f, least), high = area.h / (ui.px(22) * kSeen);
  const float larger = std::min({wide, high, kMost / kCode_px});
  return larger >= kMost / kCode_px ? kMost : larger >= 1.2f ? kCode_px * 1.2f : kCode_px;
}

}  // namespace

void LessonCanvas::draw_code(Ui& ui, const Area& area, const Shown& shown) {
  const CodePair pair = code_of(shown.step);
  ui.panel(area);
  ui.widgets["step_code"] = area;
  if (!pair.rung) return;
  const Area inner = area.inset(ui.px(14), ui.px(8));
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  const std::string id = "code:" + shown.step.rungs.front() + pair.rung->kernel;
  ImGui::BeginChild(id.c_str(), {inner.w, inner.h}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Area content = {at.x, at.y, inner.w - ui.px(16), inner.h};
  const SourceText* source = find_source(ui.state, pair.rung->kernel);
  if (pair.before) {
    constexpr float kWallCode_px = 19, kLeastWallCode_px = 13;  // 20 px at a scale of 1.6
    diff_.code_px = ui.state.teaching.presenting ? kWallCode_px : kCode_px;
    diff_.least_px = ui.state.teaching.presenting ? kLeastWallCode_px : 0;
    diff_.is_brief = true;
    diff_.draw_pair(ui, content, *pair.before, *pair.rung);
  } else if (!source) {
    draw_empty_state(ui, content, "The source is not known here.",
                     "It comes from the worker, or from a run that carries it.");
  } else {
    const Area title = content.take_top(ui.px(30));
    ui.text(title.x, title.middle(), std::string(pair.rung->title) + "  ·  " + pair.rung->change,
            kSmall_px + 1, Role::text, Face::strong, Anchor::start, title.w);
    LexState lexer;
    std::vector<std::string_view> lines = app::split_lines(source->text);
    trim_to_code(&lines);
    const float size = code_size(ui, content, lines), line_h = std::round(ui.px(size * 1.57f));
    for (const std::string_view line : lines) {
      draw_code_line(ui, content.x, content.y + line_h / 2, line, &lexer, size);
      content.y += line_h;
    }
    ImGui::SetCursorScreenPos({content.x, content.y});
    ImGui::Dummy({content.w, ui.px(8)});
  }
  ImGui::EndChild();
  ui.list = outer;
}

/// Of the rung that is explained, where its lesson has one.
bool LessonCanvas::draw_diagram(Ui& ui, const Area& area, const Shown& shown) {
  const LessonBar* about =
      bar_explained(shown.step, shown.bars, outcome_of(ui.state, shown.step, shown.bars));
  const std::string of = about ? about->asked.kernel : std::string();
  if (diagram_of_ != of) {
    diagram_of_ = of;
    fenced_ = {};
    diagram_ = {};
    const auto text = study::read_asset(ui.state.selection.lab->lesson);
    for (const study::LessonPart& part :
         text ? study::lesson_parts(*text) : std::vector<study::LessonPart>()) {
      if (part.kernel.empty() || part.kernel != of) continue;
      for (const study::Block& block : study::parse_markdown(part.text)) {
        if (diagram::is_diagram(block.info) && !block.runs.empty())
          fenced_ = {part.kernel, block.info, block.runs.front().text};
      }
    }
  }
  if (fenced_.kernel.empty()) return false;
  Scroll scroll(ui, "step_diagram", area);
  const Area head = scroll.rest.take_top(ui.px(28));
  ui.text(head.x, head.middle(), rung_title(ui.state.ladder, fenced_.kernel), kSmall_px + 1,
          Role::text, Face::strong, Anchor::start, head.w);
  ui.widgets["step_diagram"] = area;
  has_more_ |= scroll.turn_pages(ui.state.teaching.pages, &diagram_page_);
  scroll.rest.take_top(diagram_.draw(ui, scroll.rest, "diagram", fenced_));
  return true;
}

bool LessonCanvas::draw_figure(Ui& ui, const Area& area, const Shown& shown) {
  const State& state = ui.state;
  if (shown.step.figure.empty()) return false;
  const chart::Figure& figure = *chart::find_figure(shown.step.figure);
  const std::string made_of =
      fmt::format("{} {} {}", figure.id, state.teaching.tour_step, state.ladder.version);
  if (made_of != std::exchange(figure_of_, made_of)) {
    ChartRows rows = figure_rows(state, figure.rows);
    keep_rungs(&rows, shown.step.rungs);
    figure_.set(figure.build(rows.rows, figure_options(*state.selection.lab)), rows.kernels);
  }
  if (chart::is_empty(figure_.model())) return false;
  ui.panel(area);
  ui.widgets["step_figure"] = area;
  figure_.draw(ui, "step_figure_chart", area.inset(ui.px(16), ui.px(10)));
  return true;
}

void LessonCanvas::draw_right(Ui& ui, Area area, const Shown& shown) {
  const float gap = ui.px(12), pad = ui.px(16);
  const auto count = static_cast<float>(shown.bars.bars.size());
  const Beat beat = ui.state.teaching.beat;
  if (beat == Beat::predict || !shown.step.measures()) return draw_code(ui, area, shown);
  if (beat == Beat::run) {
    const auto rows = static_cast<float>(progress_of(ui.state, shown.step, shown.bars).size());
    const Area top = area.take_top(std::min(area.h * 0.6f, ui.px(58) * rows + 2 * pad), gap);
    ui.panel(top);
    draw_step_progress(ui, top.inset(pad), shown.step, shown.bars);
    return draw_code(ui, area, shown);
  }
  if (draw_figure(ui, area, shown)) return;
  // Few bars leave room for what made the difference.
  constexpr float kBar = 92, kFlatBar = 62, kCaption = 26, kLeastCode = 150;
  const bool reveals = beat == Beat::reveal;
  const float wanted = ui.px(reveals ? kBar : kFlatBar) * count + ui.px(kCaption) + 2 * pad;
  const bool has_room = area.h - wanted - gap > ui.px(kLeastCode);
  const Area top =
      has_room ? area.take_top(wanted, gap) : area.take_top(reveals ? area.h : area.h * 0.45f, gap);
  ui.panel(top);
  draw_step_bars(ui, top.inset(pad, pad * 0.75f), shown.step, shown.bars);
  if (reveals) return has_room ? draw_code(ui, area, shown) : void();
  ui.panel(area);
  if (!draw_diagram(ui, area.inset(pad, ui.px(8)), shown)) draw_code(ui, area, shown);
}

// ---- all of it -----------------------------------------------------------------------------------

void LessonCanvas::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  area = area.inset(ui.px(20), ui.px(10));
  draw_head(ui, area.take_top(ui.px(70), ui.px(6)));
  draw_foot(ui, area.take_bottom(ui.px(24), ui.px(4)));
  ui.widgets["canvas"] = area;
  if (state.teaching.beat == Beat::done && state.teaching.tour) return draw_end_card(ui, area);
  Shown shown{shown_step(state), {}};
  shown.bars = step_bars(state, shown.step);
  const float gap = ui.px(24);
  has_more_ = false;
  draw_left(ui, area.take_left((area.w - gap) * 0.36f, gap), shown);
  draw_right(ui, area, shown);
  if (has_more_ != state.teaching.has_more)
    ui.dispatch([more = has_more_](State& changed) { changed.teaching.has_more = more; });
}

}  // namespace ridge::window
