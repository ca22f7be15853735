#include "worker/edit/edits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/harness/measure/child.h"
#include "common/harness/measure/disassembly.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/tool.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "worker/edit/loading.h"
#include "worker/edit/scratch.h"

namespace ridge::worker {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How long the worker of a learner's rung may compute and say nothing: 10 s, twice what one call may take.
double patience_s() {
  const char* text = std::getenv("RIDGE_EDIT_PATIENCE_S");
  const double value = text == nullptr ? 0 : std::atof(text);
  return value > 0 ? value : 10;
}

/// One that neither says anything nor computes waits for something: it has so many times its patience.
constexpr double kIdlePatience = 4;

}  // namespace

/// The other worker, with these edits loaded.
class EditedWorker {
 public:
  /// Starts it: it takes its limits and, where one is of a GPU, gets that ready.
  explicit EditedWorker(const std::vector<std::string>& kernels)
      : child_("the edited rung", command(kernels), {{"RIDGE_CEILINGS", "off"}}, on_gpu(kernels)) {}

  /// Of what its run will probably be asked, while there is nothing to load yet.
  void expect(std::string_view family, const Params& params) {
    child_.send(dump_json({{"family", std::string(family)}, {"params", params_to_json(params)}}));
  }

  /// The objects, in the order of the constructor's ids; only now its patience counts.
  void load(const std::vector<const Edit*>& edits) {
    for (const Edit* edit : edits) {
      std::ofstream(file_of(edit->info.id), std::ios::binary) << edit->artifact;
    }
    child_.send("");
    note_sign();
  }

  /// Its first line, once.
  Result<void> greet(const measure::Observer& observer) {
    while (!greeted_) {
      RIDGE_TRY(const Json line, next(observer));
      greeted_ = text_field(line, "type") == "hello";
    }
    note_sign();
    return {};
  }

  /// Its next line that is not telemetry. Errors: cancelled; invalid: it has ended, and how.
  Result<Json> next(const measure::Observer& observer) {
    for (;;) {
      if (observer.cancelled()) {
        child_.give_up("cancelled");
        return Error{ErrorCode::cancelled, "cancelled", "", ""};
      }
      const double silent_s = measure::now_s() - heard_s_;
      if (silent_s > patience_s() * (computes_silently() ? 1 : kIdlePatience)) {
        char text[96];
        snprintf(text, sizeof text, "it gave no sign for %.3g s and was stopped: an endless loop?",
                 silent_s);
        child_.give_up(text);
        return ended(text);
      }
      if (!child_.speaks_within(0.1)) continue;
      const auto line = child_.receive();
      if (!line) return ended(line.error().what);
      auto json = parse_json(*line, "the edited rung's worker");
      if (!json || !json->is_object())
        continue;  // its own doing: the last line says what came of it
      const std::string type = text_field(*json, "type");
      if (type == "telemetry") continue;
      note_sign();
      if (type == "fatal") {
        Error error;
        if (const Json* object = object_field(*json, "error")) from_json(*object, error);
        return ended(error.sentence());
      }
      if (type == "phase") doing_ = text_field(*json, "text");
      return json;
    }
  }

  bool ask(const Json& line) { return child_.send(dump_json(line)); }

 private:
  void note_sign() {
    heard_s_ = measure::now_s();
    heard_cpu_s_ = measure::children_cpu_s();
  }

  /// On a busy machine an honest call takes several times its own seconds.
  bool computes_silently() const { return measure::children_cpu_s() - heard_cpu_s_ > patience_s(); }

  static bool on_gpu(const std::vector<std::string>& kernels) {
    return std::any_of(kernels.begin(), kernels.end(), [](const std::string& kernel) {
      return backend_of(kernel) == Backend::cuda;
    });
  }

  std::string file_of(const std::string& kernel) const {
    return scratch_.path() + "/" + kernel + ".so";
  }

  std::vector<std::string> command(const std::vector<std::string>& kernels) const {
    // The child answers on fd 3; a worker speaks on fd 1.
    std::vector<std::string> words = {
        "/bin/sh",  "-c",           "exec \"$0\" \"$@\" >&3", measure::own_program(),
        "--edited", scratch_.path()};
    for (const std::string& kernel : kernels) words.push_back(file_of(kernel));
    return words;
  }

  Error ended(const std::string& how) const {
    return {ErrorCode::invalid, how + (doing_.empty() ? "" : " (while " + doing_ + ")"), "", ""};
  }

  Scratch scratch_;
  measure::Child child_;
  std::string doing_;
  double heard_s_ = 0, heard_cpu_s_ = 0;
  bool greeted_ = false;
};

namespace {

/// Tells `observer` what a line reports, as of series `series` (-1: as the line says).
void pass_on(const Json& line, int series, measure::Observer* observer) {
  const std::string type = text_field(line, "type");
  if (series < 0) series = static_cast<int>(whole_field(line, "series", -1));
  if (type == "phase") {
    measure::Phase phase{text_field(line, "phase"),       text_field(line, "text"),
                         text_field(line, "open"),        number_field(line, "progress"),
                         number_field(line, "median_ns"), number_field(line, "left_s")};
    if (const Json* interval = object_field(line, "ci_ns")) {
      phase.ci_ns = {number_field(*interval, "low").value_or(0),
                     number_field(*interval, "high").value_or(0)};
    }
    observer->phase(series, phase);
  } else if (type == "problem") {
    Series known;
    if (const Json* object = object_field(line, "problem")) from_json(*object, known);
    known.index = series;
    observer->problem(known);
  } else if (type == "check") {
    QualityCheck check;
    if (const Json* object = object_field(line, "check")) from_json(*object, check);
    observer->check(series, check);
  } else if (type == "samples" && list_field(line, "rounds") != nullptr) {
    observer->rounds(list_field(line, "rounds")->get<std::vector<Round>>());
  } else if (type == "samples" && list_field(line, "samples") != nullptr) {
    const auto samples = list_field(line, "samples")->get<std::vector<Sample>>();
    observer->samples(series, text_field(line, "phase").c_str(), samples);
  }
}

/// Has `worker` carry the request out; `take` gets its results. Series as in pass_on().
Result<void> carry_out(EditedWorker* worker, WorkRequest request, int series,
                       measure::Observer* observer, const std::function<void(const Json&)>& take) {
  request.id = 1;
  request.counters = false;
  RIDGE_TRY_VOID(worker->greet(*observer));
  worker->ask(to_line(request));
  for (;;) {
    RIDGE_TRY(const Json line, worker->next(*observer));
    const std::string type = text_field(line, "type");
    if (type == "timing") {
      observer->announce(series < 0 ? static_cast<int>(whole_field(line, "series", -1)) : series);
      worker->ask(
          {{"ridgepoint", 1}, {"type", RequestType::ack}, {"seq", whole_field(line, "seq")}});
    } else if (type == "result") {
      take(line);
    } else if (type == "error") {
      Error error;
      if (const Json* object = object_field(line, "error")) from_json(*object, error);
      return error;
    } else if (type == "done") {
      return {};
    } else {
      pass_on(line, series, observer);
    }
  }
}

/// What the worker that has it loaded says of it.
Result<KernelInfo> ask_what_it_is(const std::string& kernel, EditedWorker* worker,
                                  const measure::Observer& observer) {
  RIDGE_TRY_VOID(worker->greet(observer));
  worker->ask({{"ridgepoint", 1}, {"type", RequestType::list}, {"id", 1}});
  std::optional<KernelInfo> found;
  for (;;) {
    RIDGE_TRY(const Json line, worker->next(observer));
    const std::string type = text_field(line, "type");
    const Json* object = type == "kernel" ? object_field(line, "kernel") : nullptr;
    if (object != nullptr && text_field(*object, "id") == kernel) found = object->get<KernelInfo>();
    if (type == "done") break;
  }
  if (found) return *std::move(found);
  return Error{ErrorCode::invalid, "it registers another kernel", "", ""};
}

Result<void> takes_dtype(const KernelInfo& edit, const Params& params) {
  const auto& own = edit.dtypes;
  const std::string dtype = param_text(params, "dtype");
  if (dtype.empty() || own.empty() || std::find(own.begin(), own.end(), dtype) != own.end())
    return {};
  return Error{ErrorCode::unavailable, "this edit was built for " + own.front() + " only", "",
               "build it again for " + dtype};
}

}  // namespace

Edits::Edits() = default;
Edits::~Edits() = default;

Result<EditBuild> Edits::build(const std::string& kernel, const std::string& dtype,
                               const std::string& text, const KernelInfo* original, int capability,
                               measure::Observer* observer) {
  EditBuild build;
  const auto read = read_edit(kernel, dtype, text);
  if (!read) {
    build.reason = read.error().sentence();
    return build;
  }
  build.kernel = read->id();
  build.hash = read->source.hash;
  const Scratch scratch;
  if (scratch.path().empty()) {
    build.reason = "no temporary folder could be made";
    return build;
  }
  // It starts while the compiler works: on a GPU that takes a third of a second.
  auto worker = std::make_unique<EditedWorker>(std::vector{build.kernel});
  if (const auto last = last_params_.find(build.kernel); last != last_params_.end()) {
    worker->expect(family_of(build.kernel), last->second);
  }
  observer->phase(-1, {.phase = "prepare", .text = "compiling"});
  const auto cancelled = [&] { return observer->cancelled(); };
  const bool compiled =
      compile_edit(*read, capability, scratch.path(), &headers_, cancelled, &build);
  if (cancelled()) return measure::cancelled_error();
  if (!compiled) return build;
  observer->phase(-1, {.phase = "prepare", .text = "loading"});
  Edit edit;
  edit.info.id = build.kernel;
  edit.artifact = read_file(artifact_path(*read, scratch.path()));
  edit.source = {build.kernel, read->source.path, text, read->source.flags, build.hash};
  edit.text = *read;
  const double begin_s = measure::now_s();
  worker->load({&edit});
  const auto info = ask_what_it_is(build.kernel, worker.get(), *observer);
  build.load_s = measure::now_s() - begin_s;
  if (!info && info.error().code == ErrorCode::cancelled) return info.error();
  if (!info) {
    build.reason = "it compiles, but could not be loaded: " + info.error().what;
    return build;
  }
  edit.info = *info;
  edit.info.path = read->source.path;
  edit.info.flags = read->source.flags;
  edit.info.hash = build.hash;
  if (original != nullptr) edit.info.params = original->params;
  for (ParamSpec& spec : edit.info.params) {
    if (spec.name == "dtype" && !edit.info.dtypes.empty()) spec.fallback = edit.info.dtypes[0];
  }
  std::erase_if(edits_, [&](const Edit& one) { return one.info.id == build.kernel; });
  edits_.push_back(std::move(edit));
  ready_ = std::move(worker);
  ready_for_ = build.kernel;
  build.built = true;
  return build;
}

const Edit* Edits::find(std::string_view kernel) const {
  for (const Edit& edit : edits_) {
    if (edit.info.id == kernel) return &edit;
  }
  return nullptr;
}

Result<AssemblyText> Edits::disassemble(const Edit& edit, int capability,
                                        const std::function<bool()>& cancelled) {
  const Scratch scratch, with_lines;
  const std::string file = scratch.path() + "/rung.so";
  std::ofstream(file, std::ios::binary) << edit.artifact;
  EditBuild ignored;
  const bool is_linked = !edit.text.is_cuda && !with_lines.path().empty() &&
                         compile_edit(edit.text, capability, with_lines.path(), &headers_,
                                      cancelled, &ignored, {"-g1"});
  const std::string lines = is_linked ? artifact_path(edit.text, with_lines.path()) : "";
  return measure::disassemble_object(edit.source, file, capability, cancelled, lines);
}

Series Edits::run(const Edit& edit, WorkRequest request, int index, measure::Observer* observer) {
  request.kernels = {request.kernels[static_cast<size_t>(index)]};
  Series series;
  series.kernel = edit.info.id;
  series.kind = RungKind::kernel;
  series.params = request.kernels[0].params;
  series.cache = request.cache;
  series.mode = request.mode;
  if (const auto can = takes_dtype(edit.info, series.params); !can) {
    measure::take_error(can.error(), &series);
    series.index = index;
    return series;
  }
  bool has_outcome = false;
  // The one that was started for the build serves its first run; each has one request in its life.
  auto worker = edit.info.id == ready_for_ ? std::move(ready_) : nullptr;
  ready_ = nullptr;
  if (worker == nullptr) {
    worker = std::make_unique<EditedWorker>(std::vector{edit.info.id});
    worker->load({&edit});
  }
  const auto done = carry_out(worker.get(), request, index, observer, [&](const Json& line) {
    const Json* outcome = object_field(line, "outcome");
    if (outcome == nullptr) return;
    from_json(*outcome, series);
    has_outcome = true;
  });
  if (!done || !has_outcome) {
    const Error error =
        done ? Error{ErrorCode::invalid, "it sent no result", "", ""} : done.error();
    measure::take_error(error, &series);
  }
  if (series.status == SeriesStatus::ok) last_params_[edit.info.id] = series.params;
  series.index = index;
  return series;
}

Result<measure::CompareOutcome> Edits::compare(const WorkRequest& request,
                                               measure::Observer* observer) const {
  std::vector<const Edit*> edits;
  for (const KernelRequest& side : request.kernels) {
    const Edit* edit = find(side.kernel);
    const bool known = std::find(edits.begin(), edits.end(), edit) != edits.end();
    if (edit != nullptr && !known) edits.push_back(edit);
  }
  measure::CompareOutcome out;
  std::vector<std::string> kernels;
  for (const Edit* edit : edits) kernels.push_back(edit->info.id);
  EditedWorker worker(kernels);
  worker.load(edits);
  RIDGE_TRY_VOID(carry_out(&worker, request, -1, observer, [&](const Json& line) {
    if (const Json* outcome = object_field(line, "outcome")) {
      out.series.push_back(outcome->get<Series>());
    } else if (const Json* list = list_field(line, "comparisons")) {
      out.comparisons = list->get<std::vector<Comparison>>();
    }
  }));
  return out;
}

}  // namespace ridge::worker
