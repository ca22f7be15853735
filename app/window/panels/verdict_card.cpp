#include "app/window/panels/verdict_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/query/recordings.h"
#include "app/query/reporting.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/saves.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/study.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/record/trained.h"
#include "common/record/trap.h"
#include "common/stats/stats.h"
#include "common/view/chart/paired.h"
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
  const std::string ratio = uneven_reason(comparison).empty()
                                ? ratio_text(comparison.ratio, comparison.ci)
                                : headline_ratio_text(comparison);
  switch (verdict) {
    case Verdict::faster:
      return {ratio + " as fast", Role::faster, 1};
    case Verdict::slower:
      return {ratio + " as fast", Role::slower, -1};
    case Verdict::same:
      return {"same", Role::text, 0};
    case Verdict::unresolved:
      return {is_cancelled(comparison) ? "cancelled" : "unresolved", Role::text, 0};
    case Verdict::invalid:
      return {"invalid", Role::slower, 0};
  }
  return {};
}

std::string evidence_of(const Comparison& comparison) {
  std::string text;
  if (comparison.rounds > 0) {
    text = ratio_text(comparison.ratio, comparison.ci);
    text += comparison.ci ? " " + ratio_interval_text(comparison.ci, comparison.margin)
                          : ", no interval";
    text += " · " + rounds_text(comparison);
    if (!comparison.trained && comparison.sustained.empty()) text += " in turns";
  }
  if (comparison.trained) text += (text.empty() ? "" : " · ") + accuracy_line(*comparison.trained);
  text +=
      fmt::format("{}margin\u00a0{:g}\u00a0%", text.empty() ? "" : " · ", comparison.margin * 100);
  return text;
}

/// What a verdict says, and a trap as well.
struct Words {
  Headline headline;
  std::string title, evidence, reason;
  std::string metrics{};  ///< what the figures of the evidence mean
};

/// "n = 2048" and "n = 4096": what sets the point of a comparison apart from the one in view; both empty where it is that one.
struct Points {
  std::string compared, chosen;
};

Points points_of(const State& state, const Comparison& comparison) {
  const Params& at = comparison.candidate_params;
  Params view = view_params(state, find_info(state.sessions, comparison.candidate));
  if (comparison.trained) view.erase("seed");  // over all of them
  const std::string &size = comparison.size_param, &lab = state.selection.lab->id;
  return {app::size_difference(lab, at, view, size), app::size_difference(lab, view, at, size)};
}

/// "n = 4096": the point that the two were compared at, and beside it the one in view where that is another.
std::string point_text(const State& state, const Comparison& comparison) {
  const auto [compared, chosen] = points_of(state, comparison);
  if (!compared.empty()) return "at " + compared + ", not at the chosen " + chosen;
  const Params& at = comparison.candidate_params;
  const std::string& size = comparison.size_param;
  return at.contains(size) ? param_in_words(*state.selection.lab, size, at.at(size)) : "";
}

/// "n = 4096" breaks over no two lines.
std::string kept_together(std::string text) {
  constexpr std::string_view kEquals = " = ";
  for (size_t at = text.find(kEquals); at != std::string::npos; at = text.find(kEquals, at))
    text.replace(at, kEquals.size(), "\u00a0=\u00a0");
  return text;
}

/// "tiled (tile m = 16)": a side, and what of its parameters the other has not.
std::string side_in_words(const State& state, const std::string& kernel, const Params& own,
                          const Params& other, const std::string& size) {
  const std::string differs =
      params_in_words(*state.selection.lab, report::differing(own, other, size));
  return rung_title(state.ladder, kernel) + (differs.empty() ? "" : " (" + differs + ")");
}

/// "type bf16 instead of fp32", "threads = 2": parameters as the controls name them and not as the command line does.
std::string with_param_words(std::string text, const Lab& lab) {
  const auto name_so = [&](const std::string& name, const std::string& control) {
    for (const char* const before : {": ", ", "}) {
      const std::string raw = before + name + " ", words = before + control + " ";
      for (size_t at = text.find(raw); at != std::string::npos; at = text.find(raw, at + 1))
        text.replace(at, raw.size(), words);
    }
    const std::string raw = " " + name + "=", words = " " + control + "\u00a0=\u00a0";
    for (size_t at = text.find(raw); at != std::string::npos; at = text.find(raw, at + 1))
      text.replace(at, raw.size(), words);
  };
  for (const ParamView& param : lab.params) name_so(param.name, param.control());
  name_so("dtype", "type");
  name_so("threads", "threads");
  return text;
}

/// What the worker says of a side by its id, in the words of the ladder.
std::string with_titles(std::string text, const State& state, const Comparison& comparison) {
  std::array ids = {comparison.candidate, comparison.baseline};
  if (ids[0].size() < ids[1].size()) std::swap(ids[0], ids[1]);  // a copy's holds its original's
  for (const std::string& id : ids) {
    const std::string title = "“" + rung_title(state.ladder, id) + "”";
    for (size_t at = text.find(id); at != std::string::npos; at = text.find(id, at + title.size()))
      text.replace(at, id.size(), title);
  }
  return text;
}

std::optional<EarlierSave> of_earlier_save(const State& state, const Run& run,
                                           const Comparison& comparison) {
  const Editing* editing = state.editing.get();
  const bool is_open = editing && &run == &state.run() &&
                       (editing->id == comparison.candidate || editing->id == comparison.baseline);
  return earlier_save(run, comparison, is_open ? editing->numbers : std::map<int64_t, int>());
}

Words words_of(const Run& run, const Comparison& comparison, const Decision& decision,
               const State& state, const std::string& where) {
  const Params &ours = comparison.candidate_params, &theirs = comparison.baseline_params;
  const std::string& size = comparison.size_param;
  Words words{headline_of(comparison, decision.verdict),
              side_in_words(state, comparison.candidate, ours, theirs, size) + " against " +
                  side_in_words(state, comparison.baseline, theirs, ours, size),
              evidence_of(comparison), decision.reason};
  if (comparison.rounds > 0) words.metrics = metric_text("ratio") + "\n\n" + metric_text("margin");
  if (const std::string point = point_text(state, comparison); !point.empty())
    words.title += "  ·  " + kept_together(point);
  if (!where.empty()) words.title += "  ·  recorded on " + where;
  words.title = with_stale(words.title, comparison.stale, "  ·  ");
  if (const std::string save = earlier_save_text(state, run, comparison); !save.empty())
    words.title += "  ·  " + save;
  for (const std::string& more : own_reasons(comparison)) {
    const bool is_said = is_of_crossing(more) || words.reason.find(more) != std::string::npos ||
                         (!decision.reserve.empty() && more.ends_with(decision.reserve));
    constexpr std::string_view kWord =
        "contended: ";  // the field's; what follows says it in English
    if (!is_said) words.reason += "  ·  " + more.substr(more.starts_with(kWord) ? kWord.size() : 0);
  }
  for (const BudgetRow& row : decision.budget) {
    const std::string more = row.sentence();
    if (words.reason.find(more) == std::string::npos) words.reason += "  ·  " + more;
  }
  for (const std::string& more : trained_sentences(comparison, true))
    words.reason += "  ·  " + more;
  for (const std::string& more :
       pipeline_sentences(side_series(run, comparison, false), side_series(run, comparison, true)))
    words.reason += "  ·  " + more;
  for (const std::string& more : clock_sentences(comparison)) words.reason += "  ·  " + more;
  words.reason = with_param_words(with_titles(std::move(words.reason), state, comparison),
                                  *state.selection.lab);
  return words;
}

/// The card has a line for the figures of an unresolved one.
std::string bias_word(const TrapOutcome& trap) {
  const std::string text = bias_text(trap);
  return text.substr(0, text.find(','));
}

Words words_of(const TrapOutcome& trap, const std::string& where) {
  Words words{{bias_word(trap), Role::text, 0},
              reading_text(trap, trap.lie) + " said, " + reading_text(trap, trap.honest) +
                  " is  ·  " + trap.quantity + " of " + trap.victim,
              fmt::format("lie / honest {} {}  ·  {} rounds  ·  margin\u00a0{:g}\u00a0%",
                          ratio_text(trap.factor, trap.ci),
                          trap.ci ? ratio_interval_text(trap.ci, trap.margin) : "no interval",
                          trap.rounds, trap.margin * 100),
              "by its guard " + guard_text(trap)};
  if (!where.empty()) words.title += "  ·  recorded on " + where;
  return words;
}

constexpr float kPad_x = 24, kPad_y = 10;  // of the card, at scale 1
constexpr float kLow_px = 640;

/// How the words stand in their place.
struct WordsLayout {
  bool is_across = false;  ///< the reason goes across the card, below the word
  bool is_low = false;     ///< smaller letters: the room is the chart's
};

/// Where a window is low for its scale, the reason goes across the card.
WordsLayout whole_words(const Ui& ui) {
  return {.is_across = ui.window.h < ui.px(kLow_px)};
}

/// The words in their place; returns the height of the three texts, and draws nothing where it only measures.
float lay_words(Ui& ui, const Area& inner, const Words& words, const WordsLayout& layout,
                bool measure) {
  const Headline& headline = words.headline;
  // The word is the largest on the screen, but it leaves the evidence half of the card.
  const float most = inner.w < ui.px(680) ? kVerdict_px * 0.72f : kVerdict_px;
  const float size =
      ui.fitting_size(headline.text, inner.w * 0.6f, most, kHeading_px, Face::strong);
  const float side = headline.arrow ? ui.px(size * 0.8f) : 0;
  const float word_x = inner.x + (headline.arrow ? side + ui.px(14) : 0);
  const float word_end = word_x + ui.width(headline.text, size, Face::strong) + ui.px(32);
  // The texts of successive verdicts start at one place, unless the word is longer.
  const float x = std::max(word_end, inner.x + inner.w * 0.36f);
  Area rest = {x, inner.y, std::max(1.0f, inner.right() - x), inner.h};
  const auto line = [&](const std::string& text, float height, Role role, Face face) {
    if (text.empty()) return Area{};
    return rest.take_top(ui.paragraph(rest, text, height, role, face, measure));
  };
  const std::string reason = sentence_of(words.reason);
  const auto lay = [&] {
    line(words.title, layout.is_low ? kSmall_px : kBody_px, Role::text, Face::body);
    const Area evidence =
        line(words.evidence, layout.is_low ? kTiny_px : kSmall_px, Role::text, Face::mono);
    if (layout.is_across) rest = {inner.x, rest.y, inner.w, rest.h};
    line(reason, layout.is_across ? kTiny_px : kSmall_px, Role::muted, Face::body);
    return evidence;
  };
  if (measure) {
    lay();
    return rest.y - inner.y;
  }
  const float middle =
      layout.is_across ? inner.y + ui.px(kBody_px + kSmall_px) * 0.7f : inner.middle();
  if (headline.arrow)
    ui.triangle(inner.x + side / 2, middle, side, headline.arrow > 0, ui.color(headline.role));
  ui.text(word_x, middle, headline.text, size, headline.role, Face::strong);
  rest.y += std::max(0.0f, (inner.h - lay_words(ui, inner, words, layout, true)) / 2);
  const float top = rest.y;
  const Area evidence = lay();
  ui.widgets["verdict_text"] = {rest.x, top, rest.w, rest.y - top};
  if (!words.metrics.empty() && ui.hovers("verdict_evidence", evidence)) ui.tooltip(words.metrics);
  return rest.y - top;
}

NoVerdict without_verdict(const State& state) {
  const std::string selected = rung_title(state.ladder, state.selection.rung);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->info && row->info->kind == RungKind::trap) {
    return {
        selected + ": not run yet",
        "Run it: the wrong figure and the honest one are measured in turns, then the guard says "
        "whether it notices."};
  }
  if (state.selection.baseline.empty()) {
    return {"No verdict yet",
            "Select a rung and press B to make it the baseline; then select another and press C."};
  }
  const std::string baseline = rung_title(state.ladder, state.selection.baseline);
  if (state.selection.baseline == state.selection.rung) {
    return {selected + " is the baseline",
            "Select another rung and press C. Compared with itself, the answer should be “same”."};
  }
  const std::string head = selected + " against " + baseline + ": not compared";
  if (row && row->info && row->info->kind == RungKind::training && row->can_run) {
    return {head, fmt::format("Press C: both train with {} seeds, in turns; steps and accuracy are "
                              "compared over them.",
                              kSeedsToClaim)};
  }
  if (!row || !row->can_run)
    return {head, "No comparison of these two was recorded, and they cannot both run here."};
  return {head, "Press C: “faster” is only said after both ran in turns, not from two bars."};
}

/// Of the comparison that is under way.
std::optional<NoVerdict> comparing(const State& state) {
  const std::string known = running_comparison(state);
  if (known.empty()) return std::nullopt;
  return NoVerdict{"Comparing with " + rung_title(state.ladder, state.selection.baseline), known};
}

/// What the card says: of the selection's verdict, or of the trap that it is, else of what stands in its place.
struct CardText {
  std::optional<Words> verdict;
  NoVerdict missing;  ///< in place of a verdict
  bool has_outcome =
      false;  ///< there is a verdict, one is under way, or one is known of another point
};

CardText card_text(const State& state) {
  if (auto known = comparing(state)) return {std::nullopt, *std::move(known), true};
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->series && row->series->trap) {
    Words words = words_of(*row->series->trap, row->machine);
    words.title = with_stale(words.title, row->stale(), "  ·  ");
    return {std::move(words), {}, true};
  }
  std::string where;
  const Run* run = nullptr;
  const Comparison* comparison = shown_comparison(state, &where, &run);
  if (!comparison) return {std::nullopt, without_verdict(state), false};
  const bool can_compare = row && row->can_run && !state.is_replay();
  const std::string to_do = std::string("Choose that point above for its verdict") +
                            (can_compare ? ", or press C to compare at this one." : ".");
  if (auto elsewhere = compared_elsewhere(state, *run, *comparison, where, to_do))
    return {std::nullopt, *std::move(elsewhere), true};
  return {words_of(*run, *comparison,
                   decide(*run, *comparison, app::titles_of(*state.selection.lab)), state, where),
          {},
          true};
}

}  // namespace

std::string running_comparison(const State& state) {
  constexpr size_t kEnough = 3;  // fewer rounds have no middle worth a look
  const auto& progress = state.run().progress();
  const int64_t request = state.requests.compare;
  if (!request || !progress || progress->request != request) return "";
  if (progress->phase == "sustained")
    return "The clock is held down, so each side also runs alone: " + progress->open + ".";
  Comparison under_way;
  under_way.request = request;
  const std::vector<double> ratios = chart::round_ratios(state.run(), under_way);
  std::string text =
      fmt::format("{} {} so far", ratios.size(), ratios.size() == 1 ? "round" : "rounds");
  const KernelInfo* side = state.run().kernel(state.selection.baseline);
  if (side && side->kind == RungKind::training) text = progress->open;
  if (ratios.size() >= kEnough)
    text += ", their median ratio " + format_ratio(stats::median(ratios));
  return text + "; the verdict comes when all are in.";
}

VerdictWords verdict_words(const State& state, const Run& run, const Comparison& comparison) {
  const Decision decision = decide(run, comparison, app::titles_of(*state.selection.lab));
  Words words = words_of(run, comparison, decision, state, "");
  return {words.headline.text, words.headline.role, words.headline.arrow,
          words.title,         words.evidence,      sentence_of(words.reason)};
}

std::string earlier_save_text(const State& state, const Run& run, const Comparison& comparison) {
  const auto earlier = of_earlier_save(state, run, comparison);
  return earlier ? fmt::format("of save {}, not of the last one", earlier->compared) : "";
}

namespace {

/// "▲ 1.4× [1.3×, 1.5×] · 12 rounds in turns": an outcome that is no headline.
std::string outcome_in_line(const State& state, const Run& run, const Comparison& comparison) {
  const Decision decision = decide(run, comparison, app::titles_of(*state.selection.lab));
  const Headline outcome = headline_of(comparison, decision.verdict);
  const char* const sign = outcome.arrow > 0 ? "▲ " : outcome.arrow < 0 ? "▼ " : "";
  return (*sign ? sign : outcome.text + "  ·  ") + evidence_of(comparison);
}

}  // namespace

std::optional<NoVerdict> compared_elsewhere(const State& state, const Run& run,
                                            const Comparison& comparison, const std::string& where,
                                            const std::string& to_do) {
  const std::string candidate = rung_title(state.ladder, comparison.candidate),
                    baseline = rung_title(state.ladder, comparison.baseline);
  if (const auto earlier = of_earlier_save(state, run, comparison)) {
    const std::string& edited = is_edit(comparison.candidate) ? candidate : baseline;
    const std::string& other = is_edit(comparison.candidate) ? baseline : candidate;
    return NoVerdict{fmt::format("{}: save {} {}", edited, earlier->last, earlier->last_state),
                     fmt::format("Save {} against {}: ", earlier->compared, other) +
                         outcome_in_line(state, run, comparison) + "."};
  }
  const auto [compared, chosen] = points_of(state, comparison);
  if (compared.empty()) return std::nullopt;
  return NoVerdict{
      candidate + " against " + baseline + ": not compared at " + kept_together(chosen),
      "At " + kept_together(compared) + ": " + outcome_in_line(state, run, comparison) +
          (where.empty() ? "" : "  ·  recorded on " + where) + ". " + to_do};
}

float draw_no_verdict(Ui& ui, Area area, const NoVerdict& missing, bool measure) {
  const auto lay = [&](Area rest, bool only_measures) {
    const float top = rest.y;
    rest.take_top(
        ui.paragraph(rest, missing.head, kHeading_px, Role::text, Face::strong, only_measures));
    rest.take_top(
        ui.paragraph(rest, missing.next, kSmall_px, Role::muted, Face::body, only_measures));
    return rest.y - top;
  };
  const float height = lay(area, true);
  if (measure) return height;
  area.y += std::max(0.0f, (area.h - height) / 2);
  return lay(area, false);
}

float draw_verdict(Ui& ui, Area area, const Run& run, const Comparison& comparison,
                   const std::string& where, bool measure) {
  const Decision decision = decide(run, comparison, app::titles_of(*ui.state.selection.lab));
  return lay_words(ui, area, words_of(run, comparison, decision, ui.state, where), whole_words(ui),
                   measure);
}

bool VerdictCard::says_something(const State& state) {
  return state.selection.lab && card_text(state).has_outcome;
}

namespace {

/// In a low window the card leaves its room to the chart.
WordsLayout card_words(const Ui& ui) {
  return ui.is_compact ? WordsLayout{.is_across = true, .is_low = true} : whole_words(ui);
}

/// What a card says in place of a reason that stands beside it.
void leave_reason(Words* words) {
  words->reason = "why: at the right, below";
}

/// The reason in a panel of its own, under the name of what it is the reason of; returns the height of both texts.
float lay_reason(Ui& ui, Area rest, const Words& words, bool measure) {
  const float top = rest.y;
  const auto line = [&](const std::string& text, Role role, Face face) {
    rest.take_top(ui.paragraph(rest, text, kTiny_px, role, face, measure));
  };
  line("Why: " + words.headline.text, Role::text, Face::strong);
  line(sentence_of(words.reason), Role::muted, Face::body);
  return rest.y - top;
}

Area inside_of(const Ui& ui, const Area& card) {
  return card.inset(ui.px(kPad_x), ui.px(kPad_y));
}

/// Of a reason's panel beside its card.
Area reason_inside(const Ui& ui, const Area& panel) {
  return panel.inset(ui.px(kPad_y * 2), ui.px(kPad_y));
}

}  // namespace

VerdictCard::Room VerdictCard::room(Ui& ui, float width, float least, float most) {
  const State& state = ui.state;
  if (!state.selection.lab) return {least, false};
  const Area inner = inside_of(ui, {0, 0, width, 0});
  const float around = 2 * ui.px(kPad_y);
  CardText text = card_text(state);
  if (!text.verdict)
    return {std::max(least, draw_no_verdict(ui, inner, text.missing, true) + around), false};
  const auto height = [&] {
    return std::max(least, lay_words(ui, inner, *text.verdict, card_words(ui), true) + around);
  };
  if (const float whole = height(); !ui.is_compact || whole <= most) return {whole, false};
  leave_reason(&*text.verdict);
  return {height(), true};
}

void VerdictCard::draw(Ui& ui, Area area, bool is_reason_beside) {
  ui.panel(area);
  const Area inner = inside_of(ui, area);
  const State& state = ui.state;
  ui.widgets["verdict"] = area;
  if (!state.selection.lab) return;
  CardText text = card_text(state);
  if (!text.verdict) {
    draw_no_verdict(ui, inner, text.missing);
    return;
  }
  if (is_reason_beside) leave_reason(&*text.verdict);
  lay_words(ui, inner, *text.verdict, card_words(ui), false);
}

void VerdictCard::draw_reason(Ui& ui, Area* beside, float gap) {
  const CardText text = card_text(ui.state);
  if (!text.verdict) return;
  const float around = 2 * ui.px(kPad_y);
  const Area column = reason_inside(ui, {0, 0, beside->w - Scroll::bar(ui), 0});
  const float needs = lay_reason(ui, column, *text.verdict, true) + around;
  const Area panel = beside->take_bottom(std::min(needs, beside->h / 2), gap);
  ui.panel(panel);
  ui.widgets["verdict_why"] = panel;
  Scroll words(ui, "verdict_why_words", reason_inside(ui, panel));
  const float height = lay_reason(ui, words.rest, *text.verdict, false);
  ui.widgets["verdict_reason"] = words.rest.take_top(height);
}

}  // namespace ridge::window
