#include "app/window/panels/lab_panels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/window/edit/editing.h"
#include "app/window/panels/source_tab.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/measured_limit.h"
#include "app/window/teach/study.h"
#include "common/record/derive.h"
#include "common/view/chart/theme.h"

namespace ridge::window {

namespace {

/// Why the lab opens on this rung and not on its first one, which the gate refuses. Returns the height taken.
float draw_why_here(Ui& ui, const Area& area) {
  const Lab& lab = *ui.state.selection.lab;
  const Rung &first = first_rung(lab), &refused = lab.rungs.front();
  if (ui.state.selection.rung != first.kernel || &first == &refused || !refused.wrong) return 0;
  const std::string why = "The lab opens here because this is the first rung that is right: “" +
                          std::string(refused.title) + "” before it is there to fail its check.";
  const float h = ui.paragraph(area, why, kSmall_px, Role::muted);
  ui.widgets["lesson:opens_here"] = {area.x, area.y, area.w, h};
  return h + ui.px(10);
}

}  // namespace

void RightPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  if (!ui.state.selection.lab) return;
  Area tabs = area.take_top(ui.px(48));
  ui.list->AddLine({tabs.x, tabs.bottom() - 0.5f}, {tabs.right(), tabs.bottom() - 0.5f},
                   ui.color(Role::grid));
  tabs.take_left(ui.px(16));
  const struct {
    const char* id;
    const char* label;
    Tab tab;
  } kTabs[] = {{"lesson", "Lesson", Tab::lesson},
               {"source", "Source", Tab::source},
               {"diff", "Diff", Tab::diff}};
  // At scale 2 in a small window they have less room than their usual distance takes.
  float words = 0;
  for (const auto& tab : kTabs) words += ui.width(tab.label, kBody_px);
  const float room = std::max(0.0f, tabs.w - words) / (2 * std::size(kTabs));
  const float pad = std::min(ui.px(8), std::floor(room * 0.6f));
  const float gap = std::min(ui.px(12), std::floor(room * 0.8f));
  for (const auto& tab : kTabs) {
    const Area place = tabs.take_left(ui.width(tab.label, kBody_px) + 2 * pad, gap);
    const bool chosen = ui.state.view.tab == tab.tab;
    const auto touched = ui.touch(tab.id, place);
    ui.text(place.x + place.w / 2, place.middle(), tab.label, kBody_px,
            chosen || touched.hovered ? Role::text : Role::muted, Face::body, Anchor::middle);
    if (chosen)
      ui.fill({place.x + ui.px(6), place.bottom() - ui.px(3), place.w - ui.px(12), ui.px(3)},
              ui.color(Role::series0));
    if (touched.hovered)
      ui.tooltip(std::string(action(tab.id).title) + "  (" + action(tab.id).keys.text + ")");
    if (touched.clicked) ui.dispatch_action(tab.id);
  }

  const Area inner = {area.x + ui.px(18), area.y + ui.px(4), area.w - ui.px(22), area.h - ui.px(8)};
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  // One scroll position per tab and rung, kept by ImGui under the child's name.
  const std::string id =
      "right:" + std::to_string(static_cast<int>(ui.state.view.tab)) + ui.state.selection.rung;
  ImGui::SetNextWindowContentSize({0, 0});
  const bool is_code = ui.state.view.tab != Tab::lesson;
  ImGui::BeginChild(id.c_str(), {inner.w, inner.h}, false,
                    is_code ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_None);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Area content = {at.x, at.y + ui.px(8), inner.w - ui.px(16), inner.h - ui.px(16)};
  switch (ui.state.view.tab) {
    case Tab::lesson:
      lesson_.draw(
          ui, content,
          [&](const Area& place, const std::vector<Bottleneck>& expected) {
            Area rest = place;
            rest.take_top(draw_why_here(ui, rest));
            rest.take_top(diagnosis_.draw(ui, rest, expected));
            return rest.y - place.y;
          },
          [&](const Area& place) { return diagnosis_.draw_faster(ui, place); });
      break;
    case Tab::source:
      source_.draw(ui, content);
      break;
    case Tab::diff:
      diff_.draw(ui, content);
      break;
  }
  if (!is_code) draw_cut_edges(ui, "lesson", inner, ui.color(Role::panel));
  ImGui::EndChild();
  ui.list = outer;
  ui.widgets["right"] = area;
}

namespace {

/// What its evidence is a share of.
const char* metric_of(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::memory_bandwidth:
      return "memory_bandwidth";
    case Bottleneck::launch_overhead:
    case Bottleneck::host_copy:
    case Bottleneck::synchronisation:
      return "latency";
    default:
      return "utilization";
  }
}

}  // namespace

namespace {

/// By exclusion or construction it looks no stronger than it is.
std::string cause_title(const Diagnosis& diagnosis) {
  // The lesson below may name a limit: it is this run that does not.
  if (diagnosis.bottleneck == Bottleneck::not_sure && !diagnosis.held_down.empty())
    return "Bottleneck: power";
  if (diagnosis.bottleneck == Bottleneck::not_sure) return "This run does not tell what limits it";
  const bool is_measured = diagnosis.basis == Basis::measured;
  return "Bottleneck" + (is_measured ? "" : std::string(", ") + to_string(diagnosis.basis)) + ": " +
         bottleneck_text(diagnosis);
}

}  // namespace

void DiagnosisCard::build(const State& state, const Series& series, const Run& run,
                          const std::vector<Bottleneck>& expected) {
  diagnosis_ = diagnose(series, run);
  next_ = diagnosis_ ? lever_rung(levers_of(*state.selection.lab), series.kernel, *diagnosis_) : "";
  to_do_ = diagnosis_ ? what_would_tell(state, series, run, *diagnosis_) : "";
  against_.clear();
  if (diagnosis_)
    against_ = diagnosis_->bottleneck == Bottleneck::not_sure
                   ? unconfirmed_because(expected, *diagnosis_)
                   : limits_differ(expected, *diagnosis_, series);
  faster_ = faster_words(state, series, run);
  counted_.clear();
  for (const Counter& counter : series.counters) {
    counted_ += (counted_.empty() ? "" : "\n") + counter.name + "  " + format_counter(counter);
  }
  const auto why = series.unavailable.find("counters");
  if (counted_.empty() && why != series.unavailable.end()) {
    const bool was_asked = !why->second.starts_with(kCountersNotAskedFor);
    counted_ = "No hardware counters: " + (was_asked ? why->second : "they were off in Settings");
  }
}

namespace {

/// A line below what was drawn in `area`; `rest` is left of it. Returns the height with it.
float draw_end(Ui& ui, const Area& area, Area rest) {
  rest.take_top(ui.px(8));
  ui.list->AddLine({area.x, rest.y}, {area.right(), rest.y}, ui.color(Role::grid));
  return rest.y + ui.px(12) - area.y;
}

}  // namespace

float DiagnosisCard::draw(Ui& ui, const Area& area, const std::vector<Bottleneck>& expected) {
  const RungView* row = find_row(ui.state.ladder, ui.state.selection.rung);
  if (row == nullptr || row->series == nullptr || row->run == nullptr) {
    diagnosis_.reset();
    faster_.clear();
    version_ = ~0ull;
    return 0;
  }
  const bool counts = ui.state.selection.counters;
  if (version_ != ui.state.ladder.version || rung_ != ui.state.selection.rung ||
      counts != std::exchange(counts_, counts) || expected_ != expected) {
    version_ = ui.state.ladder.version;
    rung_ = ui.state.selection.rung;
    expected_ = expected;
    build(ui.state, *row->series, *row->run, expected);
  }
  const bool is_open = diagnosis_ && diagnosis_->bottleneck == Bottleneck::not_sure;
  if (!diagnosis_ || (is_open && is_learning(ui.state))) return 0;
  Area rest = area;
  draw_cause(ui, &rest, *row->series);
  return draw_end(ui, area, rest);
}

float DiagnosisCard::draw_faster(Ui& ui, const Area& area) const {
  if (faster_.empty()) return 0;
  Area rest = area;
  const float top = rest.y;
  rest.take_top(ui.paragraph(rest, faster_, kSmall_px, Role::text), ui.px(2));
  ui.widgets["faster"] = {rest.x, top, rest.w, rest.y - top};
  return draw_end(ui, area, rest);
}

namespace {

/// A line for each kernel of the device that the rung launches: its name, registers and memory.
std::string kernels_text(const Series& series) {
  std::string text;
  if (!series.resources) return text;
  for (const DeviceKernel& kernel : series.resources->kernels)
    text += (text.empty() ? "" : "\n") + describe(kernel);
  return text;
}

}  // namespace

void DiagnosisCard::draw_cause(Ui& ui, Area* rest, const Series& series) const {
  const bool is_open = diagnosis_->bottleneck == Bottleneck::not_sure;
  const Area from = *rest;
  const auto line = [&](const std::string& text, float size, Role role, Face face = Face::body) {
    if (!text.empty()) rest->take_top(ui.paragraph(*rest, text, size, role, face), ui.px(2));
  };
  line(cause_title(*diagnosis_), kBody_px, Role::text, Face::strong);
  line(power_sentence(*diagnosis_), kSmall_px, Role::text);
  if (!is_open) line(sentence_of(diagnosis_->reason), kSmall_px, Role::muted);
  const float against_y = rest->y;
  line(against_, kSmall_px, Role::text);
  if (!against_.empty())
    ui.widgets["limits_differ"] = {rest->x, against_y, rest->w, rest->y - against_y};
  line(sentence_of(to_do_), kSmall_px, Role::text);
  line(evidence_text(*diagnosis_), kSmall_px, Role::muted);
  line(sentence_of(lever_of(*diagnosis_, backend_of(series.kernel))), kSmall_px, Role::text);
  const Area said = {from.x, from.y, from.w, rest->y - from.y};
  ui.widgets["diagnosis"] = said;
  // A learner came for the lesson: what the compiler called the kernels is there for who points at it.
  const std::string kernels = kernels_text(series);
  const bool shows_kernels = !kernels.empty() && !is_learning(ui.state);
  std::string tip = metric_text(metric_of(diagnosis_->bottleneck));
  for (const std::string& more : {counted_, shows_kernels ? "" : kernels})
    tip += more.empty() ? "" : "\n\n" + more;
  explain(ui, "diagnosis", said, tip);
  if (!next_.empty()) {
    const Area link = rest->take_top(ui.px(24), ui.px(2));
    const auto touched = ui.touch("lever", link);
    ui.text(link.x, link.middle(), "Next: " + rung_title(ui.state.ladder, next_), kSmall_px,
            Role::series0, touched.hovered ? Face::strong : Face::body, Anchor::start, link.w);
    if (touched.clicked) ui.dispatch([next = next_](State& state) { select_rung(state, next); });
  }
  if (!shows_kernels) return;
  const float top = rest->y;
  line(kernels, kTiny_px, Role::muted);
  ui.widgets["diagnosis_kernels"] = {rest->x, top, rest->w, rest->y - top};
}

namespace {

/// For the sign of a line, between its number, where it has one (`gutter`), and its code.
float sign_room(float gutter) {
  return gutter > 0 ? 24 : 14;
}

float gutter_of(Ui& ui, bool has_numbers) {
  return has_numbers ? ui.width("000", kTiny_px, Face::mono) : 0;
}

/// Line tints by role and sign: never red against green, and never by colour alone.
void draw_diff_line(Ui& ui, const Area& line, const app::DiffLine& diff, float gutter,
                    LexState* lexer, float code_px) {
  const bool added = diff.kind == app::DiffLine::Kind::added,
             removed = diff.kind == app::DiffLine::Kind::removed;
  if (added) ui.fill(line, ui.color(Role::faster, chart::kTint));
  if (removed) ui.fill(line, ui.color(Role::slower, chart::kTint));
  const int number = removed ? diff.old_number : diff.new_number;
  if (number == 0) {
    ui.text(line.x + std::max(gutter, ui.px(12)), line.middle(), "…", kSmall_px, Role::muted,
            Face::mono, Anchor::end);
    return;
  }
  const bool is_rest = diff.margin > 0;
  if (gutter > 0 && !is_rest)
    ui.text(line.x + gutter, line.middle(), std::to_string(number), kTiny_px, Role::muted,
            Face::mono, Anchor::end);
  const Role sign = added ? Role::faster : Role::slower;
  if ((added || removed) && !is_rest)
    ui.text(line.x + gutter + ui.px(gutter > 0 ? 8 : 0), line.middle(), added ? "+" : "−",
            kSmall_px, sign, Face::mono);
  const float margin = code_column(ui, code_px) * static_cast<float>(diff.margin);
  draw_code_line(ui, line.x + gutter + ui.px(sign_room(gutter)) + margin, line.middle(), diff.text,
                 lexer, code_px);
}

constexpr float kTitleLine = 30, kFlagsLine = 28;

std::string flags_of(const SourceText& source) {
  return source.flags.empty() ? "none" : source.flags;
}

/// "-O1" to "-O3", or that they are the same. Returns what of the line they leave.
Area draw_flags(Ui& ui, Area* area, const SourceText& before, const SourceText& after) {
  const Area line = area->take_top(ui.px(kFlagsLine));
  float x = line.x + ui.text(line.x, line.middle(), "flags", kSmall_px, Role::muted) + ui.px(12);
  if (flags_of(before) == flags_of(after)) {
    ui.text(x, line.middle(), flags_of(after) + ", unchanged", kTiny_px + 1, Role::muted,
            Face::mono, Anchor::start, line.right() - x);
    return {};
  }
  x += ui.text(x, line.middle(), "− " + flags_of(before), kTiny_px + 1, Role::slower, Face::mono) +
       ui.px(16);
  x += ui.text(x, line.middle(), "+ " + flags_of(after), kTiny_px + 1, Role::faster, Face::mono,
               Anchor::start, std::max(1.0f, line.right() - x)) +
       ui.px(16);
  return {x, line.y, std::max(0.0f, line.right() - x), line.h};
}

constexpr const char* kSameCode = "The code is the same, line for line.";

/// At the right of the first of these places that has the room: flags may take their line whole.
void draw_same_code(Ui& ui, const Area& beside_flags, const Area& beside_title) {
  const float w = ui.width(kSameCode, kSmall_px);
  const Area& place = beside_flags.w >= w ? beside_flags : beside_title;
  if (place.w < w) return;  // the flags say what changed
  ui.text(place.right(), place.middle(), kSameCode, kSmall_px, Role::muted, Face::body,
          Anchor::end);
  ui.widgets["code_same"] = {place.right() - w, place.y, w, place.h};
}

}  // namespace

void DiffTab::build(const SourceText& before, const SourceText& after) {
  const bool is_same = of_before_ == before.text && of_after_ == after.text;
  if (is_same && is_bare_ == hides_comments && is_core_ == is_brief) return;
  of_before_ = before.text;
  of_after_ = after.text;
  is_bare_ = hides_comments;
  is_core_ = is_brief;
  is_scrolled_ = false;
  if (!hides_comments) {
    before_ = before.text;
    after_ = after.text;
    lines_ = is_brief ? app::diff_core(before_, after_) : app::diff_code(before_, after_);
    return;
  }
  app::BareCode old_code = app::without_comments(before.text),
                new_code = app::without_comments(after.text);
  before_ = std::move(old_code.text);
  after_ = std::move(new_code.text);
  lines_ = app::diff_core(before_, after_);
  for (app::DiffLine& line : lines_) {
    if (line.old_number)
      line.old_number = old_code.numbers[static_cast<size_t>(line.old_number - 1)];
    if (line.new_number)
      line.new_number = new_code.numbers[static_cast<size_t>(line.new_number - 1)];
  }
}

void DiffTab::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  // Of a learner's rung: what changed since the original.
  const RungView* original = made_from(state);
  const Rung* previous = original ? original->rung
                         : row    ? previous_rung(*state.selection.lab, *row->rung)
                                  : nullptr;
  if (!row || !previous) {
    const bool peer = row && row->rung->peer;
    return draw_empty_state(
        ui, area,
        peer ? "A library has no previous rung." : "This is the first rung of its ladder.",
        "Select the next one with ] to see what changed.");
  }
  draw_pair(ui, area, *previous, *row->rung);
}

void DiffTab::draw_pair(Ui& ui, Area area, const Rung& previous, const Rung& rung) {
  const SourceText* before = find_source(ui.state, previous.kernel);
  const SourceText* after = find_source(ui.state, rung.kernel);
  if (!before || !after) {
    return draw_empty_state(ui, area, "The two sources are not known here.",
                            "They come from the worker, or from a run that carries them.");
  }
  build(*before, *after);
  const app::DiffCount count = app::count_changes(lines_);
  const bool has_code = count.added + count.removed > 0;
  const Area title = area.take_top(ui.px(kTitleLine));
  const float titled = ui.text(title.x, title.middle() - ui.px(3),
                               std::string(previous.title) + "  →  " + rung.title, kSmall_px + 1,
                               Role::text, Face::strong, Anchor::start, title.w) +
                       ui.px(16);
  if (is_brief) {
    Area line;
    if (flags_of(*before) != flags_of(*after))
      line = draw_flags(ui, &area, *before, *after);
    else if (!has_code)
      line = area.take_top(ui.px(kFlagsLine));
    ui.widgets["code_beside_flags"] = line;
    if (!has_code)
      draw_same_code(ui, line, {title.x + titled, title.y - ui.px(3), title.w - titled, title.h});
    return draw_lines(ui, area, is_cut ? fitting_lines(ui, area) : brief_lines());
  }
  const Area change = area.take_top(ui.px(26));
  ui.text(change.x, change.middle() - ui.px(3), rung.change, kSmall_px, Role::muted, Face::body,
          Anchor::start, change.w);
  draw_flags(ui, &area, *before, *after);
  if (!has_code) {
    ui.paragraph(area, kSameCode, kSmall_px, Role::muted);
    return;
  }
  const Area summary = area.take_top(ui.px(32));
  ui.text(summary.x, summary.middle() - ui.px(2),
          std::to_string(count.added) + (count.added == 1 ? " line" : " lines") + " added, " +
              std::to_string(count.removed) + " removed; header comments left out",
          kTiny_px + 1, Role::muted, Face::body, Anchor::start, summary.w);
  draw_lines(ui, area, app::fold_equal(lines_, 3));
}

std::vector<app::DiffLine> DiffTab::brief_lines(int context) const {
  const auto has_change = [](const std::vector<app::DiffLine>& lines) {
    const app::DiffCount count = app::count_changes(lines);
    return count.added + count.removed > 0;
  };
  const std::vector<app::DiffLine> code = app::without_frame(lines_);
  const std::vector<app::DiffLine> body =
      app::without_registration(app::without_frame(lines_, is_cut));
  if (has_change(body)) return app::fold_equal(body, context);
  return has_change(code) ? app::fold_equal(code, context) : body;
}

/// With less and less about the changes until they fit at the least size, else the most telling of them.
std::vector<app::DiffLine> DiffTab::fitting_lines(Ui& ui, const Area& area) const {
  const auto room = static_cast<size_t>(area.h / std::round(ui.px(least_px) * leading));
  const size_t most = room > 0 ? room - 1 : 0;  // as draw_lines() counts them
  const float gutter = gutter_of(ui, has_numbers);
  const float width = std::max(0.0f, area.w - gutter - ui.px(sign_room(gutter)));
  const auto columns = static_cast<size_t>(width / code_column(ui, least_px));
  std::vector<app::DiffLine> lines;
  for (const int context : {2, 1, 0}) {
    lines = app::wrapped(brief_lines(context), columns);
    if (lines.size() <= most) return lines;
  }
  const std::vector<app::DiffLine> all = brief_lines(0);
  for (size_t few = most; few > 0 && lines.size() > most; --few)
    lines = app::wrapped(app::key_lines(all, few), columns);
  return lines;
}

float DiffTab::brief_height(Ui& ui, const Rung& previous, const Rung& rung) {
  const SourceText* before = find_source(ui.state, previous.kernel);
  const SourceText* after = find_source(ui.state, rung.kernel);
  if (!before || !after) return 0;
  build(*before, *after);
  const app::DiffCount count = app::count_changes(lines_);
  const bool has_line = flags_of(*before) != flags_of(*after) || count.added + count.removed == 0;
  const auto lines = static_cast<float>(brief_lines().size() + 1);
  return ui.px(kTitleLine) + (has_line ? ui.px(kFlagsLine) : 0) +
         std::round(ui.px(least_px) * leading) * lines;
}

void DiffTab::scroll_to_key(Ui& ui, const Area& area, float line_h,
                            const std::vector<app::DiffLine>& folded) const {
  if (std::exchange(is_scrolled_, true)) return;
  const auto room = static_cast<size_t>(std::max(3.0f, area.h / line_h));
  const std::vector<app::DiffLine> key = app::key_lines(folded, room);
  const auto first = std::find_if(key.begin(), key.end(), [](const app::DiffLine& line) {
    return line.old_number || line.new_number;
  });
  if (first == key.end()) return;
  const auto at = std::find_if(folded.begin(), folded.end(), [&](const app::DiffLine& line) {
    return line.text.data() == first->text.data() && line.kind == first->kind;
  });
  const float y = area.y + line_h * static_cast<float>(at - folded.begin());
  ImGui::SetScrollFromPosY(y - ImGui::GetWindowPos().y, 0.0f);
  ui.needs_redraw = true;
}

void DiffTab::draw_lines(Ui& ui, Area area, const std::vector<app::DiffLine>& folded) const {
  const float gutter = gutter_of(ui, has_numbers);
  size_t longest = 0;
  for (const app::DiffLine& line : folded)
    longest = std::max(longest, line.margin + line.text.size());
  float size = code_px;
  const auto needs = [&] {
    return gutter + ui.px(sign_room(gutter)) +
           ui.width(std::string(longest, '0'), size, Face::mono);
  };
  const auto lines = static_cast<float>(folded.size() + 1);
  const auto line_height = [&] { return std::round(ui.px(size) * leading); };
  const auto is_high = [&] { return line_height() * lines > area.h; };
  while (least_px > 0 && size > least_px && (needs() > area.w || is_high()))
    size = std::max(least_px, size - 0.5f);
  const float line_h = line_height(), w = std::max(area.w, needs());
  ui.widgets["code_line"] = {area.x, area.y, needs(), ui.px(size)};  // as high as its letters
  if (is_brief && is_high()) scroll_to_key(ui, area, line_h, folded);
  LexState lexer;
  for (const app::DiffLine& diff : folded) {
    draw_diff_line(ui, {area.x, area.y, w, line_h}, diff, gutter, &lexer, size);
    area.y += line_h;
  }
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({w, ui.px(8)});
}

}  // namespace ridge::window
