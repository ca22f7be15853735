#include "common/view/chart/size_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "common/core/format.h"
#include "common/record/compute_unit.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/view/chart/column_rows.h"
#include "common/view/chart/memory_end.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// The most lines that the eye follows, each with its name: of more, selection, baseline, the fastest of ours and the
/// fastest libraries. All others are thin and grey.
constexpr size_t kMostNamed = 8;

std::string value_text(double value, const std::string& unit) {
  if (unit == "B") return format_bytes(value);
  return unit == "s" ? format_time_ns(value * 1e9) : format_rate(value, unit);
}

/// Behind the value; memory is arithmetic and has none.
std::string spread_text(const Measured& point, const std::string& unit) {
  if (unit == "B") return "";
  if (unit != "s" || !point.rate_ci) return interval_text(point, unit.c_str());
  return ", 95 % interval " +
         format_time_interval(Interval{point.rate_ci->low * 1e9, point.rate_ci->high * 1e9});
}

/// What stands before the first comma: a guide's name where it has little room.
std::string head_of(const std::string& name) {
  return name.substr(0, name.find(", "));
}

/// "FMA fp32, 1 thread 215 GFLOP/s"; where another roof has the same head, what sets them apart stays in the short name.
void name_roofs(const std::vector<std::pair<std::string, std::string>>& names, Plot* plot) {
  const size_t first = plot->guides.size() - names.size();
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i].first;
    const auto same = std::count_if(names.begin(), names.end(), [&](const auto& other) {
      return head_of(other.first) == head_of(name);
    });
    std::string between = " ";
    if (const size_t comma = name.find(", "); same > 1 && comma != std::string::npos) {
      name.replace(comma, 2, " · ");
      between = ", ";
    }
    plot->guides[first + i].label = name + between + names[i].second;
  }
}

/// The ceilings that bound what is drawn, each once.
void add_roofs(const std::vector<Measured>& points, bool bandwidth, Plot* plot) {
  std::set<std::string> known;
  std::vector<std::pair<std::string, std::string>> names;  // with their values
  for (const Measured& point : points) {
    if (!point.entry.row->run) continue;
    const auto& ceilings = point.entry.row->run->ceilings();
    const std::optional<Ceiling> roof =
        bandwidth ? (point.entry.dram ? std::optional(*point.entry.dram) : std::nullopt)
                  : flop_ceiling(ceilings, *point.entry.series);
    if (!roof) continue;
    const std::string value = ceiling_text(*roof, roof->value) + of_machine(*point.entry.row);
    if (!known.insert(roof->name).second) continue;  // each recording of a machine has measured it
    names.emplace_back(roof->name, value);
    Guide guide{.kind = Guide::Kind::horizontal, .value = roof->value};
    guide.note = roof->name + " " + value + ", " + roof->source + " on the machine of these rungs.";
    guide.role = bandwidth ? Role::text : look_of_dtype(point.dtype).role;
    guide.dashed = true;
    plot->guides.push_back(guide);
  }
  name_roofs(names, plot);
}

std::string title_of(const std::string& param, const ParamTitles& titles) {
  const auto known = titles.find(param);
  return known == titles.end() ? param : known->second;
}

/// " · causal mask no": what has another value on another line of the rung.
std::string differing_values(const Measured& point, const std::vector<Measured>& points,
                             const std::vector<SizeLine>& lines, const ParamTitles& titles) {
  const Series& own = *point.entry.series;
  std::set<std::string> names;
  for (const SizeLine& line : lines) {
    const Series& other = *points[line.points.front()].entry.series;
    if (other.kernel != own.kernel) continue;
    names.merge(differing_beside_size(own.params, other.params, own.size_param));
  }
  std::string words;
  for (const std::string& name : names)
    words += " · " + title_of(name, titles) + " " + to_string(own.params.at(name));
  return words;
}

/// The rung, and as much as it takes to tell its lines apart.
std::string line_name(const Measured& point, const std::vector<Measured>& points,
                      const std::vector<SizeLine>& lines, bool several_threads,
                      const ParamTitles& titles) {
  std::string name = name_of(point);
  // A library's name alone says no type, where a rung's section does.
  const bool several_types = std::any_of(points.begin(), points.end(), [&](const Measured& other) {
    const bool counts =
        point.entry.row->is_peer || other.entry.series->kernel == point.entry.series->kernel;
    return counts && other.dtype != point.dtype;
  });
  if (several_types && name.find(point.dtype) == std::string::npos) name += " · " + point.dtype;
  if (several_threads && point.backend == Backend::cpu) {
    name += fmt::format(" · {} thread{}", point.threads, point.threads == 1 ? "" : "s");
  }
  return name + differing_values(point, points, lines, titles);
}

void add_line(const std::vector<Measured>& points, const SizeLine& line, const char* unit,
              Curve curve, ChartModel* model, Span* y) {
  std::vector<std::string> cells(model->table.columns.size(), kNone);
  cells[0] = curve.name;
  curve.line = true;
  const std::optional<size_t> at_size = point_at_size(points, line);
  for (const size_t index : line.points) {
    const Measured& point = points[index];
    const auto size = static_cast<double>(size_of(point));
    Datum datum = datum_for(point, size, point.rate);
    const bool no_room = did_not_fit(*point.entry.series);
    datum.hollow |= no_room;
    datum.strong = datum.strong && index == at_size;
    datum.interval = point.rate_ci;
    datum.value_text = value_text(point.rate, unit);
    datum.note = with_how(fmt::format("{} at {}: {}{}", curve.name, point.size_text,
                                      datum.value_text, spread_text(point, unit)),
                          point.entry) +
                 (no_room ? " and did not fit: " + point.entry.series->reason + "." : ".");
    model->summary += " " + datum.note;
    y->add(point.rate);
    const auto& ticks = model->plot->x.ticks;
    const auto at = std::find(ticks.begin(), ticks.end(), size) - ticks.begin();
    cells[static_cast<size_t>(at) + 1] = datum.value_text;
    curve.data.push_back(std::move(datum));
  }
  model->table.rows.push_back(std::move(cells));
  model->plot->curves.push_back(std::move(curve));
}

/// Which line keeps its name, the least first: 3 is that of a rung of ours that is nothing special.
int rank_of(const Curve& curve, const LadderRow& row, bool is_best) {
  const bool is_strong = std::any_of(curve.data.begin(), curve.data.end(),
                                     [](const Datum& datum) { return datum.strong; });
  if (is_strong || row.selected || row.is_baseline) return 0;
  if (is_best) return 1;
  return row.is_peer ? 2 : 3;
}

/// `rows`: of the curves. `is_less`: less is better, as of times.
void name_few(const std::vector<const LadderRow*>& rows, bool is_less, ChartModel* model) {
  auto& curves = model->plot->curves;
  const auto best_y = [&](size_t i) {
    double best = is_less ? INFINITY : 0;
    for (const Datum& datum : curves[i].data)
      best = is_less ? std::min(best, datum.y) : std::max(best, datum.y);
    return best;
  };
  const auto is_better = [&](size_t a, size_t b) {
    return is_less ? best_y(a) < best_y(b) : best_y(a) > best_y(b);
  };
  std::vector<size_t> order(curves.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), is_better);
  const auto best =
      std::find_if(order.begin(), order.end(), [&](size_t i) { return !rows[i]->is_peer; });
  const size_t best_own = best == order.end() ? curves.size() : *best;
  const auto rank = [&](size_t i) { return rank_of(curves[i], *rows[i], i == best_own); };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank(a) < rank(b); });
  size_t named = 0;
  for (const size_t at : order) {
    Curve& curve = curves[at];
    const bool may_stay = named < kMostNamed && rank(at) < 3;
    named += !curve.name.empty();
    if (may_stay) continue;
    curve.name.clear();
    curve.role = Role::muted;
    curve.quiet = true;
  }
  model->legend.push_back("thin, grey: other rungs, named by hovering");
}

/// Images are no columns of a matrix: of several kinds of size the selected rung's (the first one's otherwise). Returns
/// how many points have another.
size_t keep_one_size(std::vector<Measured>* points) {
  auto anchor = std::find_if(points->begin(), points->end(),
                             [](const Measured& point) { return point.entry.row->selected; });
  if (anchor == points->end()) anchor = points->begin();
  if (anchor == points->end()) return 0;
  const std::string param = anchor->entry.series->size_param;
  return std::erase_if(
      *points, [&](const Measured& point) { return point.entry.series->size_param != param; });
}

/// Everything that the chart is drawn from.
struct Content {
  std::vector<Measured> points;
  std::vector<SizeLine> lines;
  std::string param;  ///< the size's name
  const char* unit = "";
  size_t elsewhere = 0;   ///< results of another processor
  size_t otherwise = 0;   ///< results with another size than `param`
  size_t odd_shapes = 0;  ///< results off every line
};

Content content_of(std::span<const LadderRow> rows, const SizeCurveOptions& options) {
  Content made;
  const Counted counted = options.bandwidth      ? Counted::kBytes
                          : options.item.empty() ? Counted::kFlop
                                                 : Counted::kItemTime;
  made.unit = options.memory                  ? "B"
              : counted == Counted::kBytes    ? "B/s"
              : counted == Counted::kItemTime ? "s"
                                              : "FLOP/s";
  made.points = options.memory ? memory_points(rows) : measured_rows(rows, counted);
  std::erase_if(made.points, [&](const Measured& point) { return size_of(point) < 1; });
  made.elsewhere = keep_one_processor(&made.points);
  made.otherwise = keep_one_size(&made.points);
  if (made.points.empty()) return made;
  made.param = made.points.front().entry.series->size_param;
  made.lines = size_lines(made.points);
  made.odd_shapes = std::erase_if(made.lines, [](const SizeLine& line) { return line.is_odd; });
  made.lines = apart(std::move(made.lines), made.points);
  return made;
}

std::string why_empty(std::span<const LadderRow> rows, const SizeCurveOptions& options) {
  const bool counts_flop = !options.bandwidth && !options.memory && options.item.empty();
  const std::string why = counts_flop ? why_no_flop(rows) : "";
  return why.empty() ? "No rung here has a verified speed at any size yet: run the ladder." : why;
}

/// What the rows of one size are, and what would make a curve of them.
std::string one_size_text(const Content& content, const ParamTitles& titles) {
  const auto size =
      static_cast<double>(size_of(content.points[content.lines.front().points.front()]));
  return fmt::format("{} = {} alone: Sweep measures more sizes, and a line joins them",
                     title_of(content.param, titles), format_count(size));
}

/// The axes without the rates' range, and a column of the table for each size.
void set_sizes(const Content& content, const SizeCurveOptions& options, ChartModel* model) {
  std::set<double> sizes;
  for (const SizeLine& line : content.lines) {
    for (const size_t index : line.points)
      sizes.insert(static_cast<double>(size_of(content.points[index])));
  }
  Plot& plot = *model->plot;
  plot.name_ends = true;
  const std::string title = title_of(content.param, options.param_titles);
  plot.x = {.title = title == content.param ? "Size " + title : title, .scale = Scale::log};
  plot.x.ticks.assign(sizes.begin(), sizes.end());
  plot.x.low = *sizes.begin() / 1.15;
  plot.x.high = *sizes.rbegin() * 1.15;
  plot.y = {.title = options.memory          ? "Memory, buffers and workspace"
                     : options.bandwidth     ? "Memory bandwidth, lower bound"
                     : !options.item.empty() ? "Time per " + options.item
                                             : "Rate",
            .unit = content.unit,
            .scale = Scale::log};
  model->table.columns = {"Rung"};
  for (const double size : sizes)
    model->table.columns.push_back(content.param + " = " + format_count(size));
}

/// A point beside its rung's line has no name of its own, and its figure stands in the rung's row of the table.
void join_to_rung(ChartModel* model) {
  model->plot->curves.back().name.clear();
  auto& rows = model->table.rows;
  const std::vector<std::string> own = std::move(rows.back());
  rows.pop_back();
  const auto rung = std::find_if(rows.begin(), rows.end(),
                                 [&](const auto& row) { return row.front() == own.front(); });
  for (size_t i = 1; rung != rows.end() && i < own.size(); ++i) {
    if (own[i] != kNone) (*rung)[i] = own[i];
  }
}

/// Of sizes that stand almost on one place the axis names that of most results: 512, and not 508 beside it.
void thin_ticks(const Content& content, Axis* x) {
  std::map<double, size_t> results;
  for (const SizeLine& line : content.lines) {
    for (const size_t index : line.points) {
      // The size in view is named, however few have it.
      const Measured& point = content.points[index];
      results[static_cast<double>(size_of(point))] +=
          point.entry.row->at_size ? content.points.size() : 1;
    }
  }
  std::vector<double> kept;
  for (const double tick : x->ticks) {
    if (kept.empty() || !are_neighbours(kept.back(), tick))
      kept.push_back(tick);
    else if (results[tick] > results[kept.back()])
      kept.back() = tick;
  }
  x->ticks = std::move(kept);
}

/// Operations on integers are no FLOP.
void name_unit(const Content& content, Plot* plot) {
  if (std::string_view(content.unit) != "FLOP/s") return;
  const auto counts_flop = [&](const Measured& point) {
    return std::string_view(rate_unit(point.dtype)) == content.unit;
  };
  const auto integer = std::find_if_not(content.points.begin(), content.points.end(), counts_flop);
  if (integer == content.points.end()) return;
  if (std::none_of(content.points.begin(), content.points.end(), counts_flop))
    plot->y.unit = rate_unit(integer->dtype);
  else
    plot->y.title += " (of " + integer->dtype + ": " + rate_unit(integer->dtype) + ")";
}

void add_lines(const Content& content, const ParamTitles& titles, ChartModel* model, Span* y) {
  const std::vector<Measured>& points = content.points;
  const std::vector<SizeLine>& lines = content.lines;
  std::set<int> threads;
  for (const SizeLine& line : lines) {
    for (const size_t index : line.points) {
      if (points[index].backend == Backend::cpu) threads.insert(points[index].threads);
    }
  }
  std::vector<const LadderRow*> rows;
  const std::string_view unit = content.unit;
  const bool is_less = unit == "s" || unit == "B";
  for (const SizeLine& line : lines) {
    const Measured& first = points[line.points.front()];
    Curve curve = curve_for(first);
    curve.name = line_name(first, points, lines, threads.size() > 1, titles);
    curve.dashed = false;  // a dash is a ceiling's
    rows.push_back(first.entry.row);
    add_line(points, line, content.unit, std::move(curve), model, y);
    if (line.is_beside) join_to_rung(model);
  }
  // At one size there are no lines to follow, and each rung has a row.
  if (lines.size() > kMostNamed && model->plot->x.ticks.size() > 1) name_few(rows, is_less, model);
}

/// What colours and dashes mean, and what was left out.
void add_legend(const Content& content, const SizeCurveOptions& options, ChartModel* model) {
  const auto results = [](size_t count) {
    return fmt::format("{} result{}", count, count == 1 ? "" : "s");
  };
  put_legend(content.points, false, model);
  if (!model->plot->guides.empty() && !options.memory)
    model->legend.push_back("dashed: measured ceilings");
  if (content.odd_shapes > 0)
    model->legend.push_back(results(content.odd_shapes) + " at odd shapes left out");
  add_elsewhere(content.elsewhere, model);
  if (content.otherwise > 0)
    model->legend.push_back(results(content.otherwise) + " with another size than " +
                            title_of(content.param, options.param_titles) +
                            ": select one of those rungs");
}

}  // namespace

ChartModel size_curve_chart(std::span<const LadderRow> all, const SizeCurveOptions& options) {
  const std::vector<LadderRow> rows = with_marks(all);
  const Content content = content_of(rows, options);
  ChartModel model{.id = options.memory ? "memory" : "sizes", .title = options.title};
  model.plot = Plot{};
  Plot& plot = *model.plot;
  if (content.points.empty()) {
    plot.empty_reason = model.summary = why_empty(rows, options);
    return model;
  }
  name_machine(content.points, &model);
  set_sizes(content, options, &model);
  if (!options.memory && options.item.empty()) add_roofs(content.points, options.bandwidth, &plot);
  model.summary = fmt::format("{} against size, {} line{}.", plot.y.title, content.lines.size(),
                              content.lines.size() == 1 ? "" : "s");
  Span y;
  add_lines(content, options.param_titles, &model, &y);
  if (options.memory) {
    const bool gpu = content.points.front().backend == Backend::cuda;
    continue_to(gpu ? options.gpu_bytes : options.host_bytes, content.points, content.lines, &model,
                &y);
  }
  name_unit(content, &plot);
  for (const Guide& guide : plot.guides) y.add(guide.value);
  y.apply(&plot.y, 1.5, 1.5);
  add_legend(content, options, &model);
  if (plot.x.ticks.size() == 1) {
    model.legend.insert(model.legend.begin(), one_size_text(content, options.param_titles));
    put_in_rows(options.memory          ? "memory"
                : options.bandwidth     ? "memory_bandwidth"
                : !options.item.empty() ? "time_per_call"
                                        : "throughput",
                &model);
  } else {
    thin_ticks(content, &plot.x);
  }
  return model;
}

}  // namespace ridge::chart
