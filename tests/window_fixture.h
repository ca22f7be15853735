// A session without a worker, for tests of the window: it answers list, source and probe at once,
// and leaves run and compare open until the test says how they end. Its figures are round numbers.
#pragma once

#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "app/query/editing.h"
#include "app/window/shell/actions.h"
#include "common/core/files.h"
#include "common/record/params.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/headless.h"
#include "tests/synthetic_run.h"

namespace ridge::test {

/// A whole text file; nullopt when it cannot be read.
inline std::optional<std::string> read_text(const std::string& path) {
  auto text = read_whole(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

class FakeSession final : public app::Session {
 public:
  bool poll() override { return std::exchange(moved_, false); }
  void wait(double) override {}
  const Run& run() const override { return run_; }
  app::WorkerState state() const override { return state_; }
  const std::string& reason() const override { return reason_; }
  bool in_timed_block() const override { return false; }

  Result<int64_t> list() override {
    const int64_t id = next_++;
    to_.app("list", {{"id", id}});
    to_.worker(
        "hello",
        {{"version", "0"}, {"pid", 1}, {"build", Json::object()}, {"capabilities", {"cpu"}}});
    for (const Rung& rung : find_lab(lab)->rungs)
      to_.worker("kernel", {{"request", id}, {"kernel", info(rung.kernel)}});
    for (const std::string& other : other_labs) {
      for (const Rung& rung : find_lab(other)->rungs)
        to_.worker("kernel", {{"request", id}, {"kernel", of_its_lab(rung.kernel, other)}});
    }
    to_.worker("end", {{"request", id}});
    done(id);
    state_ = app::WorkerState::idle;
    return id;
  }
  Result<int64_t> source(const std::string& kernel) override {
    const int64_t id = next_++;
    to_.app("source", {{"id", id}, {"kernel", kernel}});
    sources_asked.push_back(kernel);
    if (holds_sources) return flush(), id;
    const bool o3 = kernel == "gemm.cpu.naive_o3";
    const SourceText text{kernel, "kernels/" + kernel + ".cpp",
                          texts.contains(kernel)
                              ? texts.at(kernel)
                              : "// Idea: " + kernel + "\nint a;\nint b;\n" +
                                    (o3 ? "" : "int " + kernel.substr(9) + ";\n"),
                          o3 ? "-O3" : "-O1", "00beef00"};
    to_.worker("result", {{"request", id}, {"source", text}});
    done(id);
    return id;
  }
  Result<int64_t> assembly(const std::string& kernel) override {
    const int64_t id = next_++;
    to_.app("assembly", {{"id", id}, {"kernel", kernel}});
    if (!no_assembly.empty()) {
      const Error error{ErrorCode::unavailable, no_assembly, "", ""};
      to_.worker("error", {{"request", id}, {"error", error}});
      to_.worker("done", {{"request", id}, {"status", "failed"}});
      flush();
      return id;
    }
    AssemblyText text{kernel, "objdump", "x86-64",
                      "launch():\n  10:  vmulss xmm0\n  14:  jne 10\n"};
    text.lines = 3, text.loop_first = 2, text.loop_last = 3;
    text.loop_instructions = 2, text.loop_arithmetic = 1;
    if (is_edit(kernel)) text.origins = origins;
    to_.worker("result", {{"request", id}, {"assembly", text}});
    done(id);
    return id;
  }
  /// Built at once, with the messages in `build_messages`; an error among them: not built.
  Result<int64_t> build(const std::string& kernel, const std::string& dtype,
                        const std::string& text) override {
    const int64_t id = next_++;
    to_.app("build", {{"id", id}, {"kernel", kernel}, {"dtype", dtype}, {"text", text}});
    // As the worker: which rung it is stands in the text.
    const auto exercise = app::exercise_of(text);
    EditBuild build{(exercise ? exercise->kernel : kernel) + std::string(kEditSuffix), true};
    build.hash = std::to_string(std::hash<std::string>()(text));
    build.messages = build_messages;
    for (const CompileMessage& message : build_messages) {
      if (message.kind != "error") continue;
      build.built = build.refuse(BuildEnd::compile,
                                 "it does not compile, line " + std::to_string(message.line));
    }
    if (!no_build_here.empty()) build.built = build.refuse(BuildEnd::machine, no_build_here);
    if (build.built) {
      KernelInfo edited = info(kernel);
      edited.id = build.kernel;
      to_.worker("kernel", {{"request", id}, {"kernel", edited}});
      const SourceText source{build.kernel, "kernels/" + kernel + ".cpp", text, "-O3", build.hash};
      to_.worker("result", {{"request", id}, {"source", source}});
    }
    to_.worker("result", {{"request", id}, {"build", build}});
    done(id);
    return id;
  }
  Result<int64_t> send(WorkRequest request) override {
    request.id = next_++;
    sent.push_back(request);
    to_.send(request);
    if (request.type == RequestType::probe)
      answer_probe(request);
    else
      state_ = app::WorkerState::busy;
    flush();
    return request.id;
  }
  void cancel(int64_t id) override { cancelled.push_back(id); }
  void predict(const Prediction& said) override {
    Json line = {
        {"kernel", said.kernel}, {"params", params_to_json(said.params)}, {"value", said.value}};
    if (said.factor > 0) line["factor"] = said.factor, line["of"] = said.of;
    to_.app("predict", line);
    flush();
  }
  void name_learner(const std::string& name) override {
    to_.app("learner", {{"name", name}});
    flush();
  }
  void note(const std::string& key, const std::string& text) override {
    to_.app("note", {{"what", key}, {"text", text}});
    flush();
  }
  const std::vector<Prediction>& predictions() const { return run_.predictions(); }
  std::vector<std::string> transcript() const override { return to_.lines; }
  Result<void> save(const std::string& path) const override {
    std::ofstream out(path);
    out << to_.text();
    if (!out) return Error{ErrorCode::cannot_write, "not writable", path, ""};
    return {};
  }

  void keep(const std::string& path) override {
    if (const auto saved = save(path); !saved) keep_error_ = saved.error();
  }
  std::optional<Error> take_keep_error() override {
    return std::exchange(keep_error_, std::nullopt);
  }

  /// As the worker: what the request leaves open has its fallback.
  Params complete_params(const KernelRequest& asked) const {
    const KernelInfo* known = run_.kernel(asked.kernel);
    return *resolve_params(known ? known->params : info(asked.kernel).params, asked.params, "gemm");
  }

  // ---- how an open request goes on ----
  void measure(const WorkRequest& request, int index, double t_ns, bool passes = true,
               const std::vector<Counter>& counters = {}) {
    to_.worker("env", {{"environment", environment()}, {"when", "before"}});
    if (run_.ceilings().empty())
      to_.worker("result", {{"request", request.id}, {"ceilings", ceilings()}});
    const std::string& kernel = request.kernels[static_cast<size_t>(index)].kernel;
    to_.worker("samples", {{"request", request.id},
                           {"series", index},
                           {"phase", "call"},
                           {"samples", samples_of(kernel, t_ns)}});
    if (kernel.starts_with("pipeline."))
      to_.worker("span", {{"request", request.id}, {"series", index}, {"spans", spans()}});
    flush();
    Series series = outcome(request.id, index, request.kernels[static_cast<size_t>(index)].kernel);
    series.params = complete_params(request.kernels[static_cast<size_t>(index)]);
    series.cache = request.cache;
    series.counters = counters;
    series.stats =
        Stats{20, t_ns, t_ns, t_ns, t_ns, t_ns, Interval{t_ns * 0.99, t_ns * 1.01}, 0, 0, 1, {}};
    add_figures(&series, t_ns);
    series.checks = {check(passes)};
    if (!passes) {
      series.status = SeriesStatus::failed;
      series.reason = "NMSE 0.5 is over 2e-12";
      series.stats.reset();
    }
    to_.worker("result", {{"request", request.id}, {"series", index}, {"outcome", series}});
    flush();
  }
  void telemetry(const std::vector<TelemetryPoint>& points) {
    for (const TelemetryPoint& point : points) to_.worker("telemetry", Json(point));
    flush();
  }
  void feed_samples(int64_t id, int index, int n, double t_ns) {
    to_.worker("check", {{"request", id}, {"series", index}, {"check", check(true)}});
    to_.worker(
        "samples",
        {{"request", id}, {"series", index}, {"phase", "call"}, {"samples", samples(n, t_ns)}});
    flush();
  }
  void finish(const WorkRequest& request, const std::string& status = "ok") {
    to_.worker("done", {{"request", request.id}, {"status", status}});
    state_ = app::WorkerState::idle;
    flush();
  }
  void judge(const WorkRequest& request, Verdict verdict, double ratio) {
    send_rounds(request, verdict, ratio, 8, {});
    finish(request);
  }
  /// Cancelled after so many rounds.
  void cancel_with(const WorkRequest& request, int count) {
    send_rounds(request, Verdict::unresolved, 1.0, count, {"cancelled"});
    finish(request, "cancelled");
  }
  void send_rounds(const WorkRequest& request, Verdict verdict, double ratio, int count,
                   const std::vector<std::string>& reasons) {
    std::vector<Round> rounds;
    for (int i = 0; i < count; ++i)
      rounds.push_back({i, "0110", {1000, 1000 / ratio, 1000 / ratio, 1000}});
    to_.worker("samples",
               {{"request", request.id}, {"series", 0}, {"phase", "rounds"}, {"rounds", rounds}});
    for (size_t side = 0; side < 2 && !shares.empty(); ++side) {
      const Json check_passed = check(true);
      to_.worker("check", {{"request", request.id}, {"series", side}, {"check", check_passed}});
      to_.worker(
          "samples",
          {{"request", request.id},
           {"series", side},
           {"phase", "call"},
           {"samples", samples_of(request.kernels[side].kernel, side == 0 ? 1e9 : 1e9 / ratio)}});
    }
    Comparison made;
    made.request = request.id;
    made.lab = "gemm";
    made.clock_held = clock_held;
    made.baseline = request.kernels[0].kernel;
    made.candidate = request.kernels[1].kernel;
    made.cache = request.cache;
    made.baseline_params = complete_params(request.kernels[0]);
    made.candidate_params = complete_params(request.kernels[1]);
    made.rounds = count;
    made.reasons = reasons;
    made.ratio = ratio;
    made.ci = Interval{ratio * 0.99, ratio * 1.01};
    made.margin = request.margin.value_or(0.02);
    made.verdict = verdict;
    made.rounds_s = 0.8;
    made.rounds_needed = verdict == Verdict::unresolved ? 10 * count : 0;
    const std::vector<Comparison> all = {made};
    to_.worker("result", {{"request", request.id}, {"comparisons", all}});
    flush();
  }
  /// A phase whose share is known, or not; `series` -1: of no rung.
  void phase(int64_t id, int series, const std::string& name, std::optional<double> share,
             const std::string& text = "") {
    Json line = {
        {"request", id}, {"series", series}, {"phase", name}, {"text", text}, {"open", ""}};
    if (share) line["progress"] = *share;
    tell("phase", line);
  }
  void progress(int64_t id) {
    to_.worker("phase", {{"request", id},
                         {"series", 0},
                         {"phase", "timing"},
                         {"text", ""},
                         {"open", "interval ±0.9 %, stops at ±0.5 %"},
                         {"progress", 0.5},
                         {"median_ns", 1002},
                         {"ci_ns", Interval{1001, 1003}},
                         {"left_s", 1.5}});
    flush();
  }
  /// Another worker, after one that was lost.
  void start_again() {
    to_.worker(
        "hello",
        {{"version", "0"}, {"pid", 2}, {"build", Json::object()}, {"capabilities", {"cpu"}}});
    state_ = app::WorkerState::idle;
    reason_.clear();
    flush();
  }
  void lose(const std::string& why) {
    state_ = app::WorkerState::lost;
    reason_ = why;
    run_.worker_lost(why);
    moved_ = true;
  }
  /// What this fixture itself keeps, as malloc counts it.
  int64_t kept_bytes() const {
    size_t bytes = to_.lines.capacity() * sizeof(std::string) + sent.capacity() * sizeof(WorkRequest);
    for (const std::string& line : to_.lines)  // none is so short that it stands in its string
      bytes += malloc_usable_size(const_cast<char*>(line.data()));
    return static_cast<int64_t>(bytes);
  }
  const WorkRequest& last(RequestType type) const {
    for (auto it = sent.rbegin(); it != sent.rend(); ++it) {
      if (it->type == type) return *it;
    }
    FAIL("nothing of type " + to_string(type) + " was sent");
    return sent.front();
  }
  int count(RequestType type) const {
    int found = 0;
    for (const WorkRequest& request : sent) found += request.type == type;
    return found;
  }
  int estimates() const {
    int found = 0;
    for (const WorkRequest& request : sent)
      found += request.type == RequestType::probe && !request.kernels.empty();
    return found;
  }

  /// A line of the worker's, as it is.
  void tell(const std::string& type, const Json& fields) {
    to_.worker(type, fields);
    flush();
  }

  /// The lab of the next fixture: its rungs are listed.
  inline static std::string lab = "gemm";
  /// Further labs whose rungs are listed, each rung with the parameters that its lab shows.
  inline static std::vector<std::string> other_labs;
  /// Sources that are not made up, by kernel id.
  inline static std::map<std::string, std::string> texts;
  /// Whether the worker of the next fixture has a GPU, and whether its rungs take m and k besides n.
  inline static bool has_gpu = false, has_shapes = false;
  /// Whether rungs have a choice of layouts.
  inline static bool has_layout = false;
  inline static std::string too_new;  ///< the id of a CPU rung that this CPU cannot run
  /// Whether GPU rungs have a copy with clock stamps.
  inline static bool is_stamped = false;

  static KernelInfo of_its_lab(const std::string& id, const std::string& lab_id) {
    KernelInfo made = info(id);
    for (const ParamView& view : find_lab(lab_id)->params) {
      const bool known = std::any_of(made.params.begin(), made.params.end(),
                                     [&](const ParamSpec& spec) { return spec.name == view.name; });
      const int64_t first = view.stops.empty() ? 1 : view.stops.front();
      if (!known && !view.stops.empty())
        made.params.push_back({view.name, "", false, {}, 0, 1 << 26, first, ""});
      if (view.name == std::string_view("layout"))
        made.params.push_back(choice_param("layout", "", {"nchw", "nhwc", "nchw16c"}));
      if (view.name == std::string_view("op"))
        made.params.push_back(choice_param("op", "", {"softmax", "layernorm", "rmsnorm", "gelu"}));
    }
    if (lab_id == "weightless") made.params.push_back(choice_param("from", "", {"bits", "pixels"}));
    return made;
  }

  static KernelInfo info(const std::string& id) {
    KernelInfo made = kernel_info(id);
    const bool cpu = id.find(".cpu.") != std::string::npos;
    made.backend = cpu ? Backend::cpu : Backend::cuda;
    const bool is_of_x86 = !id.ends_with("_neon") && !id.ends_with("_wasm128");
    made.available = (cpu || has_gpu) && id != too_new && is_of_x86;
    made.stamped = !cpu && is_stamped;
    made.reason = made.available ? "" : cpu ? "needs AVX-512" : "no CUDA device";
    for (const char* size : {"m", "k"}) {
      if (has_shapes) made.params.push_back({size, size, false, {}, 1, 65536, int64_t{512}, "n"});
    }
    if (lab == "mixed") made.params.push_back(choice_param("model", "", {"mlp", "cnn"}));
    if (lab == "weightless" && find_rung(*find_lab(lab), id)) {
      const Rung* rung = *find_rung(*find_lab(lab), id);
      const std::string_view name = rung->kernel;
      if (name.ends_with("wiring") || name.ends_with("_training")) made.kind = RungKind::training;
      if (made.kind == RungKind::training)
        made.params.push_back({"seed", "", false, {}, 1, 1'000'000, int64_t{1}, ""});
      made.params.push_back({"luts", "", false, {}, 10, 100'000, int64_t{2000}, ""});
      // As in the catalogue: one name, and in each family a range and a default of its own.
      if (name.starts_with("wisard."))
        made.params.push_back({"tuple", "", false, {}, 1, 16, int64_t{12}, ""});
      if (name.starts_with("bloom."))
        made.params.push_back({"tuple", "", false, {}, 1, 64, int64_t{28}, ""});
      made.params.push_back({"images", "", false, {}, 1, 100'000, int64_t{10'000}, ""});
      made.params.push_back({"from", "", true, {"bits", "pixels"}, 1, 1, std::string("bits"), ""});
    }
    if (has_layout) made.params.push_back(choice_param("layout", "", {"nchw", "nhwc", "nchw16c"}));
    // As in the catalogue: two rungs of one lab have a parameter with a default each, the others lack it.
    if (id.ends_with(".fp16_static") || id.ends_with(".fp16_dynamic"))
      made.params.push_back(
          {"scale", "", false, {}, 0, 24, int64_t{id.ends_with("static") ? 10 : 16}, ""});
    for (const char* tile : {"tile_m", "tile_c"}) {
      if (id == "loops.cpu.tiled")
        made.params.push_back({tile, "", false, {}, 0, 64, int64_t{0}, ""});
    }
    if (id.starts_with("loops."))
      made.params.push_back(
          {"order", "", true, {"nmhwcrs", "ncrsmhw"}, 1, 1, std::string("nmhwcrs"), ""});
    made.params.push_back({"threads", "CPU threads", false, {}, 1, 2, int64_t{1}, ""});
    return made;
  }

  std::vector<CompileMessage> build_messages;
  /// Of a kernel, the part of its time that it had the processor; those without one had all of it.
  std::map<std::string, double> shares;
  bool clock_held = false;    ///< of the comparisons that it judges
  std::string no_assembly;    ///< why there is none
  std::string no_build_here;  ///< why this machine builds nothing
  std::vector<int> origins;   ///< of an edit's listing
  std::vector<WorkRequest> sent;
  std::vector<int64_t> cancelled;
  bool holds_sources = false;  ///< they are asked for and not answered
  std::vector<std::string> sources_asked;

 private:
  std::vector<Sample> samples_of(const std::string& kernel, double t_ns) const {
    std::vector<Sample> made = samples(20, t_ns);
    const auto share = shares.find(kernel);
    for (Sample& sample : made) {
      if (share != shares.end()) sample.cpu_ns = sample.t_ns * share->second;
    }
    return made;
  }
  /// What traps and pipelines have in place of a kernel's work.
  static void add_figures(Series* series, double t_ns) {
    if (series->kernel.starts_with("traps.") || series->kernel.starts_with("claims.")) {
      series->trap = TrapOutcome{};
      series->trap->factor = t_ns * 1e-6;
    }
    if (!series->kernel.starts_with("pipeline.")) return;
    series->items_per_s = 1e9 / t_ns;
  }
  /// A staircase of the loader's stages.
  static std::vector<Span> spans() {
    std::vector<Span> made;
    double begin_ns = 0;
    for (const char* stage : {"read", "decode", "augment", "collate", "copy", "step"}) {
      const double takes_ns = stage == std::string_view("decode") ? 8e5 : 1e5;
      made.push_back({stage, 0, 0, 0, 1, begin_ns, begin_ns + takes_ns});
      begin_ns += takes_ns;
    }
    return made;
  }
  void done(int64_t id) {
    to_.worker("done", {{"request", id}, {"status", "ok"}});
    flush();
  }
  static std::vector<Ceiling> ceilings() {
    return {{"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e12, "FLOP/s", "measured"},
            {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 1e11, "B/s", "measured"}};
  }
  void answer_probe(const WorkRequest& request) {
    if (request.kernels.empty()) {
      to_.worker("result", {{"request", request.id}, {"ceilings", ceilings()}});
    } else {
      Json estimates = Json::array();
      for (size_t i = 0; i < request.kernels.size(); ++i) {
        estimates.push_back({{"series", i}, {"call_ns", 1e6}, {"total_s", 2.0}});
      }
      to_.worker("result", {{"request", request.id}, {"estimates", estimates}});
    }
    done(request.id);
  }
  void flush() {
    for (; fed_ < to_.lines.size(); ++fed_) run_.apply_line(to_.lines[fed_]);
    moved_ = true;
  }

  Transcript to_;
  Run run_;
  app::WorkerState state_ = app::WorkerState::starting;
  std::string reason_;
  std::optional<Error> keep_error_;
  size_t fed_ = 0;
  int64_t next_ = 1;
  bool moved_ = true;
};

/// A folder that is gone after the test.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ridge-window-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

/// The window with the fake session, opened on the GEMM lab.
struct Fixture {
  explicit Fixture(float width = 1600, float height = 1000) {
    state.sessions.shown = &session;
    window::open_lab(state, FakeSession::lab);
    driver.emplace(state, width, height);
    driver->frames(20);  // past the delay after which estimates are asked for
  }
  /// F5, every rung measured in turn, each twice as fast as the one before, as long as a machine could do it.
  void run_all() {
    driver->key(compat::Key::f5);
    const WorkRequest request = session.last(RequestType::run);
    double t_ns = 1e6;
    for (size_t i = 0; i < request.kernels.size(); ++i) {
      session.measure(request, static_cast<int>(i), t_ns);
      t_ns *= (t_ns > 300) ? 0.5 : 0.9;
    }
    session.finish(request);
    driver->frames(3);
  }
  FakeSession session;
  window::State state;
  std::optional<window::Headless> driver;
};

}  // namespace ridge::test
