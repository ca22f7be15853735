#include "app/query/reporting.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "app/query/decode.h"
#include "app/query/editing.h"
#include "app/query/faster.h"
#include "app/query/model_pairs.h"
#include "app/query/networks.h"
#include "app/query/published.h"
#include "app/query/selection.h"
#include "app/query/workload.h"
#include "common/core/format.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/chart/score.h"
#include "common/view/chart/serving.h"
#include "common/view/report/format.h"

namespace ridge::app {
namespace fs = std::filesystem;

namespace {

std::string edit_of(std::string_view kernel) {
  return std::string(kernel) + std::string(kEditSuffix);
}

}  // namespace

Titles titles_of(const Lab& lab) {
  Titles titles;
  for (const Rung& rung : lab.rungs) {
    titles[rung.kernel] = rung.title;
    titles[edit_of(rung.kernel)] = edit_title(edit_of(rung.kernel));
  }
  for (const Exercise& one : known_exercises()) {
    if (one.lab == lab.id) titles[edit_of(one.kernel)] = edit_title(edit_of(one.kernel));
  }
  return titles;
}

namespace {

report::Options options_of(const Lab& lab) {
  report::Options options;
  options.lab_title = lab.title;
  options.about = lab.goal;
  options.quality_limit = lab.quality_limit;
  for (const auto& [dtype, words] : lab.type_limits) options.type_limits[dtype] = words;
  if (lab.quality_metric != kErrorMetric) options.quality_metric = lab.quality_metric;
  options.items = lab.items;
  for (const auto& [family, items] : lab.items_of) options.items_of[std::string(family)] = items;
  options.per_item = lab.per_item;
  options.param_titles = param_titles(lab);
  options.scaling = lab.scaling;
  options.data_set = lab.data_set;
  options.titles = titles_of(lab);
  options.levers = levers_of(lab);
  options.ladder_after = [&lab](const std::string& kernel, const Params& params) {
    return ladder_after(lab, kernel, params);
  };
  options.why_no_step = why_no_step;
  for (const Rung& rung : lab.rungs) {
    options.order.emplace_back(rung.kernel);
    if (const Rung* before = previous_rung(lab, rung))
      options.previous[rung.kernel] = before->kernel;
    options.previous[edit_of(rung.kernel)] = rung.kernel;
    if (rung.peer) options.peers[rung.kernel] = rung.change;
  }
  for (const Exercise& one : known_exercises()) {
    if (one.lab == lab.id) options.previous[edit_of(one.kernel)] = one.after;
  }
  return options;
}

}  // namespace

/// Of the program's own labs they are made once: a class of runs, or the window, asks often.
report::Options report_options(const Lab& lab) {
  static const std::map<const Lab*, report::Options> kOwn = [] {
    std::map<const Lab*, report::Options> own;
    for (const Lab* one : all_labs()) own.emplace(one, options_of(*one));
    return own;
  }();
  const auto own = kOwn.find(&lab);
  return own != kOwn.end() ? own->second : options_of(lab);
}

namespace {

using Source = PublishedRow::Source;

/// What was set on top of the table's parameters, read back from what the request asked for.
Params given_of(const Table& table, const Run& run, int64_t request) {
  Params given;
  for (const auto& [name, printed] : table.params) {
    for (const TableRow& row : table.rows) {
      if (row.params.count(name) > 0 || given.count(name) > 0) continue;
      for (const Series& series : run.series()) {
        if (series.request != request || series.kernel != row.kernel) continue;
        const Params asked = asked_params(series);
        const auto found = asked.find(name);
        if (found != asked.end() && found->second != printed) given[name] = found->second;
      }
    }
  }
  // Rows of the same rung in another type are other rows.
  given.erase("dtype");
  return given;
}

std::string how(const PublishedRow& row) {
  if (row.source != Source::measured) return row.note;
  return with_stale("measured", row.series->stale, ", ");
}

std::vector<std::string> cells_of(const PublishedRow& row) {
  std::vector<std::string> cells = {row.row->title, row.row->machine,
                                    row.row->printed_ns ? format_time_ns(*row.row->printed_ns) : "",
                                    rate_text(row.printed_flop_per_s)};
  if (row.source == Source::missing) {
    cells.push_back("unavailable: " + row.note);
  } else {
    const QualityCheck* check = row.series->quality();
    const std::string error = check ? format_scientific(check->nmse) : "";
    for (const std::string& cell : {format_time_ns(row.time_ns), format_time_interval(row.ci_ns),
                                    rate_text(row.flop_per_s), error, how(row)}) {
      cells.push_back(cell);
    }
  }
  return cells;
}

report::Section table_section(const Table& table, const std::vector<PublishedRow>& rows,
                              const Params& given) {
  report::Section section{.id = "table-" + std::string(table.id),
                          .title = "A published table, run again"};
  section.paragraphs.push_back(std::string(table.id) + ": " + table.title + ".");
  if (!given.empty()) section.paragraphs.push_back(sizes_text(table, given));
  section.table = report::Table{.columns = {"Row", "Printed for", "Printed", "That is", "Here",
                                            "95 % interval", "That is", "Error, NMSE", "How"}};
  for (const PublishedRow& row : rows) {
    section.table->rows.push_back(cells_of(row));
    section.table->rows.back().resize(section.table->columns.size());
    if (row.source == Source::missing && !row.brings.empty())
      section.bullets.push_back(std::string(row.row->title) + " takes " + row.brings + ".");
  }
  return section;
}

/// The newest with a start and a number of items, and for the rest with `others`, where that is known.
const Series* newest(const Run& run, const char* kernel, const Params& wanted,
                     const Params* others) {
  const auto& all = run.series();
  const auto has = [](const Series& series, const Params& params) {
    return std::all_of(params.begin(), params.end(), [&](const auto& item) {
      const auto at = series.params.find(item.first);
      return at == series.params.end() || at->second == item.second;
    });
  };
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
    return series.kernel == std::string_view(kernel) && series.cache == CacheMode::hot &&
           (series.stats || series.status == SeriesStatus::failed) && has(series, wanted) &&
           (!others || has(series, *others));
  });
  return found == all.rend() ? nullptr : &*found;
}

Params with(Params params, const Params& more) {
  for (const auto& [name, value] : more) params[name] = value;
  return params;
}

/// A network as the run has it: of the first of its rungs with a result, all with one model.
struct NetworkResult {
  chart::ScoreSeries series;
  const char* kernel = nullptr;
  Params params;  ///< of the model
};

NetworkResult result_of(const Run& run, const Lab& lab, const Network& network) {
  const ScoreCard& card = *lab.score_card;
  NetworkResult result;
  result.series.has_features = network.from_features.has_value();
  result.series.has_raw = network.from_raw.has_value();
  const std::optional<Params> single = single_start(network);
  for (const char* kernel : network.kernels) {
    const auto take = [&](const std::optional<Params>& start,
                          const Params& items) -> const Series* {
      if (!start) return nullptr;
      const Params wanted = with(*start, items);
      const Series* found = newest(run, kernel, wanted, result.kernel ? &result.params : nullptr);
      if (!found || result.kernel) return found;
      result.kernel = kernel;
      result.params = found->params;
      for (const Params* own : {&*start, &items})
        for (const auto& [name, value] : *own) result.params.erase(name);
      return found;
    };
    result.series.raw = take(network.from_raw, card.many);
    result.series.features = take(network.from_features, card.many);
    result.series.one = take(single, lab.one_item);
    if (result.kernel) return result;
  }
  return result;
}

/// The table that the run last filled in, and what it teaches; none where it ran none.
std::vector<report::Section> published_sections(const Lab& lab, const Run& run) {
  const auto& requests = run.requests();
  const auto asked = std::find_if(requests.rbegin(), requests.rend(), [&](const Request& request) {
    return request.lab == lab.id && !request.table.empty();
  });
  if (asked == requests.rend()) return {};
  const auto table = require_table(lab, asked->table);
  if (!table) return {};
  const Params given = given_of(**table, run, asked->id);
  std::vector<report::Section> sections;
  // Recordings stand in for nothing here: the report is of this run.
  sections.push_back(table_section(**table, fill_table(**table, run, asked->id, {}, given), given));
  report::Section lessons{.id = "calibration", .title = "What that table teaches about figures"};
  for (const TableLesson& lesson : (*table)->lessons)
    lessons.bullets.push_back(std::string(lesson.title) + ". " + lesson.text);
  sections.push_back(std::move(lessons));
  return sections;
}

/// The parts of a workload that this run timed; none where it timed fewer than two.
std::vector<report::Section> workload_section(const Workload& workload, const Table& table,
                                              const Run& run, const std::string& rung) {
  const auto filled = fill_table(table, run, 0, {}, {});
  const auto timed = std::count_if(filled.begin(), filled.end(), [](const PublishedRow& row) {
    return row.source != PublishedRow::Source::missing;
  });
  if (timed < 2) return {};
  const chart::WorkloadInput input = workload_input(workload, table, run, rung);
  report::Section section{.id = "workload-" + workload.id, .title = "Workload: " + workload.title};
  section.chart = chart::workload_chart(input);
  section.chart->id = section.id;
  section.paragraphs = {section.chart->subtitle + ". " + section.chart->summary};
  section.table =
      report::Table{.columns = section.chart->table.columns, .rows = section.chart->table.rows};
  section.table_behind = true;
  return {std::move(section)};
}

/// A lab's own workload with the rung that ran most of its parts, and of a model that was described both phases.
std::vector<report::Section> workload_sections(const Lab& lab, const Run& run) {
  std::vector<report::Section> sections;
  const auto add = [&](std::vector<report::Section> more) {
    for (report::Section& section : more) sections.push_back(std::move(section));
  };
  for (const Workload& workload : lab.workloads) {
    std::vector<report::Section> best;
    size_t most = 0;
    for (const Rung& rung : lab.rungs) {
      const Series* latest = rung.wrong ? nullptr : run.latest(rung.kernel);
      if (!latest) continue;
      const Table table = workload_table(workload, rung.kernel, latest->params);
      const auto made = workload_section(workload, table, run, rung.title);
      if (made.empty()) continue;
      const auto& rows = made.front().table->rows;
      const auto timed =
          static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const auto& row) {
            return !row[3].starts_with("unavail");
          }));
      if (timed > most) most = timed, best = made;
    }
    add(std::move(best));
  }
  const auto& requests = run.requests();
  const auto described = std::find_if(requests.rbegin(), requests.rend(), [&](const Request& one) {
    return one.lab == lab.id && !one.model.empty();
  });
  if (!lab.serves_model || described == requests.rend()) return sections;
  const ModelShape shape = model_shape(described->model);
  Params other;
  for (const Series& series : run.series()) {
    const auto threads = series.params.find("threads");
    if (series.request == described->id && threads != series.params.end()) other.insert(*threads);
  }
  for (const Workload& workload : model_workloads(shape, model_rungs(shape, other, run)))
    add(workload_section(workload, workload_table(workload, "", other), run, "the rungs named"));
  return sections;
}

/// The queue last served before each rung.
std::vector<report::Section> serving_sections(const Lab& lab, const Run& run) {
  std::vector<report::Section> sections;
  for (const Rung& rung : lab.rungs) {
    const Serving* last = nullptr;
    for (const Serving& one : run.servings()) {
      if (one.kernel == rung.kernel) last = &one;
    }
    if (!last) continue;
    const std::string number = sections.empty() ? "" : "-" + std::to_string(sections.size() + 1);
    report::Section section{.id = "queue" + number,
                            .title = std::string("Queue before ") + rung.title};
    section.paragraphs = {
        chart::serving_text(*last),
        "Requests come at random (Poisson, seeded); each step is a real call with "
        "as many keys as each request has by then. Prompts are in the cache."};
    section.chart = chart::serving_chart(last);
    section.chart->id = section.id;
    section.table =
        report::Table{.columns = section.chart->table.columns, .rows = section.chart->table.rows};
    section.table_behind = true;
    sections.push_back(std::move(section));
  }
  return sections;
}

/// A column for each network and a row for each fact: of facts there are more, and a sheet of paper is narrow.
report::Table turned(const chart::ChartTable& table) {
  report::Table made{.columns = {table.columns.front()}, .rows = {}};
  for (const auto& row : table.rows) made.columns.push_back(row.front());
  for (size_t i = 1; i < table.columns.size(); ++i) {
    made.rows.push_back({table.columns[i]});
    for (const auto& row : table.rows) made.rows.back().push_back(row[i]);
  }
  return made;
}

}  // namespace

std::vector<report::Section> score_sections(const Lab& lab, const Run& run) {
  if (!lab.score_card) return {};
  const chart::ScoreOptions options = score_options(lab);
  std::vector<chart::ScoreRow> rows;
  for (const Network& network : lab.score_card->networks) {
    const NetworkResult result = result_of(run, lab, network);
    chart::ScoreRow row{.label = network.title};
    if (const auto rung = find_rung(lab, result.kernel ? result.kernel : ""))
      row.sublabel = (*rung)->title;
    fill_arithmetic(network, result.kernel ? &result.params : nullptr, "not measured yet", &row);
    chart::fill_score(result.series, options, &row);
    rows.push_back(std::move(row));
  }
  // One network of an ordinary run is no card of networks side by side.
  const auto measured = std::count_if(rows.begin(), rows.end(), [](const chart::ScoreRow& row) {
    return row.features_per_s.value || row.raw_per_s.value || row.latency_s.value;
  });
  if (measured < 2) return {};
  report::Section section{.id = "score-card", .title = "Score card"};
  section.paragraphs = {
      "Networks that do one task, each at its newest parameters in this run. " +
          std::string("What was not measured says so."),
      "≈ marks an accuracy that this test set cannot tell apart from the highest: the "
      "networks answered the same items, and only items that one of two gets right count "
      "(McNemar's exact test; the error of 5 % is shared by all pairs)."};
  std::string devices = "Model bytes, working memory and operations are arithmetic, of one " +
                        std::string(lab.score_card->item) + ".";
  for (const Microcontroller& part : kMicrocontrollers)
    devices +=
        fmt::format(" {}: {}, {} of flash, {} of RAM ({}).", part.name, part.core,
                    format_bytes(part.flash_bytes), format_bytes(part.ram_bytes), part.source);
  section.paragraphs.push_back(devices + " A program needs some of both beside its model.");
  section.chart = chart::score_chart(rows, options);
  section.table = turned(section.chart->table);
  return {std::move(section)};
}

report::Options report_options(const Lab& lab, const Run& run) {
  report::Options options = report_options(lab);
  options.lab = lab.id;
  options.sections = published_sections(lab, run);
  for (report::Section& section : score_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : model_pair_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : decode_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : workload_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : serving_sections(lab, run))
    options.sections.push_back(std::move(section));
  return options;
}

report::Options report_options(const Run& run) {
  const Lab* lab = nullptr;
  for (const Series& series : run.series()) {
    if (const Lab* found = find_lab(series.lab)) lab = found;
  }
  for (const Serving& one : run.servings()) {
    if (lab == nullptr) lab = lab_and_rung(one.kernel).first;  // queues have no series
  }
  return lab ? report_options(*lab, run) : report::Options();
}

Result<void> write_run_report(const Run& run, const std::string& name, const std::string& path) {
  const report::Input input{&run, name};
  RIDGE_TRY(const report::Report report, report::build_report({&input, 1}, report_options(run)));
  return report::write_report(report, path);
}

std::string report_root() {
  for (const char* name : {"XDG_DOCUMENTS_DIR", "HOME"}) {
    const char* folder = std::getenv(name);
    if (folder && *folder) return (fs::path(folder) / "ridgepoint-reports").string();
  }
  return "ridgepoint-reports";
}

Result<std::string> make_report_folder(const std::string& root, const std::string& lab) {
  const std::string name = fmt::format("{}-{:%Y%m%d-%H%M%S}", lab, fmt::gmtime(std::time(nullptr)));
  fs::path folder = fs::path(root) / name;
  std::error_code failed;
  for (int i = 2; fs::exists(folder, failed) && i < 100; ++i) {
    folder = fs::path(root) / fmt::format("{}-{}", name, i);
  }
  fs::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::cannot_write, "the folder could not be made (" + failed.message() + ")",
                 folder.string(), "make it writable, or set XDG_DOCUMENTS_DIR to one that is"};
  }
  return folder.string();
}

}  // namespace ridge::app
