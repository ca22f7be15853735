#include "app/window/teach/canvas.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

#include "app/query/diff.h"
#include "app/query/editing.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/study/markdown.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/code_text.h"
#include "app/window/panels/source_tab.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/bars.h"
#include "app/window/teach/end_card.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/step_code.h"
#include "app/window/teach/step_origin.h"
#include "app/window/teach/step_outcome.h"
#include "app/window/teach/step_run.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/ratio_text.h"
#include "common/record/tour_note.h"
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
constexpr float kPicturePad_x = 16, kPicturePad_y = 8, kPictureHead = 28;  // of a diagram's panel
constexpr float kHeadLine = 38, kHeadGap = 4, kHeadTitle = 28;             // of the head
constexpr const char* kBeats[] = {"Predict", "Run", "Reveal", "Explain"};

/// Whether Run measures or plays something at this step.
bool has_a_run(const State& state) {
  const TourStep step = shown_step(state);
  return step.measures() && !is_known(step, step_bars(state, step));
}

/// Nothing of the step can run here, and a recording has it.
bool is_recorded_step(const State& state) {
  if (state.is_replay()) return true;
  const StepBars bars = step_bars(state, shown_step(state));
  return !bars.bars.empty() &&
         std::all_of(bars.bars.begin(), bars.bars.end(), [](const LessonBar& bar) {
           return bar.series && !bar.can_run && !bar.machine.empty();
         });
}

/// The step after this one in a few words, for the presenter.
std::string step_ahead(const State& state) {
  const study::Tour* tour = state.teaching.tour.get();
  const auto next = static_cast<size_t>(state.teaching.tour_step) + 1;
  if (!tour) {
    const std::string ahead = rung_ahead(state, 1);
    return ahead.empty() ? "" : "“" + rung_title(state.ladder, ahead) + "”";
  }
  if (next >= tour->steps.size()) return "how near you were";
  const Rung* rung = rung_of(tour->steps[next].rungs.back());
  return fmt::format("step {}{}", next + 1, rung ? std::string(", ") + rung->title : "");
}

const char* run_label(const State& state) {
  if (!has_a_run(state)) return "reveal";
  return is_recorded_step(state) ? "play the recording" : "run it";
}

}  // namespace

std::string stage_hint(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.presenting) return {};
  const bool reads_on = teach.beat >= Beat::explain && teach.has_more;
  const bool runs = is_step_running(state);
  const std::string next = runs                          ? ""  // nothing can be revealed yet
                           : teach.beat == Beat::predict ? run_label(state)
                           : teach.beat == Beat::run     ? "reveal"
                           : teach.beat == Beat::reveal  ? "explain"
                           : reads_on                    ? "read on"
                           : teach.beat == Beat::explain ? step_ahead(state)
                                                         : "";
  return (next.empty() ? "" : "Page Down: " + next + "  ·  ") +
         (again_blocker(state).empty() ? "R: measure again  ·  " : "") +
         (runs && state.requests.is_measuring() ? "Esc: cancel"
          : teach.tour                          ? "#: steps  ·  ?: keys  ·  Esc: leave"
          : asks_for_number(state) && !answer_here(state).typed.empty()
              ? "Ctrl K: tours and more  ·  ?: keys  ·  Esc: leave"
              : "J: tours  ·  ?: keys  ·  Esc: leave");
}

namespace {

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

}  // namespace

// ---- head and foot -------------------------------------------------------------------------------

namespace {

/// Where the tour is; a click leads to its other steps.
void draw_place(Ui& ui, Area* line) {
  const std::string text = tour_clock(ui.state);
  const float w = ui.width(text, kSmall_px);
  if (text.empty() || line->w <= w + ui.px(380)) return;
  const Area place = line->take_right(w, ui.px(16));
  if (!ui.state.teaching.tour) {
    ui.widgets["rung_place"] = place;
    ui.text(place.right(), place.middle(), text, kSmall_px, Role::muted, Face::body, Anchor::end);
    return;
  }
  const auto touched = ui.touch("steps", place);
  ui.text(place.right(), place.middle(), text, kSmall_px,
          touched.hovered ? Role::text : Role::muted, Face::body, Anchor::end);
  if (touched.hovered) ui.tooltip("The steps of this tour  (#)");
  if (touched.clicked) ui.dispatch_action("steps");
}

/// At a question it looks as locked as it is until there is an answer.
void draw_advance(Ui& ui, const char* name, const Area& area, const std::string& label,
                  Ui::Kind kind) {
  const std::string why = locked_because(ui.state);
  if (ui.button(name, area, label, kind, why.empty())) ui.dispatch_action("advance");
  if (ImGui::IsItemHovered())
    ui.tooltip(why.empty() ? action("advance").title + "  (Page Down)" : why);
}

/// Under the answer: the one thing to do next, and what an answer is for.
void draw_commit(Ui& ui, Area area) {
  const State& state = ui.state;
  if (state.teaching.presenting) return;  // a clicker has Page Down
  const std::string label = next_label(state) + "  ·  Enter";
  Area line = area.take_top(ui.px(40), 0);
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(40);
  draw_advance(ui, "commit", line.take_left(w, ui.px(14)), label, Ui::Kind::primary);
  const bool is_open = locked_because(state).empty();
  const std::string words = is_open ? "Then your answer is fixed."
                                    : "A guess is enough: it is held against what is measured.";
  const bool fits = ui.width(words, kSmall_px) <= line.w;
  ui.paragraph({line.x, line.y + ui.px(fits ? 10 : 1), line.w, 0}, words, kSmall_px, Role::muted);
}

}  // namespace

/// The end card of a wall has neither beats nor buttons: their line is its own.
float LessonCanvas::head_height(const Ui& ui) {
  const Teaching& teach = ui.state.teaching;
  return ui.px(kHeadTitle +
               (teach.presenting && teach.beat == Beat::done ? 0 : kHeadLine + kHeadGap));
}

void LessonCanvas::draw_head(Ui& ui, Area area) {
  const State& state = ui.state;
  const Teaching& teach = state.teaching;
  const bool has_line = area.h > ui.px(kHeadTitle);
  Area line = has_line ? area.take_top(ui.px(kHeadLine), ui.px(kHeadGap)) : Area{};
  const auto button = [&](const char* id, const std::string& label, Ui::Kind kind) {
    const float w = std::max(ui.px(96), ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28));
    ui.action_button(id, line.take_right(w, ui.px(8)), label, kind);
  };
  if (!teach.presenting) {
    const std::string label = next_label(state);
    const float w = std::max(ui.px(96), ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28));
    // One step is the next: at a question the button under its answer, on the end card what it offers.
    const bool is_next = teach.beat != Beat::predict && teach.beat != Beat::done;
    draw_advance(ui, "advance", line.take_right(w, ui.px(8)), label,
                 is_next ? Ui::Kind::primary : Ui::Kind::normal);
    if (should_run_again(state) && ui.button("run_again", line.take_right(ui.px(120), ui.px(8)),
                                             "Run again", Ui::Kind::normal))
      ui.dispatch([](State& changed) { run_again(changed); });
    if (teach.beat == Beat::run && state.requests.is_measuring())
      button("cancel", "Cancel  Esc", Ui::Kind::normal);
    button("go_back", "Back", Ui::Kind::normal);
    if (teach.beat != Beat::done) button("end_tour", "End", Ui::Kind::quiet);
    button("show_presenter", "Present", Ui::Kind::quiet);
  }
  if (teach.beat != Beat::done) draw_place(ui, &line);
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
  if (const std::string recording = origin_line(state); !recording.empty()) {
    const float wide = ui.text(area.right(), area.y + ui.px(12), recording, kSmall_px, Role::limit,
                               Face::strong, Anchor::end, area.w * 0.55f);
    ui.widgets["recording"] = {area.right() - wide, area.y, wide, ui.px(24)};
    area.take_right(wide, ui.px(16));
  }
  const std::string title = teach.tour ? teach.tour->title : state.selection.lab->title;
  const float w = ui.text(area.x, area.y + ui.px(12), title, kBody_px, Role::muted, Face::strong,
                          Anchor::start, area.w * 0.6f);
  if (teach.beat == Beat::done) return;
  const float from = area.x + w + ui.px(14), room = area.right() - from;
  const std::string params = whole_parts(ui, asked_at(state), room);
  ui.widgets["step_params"] = {from, area.y, ui.width(params, kSmall_px), ui.px(24)};
  ui.text(from, area.y + ui.px(12), params, kSmall_px, Role::muted, Face::body, Anchor::start);
}

namespace {

/// "Measuring loop order, 12 s, about 8 s left; then the pair in turns"
std::string running_text(const State& state) {
  const Teaching& teach = state.teaching;
  const auto& progress = state.run().progress();
  std::string text = fmt::format("{}, {:.0f} s", progress_headline(state),
                                 std::floor(teach.now_s - teach.beat_started_s));
  const bool is_ours = progress && std::find(teach.sent.begin(), teach.sent.end(),
                                             progress->request) != teach.sent.end();
  if (is_ours && progress->left_s && *progress->left_s > 0.5)
    text += fmt::format(", about {:.0f} s left", std::ceil(*progress->left_s));
  const bool pair_follows =
      std::any_of(teach.waiting.begin(), teach.waiting.end(),
                  [](const WorkRequest& request) { return request.type == RequestType::compare; });
  return text + (pair_follows ? "; then the pair, in turns" : "");
}

}  // namespace

std::string step_status(const State& state) {
  const Teaching& teach = state.teaching;
  if (teach.beat == Beat::run) {
    const bool runs = is_step_running(state);
    if (is_step_cancelled(state)) return "Cancelled. Go back to run it again.";
    if (!runs)
      return is_recorded_step(state)
                 ? "The recording was played: nothing was measured here. Reveal shows it."
                 : "Measured. Reveal shows it.";
    if (teach.playback_from_s >= 0)
      return "A recording is played back: its results were measured on the machine named.";
    return running_text(state);
  }
  if (teach.beat == Beat::predict) {
    const TourStep step = shown_step(state);
    const StepBars bars = step_bars(state, step);
    if (is_known(step, bars))
      return fmt::format("Step {} measured these rungs: nothing has to run again.",
                         bars.last()->measured_at + 1);
    if (state.is_replay() && step.measures() && tour_note(state.run().notes()))
      return "A recording of this step: nothing is measured now.";
    if (state.is_replay() && step.measures())
      return "This is a saved run: nothing is measured; the bars come from it and from recordings.";
    if (step.measures() && is_recorded_step(state))
      return "This step is a recording of " + bars.last()->machine +
             ": these rungs do not run here, and nothing is measured now.";
  }
  return teach.has_more && !teach.presenting ? "Page Down reads on." : "";
}

/// One line: what runs, or what the last key could not do; for a presenter what the next key does. No figure in it.
void LessonCanvas::draw_foot(Ui& ui, Area area) {
  const State& state = ui.state;
  ui.widgets["canvas_foot"] = area;
  if (const std::string next = stage_hint(state); !next.empty()) {
    const float w = ui.text(area.right(), area.middle(), next, kSmall_px, Role::muted, Face::body,
                            Anchor::end, area.w * 0.75f);
    ui.widgets["stage_hint"] = {area.right() - w, area.y, w, area.h};
    area.take_right(w, ui.px(16));
  }
  const bool is_noticed = !state.notice.text.empty();
  const Role role = state.notice.is_error ? Role::slower : is_noticed ? Role::text : Role::muted;
  ui.text(area.x, area.middle(), is_noticed ? state.notice.text : step_status(state), kSmall_px,
          role, Face::body, Anchor::start, area.w);
}

// ---- left: question, answer, outcome, words --------------------------------------------------------

namespace {

/// Its width: it cannot be broken.
float longest_word(Ui& ui, std::string_view text, float size, Face face) {
  float longest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    longest = std::max(longest, ui.width(text.substr(0, end), size, face));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace

/// As large as there is room for, and smaller rather than cut; returns its height.
float LessonCanvas::draw_text(Ui& ui, const Area& area, const std::string& text, float size,
                              Face face) {
  const std::span<const float> grown =
      ui.state.teaching.presenting ? std::span<const float>(kGrownOnWall) : kGrown;
  const float longest = longest_word(ui, text, size, face);
  for (const float larger : grown) {
    const float height = std::round(size * larger);
    if (longest * height / size > area.w) continue;
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
  if (chosen >= 0 && !has_list(ui.state) && compat::key_pressed(compat::Key::enter))
    ui.dispatch_action("advance");
  const float below = ui.state.teaching.presenting ? 0 : ui.px(50);  // the button's
  const float gap = ui.px(6), room = (area.h - below) / static_cast<float>(choices.size()) - gap;
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
  area.take_top(0, ui.px(10));
  draw_commit(ui, area);
}

namespace {

/// What the field lets in, sign by sign as it is typed.
struct AnswerFilter {
  study::Ask ask;
  std::string typed;
};

int filter_answer(ImGuiInputTextCallbackData* data) {
  auto& filter = *static_cast<AnswerFilter*>(data->UserData);
  if (!takes_sign(filter.ask, filter.typed, data->EventChar)) return 1;
  filter.typed += data->EventChar < 128 ? static_cast<char>(data->EventChar) : '?';
  return 0;
}

/// What is asked for, and no number: that would be the first guess.
const char* form_of_answer(study::Ask ask) {
  return ask == study::Ask::time    ? "a time in ms, or ns, µs, s behind it"
         : ask == study::Ask::share ? "a share in %"
                                    : "a factor";
}

}  // namespace

void LessonCanvas::draw_field(Ui& ui, Area area, const Shown& shown) {
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
  // A field of its own for each question: ImGui keeps the text of one that is active.
  const std::string id = fmt::format("##answer {} {}", ui.state.teaching.tour_step,
                                     ui.state.teaching.tour ? "" : ui.state.selection.rung);
  AnswerFilter filter{shown.step.ask, answer.typed};
  const bool entered =
      ImGui::InputText(id.c_str(), text, sizeof text,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                           ImGuiInputTextFlags_CallbackCharFilter,
                       filter_answer, &filter) &&
      !has_list(ui.state);
  // Who comes to a question types: the field has the keyboard, and keeps it where an answer cannot be read.
  const int here = ui.state.teaching.tour_step;
  const bool is_active = ImGui::IsItemActive();
  // A click can take the keyboard away: one on the field while it is still on its way here, one on a hint below.
  const bool is_lost = !is_active && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                       ImGui::IsMouseHoveringRect({box.x, box.y}, {area.right(), area.bottom()});
  if (is_lost) ui.dispatch([](State& state) { state.teaching.focused_step = -1; });
  if (ui.state.teaching.focused_step != here && !has_list(ui.state)) {
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
  const bool is_read = *text && read;
  const std::string beside =
      is_read ? answer_text(shown.step, shown.bars, answer) : form_of_answer(shown.step.ask);
  const bool fits = ui.width(beside, kSmall_px) <= line.w;
  if (fits)
    ui.text(line.x, line.middle(), beside, kSmall_px, Role::muted, Face::body, Anchor::start,
            line.w);
  else
    area.take_top(ui.paragraph(area, beside, kSmall_px, Role::muted), ui.px(4));
  area.take_top(ui.paragraph(area,
                             is_wrong  ? read.error().sentence()
                             : is_read ? read_back(shown.step, shown.bars, *read)
                                       : asked_for(shown.step, shown.bars),
                             kSmall_px, is_wrong ? Role::slower : Role::muted),
                ui.px(16));
  draw_commit(ui, area);
  area.take_top(ui.px(40), ui.px(12));
  explanation_.draw_hints(ui, area, shown.step);
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
  const bool is_large = ui.state.teaching.presenting && !said.empty();
  const float size = is_large ? kQuestion_px * 1.3f : kBody_px;
  const bool is_number = choices_of(shown.step, shown.bars).empty();
  ui.paragraph(area,
               said.empty() ? "Nothing was predicted."
               : is_number  ? "You said " + said + "."
                            : "You said “" + said + "”.",
               size, said.empty() ? Role::muted : Role::text,
               said.empty() ? Face::body : Face::strong);
}

namespace {

/// Words that stand one under another.
struct Words {
  std::string text;
  float size;
  Role role;
  float gap;  ///< under them
  bool is_figure = false;
  bool is_open = false;  ///< a figure that settles nothing: grey, and as large as one that does
};

/// Over the sizes that words have by themselves.
struct WordSizes {
  float all = 1, figure = kFigure;
};
/// The largest first; a figure that takes several lines makes way before words are cut. Larger words leave it as it is: what is
/// not settled is as large as what is, however many words it takes.
constexpr WordSizes kWordSizes[] = {
    {1.4f, kFigure / 1.4f}, {1.2f, kFigure / 1.2f}, {1}, {1, 1.25f}, {1, 1}, {0.9f, 1}};

/// Returns their height, and draws nothing where it only measures.
float lay_words(Ui& ui, Area area, const std::vector<Words>& all, const WordSizes& sizes,
                bool measure) {
  const float top = area.y;
  for (const Words& one : all) {
    if (one.text.empty()) continue;
    float size = std::round(one.size * sizes.all * (one.is_figure ? sizes.figure : 1));
    if (one.is_open) {  // a range of two figures takes two lines rather than smaller letters
      const float h = ui.paragraph(area, one.text, size, one.role, Face::strong, measure);
      if (!measure) ui.widgets["outcome_figure"] = {area.x, area.y, area.w, ui.px(size)};
      area.take_top(h, ui.px(one.gap));
      continue;
    }
    if (one.is_figure) {  // on one line
      size = ui.fitting_size(one.text, area.w, size, kBody_px, Face::strong);
      const Area line = area.take_top(ui.px(size * 1.3f), ui.px(one.gap));
      if (!measure) ui.widgets["outcome_figure"] = {line.x, line.y, line.w, ui.px(size)};
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
  const char* word = verdict == Verdict::faster    ? "faster"
                     : verdict == Verdict::slower  ? "slower"
                     : verdict == Verdict::same    ? "the same, within the margin"
                     : verdict == Verdict::invalid ? "invalid"
                                                   : "";
  const Role role = verdict == Verdict::faster       ? Role::faster
                    : verdict == Verdict::slower     ? Role::slower
                    : verdict == Verdict::unresolved ? Role::muted
                                                     : Role::text;
  // Which of both it is takes a sentence, where the figure above does not say it.
  const std::string words = unresolved_words(pair.ci, pair.margin);
  const std::string open = "unresolved" + (words == pair_headline(pair) ? "" : ": " + words);
  return {verdict == Verdict::unresolved ? open : word, kHeading_px, role, 6};
}

}  // namespace

namespace {

/// In large letters: of an open verdict its word, since the sentence below says what the rounds show.
std::string large_words(const StepOutcome& outcome, bool is_number) {
  if (is_number) return outcome_figure(outcome);
  const std::string word = to_string(Verdict::unresolved);
  return outcome.shown.starts_with(word) ? word : outcome.shown;
}

}  // namespace

/// The figure, what it is of, predicted against measured, and the verdict of a comparison.
void LessonCanvas::draw_outcome(Ui& ui, const Area& area, const Shown& shown) {
  const StepOutcome outcome = outcome_of(ui.state, shown.step, shown.bars);
  const bool is_number = choices_of(shown.step, shown.bars).empty();
  const bool presenting = ui.state.teaching.presenting;
  std::vector<Words> all = {{shown.step.question, kSmall_px + 1, Role::muted, 16}};
  if (outcome.missing.empty()) {
    const bool is_open = is_number && is_unsettled(outcome);
    all.push_back({large_words(outcome, is_number), kVerdict_px, is_open ? Role::muted : Role::text,
                   2, true, is_open});
    if (is_number && outcome.pair) all.push_back(verdict_word(*outcome.pair));
  }
  if (!outcome.task.empty())  // what the speed was bought with
    all.push_back({sentence_of(outcome.task) + ".", kHeading_px, Role::text, 10});
  // What was committed to comes before what is known about the figure. What a busy machine did to it is said whole at
  // Explain.
  const StepAnswer& answer = answer_here(ui.state);
  all.push_back(
      {outcome_sentence(shown.step, shown.bars, answer, outcome, true), kBody_px, Role::text, 16});
  // Of two bars that were timed apart the ratio's sentence says what the figure is of, and how it was made.
  const std::string ratio = ratio_sentence(shown, outcome, presenting);
  const bool is_whole = shown.step.ask == study::Ask::ratio && !outcome.pair && !ratio.empty();
  if (outcome.missing.empty() && !is_whole) {
    all.push_back({outcome.interval, kSmall_px + 1, Role::muted, 10});
    // On a wall the question above and the bars beside it have said what it is of: their room makes the rest larger.
    if (is_number && !presenting)
      all.push_back({asked_for(shown.step, shown.bars), kSmall_px + 1, Role::muted, 12});
  }
  all.push_back({ratio, kBody_px, Role::muted, 12});
  // That the machine was busy may be the reason that the sentence above has given.
  const std::string doubt = doubt_of(shown.bars);
  const bool is_said = !outcome.missing.empty();  // that it can run again
  const char* again = is_said || !should_run_again(ui.state) ? ""
                      : ui.state.teaching.presenting         ? "R measures the step again."
                                                     : "“Run again” measures the step again.";
  const std::string why = !tells_uneven(outcome) ? doubt + (*again ? " " : "") : "";
  if (!doubt.empty()) all.push_back({why + again, kSmall_px + 1, Role::slower, 0});
  const auto fits = [&](const WordSizes& sizes) {
    return lay_words(ui, area, all, sizes, true) <= area.h;
  };
  const auto* found = std::find_if(std::begin(kWordSizes), std::end(kWordSizes), fits);
  const WordSizes& by = found == std::end(kWordSizes) ? *std::prev(std::end(kWordSizes)) : *found;
  const Area said = {area.x, area.y, area.w, lay_words(ui, area, all, by, false)};
  ui.widgets["outcome"] = said;
  if (tells_uneven(outcome) && ui.hovers("outcome_whole", said))
    ui.tooltip(outcome_sentence(shown.step, shown.bars, answer, outcome));
}

/// How the last bar compares with the first: the verdict of a pair, else that none follows.
std::string LessonCanvas::ratio_sentence(const Shown& shown, const StepOutcome& outcome,
                                         bool presenting) {
  const LessonBar* last = shown.bars.last();
  const LessonBar* first = last ? &shown.bars.bars.front() : nullptr;
  if (outcome.pair && choices_of(shown.step, shown.bars).empty())  // the verdict stands above
    return outcome.pair_machine.empty() || presenting ? ""  // on a wall the head says it
                                                      : "Recorded on " + outcome.pair_machine + ".";
  if (outcome.pair)
    return verdict_sentence(*outcome.pair, first->title, last->title, !outcome.missing.empty(),
                            !tells_uneven(outcome)) +
           ". Run in turns" +
           (outcome.pair_machine.empty() ? "." : ", recorded on " + outcome.pair_machine + ".");
  const study::Ask ask = shown.step.ask;  // a choice about all of them is not about these two
  const bool have_ratio = last && first != last && first->value > 0 && last->value > 0 &&
                          ask != study::Ask::factor && ask != study::Ask::choice &&
                          !shown.bars.is_factor();
  if (!have_ratio) return {};
  if (!outcome.beside.empty()) return outcome.beside;
  const bool is_cut = shown.step.kind == StepKind::compare && !outcome.missing.empty();
  if (is_cut || is_doubtful(*first) || is_doubtful(*last)) return {};
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

/// The height of a line whose letters are set 20 px high, as print counts them, on 1920 × 1080; at scale 1.
float wall_line(const Ui& ui) {
  constexpr float kLeastOnWall_px = 27, kWall_px = 1080;
  return kLeastOnWall_px * std::min(1.0f, ImGui::GetIO().DisplaySize.y / kWall_px) / ui.scale;
}

/// Of code on the canvas: it takes the place that it has. On a wall it has 20 px at least, is no smaller than the words
/// around it, and its lines stand closer.
struct CodeSizes {
  float least, most, leading;
};
CodeSizes code_sizes(const Ui& ui) {
  return ui.state.teaching.presenting
             ? CodeSizes{std::max(wall_line(ui), kCode_px), kCode_px * 2, 1.25f}
             : CodeSizes{kCode_px, kCode_px * 1.7f, 1.57f};
}

/// Of its panel: the line of its title, and the room above and below.
constexpr float kCodeTitle = 30, kCodePad = 8;

using Rows = std::vector<app::CodeRow>;

/// As wide as the longest.
std::string widest(const Rows& rows) {
  size_t columns = 1;
  for (const app::CodeRow& row : rows) columns = std::max(columns, row.margin + row.text.size());
  return std::string(columns, '0');
}

/// A wall is not scrolled: there it is the part with the inner loop, and a line that is too wide stands in rows.
Rows code_rows(Ui& ui, const Area& area, const SourceText& source) {
  const std::vector<std::string_view> all = code_lines(source);
  const CodeSizes sizes = code_sizes(ui);
  const auto room = static_cast<size_t>(area.h / std::round(ui.px(sizes.least) * sizes.leading));
  const bool is_wall = ui.state.teaching.presenting && room > 1;
  const size_t columns = is_wall ? static_cast<size_t>(area.w / code_column(ui, sizes.least))
                                 : std::numeric_limits<size_t>::max();
  const auto rows_of = [&](const std::vector<std::string_view>& lines) {
    Rows rows;
    for (const std::string_view line : lines) {
      const Rows own = app::rows_of(line, columns);
      rows.insert(rows.end(), own.begin(), own.end());
    }
    return rows;
  };
  Rows rows = rows_of(all);
  for (size_t most = room - 1; is_wall && most > 0 && rows.size() >= room; --most)
    rows = rows_of(key_part(all, most));
  return rows;
}

/// As large as the longest line and all lines allow: a class reads it from the last row.
float code_size(Ui& ui, const Area& area, const Rows& rows) {
  const CodeSizes sizes = code_sizes(ui);
  const std::string longest = widest(rows);
  const auto count = static_cast<float>(rows.size() + 1);
  const auto fits = [&](float size) {
    return ui.width(longest, size, Face::mono) <= area.w &&
           std::round(ui.px(size) * sizes.leading) * count <= area.h;
  };
  float size = sizes.most;
  while (size > sizes.least && !fits(size)) size = std::max(sizes.least, size - 0.5f);
  return size;
}

/// A step about more than two rungs of ours, or about their figure: no one change is what it asks for.
bool is_of_rungs(const TourStep& step, const StepBars& bars) {
  const auto ours = std::count_if(bars.bars.begin(), bars.bars.end(), [](const LessonBar& bar) {
    const Rung* rung = rung_of(bar.asked.kernel);
    return rung && !rung->peer;
  });
  const bool is_one_change = step.kind == StepKind::sweep || step.kind == StepKind::compare;
  return !bars.bars.empty() && !is_one_change && (ours > 2 || !step.figure.empty());
}

/// A rung where there is much room for it: in letters that fill its row, and what it brought in as many lines as it takes.
void draw_large_rung(Ui& ui, Area row, const LessonBar& bar, float grown) {
  const Rung* rung = rung_of(bar.asked.kernel);
  const std::string about = rung ? rung->change : bar.detail;
  const float size = ui.fitting_size(bar.title, row.w, kHeading_px * grown, kBody_px, Face::strong);
  const float title_h = ui.px(size * 1.35f);
  const float about_h =
      ui.paragraph(row, about, std::round(kBody_px * grown), Role::muted, Face::body, true);
  row.take_top(std::max(0.0f, (row.h - title_h - about_h) / 2));
  const Area title = row.take_top(title_h);
  ui.text(title.x, title.middle(), bar.title, size, Role::text, Face::strong, Anchor::start, row.w);
  ui.paragraph(row, about, std::round(kBody_px * grown), Role::muted);
}

/// What each rung of the step brought.
void draw_rungs(Ui& ui, Area area, const StepBars& bars) {
  constexpr float kMostRow = 140, kTwoLines = 48, kGrowsFrom = 72, kMostGrown = 2;
  const float share = area.h / static_cast<float>(bars.bars.size());
  if (ui.state.teaching.presenting && share >= ui.px(kGrowsFrom)) {
    // On a wall the panel is theirs alone: no half of it stays empty.
    const float grown = std::min(kMostGrown, share / ui.px(kGrowsFrom));
    for (const LessonBar& bar : bars.bars) draw_large_rung(ui, area.take_top(share), bar, grown);
    return;
  }
  const float row_h = std::min(ui.px(kMostRow), share);
  for (const LessonBar& bar : bars.bars) {
    const Area row = area.take_top(row_h);
    const Rung* rung = rung_of(bar.asked.kernel);
    if (row_h < ui.px(kTwoLines)) {
      const float w = ui.text(row.x, row.middle(), bar.title, kBody_px, Role::text, Face::strong,
                              Anchor::start, row.w) +
                      ui.px(14);
      ui.text(row.x + w, row.middle(), rung ? rung->change : bar.detail, kSmall_px, Role::muted,
              Face::body, Anchor::start, row.w - w);
      continue;
    }
    ui.text(row.x, row.y + row.h * 0.3f, bar.title, kHeading_px, Role::text, Face::strong,
            Anchor::start, row.w);
    ui.text(row.x, row.y + row.h * 0.68f, rung ? rung->change : bar.detail, kBody_px, Role::muted,
            Face::body, Anchor::start, row.w);
  }
}

}  // namespace

namespace {

SourceText shown_source(const State& state, const SourceText& source) {
  SourceText shown = source;
  if (hides_comments(state)) shown.text = app::without_comments(source.text).text;
  return shown;
}

}  // namespace

float LessonCanvas::code_height(Ui& ui, const Shown& shown) {
  constexpr float kRung = 60;
  const CodePair pair = code_of(ui.state, shown.step);
  const CodeSizes sizes = code_sizes(ui);
  diff_.code_px = sizes.most;
  diff_.least_px = sizes.least;
  diff_.leading = sizes.leading;
  diff_.is_brief = true;
  diff_.has_numbers = !ui.state.teaching.presenting;  // a wall has no room for them
  diff_.is_cut = ui.state.teaching.presenting;
  // A room that is asked about two lines sees these two, before the run and after it.
  diff_.hides_comments = hides_comments(ui.state) || ui.state.teaching.presenting;
  const float around = 2 * ui.px(kCodePad);
  if (is_of_rungs(shown.step, shown.bars) || is_bare(ui.state, pair))
    return around + ui.px(kRung) * static_cast<float>(shown.bars.bars.size());
  if (!pair.rung) return 0;
  if (pair.before) return around + diff_.brief_height(ui, *pair.before, *pair.rung);
  const SourceText* source = find_source(ui.state, pair.rung->kernel);
  if (!source) return 0;
  const SourceText shown_code = shown_source(ui.state, *source);
  const auto lines = code_lines(shown_code);
  return around + ui.px(kCodeTitle) +
         std::round(ui.px(sizes.least) * sizes.leading) * static_cast<float>(lines.size() + 1);
}

void LessonCanvas::draw_code(Ui& ui, const Area& area, const Shown& shown) {
  const CodePair pair = code_of(ui.state, shown.step);
  ui.panel(area);
  const bool is_known = pair.rung && find_source(ui.state, pair.rung->kernel) &&
                        (!pair.before || find_source(ui.state, pair.before->kernel));
  // Of a saved run that carries no source there are the words about it.
  const bool has_words = !is_known && ui.state.is_replay() && !shown.bars.bars.empty();
  if (has_words || is_of_rungs(shown.step, shown.bars) || is_bare(ui.state, pair)) {
    ui.widgets["step_rungs"] = area;
    return draw_rungs(ui, area.inset(ui.px(20), ui.px(12)), shown.bars);
  }
  ui.widgets["step_code"] = area;
  if (!pair.rung) return;
  ui.widgets["step_code_needs"] = {area.x, area.y, area.w, code_height(ui, shown)};
  const Area inner = area.inset(ui.px(14), ui.px(kCodePad));
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  const std::string id = "code:" + shown.step.rungs.front() + pair.rung->kernel;
  ImGui::BeginChild(id.c_str(), {inner.w, inner.h}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Area content = {at.x, at.y, inner.w - ui.px(16), inner.h};
  const SourceText* source = find_source(ui.state, pair.rung->kernel);
  if (pair.before) {
    diff_.draw_pair(ui, content, *pair.before, *pair.rung);
  } else if (!source) {
    draw_empty_state(ui, content, "The source is not known here.",
                     "It comes from the worker, or from a run that carries it.");
  } else {
    const Area title = content.take_top(ui.px(kCodeTitle));
    ui.text(title.x, title.middle(), std::string(pair.rung->title) + "  ·  " + pair.rung->change,
            kSmall_px + 1, Role::text, Face::strong, Anchor::start, title.w);
    LexState lexer;
    const SourceText shown_code = shown_source(ui.state, *source);
    const Rows rows = code_rows(ui, content, shown_code);
    const float size = code_size(ui, content, rows),
                line_h = std::round(ui.px(size) * code_sizes(ui).leading);
    for (const app::CodeRow& row : rows) {
      const float margin = code_column(ui, size) * static_cast<float>(row.margin);
      draw_code_line(ui, content.x + margin, content.y + line_h / 2, row.text, &lexer, size);
      content.y += line_h;
    }
    ImGui::SetCursorScreenPos({content.x, content.y});
    // A line that is wider than its place is scrolled to.
    const float w = std::max(content.w, ui.width(widest(rows), size, Face::mono));
    ImGui::Dummy({w, ui.px(8)});
  }
  draw_cut_edges(ui, "step_code", inner, ui.color(Role::panel));
  ui.widgets["code_beyond"] = {inner.x, inner.y, ImGui::GetScrollMaxX(), ImGui::GetScrollMaxY()};
  ImGui::EndChild();
  ui.list = outer;
}

namespace {

/// The diagram of this rung's part of the lesson; of none its kernel is empty.
DiagramView::Fenced fenced_of(const State& state, const std::string& kernel) {
  DiagramView::Fenced found;
  const auto text = study::read_asset(state.selection.lab->lesson);
  for (const study::LessonPart& part :
       text ? study::lesson_parts(*text) : std::vector<study::LessonPart>()) {
    if (part.kernel.empty() || part.kernel != kernel) continue;
    for (const study::Block& block : study::parse_markdown(part.text)) {
      if (diagram::is_diagram(block.info) && !block.runs.empty())
        found = {part.kernel, block.info, block.runs.front().text};
    }
  }
  return found;
}

}  // namespace

bool LessonCanvas::find_diagram(const State& state, const Shown& shown) {
  const LessonBar* about =
      bar_explained(shown.step, shown.bars, outcome_of(state, shown.step, shown.bars));
  const std::string of = about ? about->asked.kernel : std::string();
  if (diagram_of_ != of) {
    diagram_of_ = of;
    for (Picture& picture : pictures_) picture = {};
    pictures_[1].fenced = fenced_of(state, of);
    const CodePair pair = code_of(state, shown.step);
    const bool is_change = pair.before && pair.rung->kernel == of;
    if (is_change && !pictures_[1].fenced.kernel.empty())
      pictures_[0].fenced = fenced_of(state, pair.before->kernel);
  }
  return !pictures_[1].fenced.kernel.empty();
}

bool LessonCanvas::fits_whole(Ui& ui, const Area& panel) {
  Picture& picture = pictures_[1];
  if (picture.fenced.kernel.empty()) return true;
  const Area inner = panel.inset(ui.px(kPicturePad_x), ui.px(kPicturePad_y));
  const float head = ui.px(kPictureHead + kPicturePad_x);
  return picture.view.is_whole(ui, {inner.x, inner.y, inner.w, inner.h - head}, picture.fenced);
}

/// Before and after stand beside each other where the step has both and both have room.
void LessonCanvas::draw_diagram(Ui& ui, const Area& area) {
  Scroll scroll(ui, "step_diagram", area);
  ui.widgets["step_diagram"] = area;
  has_more_ |= scroll.turn_pages(ui.state.teaching.pages, &diagram_page_);
  const float gap = ui.px(kPicturePad_x), head_h = ui.px(kPictureHead);
  const Area whole = {scroll.rest.x, scroll.rest.y, scroll.rest.w, area.h - gap};
  const Area half = {whole.x, whole.y, (whole.w - gap) / 2, whole.h};
  const auto fits = [&](Picture& picture) {
    return !picture.fenced.kernel.empty() &&
           picture.view.is_whole(ui, {half.x, half.y, half.w, half.h - head_h}, picture.fenced);
  };
  const bool has_both = std::all_of(pictures_.begin(), pictures_.end(), fits);
  // The bars above name the rung of one alone: in a low place its title makes way.
  Picture& one = pictures_[1];
  const bool has_title =
      has_both || one.view.is_whole(ui, {whole.x, whole.y, whole.w, whole.h - head_h}, one.fenced);
  float deepest = whole.y;
  for (size_t i = has_both ? 0 : 1; i < pictures_.size(); ++i) {
    Picture& picture = pictures_[i];
    Area place = has_both ? half : whole;
    if (has_both && i == 1) place.x += half.w + gap;
    if (has_title) {
      const Area head = place.take_top(head_h);
      ui.text(head.x, head.middle(), rung_title(ui.state.ladder, picture.fenced.kernel),
              kSmall_px + 1, Role::text, Face::strong, Anchor::start, head.w);
    }
    // Whole, and in the middle: a presenter has no hand free to scroll.
    const float wide = picture.view.fitting_width(ui, place, picture.fenced);
    const float high =
        picture.view.draw(ui, {place.x + (place.w - wide) / 2, place.y, wide, place.h},
                          i == 0 ? "diagram_before" : "diagram", picture.fenced);
    deepest = std::max(deepest, place.y + high);
  }
  // What is whole ends with its panel: the gap that follows it in a lesson is nothing to scroll to.
  const float drawn = deepest - whole.y;
  scroll.rest.take_top(drawn <= whole.h + gap ? std::min(drawn, whole.h) : drawn);
  if (ui.state.teaching.diagram_moves != 0)  // both have taken them
    ui.dispatch([](State& state) { state.teaching.diagram_moves = 0; });
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
    if (figure.rows != chart::FigureRows::kSizes) keep_size(&rows);
    figure_.set(figure.build(rows.rows, figure_options(*state.selection.lab)), rows.kernels);
  }
  if (chart::is_empty(figure_.model())) return false;
  ui.panel(area);
  ui.widgets["step_figure"] = area;
  figure_.keep_text(state.teaching.presenting ? wall_line(ui) : 0);
  figure_.draw(ui, "step_figure_chart", area.inset(ui.px(16), ui.px(10)));
  ui.widgets["step_figure_text"] = {area.x, area.y, area.w, figure_.smallest_text()};
  return true;
}

void LessonCanvas::draw_right(Ui& ui, Area area, const Shown& shown) {
  const float gap = ui.px(12), pad = ui.px(16);
  const auto count = static_cast<float>(shown.bars.drawn().bars.size());
  const Beat beat = ui.state.teaching.beat;
  const bool presenting = ui.state.teaching.presenting;
  if (beat == Beat::predict || !shown.step.measures()) return draw_code(ui, area, shown);
  if (beat == Beat::run) {
    const auto rows = static_cast<float>(count_progress_rows(ui.state, shown.step, shown.bars));
    constexpr float kRow = 58, kLeastRow = 42;
    const float wanted = std::min(area.h * 0.6f, ui.px(kRow) * rows + 2 * pad);
    const float least = std::min(wanted, ui.px(kLeastRow) * rows + 2 * pad);
    // On a wall the code comes first: it is what is talked about meanwhile.
    const float left = presenting ? area.h - gap - code_height(ui, shown) : wanted;
    const Area top = area.take_top(std::clamp(left, least, wanted), gap);
    ui.panel(top);
    draw_step_progress(ui, top.inset(pad), shown.step, shown.bars);
    return draw_code(ui, area, shown);
  }
  if (draw_figure(ui, area, shown)) return;
  if (beat == Beat::explain) return draw_explain(ui, area, shown);
  const float foot = step_bars_foot(ui, area.w - 2 * pad, shown.step, shown.bars);
  // Few bars leave room for what made the difference.
  constexpr float kBar = 92, kFlatBar = 62, kLeastCode = 150;
  const auto needs = [&](float bar) { return ui.px(bar) * count + foot + 2 * pad; };
  // On a wall code that would have to be scrolled gives its place to the bars.
  const float code = presenting ? code_height(ui, shown) : ui.px(kLeastCode);
  float wanted = needs(kBar);
  if (presenting)
    wanted = std::clamp(area.h - gap - code, std::min(needs(kFlatBar), wanted), wanted);
  // Few bars leave a part of a wall empty: what is most telling of long code stands there.
  const bool has_part = presenting && area.h - needs(kBar) - gap >= ui.px(kLeastCode);
  const bool has_room = area.h - wanted - gap >= code || has_part;
  if (has_part && area.h - wanted - gap < code) wanted = needs(kBar);
  const Area top = area.take_top(has_room ? wanted : area.h, gap);
  ui.panel(top);
  draw_step_bars(ui, top.inset(pad, pad * 0.75f), shown.step, shown.bars);
  if (has_room) draw_code(ui, area, shown);
}

/// Bars as high as leaves the picture under them whole, and thin where no height does: a picture is not scrolled.
void LessonCanvas::draw_explain(Ui& ui, Area area, const Shown& shown) {
  constexpr float kThin = 28, kHigh = 62, kMostShare = 0.4f;
  const float gap = ui.px(12), pad = ui.px(16);
  const float foot = step_bars_foot(ui, area.w - 2 * pad, shown.step, shown.bars);
  const auto needs = [&](float bar) {
    return ui.px(bar) * static_cast<float>(shown.bars.drawn().bars.size()) + foot + 2 * pad;
  };
  const bool has_picture = shows_picture(ui.state, shown);
  Area left = area;
  left.take_top(needs(kHigh), gap);
  // On a wall many bars are an aside: of one or two the answer has the whole width to be far off in.
  const bool may_be_high = !ui.state.teaching.presenting || shown.bars.drawn().bars.size() <= 2;
  const float wanted = needs(may_be_high && fits_whole(ui, left) ? kHigh : kThin);
  const Area top = has_picture ? area.take_top(std::min(wanted, area.h * kMostShare), gap)
                               : std::exchange(area, Area());
  ui.panel(top);
  draw_step_bars(ui, top.inset(pad, pad * 0.75f), shown.step, shown.bars);
  if (area.h > 0) draw_explained(ui, area, shown);
}

/// Explain has something beside the bars: a diagram, or code that is not the same as before.
bool LessonCanvas::shows_picture(const State& state, const Shown& shown) {
  if (find_diagram(state, shown)) return true;
  const CodePair pair = code_of(state, shown.step);
  if (is_bare(state, pair)) return false;  // two names, which the bars have as well
  return !pair.before || has_code_change(state, pair);
}

/// The diagram of the rung's lesson; where all else was read, Page Down shows the code in its place. Without a diagram the
/// code.
void LessonCanvas::draw_explained(Ui& ui, const Area& area, const Shown& shown) {
  const int pages = ui.state.teaching.pages;
  if (pages == 0) code_page_ = -1;
  const bool shows_code = code_page_ >= 0 && pages > code_page_;
  ui.panel(area);
  if (shows_code || !find_diagram(ui.state, shown)) return draw_code(ui, area, shown);
  draw_diagram(ui, area.inset(ui.px(kPicturePad_x), ui.px(kPicturePad_y)));
  const bool has_change = has_code_change(ui.state, code_of(ui.state, shown.step)) &&
                          !is_of_rungs(shown.step, shown.bars);
  if (has_more_ || !has_change) return;
  code_page_ = pages;
  has_more_ = true;
}

// ---- all of it -----------------------------------------------------------------------------------

void LessonCanvas::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  area = area.inset(ui.px(20), ui.px(10));
  draw_head(ui, area.take_top(head_height(ui), ui.px(6)));
  draw_foot(ui, area.take_bottom(ui.px(24), ui.px(4)));
  ui.widgets["canvas"] = area;
  if (state.teaching.beat == Beat::done && state.teaching.tour)
    has_more_ = draw_end_card(ui, area, &end_pages_) && state.teaching.presenting;
  else
    draw_step(ui, area);
  if (has_more_ != state.teaching.has_more)
    ui.dispatch([more = has_more_](State& changed) { changed.teaching.has_more = more; });
}

void LessonCanvas::draw_step(Ui& ui, Area area) {
  const State& state = ui.state;
  Shown shown{shown_step(state), {}};
  shown.bars = step_bars(state, shown.step);
  const float gap = ui.px(24);
  has_more_ = false;
  // As at the question, where the field takes it: the same key goes on through the step.
  const bool goes_on = state.teaching.beat != Beat::predict && !has_list(state) &&
                       !ui.shows_focus() && compat::key_pressed(compat::Key::enter);
  if (goes_on) ui.dispatch_action("advance");
  // On a wall the code has more of it.
  const float share = state.teaching.presenting ? 0.32f : 0.36f;
  draw_left(ui, area.take_left((area.w - gap) * share, gap), shown);
  draw_right(ui, area, shown);
}

}  // namespace ridge::window
