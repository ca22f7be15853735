// ridgepoint model: tokens a second of a transformer that is described, in both of its phases.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/decode.h"
#include "app/query/model_pairs.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct ModelOptions {
  ModelShape shape;
  std::string run;  ///< of all types: a saved run to take the figures from, instead of measuring
  std::string out;
  int64_t threads = 1;
  std::string baseline,
      candidate;  ///< of a comparison of two: what each changes in the description
  bool is_pair = false;
  std::optional<double> limit_s;
  bool sustained = true;
};

struct Phase {
  chart::WorkloadInput input;
  chart::ChartModel chart;
  std::optional<double> floor_s;
};

Phase filled(const Workload& workload, const Table& table, const Run& run) {
  Phase phase;
  phase.input = workload_input(workload, table, run, "the rungs named");
  phase.floor_s = memory_floor_s(phase.input.rows, run, table);
  phase.chart = chart::workload_chart(phase.input);
  return phase;
}

Json json_of(const Workload& workload, const Phase& phase) {
  Json rows = Json::array();
  double time_s = 0;
  bool complete = true;
  for (size_t i = 0; i < phase.input.rows.size(); ++i) {
    const chart::WorkloadRow& row = phase.input.rows[i];
    complete = complete && row.time_s;
    time_s += row.time_s.value_or(0);
    rows.push_back({{"part", row.label},
                    {"kernel", workload.parts[i].kernel},
                    {"params", params_to_json(workload.parts[i].params)},
                    {"calls", workload.parts[i].calls},
                    {"flop", row.flop},
                    {"bytes", row.bytes},
                    {"time_s", row.time_s ? Json(*row.time_s) : Json(nullptr)},
                    {"how", row.time_s ? row.how : row.why}});
  }
  return {{"phase", workload.id},
          {"tokens", workload.tokens},
          {"time_s", complete ? Json(time_s) : Json(nullptr)},
          {"tokens_per_s", complete ? Json(workload.tokens / time_s) : Json(nullptr)},
          {"memory_floor_s", phase.floor_s ? Json(*phase.floor_s) : Json(nullptr)},
          {"binds", phase.input.binds},
          {"parts", rows}};
}

/// Every type of weights: measured here, else from a saved run or from what was recorded elsewhere.
Result<Decode> decode_all(const CommonOptions& common, const ModelOptions& options) {
  const Params other = {{"threads", options.threads}};
  const auto recordings = load_all_recordings(nullptr);
  if (!options.run.empty()) {
    RIDGE_TRY(const Run saved, load_saved(options.run));
    return fill_decode(options.shape, other, from_saved(saved, recordings));
  }
  RIDGE_TRY(const auto driver, Driver::start(common, options.out));
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  WorkRequest request = decode_request(options.shape, other, driver->run());
  Result<void> done;
  if (!request.kernels.empty()) {
    int64_t id = 0;
    done = driver->carry_out(std::move(request), &id);
  }
  RIDGE_TRY_VOID(driver->close_file());
  if (!done) return done.error();
  return fill_decode(options.shape, other, {&driver->run(), recordings, ""});
}

int show_all(const CommonOptions& common, const ModelOptions& options) {
  const auto decode = decode_all(common, options);
  if (!decode) return fail(common, decode.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"decode", decode_json(*decode)}});
  else
    print(decode_text(*decode));
  const auto& types = decode->types;
  const bool any = std::any_of(types.begin(), types.end(),
                               [](const DecodeWith& with) { return with.row.step_s.has_value(); });
  return any ? 0 : static_cast<int>(ErrorCode::unavailable);
}

// ---- two of them ---------------------------------------------------------------------------------

struct MeasuredPair {
  std::unique_ptr<Driver> driver;
  std::vector<ModelPhase> phases;
};

/// A part that cannot be compared leaves the others; a cancel and a lost worker end it.
Result<void> measure_parts(Driver* driver, const ModelOptions& options,
                           std::vector<WorkRequest> requests) {
  for (size_t i = 0; i < requests.size(); ++i) {
    WorkRequest& request = requests[i];
    const bool is_pair = request.type == RequestType::compare;
    if (is_pair) {
      request.limit_s = options.limit_s;
      request.sustained = options.sustained;
      complain(fmt::format("part {} of {}: {} against {} at {}", i + 1, requests.size(),
                           request.kernels[1].kernel, request.kernels[0].kernel,
                           params_in_words(request.kernels[0].kernel, request.kernels[0].params)));
    }
    int64_t id = 0;
    const auto done = driver->carry_out(std::move(request), &id);
    if (done) continue;
    const auto code = done.error().code;
    if (code == ErrorCode::cancelled || code == ErrorCode::worker) return done;
  }
  return {};
}

Result<MeasuredPair> compare_models(const CommonOptions& common, const ModelOptions& options) {
  MeasuredPair pair;
  RIDGE_TRY(pair.driver, Driver::start(common, options.out));
  RIDGE_TRY_VOID(pair.driver->fetch_catalogue());
  const Run& run = pair.driver->run();
  const ModelSide described{
      .shape = options.shape, .other = {{"threads", options.threads}}, .rungs = {}};
  RIDGE_TRY(const ModelSide baseline, model_side(described, options.baseline, run));
  RIDGE_TRY(const ModelSide candidate, model_side(described, options.candidate, run));
  pair.phases = model_phases(baseline, candidate, run);
  auto requests = model_requests(baseline, candidate, pair.phases);
  const auto measured = measure_parts(pair.driver.get(), options, std::move(requests));
  RIDGE_TRY_VOID(pair.driver->close_file());
  RIDGE_TRY_VOID(measured);
  fill_phases(run, &pair.phases);
  return pair;
}

int show_pair(const CommonOptions& common, const ModelOptions& options) {
  const auto pair = compare_models(common, options);
  if (!pair) return fail(common, pair.error());
  Json list = Json::array();
  int worst = 0;
  for (const ModelPhase& phase : pair->phases) {
    worst = std::max(worst, exit_code_of(phase.judged ? phase.judged->verdict : Verdict::invalid));
    if (common.json)
      list.push_back(phase_json(phase));
    else
      print(phase_text(phase));
  }
  if (common.json) print_json({{"ridgepoint", 1}, {"models", list}});
  return worst;
}

/// What is wrong with the description; nothing: empty.
std::optional<Error> error_in(const ModelOptions& options) {
  const ModelShape& shape = options.shape;
  if (shape.heads % shape.heads_kv != 0) {
    return Error{
        ErrorCode::usage,
        fmt::format("{} heads of keys do not divide {} of queries", shape.heads_kv, shape.heads),
        "--heads-kv", "each head of keys serves as many heads of queries"};
  }
  const bool few_rows = shape.dtype == "all" || (find_decode_type(shape.dtype) &&
                                                 shape.dtype != "fp32" && shape.dtype != "bf16");
  if (few_rows && !why_not_decode(shape).empty()) {
    return Error{ErrorCode::usage, why_not_decode(shape), "--dtype " + shape.dtype,
                 "choose heads, --d and --inner so that 128 divides heads x d and inner"};
  }
  if (options.is_pair && (options.baseline.empty() || options.candidate.empty())) {
    return Error{ErrorCode::usage, "a baseline and a candidate are needed", "model",
                 "give both, each with what it changes: --baseline dtype=fp32 --candidate "
                 "dtype=int8"};
  }
  if (options.is_pair && (shape.dtype == "all" || !options.run.empty())) {
    return Error{ErrorCode::usage, "two models are measured, each with one type of weights",
                 "model", "leave out RUN and --dtype all"};
  }
  if (!options.run.empty() && shape.dtype != "all") {
    return Error{ErrorCode::usage, "a saved run stands in for measuring every type only",
                 options.run, "add --dtype all, or leave it out"};
  }
  return {};
}

int cmd_model(const CommonOptions& common, const ModelOptions& options) {
  const ModelShape& shape = options.shape;
  if (const auto error = error_in(options)) return fail(common, *error);
  if (options.is_pair) return show_pair(common, options);
  if (shape.dtype == "all") return show_all(common, options);
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  if (const auto listed = (*driver)->fetch_catalogue(); !listed)
    return fail(common, listed.error());
  const Params other = {{"threads", options.threads}};
  const auto workloads = model_workloads(shape, model_rungs(shape, other, (*driver)->run()));
  WorkRequest request;
  request.type = RequestType::run, request.lab = "attention", request.mode = RunMode::live,
  request.energy = false, request.model = to_params(shape);
  std::vector<Table> tables;
  for (const Workload& workload : workloads) {
    tables.push_back(workload_table(workload, "", other));
    for (auto& one : workload_requests(tables.back())) request.kernels.push_back(std::move(one));
  }
  int64_t id = 0;
  const auto done = (*driver)->carry_out(std::move(request), &id);
  const auto saved = (*driver)->close_file();
  if (!done) return fail(common, done.error());
  if (!saved) return fail(common, saved.error());
  Json list = Json::array();
  for (size_t i = 0; i < workloads.size(); ++i) {
    const Phase phase = filled(workloads[i], tables[i], (*driver)->run());
    if (common.json)
      list.push_back(json_of(workloads[i], phase));
    else
      print(model_text(phase.chart));
  }
  if (common.json) print_json({{"ridgepoint", 1}, {"model", list}});
  return 0;
}

Command setup_model(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ModelOptions>();
  ridge::ModelShape& shape = options->shape;
  const auto whole = [&](const char* name, int64_t* value, const char* help) {
    command.add_option(name, *value, help)->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  };
  whole("--layers", &shape.layers, "layers");
  whole("--heads", &shape.heads, "heads of queries");
  whole("--heads-kv", &shape.heads_kv, "heads of keys and values; divides heads");
  whole("--d", &shape.d, "head size");
  whole("--inner", &shape.inner, "width of the FFN");
  whole("--vocabulary", &shape.vocabulary, "tokens that there are");
  whole("--prompt", &shape.prompt, "tokens of each sequence");
  whole("--batch", &shape.batch, "sequences at once");
  whole("--threads", &options->threads, "CPU threads");
  command.add_flag("--gpu", shape.gpu, "by the GPU's rungs");
  command.add_option("--dtype", shape.dtype,
                     "fp32; bf16 or fp16 on a GPU; int8, w8a8, fp8 or int4: weights when decoding; "
                     "all: every type of weights side by side, decoding");
  command.add_option("RUN", options->run,
                     "--dtype all: RUN.jsonl, whose figures are taken instead of measuring");
  command.add_option(
      "--baseline", options->baseline,
      "what one model has otherwise: dtype=fp32,heads-kv=8 or gemm=packed (a rung of "
      "a family); its parts are compared in pairs with the candidate's");
  command.add_option("--candidate", options->candidate, "what the other model has otherwise");
  command.add_option("--limit", options->limit_s, "two models: seconds for each part's rounds")
      ->check(CLI::Range(0.001, 86400.0));
  command.add_flag("!--no-sustained", options->sustained,
                   "two models: no turns alone where a GPU's load holds its clock down");
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common, &command] {
    options->is_pair = command.count("--baseline") > 0 || command.count("--candidate") > 0;
    return cmd_model(common, *options);
  };
}

RIDGE_COMMAND(model, .about = "tokens per second of a transformer that you describe",
              .group = CommandGroup::measure,
              .use =
                  "Tells how many tokens a second a transformer makes here: you describe it, and "
                  "its parts are measured with rungs of this program.",
              .examples = {{"model --layers 2 --heads 8", "a small model, one token at a time"},
                           {"model --layers 2 --baseline dtype=fp32 --candidate dtype=int8",
                            "two models, part by part"}},
              .place = 110, .level = Level::kLab, .schema = "model", .setup = setup_model);

}  // namespace
}  // namespace ridge::app
