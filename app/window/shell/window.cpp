#include "app/window/shell/window.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <utility>

#include "app/platform/platform.h"
#include "app/query/reporting.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/study.h"
#include "app/window/views/history_view.h"
#include "common/core/background.h"

namespace ridge::window {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFrame_s = 1.0 / 30;  // while data arrives
constexpr double kIdleWait_s = 2.0;    // nothing to mind: the reader thread wakes us
constexpr double kBusyWait_s = 0.25;   // the session's watchdog wants to be polled
constexpr double kLongBlock_s = 0.5;   // one long call: twice a second is drawn inside it
constexpr int kFramesAfterEvent = 3;   // so that tooltips and popups settle

double cpu_seconds(int whose) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double thread_seconds() {
  return cpu_seconds(RUSAGE_THREAD);
}

/// Times the window where it is asked for. Most windows are not timed, are open for hours and turn hundreds of
/// times a second: of those nothing is kept.
class Stopwatch {
 public:
  explicit Stopwatch(WindowTiming* timing) : timing_(timing) {}

  double now_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void frame(double seconds) {
    if (timing_ == nullptr) return;
    if (timing_->frames_s.empty()) timing_->first_frame_s = now_s();
    timing_->frames_s.push_back(seconds);
    idle_from_s_ = now_s();
    idle_from_cpu_s_ = cpu_seconds(RUSAGE_SELF);
  }
  void turn_begins() {
    if (timing_ == nullptr) return;
    turn_counts_ =
        !timing_->frames_s.empty();  // the turn of the first frame is that frame's figure
    turn_from_s_ = now_s();
    turn_from_cpu_s_ = thread_seconds();
  }
  void turn_ends() {
    if (!turn_counts_) return;
    timing_->turns_s.push_back(now_s() - turn_from_s_);
    timing_->turns_cpu_s.push_back(thread_seconds() - turn_from_cpu_s_);
  }
  void finish() {
    if (timing_ == nullptr) return;
    timing_->idle_s = now_s() - idle_from_s_;
    timing_->idle_cpu_s = cpu_seconds(RUSAGE_SELF) - idle_from_cpu_s_;
  }

 private:
  WindowTiming* const timing_;
  Clock::time_point start_ = Clock::now();
  double idle_from_s_ = 0, idle_from_cpu_s_ = 0, turn_from_s_ = 0, turn_from_cpu_s_ = 0;
  bool turn_counts_ = false;
};

Result<std::unique_ptr<app::Session>> open_session(const WindowOptions& options) {
  if (!options.replay.empty()) return app::Session::replay(options.replay);
  app::Session::Options session;
  session.command = options.worker_command;
  session.wake = [] { Platform::wake(); };
  return app::Session::start(std::move(session));
}

/// What was remembered is known before the window is made, so that it opens where it was.
std::unique_ptr<Platform> open_platform(State& state, const WindowOptions& options, Error* error) {
  const int width = options.width > 0 ? options.width : state.settings.window[2];
  const int height = options.height > 0 ? options.height : state.settings.window[3];
  Platform::Options platform;
  if (width > 0 && height > 0) platform.width = width, platform.height = height;
  platform.fits_screen = options.width == 0;
  platform.is_placed = options.width == 0 && state.settings.window[2] > 0;
  platform.x = state.settings.window[0], platform.y = state.settings.window[1];
  auto opened = Platform::open(platform);
  if (opened) return *std::move(opened);
  *error = opened.error();
  return nullptr;
}

void set_up(State& state, const WindowOptions& options) {
  state.history.runs_folder = default_runs_folder();
  const std::string past = history::history_path();
  if (!past.empty() && history::why_no_history().empty())
    state.past.keeper = std::make_shared<history::Keeper>(past);
  state.settings.export_root = app::report_root();
  for (const std::string& word : options.worker_command)
    state.settings.worker_command += (state.settings.worker_command.empty() ? "" : " ") + word;
  if (options.scale > 0) state.appearance.scale = std::clamp(options.scale, 0.75f, 3.0f);
  if (!options.theme.empty()) state.appearance.light_theme = options.theme == "light";
  const bool is_asked = !options.replay.empty() || !options.lab.empty();
  if (!is_asked && !find_lab(state.history.last_lab)) state.view.screen = ScreenId::home;
  open_lab(state, !options.replay.empty() ? ""
                  : options.lab.empty()   ? state.history.last_lab
                                          : options.lab);
  if (!options.rung.empty()) select_rung(state, options.rung);
  for (const auto& [name, value] : options.params) set_param(state, name, value);
  if (!options.replay.empty()) {
    state.sessions.opened_path = options.replay;
    list_recent(state, options.replay, state.run());
    open_rehearsed(state);
  }
  if (options.presenter) begin_presenting(state, !options.rung.empty());
  if (!options.notice.empty()) state.notice = {options.notice, false};
  if (options.claimed.empty()) return;
  state.sessions.claimed_path = options.claimed;
  open_run(state, options.claimed);
}

/// The recorded runs, 8 MB: after the first frame, which waits for none of them. A thread of its own reads them; where there
/// are no threads each turn reads one file, the lab's in view first, and the window goes on in between.
class ShippedRuns {
 public:
  void begin() {
    Platform::fetch_recorded([this] {
      if (!has_threads()) {
        shelf_ = std::make_unique<app::RecordingShelf>();
        return;
      }
      read_ = in_background([] {
        Read read;
        read.runs = app::load_all_recordings(&read.problems);
        Platform::wake();
        return read;
      });
    });
  }
  bool take(State& state) {
    if (shelf_) return read_file(state);
    if (!is_ready(read_)) return false;
    show(state, read_.get());
    return true;
  }
  /// Another turn reads more.
  bool goes_on() const { return shelf_ != nullptr; }

 private:
  struct Read {
    std::vector<Recording> runs;
    std::vector<std::string> problems;
  };
  static void show(State& state, Read read) {
    if (!read.problems.empty()) state.notice = {read.problems.front(), true};
    take_recordings(state, std::move(read.runs));
  }
  bool read_file(State& state) {
    const std::string lab = state.selection.lab ? state.selection.lab->id : "";
    const bool was_of_lab = shelf_->left(lab) > 0;
    shelf_->read_next(lab, &problems_);
    const bool is_over = shelf_->is_empty();
    if (!is_over && !(was_of_lab && shelf_->left(lab) == 0)) return false;
    show(state, {shelf_->all(), is_over ? problems_ : std::vector<std::string>()});
    if (is_over) shelf_.reset();
    return true;
  }

  std::future<Read> read_;
  std::unique_ptr<app::RecordingShelf> shelf_;
  std::vector<std::string> problems_;
};

/// A picture for the clipboard, which a thread of its own holds.
class CopiedPicture {
 public:
  void begin(const std::string& picture) {
    picture_ = picture;
    copied_ = copy_picture(picture, [] { Platform::wake(); });
  }
  /// True when it is done and the picture of the window has changed.
  bool take(State& state) {
    if (!is_ready(copied_)) return false;
    const Result<void> copied = copied_.get();
    const std::string said = copied ? "It is on the clipboard too."
                                    : "Not on the clipboard: " + copied.error().sentence();
    if (state.written.file == picture_)
      state.written.said = said;
    else
      state.notice = {"The chart's picture: " + said, false};
    return true;
  }

 private:
  std::future<Result<void>> copied_;
  std::string picture_;
};

/// The lab in view, for the next start: at once, since a page is closed without a word. True: it was another.
bool note_lab(State& state) {
  const bool is_own =
      state.selection.lab && state.view.screen == ScreenId::lab && !state.is_replay();
  if (!is_own || state.history.last_lab == state.selection.lab->id) return false;
  state.history.last_lab = state.selection.lab->id;
  return true;
}

/// Where it stands and what was looked at, for the next start.
void remember(State& state, const Platform& platform) {
  finish_typing(state);
  note_lab(state);
  if (!state.appearance.full_screen) state.settings.window = platform.place();
  save_settings(&state);
}

/// What was seen, without what lay over it: the frames in between let a menu or a tooltip go.
void save_chart(State& state, const Shell& shell, const Platform& platform, CopiedPicture* copied) {
  if (state.chart.png_in_frames == 0 || --state.chart.png_in_frames > 0) return;
  const char* what = state.chart.png_of_card ? "card" : "chart";
  const auto card = shell.widgets().find("climb_card");
  if (state.chart.png_of_card && card == shell.widgets().end()) return;  // closed meanwhile
  const auto folder = app::make_report_folder(state.settings.export_root, what);
  const std::string path = folder ? *folder + "/" + what + ".png" : "";
  const Area place = state.chart.png_of_card ? card->second : shell.chart_place();
  const Result<void> saved = folder ? platform.save_png(path, place) : Result<void>(folder.error());
  if (!saved) {
    state.notice = {"No picture. " + saved.error().sentence(), true};
    return;
  }
  const bool is_card = state.chart.png_of_card;
  note_written(
      state, is_card ? "card (PNG)" : "picture of the chart (PNG)", path,
      is_card ? card_words(climb_card(climb_run(state), state.first_climb)) : shell.chart_words());
  if (state.chart.png_copied) copied->begin(state.written.file);
}

/// "GEMM · loop_order – Ridgepoint": which of several windows, or of a browser's tabs.
std::string title_of(const State& state) {
  const std::string name = "Ridgepoint";
  if (state.view.screen != ScreenId::lab || !state.selection.lab) return name;
  const std::string& rung = state.selection.rung;
  return state.selection.lab->title +
         (rung.empty() ? "" : " · " + rung.substr(rung.rfind('.') + 1)) + " – " + name;
}

/// The window from its opening to its end.
class OpenWindow final : public Turns {
 public:
  OpenWindow(WindowOptions options, std::unique_ptr<State> state,
             std::unique_ptr<Platform> platform, std::unique_ptr<app::Session> session,
             Stopwatch watch)
      : options_(std::move(options)),
        state_(std::move(state)),
        platform_(std::move(platform)),
        session_(std::move(session)),
        shell_(*state_),
        watch_(std::move(watch)) {}

  double wait_s() override;
  bool turn(bool has_event) override;

 private:
  bool is_over() const;
  bool is_busy() const;
  void take_news(double now_s);
  void draw();
  void end();

  WindowOptions options_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<app::Session> session_;
  Shell shell_;
  ShippedRuns shipped_;
  CopiedPicture copied_;
  Stopwatch watch_;
  int frames_left_ = kFramesAfterEvent;
  bool data_waits_ = false, was_busy_ = false;
  double last_frame_s_ = -1;
};

bool OpenWindow::is_busy() const {
  return state_->requests.is_measuring() || state_->requests.estimates_due ||
         state_->sessions.shown->state() == app::WorkerState::busy ||
         state_->sessions.shown->state() == app::WorkerState::starting;
}

double OpenWindow::wait_s() {
  double wait_s = is_busy() ? kBusyWait_s : kIdleWait_s;
  const double now_s = platform_->now_s();
  if (frames_left_ > 0 || shipped_.goes_on())
    wait_s = 0;
  else if (data_waits_)
    wait_s = std::max(0.001, last_frame_s_ + kFrame_s - now_s);
  if (shell_.wake_s() > 0)
    wait_s = std::min(wait_s, std::max(0.001, last_frame_s_ + shell_.wake_s() - now_s));
  if (options_.close_after_s > 0) wait_s = std::min(wait_s, options_.close_after_s);
  watch_.turn_ends();
  return wait_s;
}

bool OpenWindow::is_over() const {
  return platform_->should_close() ||
         (options_.close_after_s > 0 && watch_.now_s() > options_.close_after_s);
}

void OpenWindow::take_news(double now_s) {
  data_waits_ |= state_->sessions.shown->poll();
  for (const std::string& path : platform_->take_dropped()) open_run(*state_, path);
  data_waits_ |= shipped_.take(*state_);
  data_waits_ |= copied_.take(*state_);
  data_waits_ |= refresh(*state_, now_s);
  data_waits_ |= shell_.wake_s() > 0 && now_s >= last_frame_s_ + shell_.wake_s();
}

bool OpenWindow::turn(bool has_event) {
  if (has_event) frames_left_ = kFramesAfterEvent;
  watch_.turn_begins();
  const double now_s = platform_->now_s();
  take_news(now_s);
  if (is_over()) {
    end();
    return false;
  }
  const bool due = frames_left_ > 0 || (data_waits_ && now_s - last_frame_s_ >= kFrame_s);
  const bool held =
      state_->sessions.shown->in_timed_block() && now_s - last_frame_s_ < kLongBlock_s;
  if (due && !held) draw();
  // Each result makes the charts anew. What the old ones took lies in pieces between what stays, and would add up.
  if (std::exchange(was_busy_, is_busy()) && !is_busy()) Platform::give_back_memory();
  if (note_lab(*state_)) save_settings(state_.get());
  return true;
}

void OpenWindow::draw() {
  platform_->set_full_screen(state_->appearance.full_screen);
  platform_->set_title(title_of(*state_));
  const double begin_s = platform_->now_s();
  platform_->draw(shell_, state_->appearance);
  save_chart(*state_, shell_, *platform_, &copied_);
  platform_->swap();
  if (last_frame_s_ < 0) shipped_.begin();
  watch_.frame(platform_->now_s() - begin_s);
  if (options_.observe) options_.observe(shell_, *state_);
  last_frame_s_ = platform_->now_s();
  data_waits_ = false;
  frames_left_ = shell_.needs_frame() ? std::max(frames_left_ - 1, 1) : frames_left_ - 1;
  frames_left_ = std::max(frames_left_, 0);
}

void OpenWindow::end() {
  remember(*state_, *platform_);
  watch_.finish();
}

std::unique_ptr<State> remembered() {
  auto state = std::make_unique<State>();
  state->settings.path = default_settings_path();
  state->appearance.scale = 0;
  load_settings(state.get());
  state->studying.path = default_progress_path();
  load_progress(*state);
  state->tour_progress.path = default_tour_progress_path();
  load_tour_progress(*state);
  return state;
}

}  // namespace

int open_window(const WindowOptions& options) {
  Stopwatch watch(options.timing);
  auto state = remembered();
  Error error;
  auto platform = open_platform(*state, options, &error);
  if (!platform) {
    std::fprintf(stderr, "ridgepoint: %s\n", error.sentence().c_str());
    return error.exit_code();
  }
  // Until a scale is chosen, the screen's own.
  if (state->appearance.scale == 0)
    state->appearance.scale = std::clamp(platform->content_scale(), 0.75f, 3.0f);
  auto session = open_session(options);
  if (!session) {
    std::fprintf(stderr, "ridgepoint: %s\n", session.error().sentence().c_str());
    return session.error().exit_code();
  }
  state->sessions.shown = session->get();
  set_up(*state, options);
  Platform::run(std::make_unique<OpenWindow>(options, std::move(state), std::move(platform),
                                             *std::move(session), std::move(watch)));
  return 0;
}

}  // namespace ridge::window
