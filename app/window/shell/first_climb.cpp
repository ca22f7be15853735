#include "app/window/shell/first_climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/window/shell/actions.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/state.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/chart/climb.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

constexpr double kCompare_s = 10;  // the whole is to take about half a minute

/// A rung of the climb that passed its check and has a speed.
struct Climbed {
  const Rung* rung = nullptr;
  const Series* series = nullptr;
  double rate = 0;
};

struct Climbs {
  std::vector<Climbed> all;
  std::string unit;
  const Climbed* first = nullptr;    ///< of our steps
  const Climbed* best = nullptr;     ///< of our steps
  const Climbed* library = nullptr;  ///< the fastest
  int steps = 0;                     ///< of ours, from the first to the best
};

const Series* series_of(const Run& run, int64_t request, const std::string& kernel) {
  for (const Series* series : run.series_of_request(request)) {
    if (series->kernel == kernel) return series;
  }
  return nullptr;
}

/// Of its speed, that of the median time it was made from.
std::optional<Interval> rate_range(const Climbed& one) {
  const Stats& stats = *one.series->stats;
  if (!stats.ci_ns || !(stats.ci_ns->low > 0)) return std::nullopt;
  return Interval{one.rate * stats.median_ns / stats.ci_ns->high,
                  one.rate * stats.median_ns / stats.ci_ns->low};
}

void find_ends(Climbs* climbs) {
  for (const Climbed& one : climbs->all) {
    const Climbed*& top = one.rung->peer ? climbs->library : climbs->best;
    if (!top || one.rate > top->rate) top = &one;
    if (!one.rung->peer && !climbs->first) climbs->first = &one;
  }
  for (const Climbed& one : climbs->all) {
    const bool is_step = !one.rung->peer && &one > climbs->first && &one <= climbs->best;
    climbs->steps += is_step;
  }
}

Climbs climbs_of(const Run& run, const Lab& lab, int64_t request) {
  Climbs climbs;
  for (const char* kernel : lab.short_climb) {
    const Series* series = series_of(run, request, kernel);
    const Rung* rung = rung_of(kernel);
    if (!series || !rung || series->status != SeriesStatus::ok) continue;
    if (!why_no_step(kernel, series->params).empty()) continue;
    if (!series->quality_passed() || !series->stats) continue;
    const auto rate = throughput_of(*series);
    if (!rate || !(rate->value > 0)) continue;
    if (climbs.unit.empty()) climbs.unit = rate->unit;
    if (rate->unit == climbs.unit) climbs.all.push_back({rung, series, rate->value});
  }
  find_ends(&climbs);
  return climbs;
}

/// Whether it timed the rungs of the climb once more, the ends of it while nothing else ran.
bool is_better(const Climbs& again, const Climbs& own) {
  const auto is_same = [](const Climbed& a, const Climbed& b) {
    return a.rung == b.rung && a.series->params == b.series->params &&
           a.series->cache == b.series->cache;
  };
  const auto is_quiet = [](const Climbed* end) { return !is_rough(*end->series->stats); };
  return std::equal(again.all.begin(), again.all.end(), own.all.begin(), own.all.end(), is_same) &&
         is_quiet(again.first) && is_quiet(again.best);
}

/// Of the climb's own request, else of the newest that timed its rungs better: a burst of other programs is not kept.
Climbs newest_climbs(const Run& run, const FirstClimb& climb) {
  Climbs shown = climbs_of(run, *climb.lab, climb.run);
  if (!shown.best) return shown;
  const auto& requests = run.requests();
  for (auto later = requests.rbegin(); later != requests.rend() && later->id > climb.run; ++later) {
    if (later->type != RequestType::run || later->open()) continue;
    if (Climbs again = climbs_of(run, *climb.lab, later->id); again.best && is_better(again, shown))
      return again;
  }
  return shown;
}

std::string plain_verdict(Verdict verdict, const std::string& library) {
  switch (verdict) {
    case Verdict::faster:
      return library + " beaten";
    case Verdict::slower:
      return library + " not beaten";
    case Verdict::same:
      return "As fast as " + library;
    default:
      return library + ": too close to say";
  }
}

/// Whether other programs ran beside the ends of the climb, or beside the pair.
bool was_busy(const Run& run, const Climbs& climbs, const Comparison* pair) {
  const auto is_of_others = [](const std::string& text) {
    return text == "noisy" || text.starts_with("contended");
  };
  const auto any = [&](const std::vector<std::string>& texts) {
    return std::any_of(texts.begin(), texts.end(), is_of_others);
  };
  for (const Climbed* one : {climbs.first, climbs.best}) {
    if (one && any(one->series->stats->flags)) return true;
  }
  const auto& environment = run.environment();
  return (environment && !environment->quiet.quiet) || (pair && any(pair->reasons));
}

/// The best of ours against the library, by pairs; else what the two times say, which settles nothing.
void say_library(const Run& run, const Climbs& climbs, ClimbCard* card) {
  if (!climbs.library) {
    card->library = "No library here to compare with";
    return;
  }
  const std::string name = climbs.library->rung->title;
  if (!climbs.best) {
    card->library = name + ": no step of ours to compare with";
    return;
  }
  const std::string ours = "your “" + std::string(climbs.best->rung->title) + "”";
  const auto pair = weightiest_pair(run, *climbs.library->series, *climbs.best->series);
  const double alone = climbs.best->rate / climbs.library->rate;
  if (!pair) {
    const auto uneven = uneven_shares(*climbs.library->series, *climbs.best->series);
    card->library = name + ": not compared in turns";
    card->library_why =
        fmt::format("Each timed alone, {} is {} as fast as {}", ours,
                    uneven ? uneven->range_text(alone) : alone_ratio_text(alone), name);
    return;
  }
  const Verdict verdict = decide(run, *pair).verdict;
  const chart::ClimbStep step = {
      .ratio = pair->ratio, .verdict = verdict, .margin = pair->margin, .alone = alone};
  // The card shows the bars: no claim stands against what is seen.
  if (chart::bars_disagree(step)) {
    card->library = plain_verdict(Verdict::unresolved, name);
    card->library_why =
        fmt::format("In turns {} is {} as fast as {}, {} each alone: run both again", ours,
                    ratio_text(pair->ratio, pair->ci), name, alone_ratio_text(alone));
    return;
  }
  card->verdict = verdict;
  card->library = plain_verdict(verdict, name);
  // A headline that is a range already is said once: its ends and the interval's are rounded differently.
  const std::string headline = headline_ratio_text(*pair);
  card->library_why = fmt::format("In turns {} is {} as fast as {}", ours, headline, name);
  if (!headline.starts_with("between "))
    card->library_why += pair->ci ? ", 95 % interval " + ratio_interval_text(pair->ci, pair->margin)
                                  : std::string(", no interval");
  // What the bars beside it show, where that is another figure.
  if (pair->ci && (alone < pair->ci->low || alone > pair->ci->high))
    card->library_why += ", and " + alone_ratio_text(alone) + " alone, as the bars are";
  if (verdict == Verdict::unresolved && was_busy(run, climbs, &*pair))
    card->library_why +=
        ". This machine was busy, which widens the interval: compare again when it is idle";
}

/// The ends of the climb whose times lie so far apart that what they are multiplied by is rough.
std::string scatter_text(const Climbs& climbs) {
  std::string names;
  for (const Climbed* one : {climbs.first, climbs.best}) {
    if (!one || rough_words(*one->series->stats).empty()) continue;
    names += (names.empty() ? "“" : " and “") + std::string(one->rung->title) + "” (" +
             rough_words(*one->series->stats) + ")";
  }
  return names.empty() ? "" : "The factor is rough: " + names + ".";
}

/// What the climb multiplied.
GainText gain_of(const Run& run, const Climbs& climbs) {
  const Series &from = *climbs.first->series, &to = *climbs.best->series;
  const auto pair = weightiest_pair(run, from, to);
  return gain_text(pair ? &*pair : nullptr, climbs.best->rate / climbs.first->rate, from, to);
}

/// Two whose ratio stands on the card as a range: why.
std::string uneven_text(const Run& run, const Climbed& from, const Climbed& to) {
  if (const auto pair = weightiest_pair(run, *from.series, *to.series))
    return uneven_sentence(*pair);
  const auto uneven = uneven_shares(*from.series, *to.series);
  if (!uneven) return "";
  const auto quoted = [](const Climbed& one) { return "“" + std::string(one.rung->title) + "”"; };
  return uneven->sentence(quoted(from), quoted(to), to.rate / from.rate);
}

/// What kept the climb, or its comparison, from its end.
void say_missing(const Run& run, const FirstClimb& climb, ClimbCard* card) {
  const Request* request = run.request(climb.run);
  const Request* compared = run.request(climb.compare);
  if (request && request->status == RequestStatus::cancelled)
    card->caveats.push_back(
        {"cancelled", "Cancelled: the rungs that were not reached are missing."});
  if (request && request->status == RequestStatus::failed)
    card->caveats.push_back(
        {"ended early", "The run ended early: " + (request->error ? request->error->sentence()
                                                                  : "the worker was lost.")});
  if (compared && compared->status != RequestStatus::ok)
    card->caveats.push_back(
        {"comparison not finished", "The comparison with the library did not end."});
  for (const char* kernel : climb.lab->short_climb) {
    const Series* series = series_of(run, climb.run, kernel);
    if (!series || series->status != SeriesStatus::failed) continue;
    const std::string title = "“" + std::string(rung_of(kernel)->title) + "”";
    card->caveats.push_back({title + " failed its check",
                             title + " failed its check and is left out: " + series->reason});
  }
}

/// In a line of a few words a busy machine stands for what it does to the times.
void say_caveats(const Run& run, const Climbs& climbs, ClimbCard* card) {
  const bool is_noisy = was_busy(run, climbs, nullptr);
  const bool has_pair =
      climbs.best && weightiest_pair(run, *climbs.first->series, *climbs.best->series);
  // The report's own judgement of the factor.
  const std::string disturbed =
      climbs.best && !has_pair
          ? disturbance_words(*climbs.first->series->stats, *climbs.best->series->stats)
          : "";
  if (!disturbed.empty())
    card->caveats.push_back({std::string(is_noisy ? "busy machine: " : "") + "the factor is rough",
                             "The factor is rough: " + disturbed + "."});
  else if (is_noisy)
    card->caveats.push_back(
        {"busy machine", "This machine was busy meanwhile: the figures are noisy."});
  for (const Climbed* from : {climbs.first, climbs.library}) {
    std::string why = from && climbs.best ? uneven_text(run, *from, *climbs.best) : "";
    if (!why.empty())
      card->caveats.push_back({is_noisy ? "" : "uneven shares of the processor", std::move(why)});
  }
  if (std::string rough = scatter_text(climbs); !rough.empty() && !has_pair)
    card->caveats.push_back({is_noisy ? "" : "few or scattered times", std::move(rough)});
}

bool is_one_core(const Series& series) {
  return param_int(series.params, "threads", 1) == 1;
}

void say_ceiling(const Run& run, const Climbed& best, ClimbCard* card) {
  const Derived derived = derive(*best.series, run);
  if (derived.compute) {
    card->share = format_number(derived.compute->value * 100, 2) + " %";
    return;
  }
  // Why it is in doubt stands under the chart.
  const std::string& why = derived.no_compute_reason;
  card->caveats.push_back({derived.is_compute_doubted ? "ceiling in doubt"
                           : derived.above_compute    ? "above its ceiling"
                                                      : "ceiling not measured",
                           "Its ceiling is not known" +
                               (why.empty() ? "." : ": " + why.substr(0, why.find(": ")) + ".")});
}

/// The fastest of ours and of the libraries, as a request for pairs; empty where one of them is missing.
std::optional<WorkRequest> pair_request(const State& state, const FirstClimb& climb) {
  const Climbs climbs = climbs_of(state.run(), *climb.lab, climb.run);
  if (!climbs.best || !climbs.library) return std::nullopt;
  WorkRequest request;
  request.type = RequestType::compare;
  request.lab = climb.lab->id;
  request.mode = RunMode::live;
  request.cache = climbs.best->series->cache.value().value_or(CacheMode::hot);
  request.limit_s = kCompare_s;
  for (const Climbed* side : {climbs.library, climbs.best})
    request.kernels.push_back({side->rung->kernel, side->series->params});
  return request;
}

void end_climb(State& state) {
  FirstClimb& climb = state.first_climb;
  const Request* request = state.run().request(climb.run);
  const bool is_cancelled = request && request->status == RequestStatus::cancelled;
  if (is_cancelled && climb_card(state.run(), climb).gain.empty()) {
    climb = {};  // an empty card would only stand in the way
    return;
  }
  climb.stage = FirstClimb::Stage::over;
  climb.shows_card = true;
  state.ladder.dirty = true;
  if (state.view.screen != ScreenId::lab && state.view.screen != ScreenId::home)
    state.notice = {"The climb is over: Home has its card.", false};
}

}  // namespace

const Run& climb_run(const State& state) {
  return state.sessions.own ? state.sessions.own->run() : state.run();
}

std::string first_climb_blocker(const State& state) {
  const Lab* lab = short_climb_lab();
  if (!lab) return "This build has no short climb.";
  if (std::string why = work_blocker(state); !why.empty()) return why;
  if (must_list_again(state)) return "The worker was lost: F5 in the lab starts it again.";
  const bool any = std::any_of(lab->short_climb.begin(), lab->short_climb.end(), [&](auto kernel) {
    const KernelInfo* info = state.run().kernel(kernel);
    return info && info->available;
  });
  return any ? "" : "No rung of the short climb can run on this machine.";
}

void start_first_climb(State& state) {
  const Lab* lab = short_climb_lab();
  open_lab(state, lab->id);
  state.selection.params.clear();
  choose_mode(state, RunMode::live);
  state.selection.cache = CacheMode::hot;
  state.selection.baseline.clear();
  if (const ViewDesc* view = find_view("gains")) state.selection.view = view;
  state.view.screen = ScreenId::lab;
  rebuild_ladder(state);
  select_rung(state, lab->short_climb.front());
  WorkRequest request = request_for(state, RequestType::run);
  request.counters = false;
  for (const char* kernel : lab->short_climb) {
    const RungView* row = find_row(state.ladder, kernel);
    if (row && row->can_run) request.kernels.push_back({kernel, params_for(state, *row->info)});
  }
  send(state, std::move(request), &state.requests.run);
  state.first_climb = {};
  if (!state.requests.run) return;  // the notice says why
  state.first_climb.stage = FirstClimb::Stage::climbing;
  state.first_climb.lab = lab;
  state.first_climb.run = state.requests.run;
  state.first_climb.followed = state.selection.rung;
}

namespace {

/// The lesson beside the bars is of the rung in hand, until the reader selects another one.
bool follow_climb(State& state) {
  FirstClimb& climb = state.first_climb;
  const ClimbPlace place = climb_place(state);
  const Request* request = state.run().request(climb.run);
  if (place.of == 0 || !request || climb.followed != state.selection.rung) return false;
  const std::string& kernel = request->kernels[static_cast<size_t>(place.at - 1)];
  if (kernel == climb.followed) return false;
  select_rung(state, kernel);
  climb.followed = kernel;
  return true;
}

}  // namespace

bool tick_first_climb(State& state) {
  FirstClimb& climb = state.first_climb;
  if (climb.shows_card && state.requests.is_measuring()) {
    climb.shows_card = false;  // what runs now is to be seen, and Esc is for it
    return true;
  }
  if (!climb.is_under_way() || state.is_replay()) return false;
  const bool climbs = climb.stage == FirstClimb::Stage::climbing;
  const Request* request = state.run().request(climbs ? climb.run : climb.compare);
  if (request && request->open()) return follow_climb(state);
  const auto pair = climbs && request && request->status == RequestStatus::ok
                        ? pair_request(state, climb)
                        : std::nullopt;
  if (!pair || state.requests.is_measuring()) {
    end_climb(state);
    return true;
  }
  send(state, *pair, &state.requests.compare);
  climb.compare = state.requests.compare;
  climb.stage = FirstClimb::Stage::comparing;
  if (!climb.compare) end_climb(state);
  return true;
}

ClimbPlace climb_place(const State& state) {
  const FirstClimb& climb = state.first_climb;
  const Request* request = state.run().request(climb.run);
  if (climb.stage != FirstClimb::Stage::climbing || state.is_replay() || !request) return {};
  ClimbPlace place{1, static_cast<int>(request->kernels.size())};
  for (const Series* series : state.run().series_of_request(climb.run))
    place.at += series->status == SeriesStatus::ok || series->status == SeriesStatus::failed;
  place.at = std::min(place.at, place.of);
  place.is_at_ceilings = share_of_ceilings(state, *request).has_value();
  return place;
}

std::string climb_line(const State& state) {
  const FirstClimb& climb = state.first_climb;
  if (!climb.is_under_way() || state.is_replay()) return "";
  if (climb.stage == FirstClimb::Stage::comparing)
    return "Last: our fastest and the fastest library in turns, so that both see the same machine.";
  const ClimbPlace place = climb_place(state);
  const Request* request = state.run().request(climb.run);
  if (place.of == 0 || !request) return "";
  if (const std::string which = ceilings_words(state, *request); !which.empty())
    return "This machine's ceilings, once: " + which +
           ". Then the bars stand under them, and the climb goes on.";
  const std::string& kernel = request->kernels[static_cast<size_t>(place.at - 1)];
  const Rung* rung = rung_of(kernel);
  return fmt::format("Rung {} of {} on one core  ·  {}: {}", place.at, place.of,
                     rung ? rung->title : kernel, rung ? rung->change : "");
}

std::string climb_card_blocker(const State& state) {
  return state.first_climb.stage == FirstClimb::Stage::over
             ? ""
             : "There is no card yet: “Watch it climb” on Home makes one.";
}

void show_climb_card(State& state) {
  state.first_climb.shows_card = true;
}

void close_climb_card(State& state) {
  state.first_climb.shows_card = false;
}

ClimbCard climb_card(const Run& run, const FirstClimb& climb) {
  ClimbCard card;
  if (const auto& environment = run.environment())
    card.machine = environment->cpu.model + "  ·  " + environment->time_utc.substr(0, 10);
  const Climbs climbs = newest_climbs(run, climb);
  card.unit = climbs.unit;
  if (const Request* request = run.request(climb.run))
    card.rungs = static_cast<int>(request->kernels.size());
  for (const Climbed& one : climbs.all)
    card.bars.push_back({one.rung->title, one.rate, rate_range(one), one.rung->peer});
  if (climbs.best) {
    card.way = climbs.best->rung->title;
  }
  if (climbs.best && climbs.best != climbs.first) {
    GainText gain = gain_of(run, climbs);
    card.gain = std::move(gain.ratio);
    card.middle = std::move(gain.middle);
    card.rests_on = std::move(gain.rests_on);
    if (climbs.best->series->request != climb.run)
      card.rests_on += "; the bars are of a later run, while nothing else ran";
    card.steps = climbs.steps;
    card.way = fmt::format("{} → {}", climbs.first->rung->title, climbs.best->rung->title);
  }
  if (climbs.best) {
    card.title = is_one_core(*climbs.best->series) ? "Your core" : "Your CPU";
    card.way = with_stale(card.way, climbs.best->series->stale || climbs.first->series->stale);
    card.asked = params_summary(*climb.lab, climbs.best->series->params) + "  ·  " +
                 climbs.best->series->mode.text();
  }
  say_library(run, climbs, &card);
  say_missing(run, climb, &card);
  if (climbs.best) say_ceiling(run, *climbs.best, &card);
  say_caveats(run, climbs, &card);
  return card;
}

std::optional<FirstClimb> climb_in(const Run& run, const Lab& lab) {
  const auto& requests = run.requests();
  for (auto it = requests.rbegin(); it != requests.rend(); ++it) {
    if (it->type != RequestType::run || it->open() || it->lab != lab.id) continue;
    const Climbs climbs = climbs_of(run, lab, it->id);
    const bool has_gain = climbs.best && climbs.best != climbs.first;
    if (!has_gain || 2 * climbs.all.size() <= lab.short_climb.size()) continue;
    FirstClimb climb;
    climb.stage = FirstClimb::Stage::over;
    climb.lab = &lab;
    climb.run = it->id;
    return climb;
  }
  return std::nullopt;
}

std::string card_figure(const ClimbCard& card) {
  if (!card.middle.empty()) return card.middle;  // beside its range
  std::string figure = card.gain;
  for (const std::string_view hedge : {"≈ ", "about "}) {
    if (figure.starts_with(hedge)) figure.erase(0, hedge.size());
  }
  return figure;
}

std::string card_range(const ClimbCard& card) {
  return card.middle.empty() ? "" : card.gain;
}

std::string card_steps(const ClimbCard& card) {
  if (card.gain.empty()) return "";
  return fmt::format("in {} {}", card.steps, card.steps == 1 ? "step" : "steps") +
         (card.share.empty() ? "" : ", " + card.share + " of its ceiling");
}

std::string card_bars(const ClimbCard& card) {
  if (card.bars.empty()) return "";
  const bool lacks_whisker = std::any_of(card.bars.begin(), card.bars.end(),
                                         [](const ClimbCard::Bar& bar) { return !bar.range; });
  return std::string("Bars: each timed alone; whisker: 95 % interval") +
         (lacks_whisker ? ", none where there are too few times." : ".") +
         (card.verdict ? " The verdict above is of a pair in turns." : "");
}

std::string card_brief(const ClimbCard& card) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    const bool is_known = std::find(parts.begin(), parts.end(), part) != parts.end();
    if (!part.empty() && !is_known) parts.push_back(std::move(part));
  };
  for (const ClimbCard::Caveat& caveat : card.caveats) add(caveat.brief);
  // Of a range also what its ends are.
  add(card.rests_on.substr(0, card.rests_on.find_first_of(card.middle.empty() ? ",;" : ";")));
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

std::string card_caveats(const ClimbCard& card) {
  std::string text;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
  };
  add(card.rests_on.empty() ? "" : card.gain + ": " + card.rests_on);
  add(card.library_why);
  for (const ClimbCard::Caveat& caveat : card.caveats) add(caveat.sentence);
  return text;
}

std::string card_gain(const ClimbCard& card) {
  const std::string range = card_range(card);
  return card_figure(card) + (range.empty() ? "" : " (" + range + ")");
}

std::string card_words(const ClimbCard& card) {
  std::string text = card.title + ": " +
                     (card.gain.empty() ? "" : card_gain(card) + " " + card_steps(card) + ". ") +
                     card.library + ".";
  for (const std::string& part : {card.way, card.asked, card_caveats(card)})
    text += part.empty() ? "" : "\n" + part;
  return text + "\n" + card.machine + "\n";
}

}  // namespace ridge::window
