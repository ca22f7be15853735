#include "app/window/panels/verdict_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/query/reporting.h"
#include "app/window/panels/widgets.h"
#include "app/window/teach/study.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/stale_words.h"
#include "common/record/trap.h"
#include "common/view/report/content.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

struct Headline {
  std::string text;
  Role role = Role::text;
  int arrow = 0;  ///< 1 up, -1 down, 0 none
};

Headline headline_of(const Comparison& comparison, Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return {format_ratio(comparison.ratio) + " faster", Role::faster, 1};
    case Verdict::slower:
      return {format_ratio(1 / comparison.ratio) + " slower", Role::slower, -1};
    case Verdict::same:
      return {"same", Role::text, 0};
    case Verdict::unresolved:
      return {"unresolved", Role::text, 0};
    case Verdict::invalid:
      return {"invalid", Role::slower, 0};
  }
  return {};
}

std::string evidence_of(const Comparison& comparison) {
  std::string text;
  if (comparison.rounds > 0) {
    text = format_ratio(comparison.ratio);
    text += comparison.ci ? " " + format_ratio_interval(comparison.ci) : ", no interval";
    text += "  ·  " + rounds_text(comparison);
  }
  text += fmt::format("{}margin {:g} %", text.empty() ? "" : "  ·  ", comparison.margin * 100);
  if (comparison.verdict == Verdict::unresolved && comparison.rounds_needed > 0) {
    text += "  ·  about " + std::to_string(comparison.rounds_needed) + " rounds needed";
  }
  return text;
}

/// What a verdict says, and a trap as well.
struct Words {
  Headline headline;
  std::string title, evidence, reason;
  std::string metrics{};  ///< what the figures of the evidence mean
};

Words words_of(const Comparison& comparison, const Decision& decision, const State& state,
               const std::string& where) {
  const Params &ours = comparison.candidate_params, &theirs = comparison.baseline_params;
  const std::string& size = comparison.size_param;
  Words words{
      headline_of(comparison, decision.verdict),
      report::side_text(rung_title(state.ladder, comparison.candidate), ours, theirs, size) +
          " against " +
          report::side_text(rung_title(state.ladder, comparison.baseline), theirs, ours, size),
      evidence_of(comparison), decision.reason};
  if (comparison.rounds > 0) words.metrics = metric_text("ratio") + "\n\n" + metric_text("margin");
  if (!where.empty()) words.title += "  ·  recorded on " + where;
  words.title = with_stale(words.title, comparison.stale, "  ·  ");
  for (const std::string& more : comparison.reasons) words.reason += "  ·  " + more;
  for (const std::string& more : clock_sentences(comparison)) words.reason += "  ·  " + more;
  return words;
}

Words words_of(const TrapOutcome& trap, const std::string& where) {
  Words words{
      {bias_text(trap), Role::text, 0},
      reading_text(trap, trap.lie.median) + " said, " + reading_text(trap, trap.honest.median) +
          " is  ·  " + trap.quantity + " of " + trap.victim,
      fmt::format("lie / honest {} {}  ·  {} rounds  ·  margin {:g} %", format_ratio(trap.factor),
                  format_ratio_interval(trap.ci), trap.rounds, trap.margin * 100),
      guard_text(trap)};
  if (!where.empty()) words.title += "  ·  recorded on " + where;
  return words;
}

void draw_words(Ui& ui, const Area& inner, Words words) {
  const Headline& headline = words.headline;
  // The word is the largest on the screen, but it leaves the evidence half of the card.
  const float size = inner.w < ui.px(680) ? kVerdict_px * 0.72f : kVerdict_px;
  float x = inner.x;
  if (headline.arrow) {
    const float side = ui.px(size * 0.8f);
    ui.triangle(x + side / 2, inner.middle(), side, headline.arrow > 0, ui.color(headline.role));
    x += side + ui.px(14);
  }
  x += ui.text(x, inner.middle(), headline.text, size, headline.role, Face::strong) + ui.px(32);
  // The texts of successive verdicts start at one place, unless the word is longer.
  x = std::max(x, inner.x + inner.w * 0.36f);
  const float room = inner.right() - x, line = inner.h / 3;
  ui.text(x, inner.y + line * 0.5f, words.title, kBody_px, Role::text, Face::body, Anchor::start,
          room);
  ui.text(x, inner.y + line * 1.5f, words.evidence, kSmall_px, Role::text, Face::mono,
          Anchor::start, room);
  std::string& reason = words.reason;
  if (!reason.empty())
    reason[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(reason[0])));
  ui.text(x, inner.y + line * 2.5f, reason, kSmall_px, Role::muted, Face::body, Anchor::start,
          room);
  const Area evidence = {x, inner.y + line, room, line};
  if (!words.metrics.empty() && ui.touch("verdict_evidence", evidence).hovered)
    ui.tooltip(words.evidence + "\n\n" + words.metrics);
  if (ui.touch("verdict_text", {x, inner.y, room, inner.h}).hovered) {
    ui.tooltip(words.title + "\n" + words.evidence + "\n" + reason);
  }
}

/// What stands here while there is no verdict.
void draw_waiting(Ui& ui, Area area, const std::string& head, const std::string& next) {
  ui.text(area.x, area.y + area.h * 0.36f, head, kHeading_px, Role::text, Face::strong,
          Anchor::start, area.w);
  ui.text(area.x, area.y + area.h * 0.72f, next, kSmall_px, Role::muted, Face::body, Anchor::start,
          area.w);
}

void draw_without(Ui& ui, const Area& area) {
  const State& state = ui.state;
  const std::string selected = rung_title(state.ladder, state.selection.rung);
  const RungView* chosen = find_row(state.ladder, state.selection.rung);
  if (chosen && chosen->info && chosen->info->kind == RungKind::trap) {
    return draw_waiting(ui, area, selected + ": not sprung yet",
                        "Run it: the lie and the honest figure are taken in turns; the guard has "
                        "the last word.");
  }
  if (state.selection.baseline.empty()) {
    return draw_waiting(
        ui, area, "No verdict yet",
        "Select a rung and press B to make it the baseline; then select another and press C.");
  }
  const std::string baseline = rung_title(state.ladder, state.selection.baseline);
  if (state.selection.baseline == state.selection.rung) {
    return draw_waiting(
        ui, area, selected + " is the baseline",
        "Select another rung and press C. Compared with itself, the answer should be “same”.");
  }
  const RungView* row = find_row(state.ladder, state.selection.rung);
  const std::string head = selected + " against " + baseline + ": not compared";
  if (!row || !row->can_run) {
    return draw_waiting(ui, area, head,
                        "No comparison of these two was recorded, and they cannot both run here.");
  }
  draw_waiting(ui, area, head,
               "Press C: “faster” is only said after both ran in turns, not from two bars.");
}

}  // namespace

VerdictWords verdict_words(const State& state, const Run& run, const Comparison& comparison) {
  const Decision decision = decide(run, comparison, app::titles_of(*state.selection.lab));
  Words words = words_of(comparison, decision, state, "");
  return {words.headline.text, words.headline.role, words.headline.arrow,
          words.title,         words.evidence,      sentence_of(words.reason)};
}

void draw_verdict(Ui& ui, Area area, const Run& run, const Comparison& comparison,
                  const std::string& where) {
  const Decision decision = decide(run, comparison, app::titles_of(*ui.state.selection.lab));
  draw_words(ui, area, words_of(comparison, decision, ui.state, where));
}

void VerdictCard::draw(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(24), ui.px(10));
  const State& state = ui.state;
  ui.widgets["verdict"] = area;
  if (!state.selection.lab) return;
  const auto& progress = state.run().progress();
  if (state.requests.compare && progress && progress->request == state.requests.compare) {
    const size_t rounds = state.run().rounds(state.requests.compare).size();
    const std::string next =
        progress->phase == "sustained"
            ? "The clock is held down, so each side also runs alone: " + progress->open + "."
            : std::to_string(rounds) + " rounds so far; the verdict comes when all are in.";
    return draw_waiting(
        ui, inner, "Comparing with " + rung_title(state.ladder, state.selection.baseline), next);
  }
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->series && row->series->trap) {
    Words words = words_of(*row->series->trap, row->machine);
    words.title = with_stale(words.title, row->stale(), "  ·  ");
    return draw_words(ui, inner, std::move(words));
  }
  std::string where;
  const Run* run = nullptr;
  const Comparison* comparison = shown_comparison(state, &where, &run);
  if (!comparison) return draw_without(ui, inner);
  draw_verdict(ui, inner, *run, *comparison, where);
}

}  // namespace ridge::window
