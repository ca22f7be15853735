#include "worker/edit/edits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/core/format.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/disassembly.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/tool.h"
#include "common/record/believable.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/protection.h"
#include "worker/edit/loading.h"
#include "worker/edit/sandbox.h"
#include "worker/edit/scratch.h"
#include "worker/edit/witness.h"

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

/// In files of its own folder, all together; one may have 64 MB.
constexpr uintmax_t kMostFolderBytes = uintmax_t{256} << 20;

/// One that neither says anything nor computes waits for something: it has so many times its patience.
constexpr double kIdlePatience = 4;

std::string object_of(const std::string& kernel, const std::string& folder) {
  return folder + "/" + kernel + ".so";
}

void put_object(const Edit& edit, const std::string& folder) {
  std::ofstream(object_of(edit.info.id, folder), std::ios::binary) << edit.artifact;
}

/// This program in another mode, for a Child: that answers on fd 3, and a worker speaks on fd 1.
std::vector<std::string> program_of(const char* mode, const std::string& folder,
                                    const std::vector<std::string>& kernels) {
  std::vector<std::string> words = {
      "/bin/sh", "-c", "exec \"$0\" \"$@\" >&3", measure::own_program(), mode, folder};
  for (const std::string& kernel : kernels) words.push_back(object_of(kernel, folder));
  return words;
}

}  // namespace

/// The other worker, with these edits loaded.
class EditedWorker {
 public:
  /// Starts it: it takes its limits and, where one is of a GPU, gets that ready.
  explicit EditedWorker(const std::vector<std::string>& kernels)
      : child_("the edited rung", program_of("--edited", scratch_.path(), kernels),
               {{"RIDGE_CEILINGS", "off"}}, on_gpu(kernels)) {}

  /// Of what its run will probably be asked, while there is nothing to load yet.
  void expect(std::string_view family, const Params& params) {
    child_.send(dump_json({{"family", std::string(family)}, {"params", params_to_json(params)}}));
  }

  /// The objects, in the order of the constructor's ids; only now its patience counts.
  void load(const std::vector<const Edit*>& edits) {
    for (const Edit* edit : edits) put_object(*edit, scratch_.path());
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
      if (!child_.speaks_within(0.1)) {
        if (folder_bytes() <= kMostFolderBytes) continue;
        child_.give_up("it wrote over 256 MB of files");
        return ended("it wrote over 256 MB of files");
      }
      const auto line = child_.receive();
      if (!line) return ended(line.error().what);
      auto json = parse_json(*line, "the edited rung's worker");
      if (!json || !json->is_object())
        continue;  // its own doing: the last line says what came of it
      // A worker numbers its lines without a gap. The rung is in its process, and can write to its descriptor too.
      if (whole_field(*json, "seq") != ++seq_) {
        child_.give_up("it wrote lines in its worker's name");
        return ended("it wrote lines in its worker's name");
      }
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

  uintmax_t folder_bytes() const {
    namespace fs = std::filesystem;
    uintmax_t sum = 0;
    std::error_code failed;
    fs::recursive_directory_iterator entry(scratch_.path(), failed);
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
      std::error_code none;
      if (entry->is_regular_file(none)) sum += entry->file_size(none);
    }
    return sum;
  }

  Error ended(const std::string& how) const {
    return {ErrorCode::invalid, how + (doing_.empty() ? "" : " (while " + doing_ + ")"), "", ""};
  }

  Scratch scratch_;
  measure::Child child_;
  std::string doing_;
  double heard_s_ = 0, heard_cpu_s_ = 0;
  int64_t seq_ = 0;
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
  Series said;  // the samples of all sides
  const double begin_s = measure::now_s();
  worker->ask(to_line(request));
  for (;;) {
    RIDGE_TRY(const Json line, worker->next(*observer));
    const std::string type = text_field(line, "type");
    if (type == "samples" && list_field(line, "samples") != nullptr) {
      for (Sample& one : list_field(line, "samples")->get<std::vector<Sample>>())
        said.samples.push_back(std::move(one));
    }
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
      const std::string why = longer_than_wall(said, measure::now_s() - begin_s);
      if (!why.empty()) return Error{ErrorCode::invalid, why, "", ""};
      return {};
    } else {
      pass_on(line, series, observer);
    }
  }
}

/// What this worker sees of a learner's rung from outside; what its own process said of that is taken away.
void see_from_outside(const Edit& edit, measure::Observer* observer, int index, Series* series) {
  std::erase_if(series->checks,
                [](const QualityCheck& check) { return check.what.starts_with(kWitnessed); });
  series->unavailable.erase(kClaimed);
  if (series->status != SeriesStatus::ok || !series->stats || is_emulated(*series)) return;
  const Scratch scratch;
  const auto seen = witness(
      program_of("--witness", scratch.path(), {edit.info.id}),
      [&] { put_object(edit, scratch.path()); }, index, observer, series);
  if (!seen && seen.error().code == ErrorCode::unavailable) {
    series->unavailable[kClaimed] = seen.error().what;
  } else if (!seen) {
    measure::take_error(seen.error(), series);
  }
}

/// A baseline that its process made slow makes everything beside it fast.
void see_baseline(const Series& baseline, measure::Observer* observer, std::vector<Series>* all) {
  constexpr double kSlow = 2;  // a busy machine does not do that to the median of a comparison
  if (is_edit(baseline.kernel) || !baseline.stats || baseline.cache == CacheMode::cold) return;
  const auto own_s = own_call_s(baseline, *observer);
  if (!own_s || baseline.stats->median_ns <= kSlow * 1e9 * *own_s) return;
  for (Series& one : *all) {
    if (is_edit(one.kernel))
      one.unavailable[kClaimed] =
          baseline.kernel + " took " + format_time_ns(baseline.stats->median_ns) +
          " a call beside it, and takes the worker " + format_time_ns(1e9 * *own_s);
  }
}

void note_claims(Series* series) {
  const auto why = series->unavailable.find(kClaimed);
  if (why != series->unavailable.end()) measure::add_note("claimed: " + why->second, series);
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

Edits::Edits() : unsaid_(missing_protections()) {}
Edits::~Edits() = default;

Result<EditBuild> Edits::build(const std::string& kernel, const std::string& dtype,
                               const std::string& text, const KernelInfo* original, int capability,
                               measure::Observer* observer) {
  EditBuild build;
  const auto read = read_edit(kernel, dtype, text);
  if (!read) {
    build.refuse(BuildEnd::text, read.error().sentence());
    return build;
  }
  build.kernel = read->id();
  build.hash = read->source.hash;
  for (const std::string& what : std::exchange(unsaid_, {}))
    build.messages.push_back({0, 0, "warning", kUnprotected + what});
  const Scratch scratch;
  if (scratch.path().empty()) {
    build.refuse(BuildEnd::machine, "no temporary folder could be made");
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
    build.refuse(BuildEnd::load, "it compiles, but could not be loaded: " + info.error().what);
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
  worker.reset();
  see_from_outside(edit, observer, index, &series);
  note_claims(&series);
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
  auto worker = std::make_unique<EditedWorker>(kernels);
  worker->load(edits);
  RIDGE_TRY_VOID(carry_out(worker.get(), request, -1, observer, [&](const Json& line) {
    if (const Json* outcome = object_field(line, "outcome")) {
      out.series.push_back(outcome->get<Series>());
    } else if (const Json* list = list_field(line, "comparisons")) {
      out.comparisons = list->get<std::vector<Comparison>>();
    }
  }));
  worker.reset();
  for (Series& series : out.series) {
    if (const Edit* edit = find(series.kernel))
      see_from_outside(*edit, observer, series.index, &series);
  }
  if (!out.series.empty()) see_baseline(out.series.front(), observer, &out.series);
  for (Series& series : out.series) note_claims(&series);
  return out;
}

}  // namespace ridge::worker
