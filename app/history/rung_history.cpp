#include "app/history/rung_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/query/diff.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/stats/stats.h"
#include "common/view/report/content.h"
#include "labs/lab.h"

namespace ridge::history {
namespace {

/// Clocks that differ by less are one clock.
constexpr double kSameClock = 0.01;
/// Shares of disturbed results that differ by more are told of.
constexpr double kOtherShare = 0.25;
/// Of a hash or a commit: enough to tell two apart.
constexpr size_t kShort = 8;

std::string short_text(const std::string& text) {
  return text.empty() ? "not known" : text.substr(0, kShort);
}

std::string lower(std::string text) {
  for (char& sign : text) sign = static_cast<char>(std::tolower(static_cast<unsigned char>(sign)));
  return text;
}

/// Whether each of the words "n=1024" is one of those of `params`.
bool has_params(const std::string& params, const std::string& wanted) {
  std::istringstream words(wanted);
  for (std::string word; words >> word;)
    if ((" " + params + " ").find(" " + word + " ") == std::string::npos) return false;
  return true;
}

/// The results from one change to the next.
struct Level {
  std::span<const Entry> entries;

  double median_ns() const {
    std::vector<double> values;
    for (const Entry& entry : entries) values.push_back(entry.value);
    return stats::median(values);
  }
  std::optional<double> clock_hz() const {
    std::vector<double> values;
    for (const Entry& entry : entries)
      if (entry.clock_hz) values.push_back(*entry.clock_hz);
    return values.empty() ? std::nullopt : std::optional(stats::median(values));
  }
  size_t disturbed() const {
    return static_cast<size_t>(std::count_if(
        entries.begin(), entries.end(), [](const Entry& one) { return !one.disturbed.empty(); }));
  }
};

/// Level `i`, that before change `i`.
Level level_of(const RungHistory& history, size_t i) {
  const auto& changes = history.changes;
  const size_t begin = i == 0 ? 0 : changes[i - 1].first;
  const size_t end = i == changes.size() ? history.entries.size() : changes[i].first;
  return {std::span(history.entries).subspan(begin, end - begin)};
}

void compare_texts(const Entry& before, const Entry& after, LevelChange* change) {
  const std::tuple<const char*, const std::string&, const std::string&> rows[] = {
      {"source", before.hash, after.hash},
      {"commit", before.commit, after.commit},
      {"compiler", before.compiler, after.compiler},
      {"release", before.version, after.version},
      {"system", before.os, after.os},
      {"driver", before.driver, after.driver},
      {"power source", before.power, after.power},
      {"governor", before.governor, after.governor}};
  change->same.push_back("machine");
  for (const auto& [name, old_text, new_text] : rows) {
    if (old_text.empty() && new_text.empty()) continue;
    const std::string_view what = name;
    const bool is_long = what == "source" || what == "commit";
    const auto shown = [&](const std::string& text) {
      return is_long || text.empty() ? short_text(text) : text;
    };
    if (old_text == new_text)
      change->same.push_back(name);
    else
      change->differs.push_back(std::string(name) + " " + shown(old_text) + " → " +
                                shown(new_text));
  }
}

void compare_levels(const Level& before, const Level& after, LevelChange* change) {
  const auto old_clock = before.clock_hz(), new_clock = after.clock_hz();
  if (old_clock && new_clock) {
    if (std::abs(*new_clock / *old_clock - 1) > kSameClock)
      change->differs.push_back("clock " + format_quantity(*old_clock, "Hz") + " → " +
                                format_quantity(*new_clock, "Hz"));
    else
      change->same.push_back("clock");
  }
  const size_t old_count = before.disturbed(), new_count = after.disturbed();
  const auto share = [](size_t count, const Level& level) {
    return static_cast<double>(count) / static_cast<double>(level.entries.size());
  };
  if (std::abs(share(new_count, after) - share(old_count, before)) > kOtherShare)
    change->differs.push_back(fmt::format("busy or noisy results {} of {} → {} of {}", old_count,
                                          before.entries.size(), new_count, after.entries.size()));
}

void find_changes(RungHistory* history) {
  std::vector<double> values;
  for (const Entry& entry : history->entries) values.push_back(entry.value);
  history->found = stats::find_changes(values);
  for (const stats::Change& found : history->found.changes) {
    LevelChange& change = history->changes.emplace_back(LevelChange{found, {}, {}, {}, {}});
    const Entry& before = history->entries[found.earliest - 1];
    const Entry& after = history->entries[found.latest];
    change.before_hash = before.hash, change.after_hash = after.hash;
    compare_texts(before, after, &change);
  }
  for (size_t i = 0; i < history->changes.size(); ++i)
    compare_levels(level_of(*history, i), level_of(*history, i + 1), &history->changes[i]);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string percent(double ratio) {
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string results(size_t count) {
  return fmt::format("{} result{}", count, count == 1 ? "" : "s");
}

std::string changes_text(const RungHistory& history) {
  if (!history.found.too_few.empty()) return history.found.too_few;
  if (history.changes.empty())
    return "No change of level in " + results(history.entries.size()) + ".";
  return "What differs is no cause: 'ridgepoint compare' measures whether it is one.";
}

std::string heading_of(const RungHistory& history) {
  return history.kernel + " · " + problem_text(history) + " · " + history.how + " · " +
         history.machine;
}

/// Of its rung, a learner's copy with the original; behind all of them where its lab has no such rung.
size_t place_in_ladder(const RungHistory& history) {
  const Lab* lab = find_lab(history.lab);
  if (!lab) return 0;
  const std::string_view original = original_of(history.kernel);
  const auto at = std::find_if(lab->rungs.begin(), lab->rungs.end(),
                               [&](const Rung& rung) { return rung.kernel == original; });
  return static_cast<size_t>(at - lab->rungs.begin());
}

/// "hot, live" -> "live", "hot, timed in turns" -> "in turns", "hot" -> "measure": for a narrow column.
std::string brief_way(std::string how) {
  constexpr std::string_view kHot = "hot", kTimed = "timed ";
  if (how == kHot) return to_string(RunMode::measure);
  if (how.starts_with(kHot)) how.erase(0, kHot.size() + std::string_view(", ").size());
  if (const size_t at = how.find(kTimed); at != how.npos) how.erase(at, kTimed.size());
  return how;
}

std::vector<std::string> row_of(const Entry& entry) {
  return {time_text(entry.ended_utc_s),   format_time_ns(entry.value),
          format_time_interval(entry.ci), entry.disturbed,
          short_text(entry.hash),         short_text(entry.commit)};
}

}  // namespace

std::vector<RungHistory> rung_histories(std::vector<Entry> entries, const Asked& asked) {
  std::erase_if(entries, [&](const Entry& entry) {
    return (!asked.kernel.empty() && entry.kernel != asked.kernel) ||
           !has_params(entry.params, asked.params) ||
           lower(entry.machine).find(lower(asked.machine)) == std::string::npos;
  });
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, RungHistory>
      lines;
  for (Entry& entry : entries) {
    RungHistory& line = lines[{entry.lab, entry.kernel, entry.params, entry.machine, entry.how}];
    line.lab = entry.lab, line.kernel = entry.kernel, line.params = entry.params;
    line.machine = entry.machine, line.how = entry.how;
    line.entries.push_back(std::move(entry));
  }
  std::vector<RungHistory> all;
  for (auto& [key, line] : lines) {
    const auto is_older = [](const Entry& a, const Entry& b) {
      return a.ended_utc_s < b.ended_utc_s;
    };
    std::stable_sort(line.entries.begin(), line.entries.end(), is_older);
    find_changes(&line);
    all.push_back(std::move(line));
  }
  std::stable_sort(all.begin(), all.end(), [](const RungHistory& a, const RungHistory& b) {
    if (a.lab != b.lab) return a.lab < b.lab;
    if (a.kernel != b.kernel)
      return std::pair(place_in_ladder(a), a.kernel) < std::pair(place_in_ladder(b), b.kernel);
    return a.entries.back().ended_utc_s > b.entries.back().ended_utc_s;
  });
  return all;
}

namespace {

/// None where they cannot be read.
std::optional<Params> params_of(const RungHistory& history) {
  std::istringstream stream(history.params);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const auto params = parse_params(words);
  return params ? std::optional(*params) : std::nullopt;
}

/// The parameters, but for those that copy the lab's first whole number, as m and k do n.
Params without_copies(const std::string& lab_id, const Params& params) {
  const Lab* lab = find_lab(lab_id);
  if (!lab || lab->params.empty()) return params;
  for (const ParamView& one : lab->params) {
    const auto size = params.find(one.name);
    if (size == params.end() || !std::holds_alternative<int64_t>(size->second)) continue;
    return report::differing(params, {}, one.name);
  }
  return params;
}

/// The values that a parameter has in the rows of a lab.
struct Tally {
  size_t rows = 0;
  std::map<std::string, std::pair<size_t, ParamValue>>
      values;  ///< by their text, each with its rows
};

/// The value that the rows need not repeat: of a choice or a number of threads the one that half of them have, of a size
/// the one that all have.
std::optional<ParamValue> usual_value(const std::string& name, const Tally& tally) {
  for (const auto& [text, found] : tally.values) {
    const auto& [rows, value] = found;
    const bool is_size = std::holds_alternative<int64_t>(value) && name != "threads";
    if (is_size ? rows == tally.rows : 2 * rows > tally.rows) return value;
  }
  return std::nullopt;
}

/// Of each lab.
std::map<std::string, Params> usual_params(const std::vector<RungHistory>& all) {
  std::map<std::string, std::map<std::string, Tally>> tallies;
  for (const RungHistory& one : all) {
    const auto params = params_of(one);
    if (!params) continue;
    for (const auto& [name, value] : without_copies(one.lab, *params)) {
      Tally& tally = tallies[one.lab][name];
      ++tally.rows;
      ++tally.values.try_emplace(to_string(value), 0, value).first->second.first;
    }
  }
  std::map<std::string, Params> usual;
  for (const auto& [lab, names] : tallies) {
    for (const auto& [name, tally] : names) {
      if (const auto value = usual_value(name, tally)) usual[lab][name] = *value;
    }
  }
  return usual;
}

/// "gemm: n = 512, fp32, 1 thread where a row says nothing else", a line for each lab.
std::string usual_text(const std::map<std::string, Params>& usual) {
  std::string text;
  for (const auto& [lab, params] : usual) {
    if (!params.empty())
      text +=
          app::wrapped(lab + ": " + params_in_words(lab, params) + " where a row says nothing else",
                       app::text_width(), 2) +
          "\n";
  }
  return text;
}

/// What is told of a row below usual_text().
std::string own_problem_text(const RungHistory& history, const Params& usual) {
  const auto params = params_of(history);
  if (!params) return history.params;
  return params_in_words(history.lab,
                         report::differing(without_copies(history.lab, *params), usual, ""));
}

}  // namespace

std::string problem_text(const RungHistory& history) {
  const auto params = params_of(history);
  return params ? params_in_words(history.lab, *params) : history.params;
}

std::string time_text(double utc_s) {
  const auto seconds = static_cast<std::time_t>(std::floor(utc_s));
  std::tm time{};
  gmtime_r(&seconds, &time);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1,
                     time.tm_mday, time.tm_hour, time.tm_min);
}

std::string step_text(const stats::Change& change) {
  std::string text = percent(change.ratio);
  if (change.ci) text += " [" + percent(change.ci->low) + ", " + percent(change.ci->high) + "]";
  return text;
}

std::string place_text(const RungHistory& history, const stats::Change& change) {
  const auto when = [&](size_t index) { return time_text(history.entries[index].ended_utc_s); };
  if (change.earliest == change.latest) return when(change.first);
  return when(change.first) + " (it may be any result from " + when(change.earliest) + " to " +
         when(change.latest) + ")";
}

std::string differences_text(const LevelChange& change) {
  const std::string differs = change.differs.empty()
                                  ? "Nothing that is kept differs."
                                  : "What is kept differs in: " + joined(change.differs) + ".";
  return change.same.empty() ? differs : differs + " The same: " + joined(change.same) + ".";
}

std::string source_diff(const LevelChange& change, const std::map<std::string, Source>& sources) {
  if (change.before_hash == change.after_hash) return "The source is the same.\n";
  const auto before = sources.find(change.before_hash), after = sources.find(change.after_hash);
  if (before == sources.end() || after == sources.end()) {
    const std::string& lost = before == sources.end() ? change.before_hash : change.after_hash;
    return "The source " + short_text(lost) +
           " was not in its run, so there is nothing to compare.\n";
  }
  const auto lines = app::diff_code(before->second.text, after->second.text);
  const app::DiffCount count = app::count_changes(lines);
  std::string text;
  if (before->second.flags != after->second.flags)
    text += "flags: " + before->second.flags + " → " + after->second.flags + "\n";
  if (count.added + count.removed == 0)
    return text +
           "Its own file holds the same lines: what changed is a header that it includes, or its "
           "flags.\n";
  text += fmt::format("{}: {} added, {} removed\n", after->second.path, count.added, count.removed);
  for (const app::DiffLine& line : app::fold_equal(lines, 3)) {
    const bool is_cut = line.old_number == 0 && line.new_number == 0;
    const char sign = line.kind == app::DiffLine::Kind::added     ? '+'
                      : line.kind == app::DiffLine::Kind::removed ? '-'
                                                                  : ' ';
    text += is_cut ? "...\n" : std::string(1, sign) + std::string(line.text) + "\n";
  }
  return text;
}

std::string summary_text(const std::vector<RungHistory>& all) {
  if (all.empty()) return "";
  // What all rows have in common stands above them.
  const auto are_alike = [&](std::string RungHistory::*field) {
    return std::all_of(all.begin(), all.end(),
                       [&](const RungHistory& one) { return one.*field == all.front().*field; });
  };
  const bool one_machine = are_alike(&RungHistory::machine), one_way = are_alike(&RungHistory::how);
  std::vector<std::string> common;
  if (one_machine) common.push_back(all.front().machine);
  if (one_way) common.push_back(all.front().how);
  const std::map<std::string, Params> usual = usual_params(all);
  // A narrow terminal has the month and the day alone, and no lab where all rows are of one.
  const bool is_narrow = app::text_width() < app::kTextWidth;
  const bool one_lab = is_narrow && are_alike(&RungHistory::lab);
  constexpr std::string_view kYear = "2026-", kDay = "12-01";
  if (is_narrow && !one_way) common.push_back("hot cache where a row says nothing else");
  std::vector<std::vector<std::string>> rows;
  for (const RungHistory& one : all) {
    std::string last = one.found.too_few.empty() ? "none" : "too few";
    if (!one.changes.empty()) {
      const LevelChange& change = one.changes.back();
      const std::string since = time_text(one.entries[change.first].ended_utc_s);
      last = percent(change.ratio) + ", " +
             (is_narrow ? since.substr(kYear.size(), kDay.size()) : since);
    }
    const Entry& newest = one.entries.back();
    const auto known = usual.find(one.lab);
    const Params shared = known == usual.end() ? Params() : known->second;
    const std::string when = time_text(newest.ended_utc_s);
    rows.push_back(
        {one_lab && one.kernel.starts_with(one.lab + ".") ? one.kernel.substr(one.lab.size() + 1)
                                                          : one.kernel,
         own_problem_text(one, shared),
         one_way     ? ""
         : is_narrow ? brief_way(one.how)
                     : one.how,
         one_machine ? "" : one.machine, is_narrow ? "" : std::to_string(one.entries.size()),
         format_time_ns(newest.value), is_narrow ? when.substr(kYear.size(), kDay.size()) : when,
         last});
  }
  const std::string above = (common.empty() ? "" : joined(common) + "\n") + usual_text(usual);
  return above + (above.empty() ? "" : "\n") +
         app::table({"rung", "problem", "timed", "machine", "results", "newest",
                     is_narrow ? "day" : "when (UTC)", is_narrow ? "change" : "last change"},
                    rows);
}

std::string history_text(const RungHistory& history, size_t most) {
  const size_t count = history.entries.size(), from = count > most ? count - most : 0;
  std::string text = heading_of(history) + "\n";
  if (from > 0) text += fmt::format("  the newest {} of {}\n", most, results(count));
  std::vector<std::vector<std::string>> rows;
  for (size_t i = from; i < count; ++i) rows.push_back(row_of(history.entries[i]));
  text += app::table(
      {"when (UTC)", "time per call", "95 % interval", "caution", "source", "commit"}, rows);
  for (const LevelChange& change : history.changes) {
    text += "\n" + step_text(change) + " from " + place_text(history, change) + "\n  " +
            app::wrapped(differences_text(change), app::text_width(), 2) + "\n";
  }
  return text + "\n" + changes_text(history) + "\n";
}

Json history_json(const std::vector<RungHistory>& all) {
  Json list = Json::array();
  for (const RungHistory& one : all) {
    Json entries = Json::array(), changes = Json::array();
    for (const Entry& entry : one.entries) {
      Json row = {{"run", entry.run},           {"time_utc", time_text(entry.ended_utc_s)},
                  {"median", entry.value},      {"unit", entry.unit},
                  {"samples", entry.samples},   {"caution", entry.disturbed},
                  {"hash", entry.hash},         {"commit", entry.commit},
                  {"compiler", entry.compiler}, {"power_source", entry.power},
                  {"governor", entry.governor}};
      if (entry.ci) row["ci"] = {entry.ci->low, entry.ci->high};
      if (entry.clock_hz) row["clock_hz"] = *entry.clock_hz;
      entries.push_back(std::move(row));
    }
    for (const LevelChange& change : one.changes) {
      Json row = {{"first", change.first},
                  {"earliest", change.earliest},
                  {"latest", change.latest},
                  {"time_utc", time_text(one.entries[change.first].ended_utc_s)},
                  {"ratio", change.ratio},
                  {"differs", change.differs},
                  {"same", change.same},
                  {"before_hash", change.before_hash},
                  {"after_hash", change.after_hash}};
      if (change.ci) row["ci"] = {change.ci->low, change.ci->high};
      changes.push_back(std::move(row));
    }
    Json line = {{"lab", one.lab},
                 {"kernel", one.kernel},
                 {"params", one.params},
                 {"machine", one.machine},
                 {"how", one.how},
                 {"results", std::move(entries)},
                 {"changes", std::move(changes)}};
    if (one.found.too_few.empty())
      line["noise"] = one.found.noise;
    else
      line["too_few"] = one.found.too_few;
    list.push_back(std::move(line));
  }
  return {{"ridgepoint", 1}, {"history", std::move(list)}};
}

std::string history_csv(const std::vector<RungHistory>& all) {
  const auto cell = [](const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char sign : text) quoted += sign == '"' ? "\"\"" : std::string(1, sign);
    return quoted + "\"";
  };
  std::string text =
      "lab,rung,problem,timed,machine,time_utc,median_ns,low_ns,high_ns,samples,caution,hash,"
      "commit,compiler,level\n";
  for (const RungHistory& one : all) {
    size_t level = 0;
    for (size_t i = 0; i < one.entries.size(); ++i) {
      level += level < one.changes.size() && one.changes[level].first == i;
      const Entry& entry = one.entries[i];
      const auto end = [&](bool is_low) {
        return entry.ci ? fmt::format("{:.17g}", is_low ? entry.ci->low : entry.ci->high) : "";
      };
      text += fmt::format("{},{},{},{},{},{},{:.17g},{},{},{},{},{},{},{},{}\n", cell(one.lab),
                          cell(one.kernel), cell(one.params), cell(one.how), cell(one.machine),
                          time_text(entry.ended_utc_s), entry.value, end(true), end(false),
                          entry.samples, cell(entry.disturbed), entry.hash, cell(entry.commit),
                          cell(entry.compiler), level + 1);
    }
  }
  return text;
}

chart::HistoryInput chart_input(const RungHistory& history) {
  chart::HistoryInput input{.title = history.kernel};
  input.subtitle = problem_text(history) + " · " + history.how + " · " + history.machine;
  input.too_few = history.found.too_few;
  for (const Entry& entry : history.entries) {
    chart::HistoryDatum datum{
        .time_ns = entry.value, .ci_ns = entry.ci, .when = time_text(entry.ended_utc_s)};
    datum.note = "source " + short_text(entry.hash) + ", commit " + short_text(entry.commit);
    datum.disturbed = !entry.disturbed.empty();
    if (datum.disturbed) datum.note += ", " + entry.disturbed;
    input.data.push_back(std::move(datum));
  }
  input.first_level_ns = level_of(history, 0).median_ns();
  for (size_t i = 0; i < history.changes.size(); ++i) {
    const LevelChange& change = history.changes[i];
    input.marks.push_back({.first = change.first,
                           .level_ns = level_of(history, i + 1).median_ns(),
                           .label = percent(change.ratio),
                           .note = step_text(change) + " from " + place_text(history, change) +
                                   ". " + differences_text(change),
                           .slower = change.ratio > 1});
  }
  return input;
}

}  // namespace ridge::history
