#include "app/sweep/sweep_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/query/selection.h"
#include "common/core/nearest.h"
#include "common/record/command.h"
#include "common/record/json.h"
#include "common/record/params.h"

namespace ridge::sweep {
namespace {

using app::bad_file;
using app::shown;

constexpr app::ListFile kSweeps = {"sweep", "grids", "grid",
                                   "write {\"grids\": [{\"lab\": ..., \"set\": {...}}]}"};
constexpr size_t kLongestGridName = 100;
constexpr const char* kWantedValues =
    "a value, a list, a text as \"1..8\", or {\"from\": 64, \"to\": 4096, \"times\": 2}";

bool is_seconds(const Json& value) {
  return value.is_number() && value.get<double>() >= 0.0001 && value.get<double>() <= 86400;
}

// ---- the values of a parameter -------------------------------------------------------------------

std::optional<int64_t> whole(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_number_integer()) return std::nullopt;
  return field->get<int64_t>();
}

/// {"from": 64, "to": 4096, "step": 64}, or "times" in place of "step"; neither: each whole number. Empty: it is no range.
std::vector<ParamValue> values_of_range(const Json& range) {
  const auto from = whole(range, "from"), to = whole(range, "to");
  const auto step = whole(range, "step"), times = whole(range, "times");
  const size_t known = 2 + step.has_value() + times.has_value();
  if (!from || !to || range.size() != known || (step && times)) return {};
  if (*from > *to || *to > (int64_t{1} << 40) || *from < 0) return {};
  if (step.value_or(1) < 1 || times.value_or(2) < 2 || (times && *from == 0)) return {};
  std::vector<ParamValue> values;
  for (int64_t at = *from; at <= *to && values.size() <= kMostPoints;
       at = times ? at * *times : at + step.value_or(1)) {
    if (times && at > (*to / *times)) {
      values.emplace_back(at);
      break;
    }
    values.emplace_back(at);
  }
  return values;
}

Result<std::vector<ParamValue>> values_of_text(const std::string& name, const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return app::listed_values(name, text, kMostPoints);
}

Result<std::vector<ParamValue>> values_of(const std::string& name, const Json& value,
                                          const std::string& place) {
  const std::string said = name + " is " + shown(value);
  if (value.is_object()) {
    auto values = values_of_range(value);
    if (!values.empty()) return values;
    return bad_file(said, place, std::string("give ") + kWantedValues);
  }
  if (value.is_array() && value.empty())
    return bad_file(name + " has no values", place, "list one at least, or leave it out");
  const Json list = value.is_array() ? value : Json::array({value});
  std::vector<ParamValue> all;
  for (const Json& one : list) {
    if (!one.is_number() && !one.is_string())
      return bad_file(said, place, std::string("give ") + kWantedValues);
    auto some = values_of_text(name, one);
    if (!some) return app::at_place(some.error(), place);
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

// ---- one grid ------------------------------------------------------------------------------------

std::string take_rungs(const Json& value, Grid* grid) {
  constexpr const char* kWanted = "a list of rungs: [\"naive_o3\", \"loop_order\"]";
  if (!value.is_array() || value.empty()) return kWanted;
  for (const Json& one : value) {
    if (!one.is_string()) return kWanted;
    grid->rungs.push_back(one.get<std::string>());
  }
  return "";
}

template <class Enum>
std::string take_choice(const Json& value, Enum first, Enum second, Enum* to) {
  const auto named = value.is_string() ? value_named<Enum>(value.get<std::string>()) : std::nullopt;
  if (!named || (*named != first && *named != second))
    return "\"" + to_string(first) + "\" or \"" + to_string(second) + "\"";
  *to = *named;
  return "";
}

std::string take_text(const Json& value, std::string* to) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return "a text";
  *to = one_line(value.get<std::string>(), kLongestGridName);
  return "";
}

std::string take_seconds(const Json& value, std::optional<double>* to) {
  if (!is_seconds(value)) return "a number of seconds from 0.0001 to 86400";
  *to = value.get<double>();
  return "";
}

std::string take_whole(const Json& value, int64_t low, int64_t high, int64_t* to) {
  const bool fits = value.is_number_integer() && value.get<double>() >= double(low) &&
                    value.get<double>() <= double(high);
  if (!fits) return fmt::format("a whole number from {} to {}", low, high);
  *to = value.get<int64_t>();
  return "";
}

/// What a field takes, and where it goes.
struct GridField {
  const char* name;
  std::string (*take)(const Json& value, Grid* grid);  ///< empty, or what the value should be
};

constexpr GridField kGridFields[] = {
    {"name", [](const Json& value, Grid* grid) { return take_text(value, &grid->name); }},
    {"lab", [](const Json& value, Grid* grid) { return take_text(value, &grid->lab); }},
    {"rungs", take_rungs},
    {"set",
     [](const Json& value, Grid*) {
       return std::string(value.is_object() ? "" : "parameters: {\"n\": [64, 128]}");
     }},
    {"repeats",
     [](const Json& value, Grid* grid) {
       return take_whole(value, 1, int64_t(kMostPoints), &grid->repeats);
     }},
    {"mode",
     [](const Json& value, Grid* grid) {
       return take_choice(value, RunMode::measure, RunMode::live, &grid->mode);
     }},
    {"cache",
     [](const Json& value, Grid* grid) {
       return take_choice(value, CacheMode::hot, CacheMode::cold, &grid->cache);
     }},
    {"limit_s", [](const Json& value, Grid* grid) { return take_seconds(value, &grid->limit_s); }},
    {"warmup_s",
     [](const Json& value, Grid* grid) { return take_seconds(value, &grid->warmup_s); }},
    {"energy",
     [](const Json& value, Grid* grid) {
       if (!value.is_boolean()) return std::string("true or false");
       grid->energy = value.get<bool>();
       return std::string();
     }},
    {"device",
     [](const Json& value, Grid* grid) {
       int64_t device = 0;
       const std::string wanted = take_whole(value, 0, 1023, &device);
       grid->device = static_cast<int>(device);
       return wanted;
     }},
};

Result<const GridField*> find_grid_field(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const GridField& field : kGridFields) {
    if (name == field.name) return &field;
    names.emplace_back(field.name);
  }
  return bad_file("'" + one_line(name, 40) + "' is no field of a grid", place,
                  name_hint(name, names));
}

Result<Grid> read_grid(const Json& entry, const std::string& path, size_t index) {
  Grid grid;
  if (!entry.is_object()) {
    return bad_file(shown(entry) + " is no grid", grid_place(path, index, grid),
                    "write an object, {\"lab\": ...}");
  }
  grid.name = one_line(text_field(entry, "name"), kLongestGridName);
  const std::string place = grid_place(path, index, grid);
  for (const auto& [name, value] : entry.items()) {
    RIDGE_TRY(const GridField* field, find_grid_field(name, place));
    const std::string wanted = field->take(value, &grid);
    if (!wanted.empty()) return bad_file(name + " is " + shown(value), place, "give " + wanted);
  }
  if (grid.lab.empty()) return bad_file("it names no lab", place, "add \"lab\": \"gemm\"");
  if (const Json* set = object_field(entry, "set")) {
    for (const auto& [name, value] : set->items()) {
      RIDGE_TRY(grid.set[name], values_of(name, value, place));
    }
  }
  return grid;
}

}  // namespace

std::string grid_place(const std::string& path, size_t index, const Grid& grid) {
  return app::place_of(kSweeps, path, index, grid.name);
}

Result<std::vector<Grid>> read_sweep_file(const std::string& path) {
  RIDGE_TRY(const Json list, app::read_list_file(kSweeps, path));
  std::vector<Grid> grids;
  for (size_t i = 0; i < list.size(); ++i) {
    RIDGE_TRY(Grid grid, read_grid(list[i], path, i));
    grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace ridge::sweep
