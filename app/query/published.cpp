#include "app/query/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"

namespace ridge::app {
namespace {

using Source = PublishedRow::Source;

/// "n=4096 m=512" as parameters.
Params parse_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const auto parsed = parse_params(words);
  return parsed ? *parsed : Params{};
}

/// Whether the series is what was asked for, or ran smaller in its place.
bool answers(const Series& series, const KernelInfo* info, const std::string& kernel,
             const Params& wanted) {
  if (series.kernel != kernel || series.cache != CacheMode::hot) return false;
  const bool ran_as_asked = series.reduced_from.empty();
  const Params completed = ran_as_asked ? Params() : asked_params(series, info);
  const Params& asked = ran_as_asked ? series.params : completed;
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
    const auto found = asked.find(one.first);
    return found != asked.end() && found->second == one.second;
  });
}

const Series* find_series(const Run& run, int64_t request, const std::string& kernel,
                          const Params& wanted) {
  const KernelInfo* info = run.kernel(kernel);
  const Series* found = nullptr;
  for (const Series& series : run.series()) {
    if (request != 0 && series.request != request) continue;
    if (answers(series, info, kernel, wanted)) found = &series;
  }
  return found;
}

/// "n = 1283" of a series that ran smaller: the parameters that reduced_from names.
std::string ran_at(const Series& series) {
  Params::Map ran;
  for (const auto& [name, value] : parse_words(series.reduced_from)) {
    const auto found = series.params.find(name);
    if (found != series.params.end()) ran.insert(*found);
  }
  return params_in_words(series.kernel, ran);
}

void take(const Series& series, double flop, PublishedRow* out) {
  out->series = &series;
  out->source = Source::measured;
  double scale = 1;
  if (!series.reduced_from.empty()) {
    scale = flop / series.flop;
    out->source = Source::extrapolated;
    out->note = "extrapolated by FLOP from " + ran_at(series);
  }
  out->time_ns = series.stats->median_ns * scale;
  out->ci_ns = series.stats->ci_ns;
  if (out->ci_ns) out->ci_ns = Interval{out->ci_ns->low * scale, out->ci_ns->high * scale};
  if (flop > 0) out->flop_per_s = flop / (out->time_ns * 1e-9);
}

std::string why_missing(const TableRow& row, const Params& params, const KernelInfo* info,
                        const Series* series) {
  if (series != nullptr) return to_string(series->status) + ": " + series->reason;
  if (info == nullptr) return "this worker has no " + std::string(row.kernel);
  if (!info->available) return info->reason;
  const std::string dtype = param_text(params, "dtype");
  const auto& own = info->dtypes;
  if (!dtype.empty() && !own.empty() && std::find(own.begin(), own.end(), dtype) == own.end())
    return fmt::format("our build of it has no {}, only {}", dtype, fmt::join(own, ", "));
  return "not run";
}

PublishedRow fill_row(const Table& table, const TableRow& row, const Run& run, int64_t request,
                      const std::vector<Recording>& recordings, const Params& given) {
  const KernelInfo* info = run.kernel(row.kernel);
  PublishedRow out;
  out.row = &row;
  out.params = row_params(table, row, info, given);
  const auto flop_of = row.flop ? row.flop : table.flop;
  const double flop = flop_of == nullptr ? 0 : flop_of(out.params);
  if (row.printed_ns && flop_of != nullptr) {
    out.printed_flop_per_s = flop_of(table.params) / (*row.printed_ns * 1e-9);
  }
  const Series* here = find_series(run, request, row.kernel, out.params);
  const bool usable = here != nullptr && has_speed(*here) &&
                      (here->reduced_from.empty() || (flop > 0 && here->flop > 0));
  if (usable) {
    take(*here, flop, &out);
    return out;
  }
  // A recording stands in for what this machine cannot run, never for what it ran and failed.
  for (const Recording& recording : recordings) {
    if (here != nullptr || (info != nullptr && info->available)) break;
    const Series* series = find_series(*recording.run, 0, row.kernel, out.params);
    if (series == nullptr || !has_speed(*series) || !series->reduced_from.empty()) continue;
    take(*series, flop, &out);
    out.source = Source::recorded;
    out.machine = recording.machine;
    out.note = with_stale("recorded on " + recording.machine, series->stale, ", ");
    return out;
  }
  out.note = why_missing(row, out.params, info, here);
  if (here == nullptr && (info == nullptr || !info->available)) out.brings = row.brings;
  return out;
}

/// A paragraph that begins at column `indent`.
std::string paragraph(const std::string& text, size_t width, size_t indent) {
  return wrapped(std::string(indent, ' ') + text, width, indent) + "\n";
}

std::string half_width(const PublishedRow& row) {
  if (!row.ci_ns || !(row.time_ns > 0)) return "";
  return format_percent_width((row.ci_ns->high - row.ci_ns->low) / 2 / row.time_ns);
}

const char* name_of(Source source) {
  switch (source) {
    case Source::measured:
      return "measured";
    case Source::extrapolated:
      return "extrapolated";
    case Source::recorded:
      return "recorded";
    case Source::missing:
      break;
  }
  return "missing";
}

/// "recorded, stale"; empty: measured, and the kernel is as it was.
std::string how_column(const PublishedRow& row) {
  return with_stale(row.source == Source::measured ? "" : name_of(row.source),
                    row.series && row.series->stale, ", ");
}

}  // namespace

std::string rate_text(const std::optional<double>& flop_per_s) {
  return flop_per_s ? format_rate(*flop_per_s, "FLOP/s") : "";
}

Params asked_params(const Series& series, const KernelInfo* info) {
  Params asked = series.params;
  const Params named = parse_words(series.reduced_from);
  for (const auto& [name, value] : named) asked[name] = value;
  if (info == nullptr || named.empty()) return asked;
  for (const ParamSpec& spec : info->params) {
    const auto original = named.find(spec.same_as);
    if (original != named.end() && named.count(spec.name) == 0) asked[spec.name] = original->second;
  }
  return asked;
}

Params row_params(const Table& table, const TableRow& row, const KernelInfo* info,
                  const Params& given) {
  Params params = table.params;
  for (const auto& [name, value] : row.params) params[name] = value;
  for (const auto& [name, value] : given) {
    // What makes the row that row stays: its data type, say.
    if (row.params.count(name) == 0) params[name] = value;
  }
  if (info == nullptr) return params;
  for (const ParamSpec& spec : info->params) {
    const auto set = params.find(spec.name);
    if (!spec.is_choice && set != params.end() && set->second == ParamValue("max"))
      params[spec.name] = spec.max;
  }
  return params;
}

std::vector<PublishedRow> fill_table(const Table& table, const Run& run, int64_t request,
                                     const std::vector<Recording>& recordings,
                                     const Params& given) {
  std::vector<PublishedRow> rows;
  for (const TableRow& row : table.rows) {
    rows.push_back(fill_row(table, row, run, request, recordings, given));
  }
  return rows;
}

std::string sizes_text(const Table& table, const Params& given) {
  const char* kernel = table.rows.front().kernel;
  return "Printed: " + params_in_words(kernel, table.params) +
         ". Here: " + params_in_words(kernel, given) + ".";
}

std::string published_text(const Table& table, const std::vector<PublishedRow>& rows,
                           const Params& given, size_t width) {
  std::string text = paragraph(std::string(table.id) + ": " + table.title + ".", width, 0);
  if (!given.empty()) text += paragraph(sizes_text(table, given), width, 0);
  std::vector<std::vector<std::string>> cells;
  std::string notes, missing;
  for (const PublishedRow& row : rows) {
    const bool here = row.source != Source::missing;
    const QualityCheck* check = here ? row.series->quality() : nullptr;
    cells.push_back({row.row->title, row.row->machine,
                     row.row->printed_ns ? format_time_ns(*row.row->printed_ns) : "",
                     rate_text(row.printed_flop_per_s), here ? format_time_ns(row.time_ns) : kNone,
                     half_width(row), here ? rate_text(row.flop_per_s) : "",
                     check != nullptr ? format_scientific(check->nmse) + " ✓" : "",
                     how_column(row)});
    if (here && !row.note.empty()) {
      notes += paragraph(fmt::format("{}: {}", row.row->title, row.note), width, 2);
    }
    if (here) continue;
    const std::string brings = row.brings.empty() ? "" : ". It takes " + row.brings;
    missing += paragraph(std::string(row.row->title) + ": " + row.note + brings, width, 2);
  }
  text += "\n" + app::table({"row", "printed for", "printed", "that is", "here", "95 %", "that is",
                             "error", "how"},
                            cells);
  if (!notes.empty()) text += "\nnot measured at this size on this machine\n" + notes;
  if (!missing.empty()) text += "\nmissing here\n" + missing;
  text += "\nwhat the table teaches about figures\n";
  int number = 0;
  for (const TableLesson& lesson : table.lessons) {
    text += paragraph(fmt::format("{}. {}. {}", ++number, lesson.title, lesson.text), width, 2);
  }
  return text;
}

Json published_json(const Table& table, const std::vector<PublishedRow>& rows) {
  Json list = Json::array(), lessons = Json::array();
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const PublishedRow& row : rows) {
    const bool here = row.source != Source::missing;
    list.push_back({{"title", row.row->title},
                    {"machine", row.row->machine},
                    {"kernel", row.row->kernel},
                    {"params", params_to_json(row.params)},
                    {"printed_ns", number(row.row->printed_ns)},
                    {"printed_flop_per_s", number(row.printed_flop_per_s)},
                    {"source", name_of(row.source)},
                    {"time_ns", here ? Json(row.time_ns) : Json(nullptr)},
                    {"ci_low_ns", row.ci_ns ? Json(row.ci_ns->low) : Json(nullptr)},
                    {"ci_high_ns", row.ci_ns ? Json(row.ci_ns->high) : Json(nullptr)},
                    {"flop_per_s", number(row.flop_per_s)},
                    {"note", row.note},
                    {"brings", row.brings}});
  }
  for (const TableLesson& lesson : table.lessons) {
    lessons.push_back({{"title", lesson.title}, {"text", lesson.text}});
  }
  return {{"id", table.id}, {"title", table.title}, {"rows", list}, {"lessons", lessons}};
}

Result<const Table*> require_table(const Lab& lab, const std::string& id) {
  std::vector<std::string> known;
  for (const Table& table : lab.tables) {
    if (table.id == id) return &table;
    known.emplace_back(table.id);
  }
  return Error{ErrorCode::usage, "there is no table '" + id + "'", "lab " + std::string(lab.id),
               known.empty() ? "this lab has none" : name_hint(id, known)};
}

}  // namespace ridge::app
