// ridgepoint inspect KERNEL: the inside of a model as text, or what it makes of a test input; of a rung of matrices its
// walk through memory; of a GPU rung with a stamped copy the lanes of its warps.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/lanes_text.h"
#include "app/query/networks.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"

namespace ridge::app {
namespace {

struct InspectOptions {
  std::string kernel, out;
  std::vector<std::string> set;
  std::optional<int64_t> input, unit, place, first, count;
  bool wrong = false, machine_caches = false, trains = false;
};

/// Rows of characters, two a cell, from the scale's low end to its high one.
std::string picture(const InspectionPlane& plane) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  std::string text = fmt::format("\n{}: {}\n", plane.group, plane.name);
  for (int i = 0; i < plane.rows * plane.columns && !plane.values.empty(); ++i) {
    const double share =
        double(plane.values[static_cast<size_t>(i)] - plane.low) / double(plane.high - plane.low);
    const auto shade = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * 9.999);
    text += std::string(2, kShades[std::min(shade, kShades.size() - 1)]);
    if ((i + 1) % plane.columns == 0) text += "\n";
  }
  for (const PlaneMark& mark : plane.marks) text += "  " + mark.label + "\n";
  return text;
}

std::string scores(const Inspection& found) {
  std::string text;
  for (size_t c = 0; c < found.scores.size() && c < found.classes.size(); ++c) {
    const double share = found.score_most > 0 ? found.scores[c] / found.score_most : 0;
    const std::string bar(static_cast<size_t>(std::clamp(share, 0.0, 1.0) * 40 + 0.5), '#');
    const auto is = [&](const std::optional<int64_t>& one) { return one == int64_t(c); };
    text += fmt::format("{:>12} {:>6} {:<40} {}{}\n", found.classes[c], found.scores[c], bar,
                        is(found.prediction) ? "<- prediction" : "",
                        is(found.label) ? " (labelled so)" : "");
  }
  return text;
}

/// A character a line of memory, a fold of it to a row: which cache holds it in the middle of the walk.
std::string walk_picture(const WalkPlane& plane, const WalkLine* lines) {
  constexpr int64_t kMostRows = 24, kMostColumns = 96;
  constexpr std::string_view kPlaces = ".+#";
  const int64_t across = std::clamp<int64_t>(plane.columns / plane.elements, 1, kMostColumns);
  const int64_t rows = (plane.lines + across - 1) / across;
  const int64_t step = (rows + kMostRows - 1) / kMostRows;  // every so many rows one
  std::string text = fmt::format("\n{}, {} x {}{}\n", plane.name, plane.rows, plane.columns,
                                 step > 1 ? fmt::format(", every {}. row", step) : "");
  for (int64_t row = 0; row < rows; row += step) {
    text += "  ";
    for (int64_t at = row * across; at < std::min((row + 1) * across, plane.lines); ++at) {
      const WalkLine& line = lines[at];
      const char place = kPlaces[static_cast<size_t>(line.place)];
      text += std::string(2, line.touch == WalkTouch::none ? place : '@');
    }
    text += "\n";
  }
  return text;
}

std::string walk_text(const Walk& walk) {
  std::string text = fmt::format(
      "{} loads and {} stores in the order in which the source makes them; {} more to the stack "
      "and "
      "the plan\n",
      walk.reads, walk.writes, walk.elsewhere);
  text += fmt::format("{:.3g} bytes asked of L1 for each FLOP\n", walk.asked_per_flop());
  text += fmt::format("caches: a model, {}\n", walk.caches_are);
  for (size_t i = 0; i < walk.caches.size(); ++i) {
    const WalkCache& cache = walk.caches[i];
    text += fmt::format(
        "{} {:>9}, {:>2} ways: {:>9} lines missed, {:.3g} bytes from {} for each FLOP\n",
        cache.name, format_bytes(double(cache.bytes)), cache.ways, cache.missed,
        walk.bytes_per_flop(i), i + 1 == walk.caches.size() ? "memory" : "L2");
  }
  int64_t all = 0;
  for (const WalkPlane& plane : walk.planes) all += plane.lines;
  const size_t middle = walk.frames.size() / 2;
  const auto lines = decode_lines(walk.frames[middle].lines, all);
  text += fmt::format(
      "\nstep {} of {}, two characters a line of {} bytes: @ touched in this step, # in L1, + in "
      "L2, . in "
      "memory\n",
      middle + 1, walk.frames.size(), walk.line_bytes);
  const WalkLine* first = lines.data();
  for (const WalkPlane& plane : walk.planes) {
    text += walk_picture(plane, first);
    first += plane.lines;
  }
  return text;
}

std::string text_of(const Inspection& found) {
  std::string text =
      fmt::format("{}  {}\n{}{}\n", found.kernel, params_in_words(found.kernel, found.params),
                  found.data, found.note.empty() ? "" : ": " + found.note);
  if (found.input)
    text += fmt::format("{} {} of {}\n", found.input_name, *found.input, found.inputs);
  if (!found.scores.empty()) {
    text += fmt::format("{}, of {:g}\n{}", found.score, found.score_most, scores(found));
  }
  if (found.walk) text += walk_text(*found.walk);
  if (found.lanes) text += lanes_text(*found.lanes);
  if (found.call_ns) text += "one call of the definition: " + format_time_ns(*found.call_ns) + "\n";
  if (found.place) {
    text += fmt::format("{} {}s look at place {}\n", found.lookers.size(), found.unit_name,
                        *found.place);
  }
  for (const InspectionPlane& plane : found.planes) {
    if (plane.group != "votes") text += picture(plane);  // the scores are their sums
  }
  for (const auto& [group, why] : found.unavailable) text += group + " unavailable: " + why + "\n";
  return text;
}

/// The first that has this rung; null: none has.
const Lab* lab_of(const std::string& kernel) {
  for (const Lab* lab : all_labs()) {
    if (find_rung(*lab, kernel)) return lab;
  }
  return nullptr;
}

Result<Inspection> inspect(Driver& driver, const InspectOptions& options) {
  WorkRequest request;
  request.type = RequestType::inspect;
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(const std::string kernel, driver.find_kernel(options.kernel));
  request.kernels.push_back({kernel, given});
  request.inspect = {.input = options.input,
                     .bytes = {},
                     .wrong = options.wrong,
                     .unit = options.unit,
                     .place = options.place,
                     .first = options.first,
                     .count = options.count,
                     .machine_caches = options.machine_caches};
  if (const Lab* lab = lab_of(request.kernels.front().kernel)) request.lab = lab->id;
  int64_t id = 0;
  RIDGE_TRY_VOID(driver.carry_out(std::move(request), &id));
  const auto& all = driver.run().inspections();
  if (!all.empty() && all.back().request == id) return all.back();
  return Error{ErrorCode::worker, "the worker sent no inspection", options.kernel,
               "update the worker"};
}

/// What every network answers to the picture of `look`: the table that the window shows under it. Empty: the rung's lab has
/// no networks that answer, or nothing was picked.
Result<std::optional<AnswerTable>> answers(Driver& driver, const Inspection& look,
                                           const InspectOptions& options) {
  const InspectionPlane* picture = look.plane("image");
  const Lab* lab = lab_of(look.kernel);
  if (!picture || !lab || networks_of(*lab).empty()) return std::optional<AnswerTable>();
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY_VOID(driver.fetch_catalogue());
  const std::vector<uint8_t> input(picture->values.begin(), picture->values.end());
  const auto chosen = [&](const KernelInfo& info) {
    Params own;
    for (const auto& one : given) {  // as far as this network takes it
      const bool takes = std::any_of(info.params.begin(), info.params.end(),
                                     [&](const ParamSpec& spec) { return spec.name == one.first; });
      if (takes && resolve_params(info.params, {one}, info.family)) own.insert(one);
    }
    return own;
  };
  int64_t id = 0;
  RIDGE_TRY_VOID(
      driver.carry_out(answers_request(*lab, driver.run(), chosen, input, options.trains), &id));
  return std::optional(answer_table(*lab, driver.run(), input, look.classes, look.label));
}

std::string answers_text(const AnswerTable& asked) {
  return "\n" + table(asked.columns, asked.cells) + asked.summary +
         (asked.any_untrained ? " --train trains them first, once.\n" : "\n");
}

/// Of a GPU rung that cannot be stamped here the lanes that a recording holds; an error that stays one: none does.
Result<Inspection> recorded_look(const Error& error, const InspectOptions& options) {
  const std::string kernel = full_id(options.kernel);
  if (error.code != ErrorCode::unavailable || backend_of(kernel) != Backend::cuda) return error;
  std::vector<std::string> problems;
  const auto recordings = load_all_recordings(&problems);
  std::string machine;
  const Inspection* found = recorded_lanes(recordings, kernel, &machine);
  if (!found) {
    Error none = error;
    none.what += "; no recording holds stamps of it";
    return none;
  }
  Inspection look = *found;
  look.note = with_stale("recorded on " + machine, look.lanes->stale);
  return look;
}

int cmd_inspect(const CommonOptions& common, const InspectOptions& options) {
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  auto found = inspect(**driver, options);
  Result<std::optional<AnswerTable>> all = std::optional<AnswerTable>();
  if (found) all = answers(**driver, *found, options);
  const auto saved = (*driver)->close_file();
  if (!found) found = recorded_look(found.error(), options);
  if (!found) return fail(common, found.error());
  if (!saved) return fail(common, saved.error());
  if (!all) return fail(common, all.error());
  if (common.json) {
    Json document = {{"ridgepoint", 1}, {"inspection", Json(*found)}, {"answers", Json::array()}};
    for (const AnswerRow& row : *all ? (*all)->rows : std::vector<AnswerRow>())
      document["answers"].push_back({{"network", row.title},
                                     {"answer", row.answer ? Json(*row.answer) : Json()},
                                     {"energy_j", row.energy_j ? Json(*row.energy_j) : Json()},
                                     {"why", row.why}});
    print_json(document);
  } else {
    print(text_of(*found) + (*all ? answers_text(**all) : ""));
  }
  return 0;
}

Command setup_inspect(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<InspectOptions>();
  command.add_option("kernel", options->kernel, "a rung: weightless.cpu.naive")->required();
  command.add_option("--input", options->input, "an input of the test set, from 0");
  command.add_flag("--wrong", options->wrong, "the first input from there on that it gets wrong");
  command.add_flag("--train", options->trains,
                   "networks that are not trained yet are trained first, then they answer too");
  command.add_option("--unit", options->unit, "the LUT or RAM to show more of");
  command.add_option("--place", options->place, "a pixel: the LUTs or RAMs that read it");
  command.add_option("--first", options->first, "of a walk: the first access in view, from 0");
  command.add_option("--count", options->count, "and how many from there on");
  command.add_flag("--machine-caches", options->machine_caches,
                   "caches as large as this machine's, not scaled down to the matrices");
  one_at_a_time(command.add_option("--set", options->set, "a parameter: luts=500 (repeat)"));
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common] { return cmd_inspect(common, *options); };
}

RIDGE_COMMAND(inspect,
              .about = "look inside a model, a rung's walk through memory, or a GPU rung's warps",
              .group = CommandGroup::learn,
              .use =
                  "Looks inside: how a trained model decides on one input, how a rung walks "
                  "through memory, or what the warps of a GPU rung do.",
              .examples = {{"inspect gemm.cpu.loop_order --count 20",
                            "the first accesses of a rung, with the caches"},
                           {"inspect weightless.cpu.naive --input 17",
                            "how a model reads one picture"}},
              .place = 90, .level = Level::kLab, .schema = "", .setup = setup_inspect);

}  // namespace
}  // namespace ridge::app
