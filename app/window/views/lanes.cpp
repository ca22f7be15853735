#include "app/window/views/lanes.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"

namespace ridge::window {
namespace {

using chart::Role;

constexpr const char* kCores = "core_busy";
constexpr Lane kLanes[] = {
    {"process_cpus", "this run, others", false, "CPUs", 1, 0, Role::series0, "foreign_cpus"},
    {kCores, "each core", false, "", 1, 4, Role::series0},
    {"package_power_w", "package power", false, "W", 1, 2, Role::series2},
    {"battery_power_w", "battery power", false, "W", 1, 2, Role::series2},
    {"process_memory_bytes", "worker memory", false, "B", 1, 6, Role::series1},
    {"gpu_busy", "busy", true, "", 1, 3, Role::series0},
    {"power_w", "power", true, "W", 1, 1, Role::series2},
    {"sm_clock_hz", "SM clock", true, "Hz", 1, 1, Role::faster},
    {"temp_c", "temperature", true, "°C", 1, 5, Role::series1},
    {"gpu_memory_bytes", "memory", true, "B", 1, 7, Role::series1},
};

bool is_read(std::span<const TelemetryPoint> points, const char* name) {
  return std::any_of(points.begin(), points.end(), [&](const TelemetryPoint& point) {
    return std::isfinite(reading_of(point, name));
  });
}

}  // namespace

double reading_of(const TelemetryPoint& point, const char* name) {
  if (std::string_view(name) == kCores) {
    double sum = 0;
    for (const double busy : point.core_busy) sum += busy;
    return point.core_busy.empty() ? NAN : sum / static_cast<double>(point.core_busy.size());
  }
  const auto found = point.values.find(name);
  return found == point.values.end() ? NAN : found->second;
}

LaneView lane_view(std::span<const TelemetryPoint> points, double window_s) {
  LaneView view;
  if (points.empty()) return view;
  view.end_s = points.back().t_s;
  if (window_s > 0) {
    const auto first = std::find_if(points.begin(), points.end(), [&](const TelemetryPoint& p) {
      return p.t_s >= view.end_s - window_s;
    });
    points = points.subspan(static_cast<size_t>(first - points.begin()));
  }
  view.points = points;
  view.begin_s = points.front().t_s;
  for (const Lane& lane : kLanes) {
    if (!is_read(points, lane.name)) continue;
    view.lanes.push_back(lane);
    view.has_gpu |= lane.gpu;
  }
  return view;
}

void keep_lanes(LaneView* view, size_t most) {
  while (view->lanes.size() > most) {
    view->lanes.erase(
        std::max_element(view->lanes.begin(), view->lanes.end(),
                         [](const Lane& a, const Lane& b) { return a.rank < b.rank; }));
  }
}

double mean_of(const LaneView& view, const char* name) {
  double sum = 0;
  int count = 0;
  for (const TelemetryPoint& point : view.points) {
    const double value = reading_of(point, name);
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

std::string lane_text(const Lane& lane, double value) {
  if (!std::isfinite(value)) return kNone;
  const std::string unit = lane.unit;
  if (unit.empty()) return format_share(value);
  if (unit == "B") return format_bytes(value);
  // Prefixes are for physical units; half a CPU is not 500 mCPUs.
  if (unit == "CPUs" || unit == "°C") return format_number(value, 2) + " " + unit;
  return format_quantity(value, unit);
}

std::string describe(const TelemetryPoint& point, double begin_s) {
  std::string text = "at " + format_number(point.t_s - begin_s) + " s";
  const auto add = [&](const std::string& label, const std::string& value) {
    text += "\n" + label + "  " + value;
  };
  for (const Lane& lane : kLanes) {
    const double value = reading_of(point, lane.name);
    const std::string group = lane.gpu ? "GPU " : "";
    if (lane.beside != nullptr && std::isfinite(value)) {
      add("CPUs of this run", format_number(value, 2));
      add("CPUs of others", format_number(reading_of(point, lane.beside), 2));
    } else if (std::isfinite(value)) {
      add(group + (lane.name == kCores ? "mean of the cores" : lane.label), lane_text(lane, value));
    }
  }
  if (const double busy = reading_of(point, "gpu_memory_busy"); std::isfinite(busy))
    add("GPU memory busy", format_share(busy));
  if (const double clock = reading_of(point, "memory_clock_hz"); std::isfinite(clock))
    add("GPU memory clock", format_quantity(clock, "Hz"));
  for (const std::string& reason : point.throttle) add("clock held down by", reason);
  return text;
}

const TelemetryPoint* nearest(const LaneView& view, double t_s) {
  const TelemetryPoint* found = nullptr;
  for (const TelemetryPoint& point : view.points) {
    if (!found || std::fabs(point.t_s - t_s) < std::fabs(found->t_s - t_s)) found = &point;
  }
  return found;
}

}  // namespace ridge::window
