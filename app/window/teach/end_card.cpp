#include "app/window/teach/end_card.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/query/editing.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/widgets.h"
#include "app/window/teach/presenter.h"
#include "common/core/format.h"
#include "common/record/ratio_text.h"

namespace ridge::window {
namespace {

constexpr double kNear = 2;  ///< a number is near within this factor of what was measured

struct Score {
  int numbers = 0, inside = 0, near = 0;  ///< inside what was measured, and within kNear of it
  int choices = 0, right = 0;
  int withdrawn = 0, open = 0;  ///< given, and contradicted later; given, and not judged
};

Score score_of(const Teaching& teach) {
  constexpr double kInside = 1.005;
  Score score;
  for (const auto& [step, result] : teach.results) {
    if (!result.withdrawn.empty()) {
      ++score.withdrawn;
      continue;
    }
    if (result.off) {
      ++score.numbers;
      score.inside += *result.off < kInside;
      score.near += *result.off <= kNear;
    }
    if (result.right) ++score.choices, score.right += *result.right;
    score.open += !result.off && !result.right && !result.said.empty();
  }
  return score;
}

/// "1 answer is", "2 answers are"
std::string answers_are(int count) {
  return fmt::format("{} answer{}", count, count == 1 ? " is" : "s are");
}

}  // namespace

std::string score_text(const Teaching& teach) {
  const Score score = score_of(teach);
  if (score.numbers + score.choices + score.withdrawn + score.open == 0)
    return "No prediction was made on this tour.";
  std::string text;
  if (score.numbers > 0)
    text += fmt::format(
        "Numbers: of {}, {} inside the range that was measured, {} within a factor of {:g} of its "
        "nearer end. ",
        score.numbers, score.inside, score.near, kNear);
  if (score.choices > 0)
    text += fmt::format("Choices: of {}, {} right. ", score.choices, score.right);
  if (score.open > 0)
    text +=
        answers_are(score.open) + " not judged, because the measurement settles nothing there. ";
  if (score.withdrawn > 0)
    text += answers_are(score.withdrawn) +
            " withdrawn from the score, because a later measurement contradicts the first: noise "
            "made it a toss-up. ";
  text.pop_back();
  return text;
}

namespace {

/// Steps that were done while another window was open: what was said there is not known any more. Empty: none.
std::string earlier_text(const State& state) {
  const Teaching& teach = state.teaching;
  const auto place = state.tour_progress.places.find(teach.tour->id);
  if (place == state.tour_progress.places.end() || teach.leaves_place) return {};
  const auto count = std::count_if(place->second.done.begin(), place->second.done.end(),
                                   [&](int step) { return !teach.results.contains(step); });
  if (count == 0) return {};
  return fmt::format("{} step{} taken before this window was opened: not on this card.", count,
                     count == 1 ? " was" : "s were");
}

std::string near_text(const StepResult& result) {
  if (result.right) return *result.right ? "right" : "not right";
  if (!result.withdrawn.empty()) return "withdrawn";
  if (!result.ungraded.empty()) return "not judged";
  if (!result.over)
    return result.said.empty()    ? "no prediction"
           : result.claim.empty() ? "no figure"
                                  : "not settled";
  if (*result.off < 1.005) return "right";
  return format_ratio(rounded_down(*result.off)) + (*result.over < 1 ? " too low" : " too high");
}

/// What a step leaves: the sentence that says what was learned; of a tour without one the first of its words, where no figure
/// stands in it.
std::string left_by(const study::TourStep& step) {
  if (!step.learned.empty()) return step.learned;
  const size_t end = step.words.find(". ");
  const std::string first = step.words.substr(0, end == std::string::npos ? end : end + 1);
  return first.find("{{") == std::string::npos ? first : std::string();
}

/// How much larger than elsewhere the card's words are, the largest first, where all of them have the room.
constexpr float kGrowths[] = {1.8f, 1.6f, 1.4f, 1.25f, 1.12f, 1};

/// Where an answer stood beside what was measured, which is the middle, from a hundredth of it to a hundred times as much.
void draw_distance(Ui& ui, const Area& area, const StepResult& result, float grown) {
  constexpr double kDecades = 2;
  const std::string near = near_text(result);
  const bool is_near = result.right ? *result.right : result.off && *result.off <= kNear;
  const bool is_judged = result.withdrawn.empty() && (result.right || result.over);
  const Role role = !is_judged ? Role::muted : is_near ? Role::faster : Role::slower;
  ui.text(area.right(), area.y + ui.px(13) * grown, near, std::round(kSmall_px * grown), role,
          Face::strong, Anchor::end);
  if (!is_judged || !result.over) return;
  const float y = area.y + ui.px(35) * grown, middle = area.x + area.w / 2, thick = ui.px(2);
  ui.fill({area.x, y - thick / 2, area.w, thick}, ui.raised(2));
  ui.fill({middle - thick / 2, y - ui.px(7), thick, ui.px(14)}, ui.color(Role::text));
  const double at = std::clamp(std::log10(*result.over) / kDecades, -1.0, 1.0);
  const float x = middle + static_cast<float>(at) * (area.w / 2 - ui.px(5));
  const float from = std::min(x, middle);
  ui.fill({from, y - thick / 2, std::abs(x - middle), thick}, ui.color(role));
  ui.list->AddCircleFilled({x, y}, ui.px(5), ui.color(role));
}

/// What a step's row says under its title: what was said and measured; then what the step leaves, or why it has no grade.
struct StepWords {
  std::string measured, below;
};

StepWords words_of(const StepResult& result, const std::string& left) {
  const auto quoted = [&](const std::string& text) {
    return result.right ? "“" + text + "”" : text;
  };
  const std::string said = result.said.empty() ? "" : "you said " + quoted(result.said) + "; ";
  return {said + (result.is_told ? "this fits: " : "measured: ") + quoted(result.measured),
          !result.withdrawn.empty()  ? result.withdrawn
          : !result.ungraded.empty() ? result.ungraded
                                     : left};
}

/// The row of a step, at the right how near its answer was; returns its height, and draws nothing where it only measures.
float lay_step(Ui& ui, Area row, int step, const StepResult& result, const std::string& left,
               float grown, bool measure) {
  constexpr float kDistance = 220;
  const float top = row.y;
  const Area distance = row.take_right(std::min(ui.px(kDistance), row.w * 0.35f), ui.px(20));
  const auto say = [&](const std::string& text, float size, Role role, Face face) {
    row.take_top(ui.paragraph(row, text, std::round(size * grown), role, face, measure), ui.px(2));
  };
  say(fmt::format("{}  {}", step + 1, result.title), kSmall_px + 1, Role::text, Face::strong);
  const StepWords words = words_of(result, left);
  say(words.measured, kSmall_px, Role::text, Face::body);
  if (!words.below.empty()) say(words.below, kSmall_px, Role::muted, Face::body);
  if (!measure) {
    draw_distance(ui, distance, result, grown);
    ui.widgets[fmt::format("end_step:{}", step + 1)] = distance;
    ui.widgets[fmt::format("end_words:{}", step + 1)] = {row.x, top, row.w, row.y - top};
  }
  return row.y - top;
}

void draw_next(Ui& ui, Area* rest, const study::Tour& tour) {
  for (const study::TourNext& next : tour.next) {
    std::string label;
    std::function<void(State&)> act;
    if (next.is_exercise) {
      const auto exercise = app::find_exercise(next.id);
      if (!exercise) continue;
      label = "Exercise: " + exercise->title;
      act = [one = *exercise](State& state) {
        end_tour(state);
        start_exercise(state, one);
      };
    } else {
      const auto other = study::load_tour(next.id);
      if (!other) continue;
      label = "Tour: " + other->title;
      act = [id = next.id](State& state) { start_tour(state, id); };
    }
    const float w = ui.width(label, kSmall_px + 1) + ui.px(40);
    const bool is_first = &next == &tour.next.front();
    if (ui.button("next:" + next.id, {rest->x, rest->y, std::min(w, rest->w), ui.px(38)}, label,
                  is_first ? Ui::Kind::primary : Ui::Kind::normal))
      ui.dispatch(act);
    rest->take_top(ui.px(38), ui.px(8));
  }
  if (ui.state.teaching.presenting) return;
  const char* again = "Take this tour again";
  const float w = ui.width(again, kSmall_px + 1) + ui.px(40);
  if (ui.button("tour_again", {rest->x, rest->y, std::min(w, rest->w), ui.px(38)}, again,
                Ui::Kind::quiet))
    ui.dispatch([id = tour.id](State& state) { start_tour(state, id); });
  rest->take_top(ui.px(38), ui.px(8));
}

/// The words about how near the answers were, and a row for each step; returns its height, and draws nothing where it only
/// measures.
float lay_steps(Ui& ui, Area rest, const Teaching& teach, float grown, bool measure) {
  constexpr float kLeastRow = 80, kBetween = 14;
  const float top = rest.y;
  const auto& steps = teach.tour->steps;
  for (const auto& [step, result] : teach.results) {
    const bool is_known = step < std::ssize(steps);
    const std::string words = is_known ? left_by(steps[static_cast<size_t>(step)]) : std::string();
    const float h =
        std::max(ui.px(kLeastRow), lay_step(ui, rest, step, result, words, grown, true));
    const Area row = rest.take_top(h, ui.px(kBetween));
    if (!measure) lay_step(ui, row, step, result, words, grown, false);
  }
  return rest.y - top;
}

/// What comes before the rows.
float lay_score(Ui& ui, Area rest, const Teaching& teach, float grown, bool measure) {
  const float top = rest.y;
  const std::string earlier = earlier_text(ui.state);
  if (!teach.results.empty() || earlier.empty())
    rest.take_top(ui.paragraph(rest, score_text(teach), std::round(kBody_px * grown), Role::text,
                               Face::body, measure),
                  ui.px(4));
  if (!earlier.empty()) {
    if (!measure) ui.widgets["end_earlier"] = rest;
    rest.take_top(ui.paragraph(rest, earlier, std::round(kSmall_px * grown), Role::muted,
                               Face::body, measure),
                  ui.px(4));
  }
  const bool has_number = std::any_of(teach.results.begin(), teach.results.end(),
                                      [](const auto& one) { return one.second.over.has_value(); });
  if (has_number)
    rest.take_top(ui.paragraph(rest, "The tick is what was measured, the dot your answer.",
                               std::round(kSmall_px * grown), Role::muted, Face::body, measure),
                  ui.px(12));
  return rest.y - top;
}

float lay_claims(Ui& ui, Area rest, const Teaching& teach, float grown, bool measure) {
  const float top = rest.y, size = std::round((kSmall_px + 1) * grown);
  bool any = false;
  for (const auto& [step, result] : teach.results) {
    if (result.claim.empty()) continue;
    any = true;
    rest.take_top(ui.paragraph(rest, result.claim + ".", size, Role::text, Face::body, measure),
                  ui.px(8));
  }
  const bool is_elsewhere = teach.results.empty() && !earlier_text(ui.state).empty();
  if (!any)
    rest.take_top(ui.paragraph(
        rest,
        is_elsewhere ? "Its verdicts belong to the window that measured them: they stand in the "
                       "report of that session."
                     : "No verdict: no step compared two rungs in turns. Bars that were measured "
                       "apart are no claim.",
        size, Role::muted, Face::body, measure));
  return rest.y - top;
}

/// The largest at which neither column has to be scrolled.
float grown_to_fit(Ui& ui, const Area& steps, const Area& claims, const Teaching& teach) {
  for (const float grown : kGrowths) {
    const bool fits =
        lay_score(ui, steps, teach, grown, true) + lay_steps(ui, steps, teach, grown, true) <=
            steps.h &&
        lay_claims(ui, claims, teach, grown, true) <= claims.h;
    if (fits) return grown;
  }
  return 1;
}

}  // namespace

bool draw_end_card(Ui& ui, Area area, EndPages* pages) {
  constexpr float kHead = 44, kButton = 40, kNext = 46;
  const Teaching& teach = ui.state.teaching;
  ui.widgets["end_card"] = area;
  const float gap = ui.px(28);
  Area left = area.take_left((area.w - gap) * 0.55f, gap), right = area;
  ui.text(left.x, left.y + ui.px(20), "How near you were", kHeading_px, Role::text, Face::strong);
  left.take_top(ui.px(kHead));
  // Of the right column's height two headings, the buttons and their gaps are not the claims'.
  Area claims = right;
  claims.take_top(ui.px(2 * kHead + kButton + 20) +
                  ui.px(kNext) *
                      static_cast<float>(teach.tour->next.size() + (teach.presenting ? 0 : 1)));
  const float grown = grown_to_fit(ui, left, claims, teach);
  left.take_top(lay_score(ui, left, teach, grown, false));
  bool has_more = false;
  {
    Scroll scroll(ui, "end_steps", left);
    has_more = scroll.turn_pages(teach.pages, &pages->steps);
    scroll.rest.take_top(lay_steps(ui, scroll.rest, teach, grown, false));
  }
  Scroll scroll(ui, "end_claims", right);
  has_more |= scroll.turn_pages(teach.pages, &pages->claims);
  Area& rest = scroll.rest;
  const auto heading = [&](const char* text) {
    const Area line = rest.take_top(ui.px(40));
    ui.text(line.x, line.y + ui.px(20), text, kHeading_px, Role::text, Face::strong);
  };
  if (!teach.tour->next.empty() || !teach.presenting) {
    heading("Go on");
    draw_next(ui, &rest, *teach.tour);
    rest.take_top(ui.px(10));
  }
  heading("What you may claim");
  rest.take_top(lay_claims(ui, rest, teach, grown, false), ui.px(10));
  const Area button = {rest.x, rest.y, std::min(rest.w, ui.px(280)), ui.px(kButton)};
  ui.action_button("report_tour", button, "Make the one-page report", Ui::Kind::normal);
  return has_more;
}

}  // namespace ridge::window
