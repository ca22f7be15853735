#include "app/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "app/query/selection.h"
#include "common/core/hash.h"
#include "common/record/params.h"

namespace ridge::sweep {
namespace {

/// How often the grid is to be measured and its settings, without the repeat.
std::string settings_text(const Grid& grid) {
  std::string text = to_string(grid.mode) + " " + to_string(grid.cache);
  if (grid.limit_s) text += fmt::format(" limit={}s", *grid.limit_s);
  if (grid.warmup_s) text += fmt::format(" warmup={}s", *grid.warmup_s);
  if (!grid.energy) text += " no energy";
  if (grid.device != 0) text += fmt::format(" device={}", grid.device);
  return text;
}

WorkRequest request_of(const Grid& grid, KernelRequest kernel) {
  WorkRequest request;
  request.type = RequestType::run;
  request.lab = grid.lab;
  request.kernels.push_back(std::move(kernel));
  request.mode = grid.mode;
  request.cache = grid.cache;
  request.limit_s = grid.limit_s;
  request.warmup_s = grid.warmup_s;
  request.energy = grid.energy;
  request.device = grid.device;
  return request;
}

/// The combinations of all values, the last parameter's changing fastest.
std::vector<Params> combinations(const Grid& grid) {
  std::vector<Params> all(1);
  for (const auto& [name, values] : grid.set) {
    std::vector<Params> more;
    more.reserve(all.size() * values.size());
    for (const Params& one : all) {
      for (const ParamValue& value : values) {
        more.push_back(one);
        more.back()[name] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

Error too_many_points(double count, const std::string& place) {
  return app::bad_file(fmt::format("the sweep has {:.0f} points or more", count), place,
                       fmt::format("give at most {}, or several files", kMostPoints));
}

/// The points of one grid, without repeats.
Result<std::vector<Point>> points_of(const Grid& grid, const std::string& place,
                                     const Run& catalogue) {
  const auto lab = app::require_lab(grid.lab);
  if (!lab) return app::at_place(lab.error(), place);
  double count = double(grid.repeats) * double(std::max<size_t>(1, grid.rungs.size()));
  for (const auto& [name, values] : grid.set) count *= double(values.size());
  if (count > double(kMostPoints)) return too_many_points(count, place);
  const std::string settings = settings_text(grid);
  std::vector<Point> points;
  for (const Params& params : combinations(grid)) {
    auto selected = app::select_rungs(**lab, catalogue, grid.rungs, params);
    if (!selected) return app::at_place(selected.error(), place);
    for (KernelRequest& kernel : selected->kernels) {
      std::string key =
          fmt::format("{} {} {} {}", grid.lab, kernel.kernel, to_string(kernel.params), settings);
      points.push_back({std::move(key), request_of(grid, std::move(kernel))});
    }
  }
  return points;
}

}  // namespace

std::string Plan::fingerprint() const {
  uint64_t hash = kHashOfNothing;
  for (const Point& point : points) hash = fnv1a(point.key + "\n", hash);
  return fmt::format("{:016x}", hash);
}

Result<Plan> make_plan(const std::vector<Grid>& grids, const std::string& path,
                       const Run& catalogue) {
  std::vector<std::vector<Point>> once;
  int64_t repeats = 0;
  for (size_t i = 0; i < grids.size(); ++i) {
    RIDGE_TRY(std::vector<Point> points,
              points_of(grids[i], grid_place(path, i, grids[i]), catalogue));
    once.push_back(std::move(points));
    repeats = std::max(repeats, grids[i].repeats);
  }
  Plan plan;
  std::set<std::string> known;
  for (int64_t repeat = 1; repeat <= repeats; ++repeat) {
    for (size_t i = 0; i < grids.size(); ++i) {
      if (repeat > grids[i].repeats) continue;
      for (const Point& point : once[i]) {
        Point one = {fmt::format("{} #{}", point.key, repeat), point.request};
        if (!known.insert(one.key).second) continue;
        one.request.point = one.key;
        const std::string& kernel = one.request.kernels.front().kernel;
        if (const KernelInfo* info = catalogue.kernel(kernel)) plan.hashes[kernel] = info->hash;
        plan.points.push_back(std::move(one));
        if (plan.points.size() > kMostPoints)
          return too_many_points(double(plan.points.size()), path);
      }
    }
  }
  return plan;
}

Result<Share> parse_share(const std::string& text) {
  Share share;
  int end = 0;
  const bool is_share =
      std::sscanf(text.c_str(), "%zu/%zu%n", &share.number, &share.of, &end) == 2 &&
      size_t(end) == text.size() && text.find('-') == std::string::npos;
  if (is_share && share.number >= 1 && share.number <= share.of && share.of <= kMostPoints)
    return share;
  return Error{ErrorCode::usage, "'" + text + "' is no share", "--share",
               "write K/N with K from 1 to N, as in --share 2/8"};
}

}  // namespace ridge::sweep
