#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "app/platform/platform.h"
#include "app/window/inspect/count_view.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/window.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/study.h"
#include "app/window/views/view.h"
#include "common/core/nearest.h"
#include "common/record/edit.h"

namespace ridge::window {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "ridgepoint: %s\n", error.sentence().c_str());
  return error.exit_code();
}

std::span<const RungHash> hashes_for(const ShotOptions& options) {
  return options.kept ? std::span<const RungHash>() : rung_hashes();
}

Result<std::unique_ptr<app::Session>> open_session(const ShotOptions& options) {
  if (options.replay.empty()) return app::Session::nothing();
  return app::Session::replay(options.replay, hashes_for(options));
}

/// The back of a card; a question, and the first that this run answers as if its first choice had been
/// taken; the glossary.
void set_study_scene(State& state, const std::string& scene) {
  const bool quiz = scene == "quiz" || scene == "quiz_answer";
  if (quiz || scene == "card_back") state.view.screen = ScreenId::cards;
  state.studying.is_quiz = quiz;
  if (scene == "card_back") perform(state, "turn_card");
  if (scene == "glossary") perform(state, "glossary");
  if (scene != "quiz_answer" || !study_questions()) return;
  for (const study::Question& question : *study_questions()) {
    const study::Answer answer = answer_of(state, question);
    if (answer.state != study::Answer::State::answered) continue;
    state.studying.question = question.id;
    return choose(state, question, answer.choices.front());
  }
}

/// The last rung that was predicted and run; without one, the field that asks for it, or the notice why there is none.
void show_predicted(State& state) {
  rebuild_ladder(state);
  for (const Prediction& prediction : state.run().predictions()) {
    if (find_row(state.ladder, prediction.kernel)) select_rung(state, prediction.kernel);
  }
  if (state.run().predictions().empty()) perform(state, "predict");
}

/// The model, or the walk (of a GPU rung its lanes), that the run last looked into, whatever lab the rest of it is of.
void show_inspected(State& state, bool is_walk) {
  const auto& all = state.run().inspections();
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Inspection& one) {
    return one.of != "answers" && (one.walk || one.lanes) == is_walk;
  });
  if (last == all.rend()) return;
  state.inspecting.asks_all = std::any_of(
      all.begin(), all.end(), [](const Inspection& one) { return one.of == "answers"; });
  if (const Request* request = state.run().request(last->request)) open_lab(state, request->lab);
  state.selection.view = is_walk ? &kWalkView : &kInspectView;
  state.walking.place = 0.4;  // of the walk: caches are full
  select_rung(state, last->kernel);
}

/// The source of the rung that the run counted last, its counts in the margin.
Result<void> show_counted(State& state, const std::string& replay) {
  const auto& all = state.run().counts();
  if (all.empty())
    return Error{ErrorCode::bad_input, "the run holds no counts to show", replay,
                 "make some with 'ridgepoint count RUNG --out RUN.jsonl'"};
  if (const Request* request = state.run().request(all.back().request))
    open_lab(state, request->lab);
  state.view.screen = ScreenId::lab;
  select_rung(state, all.back().kernel);
  rebuild_ladder(state);
  look_at_counts(state);
  return {};
}

/// The same, and its warp at the request that costs most.
Result<void> show_stepped(State& state, const std::string& replay) {
  RIDGE_TRY_VOID(show_counted(state, replay));
  const KernelCounts* counts = shown_steps(state);
  if (!counts)
    return Error{ErrorCode::bad_input, "the run holds no warp's requests to show", replay,
                 "make some with 'ridgepoint count RUNG --out RUN.jsonl'"};
  const auto& requests = counts->steps.requests;
  const auto costliest = std::max_element(
      requests.begin(), requests.end(),
      [](const WarpRequest& one, const WarpRequest& other) { return one.cost < other.cost; });
  open_steps(state);
  step_to(state, stepping_at(*counts, static_cast<int>(costliest - requests.begin())));
  return {};
}

/// The card of the run's last climb, with the comparison after it.
Result<void> show_last_climb(State& state, const std::string& replay) {
  FirstClimb& climb = state.first_climb;
  climb.lab = short_climb_lab();
  for (const Request& request : state.run().requests()) {
    const bool is_climb = climb.lab && request.lab == climb.lab->id;
    if (is_climb && request.type == RequestType::run) climb.run = request.id, climb.compare = 0;
    if (is_climb && request.type == RequestType::compare && climb.run) climb.compare = request.id;
  }
  if (!climb.run)
    return Error{ErrorCode::bad_input, "the run holds no climb to show", replay,
                 "'Watch it climb' in the window makes one"};
  climb.stage = FirstClimb::Stage::over;
  climb.shows_card = true;
  if (const ViewDesc* view = find_view("gains")) state.selection.view = view;
  return {};
}

/// An answer that is there to be seen.
void choose_or_type(State& state) {
  choose_answer(state, 0);
  type_answer(state, shown_step(state).ask == study::Ask::time ? "80 ms" : "3");
}

/// The beats of a step that its recording answers: "tour_reveal"; and the end card after four steps.
void set_tour_scene(State& state, const std::string& scene) {
  constexpr int kStep = 8, kBeforeEnd = 9;
  const bool ends = scene == "tour_end";
  start_tour(state, "class", ends ? kBeforeEnd : kStep);
  rebuild_ladder(state);
  const Beat wanted = scene == "tour_run"       ? Beat::run
                      : scene == "tour_reveal"  ? Beat::reveal
                      : scene == "tour_explain" ? Beat::explain
                      : ends                    ? Beat::done
                                                : Beat::predict;
  // Where nothing is recorded there is nothing to run: the reveal says so.
  const int presses = ends ? 4 * static_cast<int>(state.teaching.tour->steps.size()) : 3;
  for (int i = 0; i < presses && state.teaching.beat < wanted; ++i) {
    choose_or_type(state);
    advance(state);
    rebuild_ladder(state);
  }
}

/// A screen; or the lab with another view in its centre; or with the run's last comparison chosen, and
/// the diff beside it.
Result<void> set_scene(State& state, const std::string& scene, const std::string& replay) {
  const auto& comparisons = state.run().comparisons();
  for (const ScreenDesc& screen : screens()) {
    if (scene == screen.name) state.view.screen = screen.id;
  }
  if (scene == "telemetry") state.view.strip = Strip::telemetry;
  if (const ViewDesc* view = find_view(scene)) state.selection.view = view;
  state.view.show_menu = scene == "menu";
  set_study_scene(state, scene);
  state.view.show_palette = scene == "palette";
  if (scene.starts_with("tour_")) set_tour_scene(state, scene);
  if (scene == "presenter") {
    state.view.screen = ScreenId::lab;
    rebuild_ladder(state);  // it is presented from there
    state.is_replay() ? begin_presenting(state) : toggle_presenter(state);
    rebuild_ladder(state);
    choose_or_type(state);
    while (state.teaching.beat < Beat::reveal) advance(state);
  }
  if (scene == "predict") show_predicted(state);
  if (scene == "inspect" || scene == "walk") show_inspected(state, scene == "walk");
  if (scene == "lab" || scene == "counts") state.view.tab = Tab::source;
  if (scene == "steps") return show_stepped(state, replay);
  if (scene == "counts") return show_counted(state, replay);
  if (scene == "assembly") perform(state, "assembly");
  if (scene == "card") return show_last_climb(state, replay);
  if (scene != "verdict") return {};
  if (comparisons.empty()) {
    return Error{
        ErrorCode::bad_input, "the run holds no comparison to show", replay,
        "make one with 'ridgepoint compare LAB --baseline A --candidate B --out RUN.jsonl'"};
  }
  state.selection.baseline = comparisons.back().baseline;
  state.selection.rung = comparisons.back().candidate;
  state.view.tab = Tab::diff;
  return {};
}

std::vector<std::string> all_scenes() {
  std::vector<std::string> names;
  for (const ScreenDesc& screen : screens()) names.emplace_back(screen.name);
  for (const ViewDesc* view : views()) {
    if (view != &kLadderView) names.emplace_back(view->id);  // it is the scene "lab"
  }
  names.insert(names.end(),
               {"verdict", "menu", "telemetry", "palette", "card_back", "quiz", "quiz_answer",
                "glossary", "predict", "tour_predict", "tour_run", "tour_reveal", "tour_explain",
                "tour_end", "lesson", "assembly", "card", "counts", "steps"});
  return names;
}

}  // namespace

const std::vector<std::string>& scene_names() {
  static const std::vector<std::string> kNames = all_scenes();
  return kNames;
}

namespace {

Error unknown_scene(const std::string& scene) {
  std::vector<std::string> names = scene_names();
  names.emplace_back("all");
  std::string known;
  for (const std::string& name : scene_names()) known += (known.empty() ? "" : ", ") + name;
  const bool is_near = !nearest(scene, names).empty();
  return {ErrorCode::usage, "there is no scene '" + scene + "'", "shot",
          is_near ? name_hint(scene, names) : "there are: " + known + "; or all"};
}

/// A rung of the lab, or an edit that the run holds.
Result<std::string> rung_named(State& state, const std::string& name) {
  rebuild_ladder(state);
  for (const RungView& row : state.ladder.rows) {
    const std::string kernel = row.rung->kernel;
    if (is_edit(kernel) && (kernel == name || kernel.ends_with("." + name))) return kernel;
  }
  RIDGE_TRY(const Rung* rung, find_rung(*state.selection.lab, name));
  return std::string(rung->kernel);
}

/// A window of its own for each picture would take 40 ms more; a state of its own it must have.
Result<Picture> draw_picture(Platform& platform, const ShotOptions& options,
                             const std::vector<Recording>& recordings, Picture picture) {
  auto session = open_session(options);
  if (!session) return session.error();
  State state;
  state.sessions.shown = session->get();
  state.appearance.scale = std::clamp(picture.scale, 0.75f, 3.0f);
  state.appearance.light_theme = picture.theme == "light";
  state.appearance.level = options.level;
  state.sessions.recordings = recordings;
  (*session)->poll();
  open_lab(state, options.lab);
  state.appearance.reduced_motion = true;  // a picture is the same whenever it is taken
  if (const auto set = set_scene(state, picture.scene, options.replay); !set) return set.error();
  if (!options.rung.empty()) {
    RIDGE_TRY(const std::string kernel, rung_named(state, options.rung));
    select_rung(state, kernel);
  }
  Shell shell(state);
  for (int i = 0; i < 4; ++i) {  // fonts settle in the second frame, popups in the third
    refresh(state, 1.0 + i);
    platform.wait(0);
    platform.draw(shell, state.appearance);
  }
  picture.empty = shell.empty_state();
  picture.rgb = platform.read_pixels(&picture.width, &picture.height);
  return picture;
}

}  // namespace

std::string Picture::name() const {
  return fmt::format("{}-{}-{:g}", scene, theme, scale);
}

namespace {

/// What is said of several scenes where a run has nothing for some of them.
class Missing {
 public:
  void add(const std::string& scene, const Error& error) {
    if (names_.insert(scene).second)
      text_ += (text_.empty() ? "" : "; ") + scene + ": " + error.what;
    if (names_.size() == 1) code_ = error.code;
  }
  Result<void> error(const std::string& replay) const {
    if (names_.empty()) return {};
    return Error{code_, "no picture of " + text_, replay, "the other scenes are drawn"};
  }

 private:
  std::set<std::string> names_;
  std::string text_;
  ErrorCode code_ = ErrorCode::bad_input;
};

}  // namespace

Result<void> draw_pictures(const ShotOptions& options,
                           const std::function<Result<void>(const Picture&)>& take) {
  const auto& names = scene_names();
  const bool all = options.scenes == std::vector<std::string>{"all"};
  const std::vector<std::string>& scenes = all ? names : options.scenes;
  for (const std::string& scene : scenes) {
    if (std::find(names.begin(), names.end(), scene) == names.end()) return unknown_scene(scene);
  }
  // A bad run is said before a missing display.
  if (const auto session = open_session(options); !session) return session.error();
  const auto recordings =
      app::load_recordings(app::asset_folder("recorded"), nullptr, hashes_for(options));
  auto platform = Platform::open({options.width, options.height, false});
  if (!platform) return platform.error();
  Missing missing;
  for (const std::string& scene : scenes) {
    for (const std::string& theme : options.themes) {
      for (const float scale : options.scales) {
        const auto picture = draw_picture(**platform, options, recordings, {scene, theme, scale});
        // Of all scenes a run without a comparison lacks one.
        const bool is_lacking = !picture && picture.error().code == ErrorCode::bad_input;
        if (is_lacking && all) continue;
        if (is_lacking && scenes.size() > 1) {
          missing.add(scene, picture.error());
          continue;
        }
        if (!picture) return picture.error();
        if (const auto taken = take(*picture); !taken) return taken;
      }
    }
  }
  return missing.error(options.replay);
}

int shot(const ShotOptions& options) {
  const size_t pictures = options.scenes.size() * options.themes.size() * options.scales.size();
  const bool is_folder = pictures > 1 || options.scenes == std::vector<std::string>{"all"};
  if (is_folder) {
    std::error_code error;  // a folder that cannot be made is reported with the first picture
    std::filesystem::create_directories(options.out, error);
  }
  const auto drawn = draw_pictures(options, [&](const Picture& picture) {
    const std::string path = is_folder ? options.out + "/" + picture.name() + ".png" : options.out;
    return write_png(path, picture.rgb.data(), picture.width, picture.height, picture.width);
  });
  return drawn ? 0 : fail(drawn.error());
}

}  // namespace ridge::window
