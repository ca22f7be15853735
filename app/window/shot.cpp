#include <algorithm>
#include <cstdio>

#include "app/window/actions.h"
#include "app/window/platform.h"
#include "app/window/presenter.h"
#include "app/window/screens.h"
#include "app/window/study.h"
#include "app/window/window.h"

namespace ridge::window {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "ridgepoint: %s\n", error.sentence().c_str());
  return error.exit_code();
}

/// No worker and no file: what a shot without --replay shows is the recorded runs alone.
class NoSession final : public app::Session {
 public:
  bool poll() override { return false; }
  void wait(double) override {}
  const Run& run() const override { return run_; }
  app::WorkerState state() const override { return app::WorkerState::replay; }
  const std::string& reason() const override { return reason_; }
  bool in_timed_block() const override { return false; }
  Result<int64_t> list() override { return refuse(); }
  Result<int64_t> source(const std::string&) override { return refuse(); }
  Result<int64_t> send(WorkRequest) override { return refuse(); }
  void cancel(int64_t) override {}
  void predict(const std::string&, const Params&, double) override {}
  const std::vector<std::string>& transcript() const override { return lines_; }
  Result<void> save(const std::string&) const override { return refuse(); }

 private:
  static Error refuse() { return {ErrorCode::unavailable, "a shot has no worker", "shot", ""}; }
  Run run_;
  std::string reason_;
  std::vector<std::string> lines_;
};

Result<std::unique_ptr<app::Session>> open_session(const ShotOptions& options) {
  if (options.replay.empty()) return std::unique_ptr<app::Session>(new NoSession);
  return app::Session::replay(options.replay);
}

struct Scene {
  const char* name;
  View chart;
};
constexpr Scene kCharts[] = {{"roofline", View::roofline},
                             {"sizes", View::sizes},
                             {"heatmap", View::heatmap},
                             {"bandwidth", View::bandwidth},
                             {"error", View::error},
                             {"talk", View::table},
                             {"workload", View::workload}};

/// The back of a card; a question, and the first that this run answers as if its first choice had been
/// taken; the glossary.
void set_study_scene(State& state, const std::string& scene) {
  const bool quiz = scene == "quiz" || scene == "quiz_answer";
  if (quiz || scene == "card_back") state.view.screen = ScreenId::cards;
  state.view.study.is_quiz = quiz;
  if (scene == "card_back") perform(state, "turn_card");
  if (scene == "glossary") perform(state, "glossary");
  if (scene != "quiz_answer" || !study_questions()) return;
  for (const study::Question& question : *study_questions()) {
    const study::Answer answer = answer_of(state, question);
    if (answer.state != study::Answer::State::answered) continue;
    state.view.study.question = question.id;
    return choose(state, question, answer.choices.front());
  }
}

/// The last rung that was predicted and run; without one, the field that asks for it.
void show_predicted(State& state) {
  for (const Prediction& prediction : state.run().predictions()) {
    if (find_row(state, prediction.kernel)) select_rung(state, prediction.kernel);
  }
  state.teach.predicting = state.run().predictions().empty();
}

/// A screen; or the lab with another view in its centre; or with the run's last comparison chosen, and
/// the diff beside it.
Result<void> set_scene(State& state, const ShotOptions& options) {
  const auto& comparisons = state.run().comparisons();
  for (const ScreenDesc& screen : screens()) {
    if (options.scene == screen.name) state.view.screen = screen.id;
  }
  if (options.scene == "telemetry") state.view.strip = Strip::telemetry;
  for (const Scene& scene : kCharts) {
    if (options.scene == scene.name) state.view.chart = scene.chart;
  }
  state.view.show_menu = options.scene == "menu";
  set_study_scene(state, options.scene);
  state.view.show_palette = options.scene == "palette";
  if (options.scene == "presenter") {
    state.view.screen = ScreenId::lab;
    toggle_presenter(state);
    state.teach.beat = Beat::reveal;
  }
  if (options.scene == "predict") show_predicted(state);
  if (options.scene == "lab") state.view.tab = Tab::source;
  if (options.scene != "verdict") return {};
  if (comparisons.empty()) {
    return Error{
        ErrorCode::bad_input, "the run holds no comparison to show", options.replay,
        "make one with 'ridgepoint compare LAB --baseline A --candidate B --out RUN.jsonl'"};
  }
  state.view.baseline = comparisons.back().baseline;
  state.view.rung = comparisons.back().candidate;
  state.view.tab = Tab::diff;
  return {};
}

std::vector<std::string> all_scenes() {
  std::vector<std::string> names;
  for (const ScreenDesc& screen : screens()) names.emplace_back(screen.name);
  for (const Scene& scene : kCharts) names.emplace_back(scene.name);
  names.insert(names.end(), {"verdict", "menu", "telemetry", "palette", "card_back", "quiz",
                             "quiz_answer", "glossary", "predict", "lesson"});
  return names;
}

}  // namespace

const std::vector<std::string>& scene_names() {
  static const std::vector<std::string> kNames = all_scenes();
  return kNames;
}

int shot(const ShotOptions& options) {
  const auto& names = scene_names();
  if (std::find(names.begin(), names.end(), options.scene) == names.end()) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    return fail({ErrorCode::usage, "scene '" + options.scene + "' is not built yet", "shot",
                 "there are: " + known});
  }
  auto session = open_session(options);
  if (!session) return fail(session.error());
  State state;
  state.session = session->get();
  state.view.scale = std::clamp(options.scale, 0.75f, 3.0f);
  state.view.light_theme = options.theme == "light";
  state.recordings = load_recordings(asset_folder("recorded"), nullptr);
  (*session)->poll();
  open_lab(state, options.lab);
  state.view.reduced_motion = true;  // a picture is the same whenever it is taken
  if (const auto set = set_scene(state, options); !set) return fail(set.error());
  if (!options.rung.empty()) {
    const auto rung = find_rung(*state.view.lab, options.rung);
    if (!rung) return fail(rung.error());
    select_rung(state, (*rung)->kernel);
  }

  auto platform = Platform::open({options.width, options.height, false});
  if (!platform) return fail(platform.error());
  Screen screen(state);
  for (int i = 0; i < 4; ++i) {  // fonts settle in the second frame, popups in the third
    refresh(state, 1.0 + i);
    (*platform)->wait(0);
    (*platform)->draw(screen, state.view);
  }
  const Area all = {0, 0, static_cast<float>(options.width), static_cast<float>(options.height)};
  if (const auto saved = (*platform)->save_png(options.out, all); !saved)
    return fail(saved.error());
  return 0;
}

}  // namespace ridge::window
