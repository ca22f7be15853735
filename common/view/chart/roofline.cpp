#include "common/view/chart/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/record/compute_unit.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

/// A ceiling that is not to be believed is shown as such: no share is computed from it.
std::string doubt_of(const Ceiling& roof) {
  return roof.doubt.empty() ? "" : ", in doubt";
}

using namespace parts;

constexpr const char* kIntensityUnit = "FLOP/B";

double intensity(const Measured& point) {
  const Series& series = *point.entry.series;
  return series.bytes_min > 0 ? series.flop / series.bytes_min : NAN;
}

std::string intensity_text(double value) {
  return format_number(value) + " " + kIntensityUnit;
}

struct Roofs {
  std::vector<const Ceiling*> flop, bytes;
};

/// The latest of each name; a ceiling of a resource that is neither (a launch) is no roof.
Roofs roofs_of(const std::vector<Ceiling>& ceilings, const OpenEnum<Backend>& backend) {
  Roofs roofs;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.backend != backend || !(ceiling.value > 0) || !std::isfinite(ceiling.value))
      continue;
    const bool is_flop = ceiling.resource == "flop";
    if (!is_flop && ceiling.unit != "B/s") continue;
    auto& kind = is_flop ? roofs.flop : roofs.bytes;
    std::erase_if(kind, [&](const Ceiling* known) { return known->name == ceiling.name; });
    kind.push_back(&ceiling);
  }
  auto higher = [](const Ceiling* a, const Ceiling* b) { return a->value > b->value; };
  std::stable_sort(roofs.flop.begin(), roofs.flop.end(), higher);
  std::stable_sort(roofs.bytes.begin(), roofs.bytes.end(), higher);
  return roofs;
}

/// Of the machine of all points: a recording of its fp32 rungs and one of its bf16 rungs have each measured their own. Where
/// both have one, that of the selected rung's counts, at the size in view.
std::vector<Ceiling> ceilings_of(const std::vector<Measured>& points) {
  std::vector<const Run*> all;
  const Run* shown = nullptr;
  for (const Measured& point : points) {
    const LadderRow& row = *point.entry.row;
    if (!row.run) continue;
    if (std::find(all.begin(), all.end(), row.run) == all.end()) all.push_back(row.run);
    if (row.selected && (row.at_size || !shown)) shown = row.run;
  }
  if (const auto known = std::find(all.begin(), all.end(), shown); known != all.end())
    std::rotate(known, known + 1, all.end());  // the last of a name stands
  std::vector<Ceiling> merged;
  for (const Run* one : all)
    merged.insert(merged.end(), one->ceilings().begin(), one->ceilings().end());
  return merged;
}

/// The level that a FLOP roof's ridge point is counted from: memory, as many threads.
const Ceiling* memory_of(const std::vector<Ceiling>& ceilings, const OpenEnum<Backend>& backend,
                         int threads) {
  const Ceiling* read = find_ceiling(ceilings, backend, "dram_read", "", threads);
  return read ? read : find_ceiling(ceilings, backend, "dram_copy", "", threads);
}

/// The level that the point's bytes are counted from, as derive() has it: a GPU's L2 where hot data stay in it.
const Ceiling* memory_of(const Measured& point, const std::vector<Ceiling>& ceilings) {
  const bool is_in_l2 = point.backend == Backend::cuda &&
                        point.entry.row->run &&
                        stays_cached(*point.entry.series, point.entry.row->run->environment());
  const Ceiling* l2 =
      is_in_l2 ? find_ceiling(ceilings, point.backend, "l2_read", "", point.threads) : nullptr;
  return l2 ? l2 : memory_of(ceilings, point.backend, point.threads);
}

bool is_dram(const Ceiling& roof) {
  return roof.resource == "dram_read" || roof.resource == "dram_copy";
}

/// As memory_of(), in doubt or not: where two lines meet is seen, whatever they are worth.
const Ceiling* memory_line(const Roofs& roofs, const Ceiling& flop) {
  const Ceiling* found = nullptr;
  for (const Ceiling* roof : roofs.bytes) {
    if (!is_dram(*roof) || roof->threads != flop.threads) continue;
    if (!found || roof->resource == "dram_read") found = roof;
  }
  return found;
}

/// What the machine allows at the point's intensity; 0: not known.
double roof_above(const Measured& point, double* share) {
  const std::vector<Ceiling>& ceilings = point.entry.row->run->ceilings();
  const auto flop = flop_ceiling(ceilings, *point.entry.series);
  const Ceiling* memory = memory_of(point, ceilings);
  double roof = INFINITY;
  if (flop) roof = flop->value;
  if (memory) roof = std::min(roof, memory->value * intensity(point));
  if (!std::isfinite(roof)) return 0;
  *share = point.rate / roof;
  return roof;
}

/// Beyond noise: a share of it would say nothing.
bool is_above(double share) {
  return share > 1.05;
}

std::string roofline_note(const Measured& point) {
  std::string note =
      fmt::format("{}{}{}: {} at {}{}", point.entry.row->label, point.size_text.empty() ? "" : ", ",
                  point.size_text, format_rate(point.rate, rate_unit(point.dtype)),
                  intensity_text(intensity(point)), interval_text(point, rate_unit(point.dtype)));
  double share = 0;
  if (point.entry.row->run && roof_above(point, &share) > 0) {
    note += is_above(share)
                ? "; above what compute and memory allow there"
                : fmt::format("; {} of what compute and memory allow there", format_share(share));
    if (point.entry.derived.above_compute)
      note += ": it does fewer operations than are counted, or in other units";
  }
  return with_how(note, point.entry) + ".";
}

/// Whether a rung shown here ran on as many threads (and, for a rate, at that type).
bool is_used(const Ceiling& roof, std::span<const Measured> points) {
  return std::any_of(points.begin(), points.end(), [&](const Measured& point) {
    return (roof.backend != Backend::cpu || point.threads == roof.threads) &&
           (roof.resource != "flop" || compute_unit(*point.entry.series).dtype == roof.dtype);
  });
}

/// Reading and copying are two roofs of one memory; ridge points and shares are counted from one of them.
bool has_other_dram(const Roofs& roofs, const Ceiling* counted) {
  return std::any_of(roofs.bytes.begin(), roofs.bytes.end(), [&](const Ceiling* roof) {
    return roof != counted && is_dram(*roof) && roof->threads == counted->threads;
  });
}

/// A bandwidth is a roof up to the highest rate of as many threads; of one in doubt only where all are.
double highest_of(const Roofs& roofs, int threads) {
  double believed = 0, any = 0;
  for (const Ceiling* flop : roofs.flop) {
    if (flop->threads != threads) continue;
    any = std::max(any, flop->value);
    if (flop->doubt.empty()) believed = std::max(believed, flop->value);
  }
  return believed > 0 ? believed : any;
}

void add_roofs(const std::vector<Ceiling>& ceilings, const Roofs& roofs,
               const std::vector<Measured>& points, Plot* plot) {
  const auto selected = std::find_if(points.begin(), points.end(), [](const Measured& point) {
    return point.entry.row->selected;
  });
  const Measured* anchor = selected == points.end() ? &points.front() : &*selected;
  const Ceiling* counted = memory_of(*anchor, ceilings);
  for (const Ceiling* roof : roofs.bytes) {
    const double highest = highest_of(roofs, roof->threads);
    Guide guide{.kind = Guide::Kind::slope, .value = roof->value, .role = Role::text};
    if (highest > 0) guide.to = highest / roof->value;
    const bool is_other_dram = counted && roof != counted && is_dram(*roof);
    guide.label = roof->name + " " + format_rate(roof->value, "B/s") +
                  (roof->resource == "dram_copy" ? ", read + written" : "") + doubt_of(*roof);
    guide.note =
        fmt::format("{}, {}: {}.", guide.label, ceiling_source(*roof),
                    !roof->doubt.empty() ? roof->doubt
                    : is_other_dram ? "shown beside the roof that counts here, " + counted->name
                                    : "left of its ridge point memory is the limit");
    if (roof == counted && has_other_dram(roofs, counted)) guide.label += ": counts here";
    guide.dashed = roof->source != "measured" || !roof->doubt.empty();
    guide.quiet = is_other_dram || !is_used(*roof, points) || !roof->doubt.empty();
    plot->guides.push_back(guide);
  }
  // All ridge points are marked; the one that matters to the selection is carried down to the axis.
  Curve ridges{.name = "ridge points", .role = Role::text, .marker = Marker::diamond};
  for (const Ceiling* roof : roofs.flop) {
    const bool is_counted =
        counted && counted->backend == roof->backend && counted->threads == roof->threads;
    const Ceiling* memory =
        is_counted ? counted : memory_of(ceilings, roof->backend, roof->threads);
    Guide guide{.kind = Guide::Kind::horizontal, .value = roof->value};
    guide.role = look_of_dtype(roof->dtype).role;
    guide.label = roof->name + " " + ceiling_text(*roof, roof->value) + doubt_of(*roof);
    guide.note = fmt::format("{}, {}{}.", guide.label, ceiling_source(*roof),
                             roof->doubt.empty() ? "" : ": " + roof->doubt);
    guide.dashed = roof->source != "measured" || !roof->doubt.empty();
    const bool other_threads = std::none_of(points.begin(), points.end(), [&](const Measured& p) {
      return roof->backend != Backend::cpu || p.threads == roof->threads;
    });
    guide.quiet = other_threads || !roof->doubt.empty();
    if (memory && roof->doubt.empty()) {
      const double at = roof->value / memory->value;
      guide.from = at;
      Datum ridge{.x = at, .y = roof->value, .hollow = true};
      ridge.value_text = "Ridge point " + intensity_text(at);
      ridge.note = fmt::format("Left of {} a kernel is limited by {}, right of it by {}.",
                               intensity_text(at), memory->name, roof->name);
      if (!other_threads) ridges.data.push_back(ridge);
      if (is_used(*roof, {anchor, 1})) {
        Guide drop{.kind = Guide::Kind::vertical, .value = at, .to = roof->value};
        drop.role = Role::muted;
        drop.dashed = true;
        drop.label = "ridge " + intensity_text(at) + " of " + memory->name;
        plot->guides.push_back(drop);
      }
    }
    plot->guides.push_back(guide);
  }
  plot->curves.push_back(ridges);
}

void set_ranges(const std::vector<Measured>& points, const Roofs& roofs, Plot* plot) {
  Span x, y;
  for (const Measured& point : points) {
    x.add(intensity(point));
    y.add(point.rate);
  }
  const Span measured = x;
  for (const Curve& curve : plot->curves) {
    if (curve.line) continue;
    for (const Datum& datum : curve.data) x.add(datum.x);
  }
  for (const Ceiling* roof : roofs.flop) {
    y.add(roof->value);
    // Where the roofs of these rungs meet is what a roofline is for.
    const Ceiling* memory = memory_line(roofs, *roof);
    if (memory && is_used(*roof, points)) x.add(roof->value / memory->value);
  }
  for (const Guide& guide : plot->guides) {
    if (guide.kind == Guide::Kind::slope && guide.to) x.add(*guide.to);
  }
  plot->x = {.title = "Arithmetic intensity, of the least bytes (what must move)",
             .unit = kIntensityUnit,
             .scale = Scale::log};
  plot->y = {.title = "Rate", .unit = "FLOP/s", .scale = Scale::log};
  // The slopes need a good decade left of the ridge to be seen as slopes.
  x.add(measured.low);
  x.apply(&plot->x, 12, 6);  // and the level roofs a name's length right of it
  y.apply(&plot->y, 2, 3.5);
}

void add_rungs(const std::vector<Measured>& points, ChartModel* model) {
  const bool by_type = has_several_types(points);
  for (const SizeLine& line : apart(size_lines(points), points)) {
    Curve curve = curve_for(points[line.points.front()], by_type);
    curve.line = line.points.size() > 1;
    const std::optional<size_t> at_size = point_at_size(points, line);
    for (const size_t index : line.points) {
      const Measured& point = points[index];
      Datum datum = datum_for(point, intensity(point), point.rate);
      datum.interval = point.rate_ci;
      datum.hollow = datum.hollow || !point.entry.row->at_size;
      const bool is_named = index == at_size.value_or(line.points.back());
      if (line.is_beside)
        datum.label = point.size_text;
      else if (is_named && !line.is_odd)
        datum.label = point.entry.row->at_size ? curve.name : curve.name + ", " + point.size_text;
      datum.strong = datum.strong && index == at_size && !line.is_odd;
      datum.value_text = format_rate(point.rate, rate_unit(point.dtype));
      datum.note = roofline_note(point);
      model->summary += " " + datum.note;
      double share = 0;
      const double roof = point.entry.row->run ? roof_above(point, &share) : 0;
      model->table.rows.push_back(
          {curve.name, point.size_text, point.dtype, intensity_text(intensity(point)),
           format_rate(point.rate, rate_unit(point.dtype)),
           point.rate_ci ? format_rate_interval(point.rate_ci, rate_unit(point.dtype)) : kNone,
           roof > 0 ? format_rate(roof, rate_unit(point.dtype)) : kNone,
           roof <= 0         ? kNone
           : is_above(share) ? "above it"
                             : format_share(share)});
      curve.data.push_back(std::move(datum));
    }
    model->plot->curves.push_back(std::move(curve));
  }
}

/// What stands above a roof that is not its own must say so: "3xTF32: its unit's roof, tf32, was not measured".
void name_missing_roofs(const std::vector<Measured>& points, ChartModel* model) {
  std::map<std::string, std::string> rungs;  // by type of the unit
  for (const Measured& point : points) {
    const LadderRow& row = *point.entry.row;
    const ComputeUnit unit = compute_unit(*point.entry.series);
    if (!row.at_size || !row.run || known_flop_ceiling(row.run->ceilings(), *point.entry.series))
      continue;
    std::string& names = rungs[unit.dtype];
    names += (names.empty() ? "" : ", ") + row.label;
  }
  for (const auto& [dtype, names] : rungs)
    model->legend.push_back(names + ": no roof of its unit, " + dtype + ", was measured");
}

/// A selected rung without a point: why, and where it stands.
void say_selected_without_flop(std::span<const LadderRow> rows, const std::vector<Measured>& points,
                               ChartModel* model) {
  const auto selected = std::find_if(rows.begin(), rows.end(), [](const LadderRow& row) {
    return row.selected && row.series && row.series->stats && !(row.series->flop > 0);
  });
  const bool has_point = std::any_of(points.begin(), points.end(), [](const Measured& point) {
    return point.entry.row->selected;
  });
  if (selected == rows.end() || has_point) return;
  model->legend.insert(
      model->legend.begin(),
      "“" + selected->label +
          "” counts no FLOP, so it has no point here: Bandwidth and Sizes have it");
}

constexpr const char* kOneIntensity =
    "one column: at one size every rung computes the same from the same least bytes, so only its "
    "rate differs";

/// Its points at sizes that are not in view are hollow: which rung they are of, and at which sizes.
void say_other_sizes(const std::vector<Measured>& points, ChartModel* model) {
  constexpr size_t kFew = 4;
  std::string rung, sizes;
  size_t count = 0;
  for (const Measured& point : points) {
    if (point.entry.row->at_size) continue;
    rung = point.entry.row->label;
    if (++count <= kFew) sizes += (sizes.empty() ? "" : "; ") + point.size_text;
  }
  if (count == 0) return;
  if (count > kFew) sizes += fmt::format("; {} more", count - kFew);
  model->legend.insert(
      model->legend.begin(),
      fmt::format("hollow: “{}” at another size than the chosen one ({})", rung, sizes));
}

/// Of the rungs at the size in view; the selected one's other sizes stand beside the column.
bool have_one_intensity(const std::vector<Measured>& points) {
  constexpr double kSame = 1.01;
  double low = INFINITY, high = 0;
  int count = 0;
  for (const Measured& point : points) {
    if (!point.entry.row->at_size) continue;
    low = std::min(low, intensity(point));
    high = std::max(high, intensity(point));
    ++count;
  }
  return count > 2 && high < low * kSame;
}

}  // namespace

ChartModel roofline_chart(std::span<const LadderRow> all, const std::string& title) {
  const std::vector<LadderRow> rows = with_marks(all);
  ChartModel model{.id = "roofline", .title = title};
  model.plot = Plot{};
  model.table.columns = {"Rung", "Size",          "Type",          "Intensity",
                         "Rate", "95 % interval", "Roof above it", "Share of it"};
  std::vector<Measured> points = measured_rows(rows, Counted::kFlop);
  std::erase_if(points, [](const Measured& point) { return !std::isfinite(intensity(point)); });
  const size_t elsewhere = keep_selected_processor(&points, rows);
  if (points.empty()) {
    model.plot->empty_reason =
        elsewhere == 0 ? "No rung here has a verified speed, FLOP and bytes yet: run the ladder."
                       : fmt::format(
                             "No rung of the selected one's processor has FLOP and bytes. "
                             "Select one of the {} of another processor that have.",
                             elsewhere);
    if (const std::string why = why_no_flop(rows); elsewhere == 0 && !why.empty())
      model.plot->empty_reason = why;
    model.summary = model.plot->empty_reason;
    return model;
  }
  const LadderRow& first = *points.front().entry.row;
  const std::vector<Ceiling> ceilings = ceilings_of(points);
  name_machine(points, &model);
  const Roofs roofs = roofs_of(ceilings, points.front().backend);
  model.summary = fmt::format("Roofline with {} points.", points.size());
  add_roofs(ceilings, roofs, points, &*model.plot);
  for (const Guide& guide : model.plot->guides) {
    if (!guide.note.empty()) model.summary += " Roof: " + guide.note;
  }
  add_rungs(points, &model);
  set_ranges(points, roofs, &*model.plot);
  put_legend(points, true, &model);
  say_hovering(&model);
  if (!roofs.flop.empty() || !roofs.bytes.empty()) {
    model.legend.insert(model.legend.begin(), first.origin.empty()
                                                  ? "lines: ceilings measured on the same machine"
                                                  : "lines: ceilings recorded on " + first.origin);
  } else {
    model.legend.push_back("no ceilings were measured in this run, so there are no roofs");
  }
  say_other_sizes(points, &model);
  say_selected_without_flop(rows, points, &model);
  if (!roofs.flop.empty()) name_missing_roofs(points, &model);
  if (have_one_intensity(points)) model.legend.push_back(kOneIntensity);
  add_elsewhere(elsewhere, &model);
  return model;
}

}  // namespace ridge::chart
