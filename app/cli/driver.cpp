#include "app/cli/driver.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "app/history/entries.h"
#include "app/query/reporting.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/files.h"
#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/notes.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

std::atomic<int> interrupt_count{0};

extern "C" void count_interrupt(int) {
  // A person who presses three times wants out, whatever is still being written.
  if (++interrupt_count >= 3) ::_exit(static_cast<int>(ErrorCode::cancelled));
}

/// Whether a time, a step of a training or a round came in.
bool is_measured(const Run& run) {
  return std::any_of(run.series().begin(), run.series().end(),
                     [](const Series& series) {
                       return !series.samples.empty() || !series.curve.empty() || series.stats;
                     }) ||
         std::any_of(run.requests().begin(), run.requests().end(),
                     [&](const Request& one) { return !run.rounds(one.id).empty(); });
}

/// `out`: where the run is saved; empty: nowhere.
Error cancelled_error(const Run& run, const std::string& out) {
  const std::string kept = !is_measured(run) ? "before anything was measured"
                           : out.empty()     ? "what was measured until then was not saved"
                                             : "what was measured until then is in " + out;
  return {ErrorCode::cancelled, "cancelled: " + kept, "", ""};
}

Error lost_error(const Session& session) {
  return {ErrorCode::worker, session.reason(), "", ""};
}

}  // namespace

int interrupts() {
  return interrupt_count;
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = count_interrupt;
  for (int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
}

Driver::Driver(std::unique_ptr<Session> session, std::optional<GrowingFile> file, std::string out)
    : session_(std::move(session)), file_(std::move(file)), out_(std::move(out)) {}

Result<std::unique_ptr<Driver>> Driver::start(const CommonOptions& common, const std::string& out,
                                              bool runs_commands) {
  std::optional<GrowingFile> file;
  if (!out.empty()) {
    RIDGE_TRY(GrowingFile opened, GrowingFile::open(out));
    file.emplace(std::move(opened));
  }
  Session::Options options;
  options.runs_commands = runs_commands;
  if (!common.worker.empty()) {
    RIDGE_TRY(options.command, split_command(common.worker));
  }
  catch_interrupts();
  RIDGE_TRY(auto session, Session::start(std::move(options)));
  std::unique_ptr<Driver> driver(new Driver(std::move(session), std::move(file), out));
  driver->is_forced_ = common.force;
  RIDGE_TRY_VOID(driver->await_hello());
  return driver;
}

Result<void> Driver::await_hello() {
  while (session_->state() == WorkerState::starting) {
    session_->wait(0.1);
    step();
    if (interrupts() > 0) return cancelled_error(run(), out_);
  }
  if (session_->state() != WorkerState::lost) return {};
  Error error = lost_error(*session_);
  error.hint =
      "its command has to run 'ridgepoint-worker --stdio': start it alone in a terminal to see why "
      "it does not";
  return error;
}

/// One turn: what has arrived, to the run, the file and the screen.
void Driver::step() {
  session_->poll();
  if (file_ && !file_error_) {
    // A full disk must not end the measuring: the table is still to come.
    if (auto written = session_->append_to(&*file_); !written) {
      file_error_ = written.error();
      complain_above("ridgepoint: " + file_error_->sentence() + "; measuring goes on");
    }
  }
  // Drawing would disturb a timed block on the same processor.
  if (!session_->in_timed_block()) progress_.update(session_->run());
}

Result<void> Driver::finish(int64_t id, const std::function<void()>& each_step) {
  bool asked_to_stop = false;
  const auto is_open = [&] {
    const Request* request = run().request(id);
    return session_->state() == WorkerState::busy && request && request->open();
  };
  while (is_open()) {
    session_->wait(0.1);
    step();
    if (each_step) each_step();
    if (interrupts() > 0 && !std::exchange(asked_to_stop, true)) {
      session_->cancel(id);
      progress_.clear();
      complain("cancelling; press Ctrl+C again to stop at once");
    }
    if (interrupts() > 1) break;
  }
  progress_.clear();
  if (interrupts() > 0) return cancelled_error(run(), out_);
  if (session_->state() == WorkerState::lost) return lost_error(*session_);
  const Request* request = run().request(id);
  if (request && request->error) return *request->error;
  if (request && request->status == RequestStatus::cancelled) return cancelled_error(run(), out_);
  return {};
}

Result<void> Driver::fetch_catalogue() {
  RIDGE_TRY(const int64_t id, session_->list());
  return finish(id);
}

Result<std::string> Driver::find_kernel(const std::string& name) {
  const auto [lab, id] = lab_and_rung(name);
  if (lab) return id;
  RIDGE_TRY_VOID(fetch_catalogue());
  if (run().kernel(name)) return name;
  return no_such_rung(name, run());
}

Result<EditBuild> Driver::build(const std::string& kernel, const std::string& dtype,
                                const std::string& text) {
  RIDGE_TRY(const int64_t id, session_->build(kernel, dtype, text));
  RIDGE_TRY_VOID(finish(id));
  const EditBuild* build = run().build(id);
  if (build) return *build;
  return Error{ErrorCode::worker, "the worker built nothing", kernel, "update the worker"};
}

Result<void> Driver::fetch_assembly(const std::string& kernel) {
  RIDGE_TRY(const int64_t id, session_->assembly(kernel));
  return finish(id);
}

Result<void> Driver::fetch_source(const std::string& kernel_or_path) {
  RIDGE_TRY(const int64_t id, session_->source(kernel_or_path));
  return finish(id);
}

Result<void> Driver::fetch_ceilings(int device, bool anew) {
  WorkRequest probe;
  probe.type = RequestType::probe;
  probe.device = device;
  probe.anew = anew;
  int64_t id = 0;
  return carry_out(std::move(probe), &id);
}

Result<void> Driver::fetch_environment() {
  WorkRequest probe;
  probe.type = RequestType::probe;
  RIDGE_TRY(const int64_t id, session_->send(std::move(probe)));
  bool is_enough = false;
  const auto done = finish(id, [&] {
    if (run().environment() && !std::exchange(is_enough, true)) session_->cancel(id);
  });
  return is_enough && interrupts() == 0 ? Result<void>() : done;
}

Result<void> Driver::fetch_sources(const std::vector<KernelRequest>& kernels) {
  for (const KernelRequest& kernel : kernels) {
    if (run().source(kernel.kernel)) continue;
    RIDGE_TRY(const int64_t id, session_->source(kernel.kernel));
    // A rung without a source can still be measured; a lost or cancelled session cannot go on.
    const auto done = finish(id);
    if (!done && session_->state() == WorkerState::lost) return done;
    if (interrupts() > 0) return cancelled_error(run(), out_);
  }
  return {};
}

Result<void> Driver::carry_out(WorkRequest request, int64_t* id,
                               const std::function<void()>& each_step) {
  RIDGE_TRY(*id, session_->send(std::move(request)));
  return finish(*id, each_step);
}

Result<KernelCounts> Driver::count(const std::string& kernel, const Params& params,
                                   const std::string& text) {
  WorkRequest request;
  request.type = RequestType::count;
  request.kernels.push_back({kernel, params});
  request.text = text;
  if (const Lab* lab = lab_and_rung(kernel).first) request.lab = lab->id;
  int64_t id = 0;
  RIDGE_TRY_VOID(carry_out(std::move(request), &id));
  const auto& all = run().counts();
  if (all.empty() || all.back().request != id)
    return Error{ErrorCode::worker, "the worker sent no counts", kernel, "update the worker"};
  return all.back();
}

void Driver::print_above(const std::string& text) {
  if (text.empty()) return;
  progress_.clear();
  print(text);
}

void Driver::complain_above(const std::string& text) {
  progress_.clear();
  complain(text);
}

Result<bool> Driver::close_file(bool replaces) {
  if (!file_) return false;
  if (!file_error_) {
    if (auto written = session_->append_to(&*file_); !written) {
      file_error_ = written.error();
    }
  }
  if (file_error_) return *file_error_;
  if (!replaces && !is_forced_) {
    RIDGE_TRY(const std::string older, set_aside(out_));
    if (!older.empty()) complain(out_ + " was there already: that run is " + older + " now");
  }
  RIDGE_TRY_VOID(file_->finish());
  return true;
}

void add_choice(CLI::App* command, const char* name, const char* help,
                const std::vector<std::string>& names,
                std::function<void(const std::string&)> take) {
  command->add_option_function<std::string>(name, take, help)->check(CLI::IsMember(names));
}

void add_measuring(CLI::App* command, MeasureOptions* options) {
  command->add_option("lab", options->lab, "the lab, e.g. gemm")->required();
  one_at_a_time(command->add_option(
      "--set", options->set,
      "a parameter: n=1024; run: each of n=256,512 or seed=1..8, compare: seed=1..8 of "
      "trainings (repeat)"));
  add_choice(command, "--cache", &options->cache, {CacheMode::hot, CacheMode::cold},
             "hot (default) or cold");
  command->add_option("--device", options->device, "which GPU")->check(CLI::Range(0, 1023));
  command->add_option("--limit", options->limit_s, "seconds for each rung, or training")
      ->check(CLI::Range(0.001, 86400.0));
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  one_at_a_time(command->add_option("--edit", options->edits,
                                    "a file of yours as a rung: FILE or KERNEL=FILE (repeat)"));
}

namespace {

/// "measuring 18 of the 46 rungs of gemm, one after the other: ...": said before the first of them is made ready.
std::string begun_text(const WorkRequest& request, const Lab& lab) {
  const size_t count = request.kernels.size();
  if (request.type == RequestType::compare)
    return fmt::format("comparing {} in turns, of {}; the verdict comes when all rounds are in",
                       count == 2 ? "two rungs" : fmt::format("{} rungs", count), request.lab);
  std::set<std::string> rungs;
  for (const KernelRequest& one : request.kernels) rungs.insert(one.kernel);
  // A rung at several sizes is one rung, and each of them is measured.
  const std::string times =
      rungs.size() == count ? "" : fmt::format(", {} measurements in all", count);
  return fmt::format("measuring {} of the {} rungs of {}{}{}; the table comes when all are done",
                     rungs.size(), lab.rungs.size(), lab.id,
                     count == 1 ? "" : ", one after the other", times);
}

Result<void> carry_out(const CommonOptions& common, const MeasureOptions& options, RequestType type,
                       const Choose& choose, const std::function<void(const WorkRequest&)>& before,
                       const EachStep& each_step, Measured* measured) {
  RIDGE_TRY(measured->lab, require_lab(options.lab));
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(const Budget budget, budget_of(options));
  RIDGE_TRY(measured->driver, Driver::start(common, options.out));
  Driver& driver = *measured->driver;
  if (!options.person.empty()) driver.name_person(one_line(options.person, kLongestNote));
  RIDGE_TRY_VOID(driver.fetch_catalogue());
  for (const std::string& text : options.edits) {
    RIDGE_TRY(const EditBuild build, build_file(&driver, edit_argument(text), given, !common.json));
    measured->edited.push_back(build.kernel);
  }
  RIDGE_TRY(measured->selection, choose(*measured->lab, driver.run(), given, measured->edited));

  WorkRequest request;
  request.type = type;
  request.lab = measured->lab->id;
  request.kernels = measured->selection.kernels;
  request.table = options.table;
  request.mode = options.mode;
  request.cache = options.cache;
  request.margin = options.margin;
  request.budget = budget;
  RIDGE_TRY_VOID(check_for_rungs(budget, *measured->lab, request.kernels, driver.run()));
  request.sustained = options.sustained;
  request.limit_s = options.limit_s;
  request.rounds = options.rounds;
  request.goes_on = type == RequestType::compare && options.limit_s.has_value();
  request.device = options.device;
  request.counters = options.counters;
  if (before) before(request);
  if (!common.json) driver.say_begun(begun_text(request, *measured->lab));
  RIDGE_TRY_VOID(driver.fetch_sources(request.kernels));
  return driver.carry_out(std::move(request), &measured->request, [&] {
    if (each_step) each_step(driver, measured->request);
  });
}

}  // namespace

namespace {

/// What a team or a course demands, kept in a file: an entry or several a line, and words behind a #.
Result<std::string> budget_file(const std::string& path) {
  RIDGE_TRY(const std::string text, read_whole(path));
  std::string entries, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    const std::string entry = line.substr(0, line.find('#'));
    const bool is_blank = entry.find_first_not_of(" \t\r") == std::string::npos;
    if (!is_blank) entries += (entries.empty() ? "" : ",") + entry;
  }
  if (entries.empty()) {
    return Error{ErrorCode::bad_input, "the file demands nothing", path,
                 "write one line for each demand, e.g. p99=2ms"};
  }
  return entries;
}

}  // namespace

Result<Budget> budget_of(const MeasureOptions& options) {
  std::string text;
  for (std::string part : options.budget) {
    const bool is_file =
        part.find('=') == std::string::npos && std::filesystem::is_regular_file(part);
    if (is_file) {
      RIDGE_TRY(part, budget_file(part));
    }
    text += (text.empty() ? "" : ",") + part;
  }
  return parse_budget(text);
}

namespace {

/// Into the history of this machine. The run itself is none the worse where that fails.
void keep_history(const Measured& measured) {
  if (!measured.driver || measured.request == 0) return;
  const auto kept = history::remember(history::entries_of(measured.driver->run()));
  if (!kept) complain("ridgepoint: this run is not in the history: " + kept.error().sentence());
}

std::string first_reason(const Measured& measured) {
  for (const Series& series : measured.driver->run().series()) {
    if (series.request == measured.request) return series.kernel + ": " + series.reason;
  }
  return "the worker sent no result";
}

/// Completes the output file, whatever happened before.
void keep_file(const MeasureOptions& options, Measured* measured) {
  if (measured->error && measured->error->code == ErrorCode::cancelled && options.out.empty())
    measured->error->hint = "to keep what is measured name a file, as in --out run.jsonl";
  // Nothing was asked of the worker, or nothing came of it: an empty file takes no older one's place.
  if (!measured->driver || measured->request == 0) return;
  std::error_code none;
  if (measured->error && measured->error->code == ErrorCode::cancelled &&
      !is_measured(measured->driver->run()) && std::filesystem::exists(options.out, none))
    return;
  const auto saved = measured->driver->close_file();
  if (saved) {
    measured->saved = *saved;
  } else if (!measured->error) {
    measured->error = saved.error();
  } else {
    complain("ridgepoint: " + saved.error().sentence());
  }
}

Result<void> carry_out_commands(const CommonOptions& common, const MeasureOptions& options,
                                WorkRequest request, const EachStep& each_step,
                                Measured* measured) {
  RIDGE_TRY(measured->driver, Driver::start(common, options.out, true));
  return measured->driver->carry_out(std::move(request), &measured->request, [&] {
    if (each_step) each_step(*measured->driver, measured->request);
  });
}

}  // namespace

Measured measure_commands(const CommonOptions& common, const MeasureOptions& options,
                          WorkRequest request, const EachStep& each_step) {
  Measured measured;
  if (auto done = carry_out_commands(common, options, std::move(request), each_step, &measured);
      !done)
    measured.error = done.error();
  keep_file(options, &measured);
  return measured;
}

Measured measure(const CommonOptions& common, const MeasureOptions& options, RequestType type,
                 const Choose& choose, const std::function<void(const WorkRequest&)>& before,
                 const EachStep& each_step) {
  Measured measured;
  if (auto done = carry_out(common, options, type, choose, before, each_step, &measured); !done) {
    measured.error = done.error();
  }
  keep_file(options, &measured);
  keep_history(measured);
  return measured;
}

int finish_command(const CommonOptions& common, const MeasureOptions& options,
                   const Measured& measured, int code) {
  if (measured.saved && !common.json) complain("saved " + options.out);
  if (code == static_cast<int>(ErrorCode::unavailable) && !measured.error) {
    complain("ridgepoint: nothing was measured: " + first_reason(measured));
  }
  if (!measured.error) return code;
  complain("ridgepoint: " + measured.error->sentence());
  return measured.error->exit_code();
}

namespace {

/// "it does not compile, line 25", where the compiler's message at that line stands above it.
std::string without_message(const EditBuild& build) {
  for (const CompileMessage& one : build.messages) {
    const size_t at = build.reason.find(": " + one.text);
    if (one.kind == "error" && at != std::string::npos) return build.reason.substr(0, at);
  }
  return build.reason;
}

}  // namespace

Result<EditBuild> build_file(Driver* driver, const EditArgument& edit, const Params& given,
                             bool is_brief) {
  RIDGE_TRY(const std::string text, read_learner_file(edit.file));
  RIDGE_TRY(const EditBuild build, driver->build(edit.kernel, param_text(given, "dtype"), text));
  const std::string messages = messages_text(build, edit.file);
  if (!messages.empty()) complain(messages);
  if (!build.built) {
    const std::string reason = is_brief ? without_message(build) : build.reason;
    return Error{ErrorCode::invalid, reason, edit.file, ""};
  }
  return build;
}

Json json_of(const Measured& measured) {
  DocumentOptions options;
  options.request = measured.request;
  if (!measured.lab) return document(measured.driver->run(), options);
  options.titles = titles_of(*measured.lab);
  options.levers = levers_of(*measured.lab);
  for (const NotRun& rung : measured.selection.not_run) {
    Series& series = options.left_out.emplace_back();
    series.lab = measured.lab->id;
    series.kernel = rung.kernel;
    series.status = SeriesStatus::skipped;
    series.reason = rung.reason;
  }
  Json made = document(measured.driver->run(), options);
  for (Json& result : made["results"]) {
    const auto rung = find_rung(*measured.lab, result.value("kernel", ""));
    if (rung && (*rung)->wrong && result.value("status", "") == "failed")
      result["reason"] = "refused by design: " + result.value("reason", "");
  }
  return made;
}

// ---- progress ----------------------------------------------------------------------------------

namespace {

const Series* series_of(const Run& run, const Progress& progress) {
  for (const Series& series : run.series()) {
    if (series.request == progress.request && series.index == progress.series) return &series;
  }
  return nullptr;
}

size_t count_of(const Run& run, int64_t request) {
  return static_cast<size_t>(std::count_if(run.series().begin(), run.series().end(),
                                           [&](const Series& s) { return s.request == request; }));
}

std::string median_text(const Progress& progress) {
  if (!progress.median_ns) return "";
  std::string text = format_time_ns(*progress.median_ns);
  if (progress.ci_ns && *progress.median_ns > 0) {
    const double half = (progress.ci_ns->high - progress.ci_ns->low) / 2 / *progress.median_ns;
    text += " " + format_percent_width(half);
  }
  return text;
}

/// "gemm.cpu.naive_o3 (2 of 5)".
std::string place_text(const Run& run, const Series& series) {
  return fmt::format("{} ({} of {})", series.kernel, series.index + 1,
                     count_of(run, series.request));
}

/// What is done for no rung: "measuring this machine's ceiling: DRAM read, 1 thread".
const std::string& doing_text(const Progress& progress) {
  return progress.text.empty() ? progress.phase : progress.text;
}

}  // namespace

std::string progress_text(const Run& run) {
  if (!run.progress()) return "";
  const Progress& progress = *run.progress();
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (const Series* series = series_of(run, progress)) {
    add(place_text(run, *series));
    add(progress.phase);
    const size_t rounds = run.rounds(progress.request).size();
    const bool single = progress.phase == "latency";
    const size_t samples = (single ? series->latency_samples : series->samples).size();
    if (rounds > 0) {
      add(fmt::format("{} {}", rounds, rounds == 1 ? "round" : "rounds"));
    } else if (samples > 0) {
      add(fmt::format("{} {}", samples, samples == 1 ? "sample" : "samples"));
    }
  } else {
    add(doing_text(progress));
  }
  add(median_text(progress));
  if (progress.left_s) add(fmt::format("{} s left", std::ceil(*progress.left_s)));
  add(progress.open);
  return text;
}

ProgressLine::ProgressLine() : enabled_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::begin(const std::string& what) {
  if (enabled_) return;
  logs_ = true;
  begun_ = what;
  last_ = std::chrono::steady_clock::now();
}

/// What is refused before it is made ready has its one sentence, and nothing above it.
bool ProgressLine::is_at_work(const Run& run) const {
  constexpr std::chrono::seconds kPatience(3);
  const bool has_begun = run.progress() && run.progress()->phase != "prepare";
  return has_begun || std::chrono::steady_clock::now() - last_ > kPatience;
}

/// Two sides in turns come back again and again: each is said once. A rung may have ended since the last look.
void ProgressLine::log(const Run& run) {
  if (!logs_) return;
  if (!begun_.empty() && !is_at_work(run)) return;
  if (!begun_.empty()) complain(std::exchange(begun_, ""));
  if (!run.progress()) return;
  const Progress& progress = *run.progress();
  const auto say = [&](const std::string& text) {
    if (!text.empty() && logged_.insert(text).second) complain("  " + text);
  };
  for (const Series& series : run.series()) {
    const bool is_begun = series.request == progress.request && series.index <= progress.series;
    if (is_begun && series.status != SeriesStatus::skipped) say(place_text(run, series));
  }
  if (progress.series < 0) say(doing_text(progress));
}

void ProgressLine::update(const Run& run) {
  if (!enabled_) return log(run);
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  draw(progress_text(run));
}

void ProgressLine::show(const std::string& text, double every_s) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - last_;
  if (enabled_) return draw(text);
  if (passed.count() < every_s) return;
  last_ = std::chrono::steady_clock::now();
  complain(text);
}

void ProgressLine::draw(const std::string& text) {
  if (text.empty()) return;
  // One column is kept free: some terminals wrap when the last one is written.
  const std::string line = "\r" + fit(for_terminal(text), terminal_width() - 1) + "\x1b[K";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace ridge::app
