#include "app/session/live_session.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "common/record/json.h"

namespace ridge::app {
namespace {

constexpr int kProtocol = 1;

double seconds_since(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

std::string seconds_text(double s) {
  const double rounded = std::round(s * 10) / 10;
  std::string text = std::to_string(rounded);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

/// "ridgepoint-worker" in the folder of the running program.
std::vector<std::string> default_command() {
  std::string path(4096, '\0');
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<size_t>(n) : 0);
  const auto* started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (path.empty() && started_as != nullptr) path = started_as;  // a system without /proc
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return {folder + "ridgepoint-worker", "--stdio"};
}

Json app_line(RequestType type) {
  return {{"ridgepoint", kProtocol}, {"from", "app"}, {"type", type}};
}

std::string text_of(const Json& message, const char* key) {
  const auto it = message.find(key);
  return it != message.end() && it->is_string() ? it->get<std::string>() : "";
}

int64_t number_of(const Json& message, const char* key) {
  const auto it = message.find(key);
  return it != message.end() && it->is_number_integer() ? it->get<int64_t>() : 0;
}

/// Lines that keep the conversation going but say nothing about the run: not saved.
bool is_kept(const std::string& type) {
  static const std::set<std::string> kPassing = {"ack",  "ping",   "pong",  "phase",
                                                 "quit", "timing", "cancel"};
  return kPassing.count(type) == 0;
}

/// Libraries of the worker that get too little memory try for ever.
std::string memory_limit_text() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return "; a limit leaves it " + std::to_string(limit.rlim_cur >> 20) +
         " MiB of address space (ulimit -v)";
}

std::string shortened(const std::string& text) {
  return text.size() <= 120 ? text : text.substr(0, 117) + "...";
}

}  // namespace

LiveSession::LiveSession(Options options) : options_(std::move(options)) {}

Result<void> LiveSession::launch() {
  auto command = options_.command.empty() ? default_command() : options_.command;
  if (options_.runs_commands)
    std::replace(command.begin(), command.end(), std::string("--stdio"), std::string("--commands"));
  RIDGE_TRY(process_, Process::start(command, options_.wake));
  has_hello_ = waiting_ = in_timed_block_ = is_impatient_ = ended_by_itself_ = false;
  lost_why_.clear();
  held_.clear();
  fault_.clear();
  banner_.clear();
  reason_.clear();
  gave_up_.clear();
  launched_ = last_ping_ = polled_ = Clock::now();
  unanswered_.reset();
  terminated_.reset();
  closed_.reset();
  return {};
}

LiveSession::~LiveSession() {
  if (process_) say_good_bye();
  if (writer_) writer_->sync(transcript_);
}

void LiveSession::say_good_bye() {
  // End of stdin means exit, whatever the worker is doing.
  process_->send(dump_json(app_line(RequestType::quit)));
  process_->close_input();
  const auto asked = Clock::now();
  bool terminated = false;
  while (!process_->exited()) {
    const double passed_s = seconds_since(asked);
    if (passed_s > 2 * options_.patience.kill_s) break;  // Process kills the group
    if (passed_s > options_.patience.kill_s && !std::exchange(terminated, true)) {
      process_->signal_group(SIGTERM);
    }
    for (const std::string& line : process_->take_lines()) handle(line);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

WorkerState LiveSession::state() const {
  if (!process_) return reason_.empty() ? WorkerState::idle : WorkerState::lost;
  if (!has_hello_) return WorkerState::starting;
  return open_.empty() && lost_why_.empty() ? WorkerState::idle : WorkerState::busy;
}

double LiveSession::hello_limit_s() const {
  if (options_.patience.hello_s > 0) return options_.patience.hello_s;
  // A busy laptop starts slowly, and loses nothing by waiting; a login takes time.
  return options_.command.empty() ? 20 : 30;
}

// ---- to the worker ------------------------------------------------------------------------------

Result<int64_t> LiveSession::list() {
  return ask(next_id_, RequestType::list, app_line(RequestType::list));
}

Result<int64_t> LiveSession::source(const std::string& kernel) {
  Json line = app_line(RequestType::source);
  line["kernel"] = kernel;
  return ask(next_id_, RequestType::source, line);
}

Result<int64_t> LiveSession::assembly(const std::string& kernel) {
  Json line = app_line(RequestType::assembly);
  line["kernel"] = kernel;
  return ask(next_id_, RequestType::assembly, line);
}

Result<int64_t> LiveSession::build(const std::string& kernel, const std::string& dtype,
                                   const std::string& text) {
  Json line = app_line(RequestType::build);
  line["kernel"] = kernel;
  if (!dtype.empty()) line["dtype"] = dtype;
  line["text"] = text;
  return ask(next_id_, RequestType::build, line);
}

Result<int64_t> LiveSession::send(WorkRequest request) {
  request.id = next_id_;
  return ask(request.id, request.type, to_line(request));
}

Result<int64_t> LiveSession::ask(int64_t id, RequestType type, const Json& line) {
  if (!lost_why_.empty()) finish_losing();
  if (!process_) RIDGE_TRY_VOID(launch());
  ++next_id_;
  if (open_.empty()) last_ping_ = Clock::now();
  Json numbered = line;
  numbered["id"] = id;
  open_[id] = {type, {}, std::make_shared<const Json>(numbered)};
  record(numbered);
  post(numbered);
  return id;
}

/// A worker that has not said hello may be a login shell or of another version: it gets nothing.
void LiveSession::post(const Json& line) {
  if (!process_) return;
  if (has_hello_) {
    process_->send(dump_json(line));
  } else {
    held_.push_back(dump_json(line));
  }
}

void LiveSession::record(const Json& line) {
  if (is_kept(text_of(line, "type"))) transcript_.push_back(dump_json(line));
  changed_ |= run_.apply(line);
}

void LiveSession::cancel(int64_t id) {
  const auto it = open_.find(id);
  if (it == open_.end() || it->second.cancelled) return;
  it->second.cancelled = Clock::now();
  Json line = app_line(RequestType::cancel);
  line["id"] = next_id_++;
  line["target"] = id;
  post(line);
}

void LiveSession::stop_waiting() {
  for (const auto& [id, open] : open_) is_impatient_ |= open.cancelled.has_value();
}

void LiveSession::predict(const Prediction& said) {
  Json line = app_line(RequestType::predict);
  line["kernel"] = said.kernel;
  line["params"] = params_to_json(said.params);
  line["value"] = said.value;
  if (said.factor > 0) line["factor"] = said.factor, line["of"] = said.of;
  record(line);
}

void LiveSession::name_learner(const std::string& name) {
  Json line = app_line(RequestType::learner);
  line["name"] = name;
  record(line);
}

void LiveSession::note(const std::string& key, const std::string& text) {
  const std::string line = note_line(key, text);
  transcript_.push_back(line);
  changed_ |= run_.apply_line(line);
}

Result<void> LiveSession::save(const std::string& path) const {
  RIDGE_TRY(GrowingFile file, GrowingFile::open(path));
  RIDGE_TRY_VOID(file.append(transcript_));
  return file.finish();
}

void LiveSession::keep(const std::string& path) {
  if (!writer_) writer_ = std::make_unique<TranscriptWriter>(path);
  writer_->sync(transcript_);
}

std::optional<Error> LiveSession::take_keep_error() {
  return writer_ ? writer_->take_error() : std::nullopt;
}

// ---- from the worker ----------------------------------------------------------------------------

void LiveSession::wait(double timeout_s) {
  const auto sleep_at_most = [&](double s) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(timeout_s, s)));
  };
  if (!process_) return;
  if (!lost_why_.empty())
    sleep_at_most(0.001);
  else if (closed_)
    sleep_at_most(0.05);  // its output has ended: only the watchdog has something to do
  else
    process_->wait(timeout_s);
}

bool LiveSession::poll() {
  if (process_) poll_worker();
  if (writer_) writer_->append(transcript_);
  return std::exchange(changed_, false);
}

/// Who was put to sleep, as a browser does with a page that is not looked at, heard nothing meanwhile: that is no silence
/// of a worker that is starting.
void LiveSession::forget_sleep() {
  // Twice what passes between two polls of a window where nothing happens.
  constexpr std::chrono::seconds kSleep(5);
  const auto now = Clock::now();
  const auto gap = now - std::exchange(polled_, now);
  if (gap > kSleep) launched_ = std::min(now, launched_ + gap);
}

void LiveSession::poll_worker() {
  forget_sleep();
  process_->flush();
  bool was_full = false;
  for (const std::string& line : process_->take_lines(&was_full)) handle(line);
  if (lost_why_.empty()) {
    const std::string death = find_death();
    if (!death.empty()) {
      lose(death);
    } else {
      mind_watchdog(was_full);
      mind_cancel();
    }
  }
  if (!lost_why_.empty() && process_->has_ended()) finish_losing();
}

void LiveSession::handle(const std::string& line) {
  if (line.empty()) return;
  if (has_hello_ && run_.apply_sample_line(line)) {
    in_timed_block_ = false;
    transcript_.push_back(line);
    changed_ = true;
    return;
  }
  const auto message = line[0] == '{' ? parse_json(line, "worker") : Result<Json>(Json());
  if (!message || !message->is_object() || !message->contains("ridgepoint")) {
    handle_junk(line);
  } else {
    handle_message(*message, line);
  }
}

void LiveSession::handle_junk(const std::string& line) {
  banner_ = line;
  if (has_hello_) changed_ |= run_.apply_line(line);  // for the log, which is bounded
}

void LiveSession::handle_message(const Json& message, const std::string& line) {
  const int64_t version = number_of(message, "ridgepoint");
  if (version != kProtocol) {
    fault_ = "speaks protocol version " + std::to_string(version) + " and this program version " +
             std::to_string(kProtocol) + ": install the same ridgepoint on both sides";
    return;
  }
  const std::string type = text_of(message, "type");
  in_timed_block_ = false;
  if (type == "timing") {
    Json ack = app_line(RequestType::ack);
    ack["seq"] = number_of(message, "seq");
    post(ack);
    in_timed_block_ = true;
  } else if (type == "pong") {
    unanswered_.reset();
  } else if (type == "phase") {
    waiting_ = text_of(message, "phase") == "waiting";
  } else if (type == "hello") {
    handle_hello();
  }
  if (is_kept(type)) transcript_.push_back(line);
  changed_ |= run_.apply(message);
  if (type == "fatal" && run_.fatal()) gave_up_ = run_.fatal()->sentence();
  close_request(message, type);
}

void LiveSession::handle_hello() {
  has_hello_ = true;
  last_ping_ = Clock::now();
  for (const std::string& line : held_) process_->send(line);
  held_.clear();
}

/// `done` ends every request; `end` says as much for a list, `result` for a source.
void LiveSession::close_request(const Json& message, const std::string& type) {
  const auto it = open_.find(number_of(message, "request"));
  if (it == open_.end()) return;
  const RequestType asked = it->second.type;
  if (type == "done" || (type == "end" && asked == RequestType::list) ||
      (type == "result" && asked == RequestType::source)) {
    if (it->second.cancelled) is_impatient_ = false;
    open_.erase(it);
    waiting_ = false;
  }
}

// ---- when it goes wrong -------------------------------------------------------------------------

/// Why the worker is to be given up now; empty while there is no reason.
std::string LiveSession::find_death() {
  if (!fault_.empty()) return fault_;
  if (process_->overlong_line()) return "sent a line longer than 64 KiB and was stopped";
  if (process_->takes_no_input()) return "does not read what it is asked and was stopped";
  if (process_->exited()) return "exited";  // lose() learns how
  if (process_->output_ended()) {
    // The output of a dying process closes a moment before it is dead.
    if (!closed_) closed_ = Clock::now();
    if (seconds_since(*closed_) > options_.patience.closed_s) {
      return "closed its output while it was still running and was stopped";
    }
  } else if (!has_hello_ && seconds_since(launched_) > hello_limit_s()) {
    std::string text = "said no hello within " + seconds_text(hello_limit_s()) + " and was stopped";
    if (!options_.command.empty()) text += " (is it a ridgepoint-worker with --stdio?)";
    text += memory_limit_text();
    if (!banner_.empty()) text += "; it printed \"" + shortened(banner_) + "\"";
    return text;
  }
  return "";
}

void LiveSession::mind_watchdog(bool reader_was_full) {
  if (!has_hello_ || !process_->reads_while_working()) return;
  if (open_.empty()) {
    unanswered_.reset();
    return;
  }
  // A pong may wait behind a full queue: that is our delay, not the worker's silence. It ends: a queue is read in well
  // under a second, and a worker that floods has to answer all the same.
  constexpr double kBehindQueue = 4;
  is_flooded_ = unanswered_ && (is_flooded_ || reader_was_full);
  const Patience& patience = options_.patience;
  const double limit_s =
      (waiting_ ? patience.pong_waiting_s : patience.pong_s) * (is_flooded_ ? kBehindQueue : 1);
  if (unanswered_ && seconds_since(*unanswered_) > limit_s) {
    lose("answered no ping for " + seconds_text(limit_s) + " and was stopped");
    return;
  }
  // Rather in the gap between timed blocks, but never much later.
  const double due_s = patience.ping_every_s * (in_timed_block_ ? 2 : 1);
  if (seconds_since(last_ping_) < due_s) return;
  Json ping = app_line(RequestType::ping);
  ping["id"] = next_id_++;
  post(ping);
  last_ping_ = Clock::now();
  if (!unanswered_) unanswered_ = last_ping_;
}

void LiveSession::mind_cancel() {
  const Patience& patience = options_.patience;
  if (!lost_why_.empty()) return;
  if (terminated_) {
    if (seconds_since(*terminated_) > patience.kill_s) lose("was killed");
    return;
  }
  for (const auto& [id, open] : open_) {
    if (!open.cancelled) continue;
    const bool waits = process_->reads_while_working() && !is_impatient_;
    if (waits && seconds_since(*open.cancelled) <= patience.cancel_s) continue;
    process_->signal_group(SIGTERM);
    terminated_ = Clock::now();
    return;
  }
}

/// Ends what is left of the worker. Its last lines are still taken; it is gone when finish_losing() says so.
void LiveSession::lose(const std::string& why) {
  lost_why_ = why;
  ended_by_itself_ = process_->exited();
  process_->kill();
}

/// Keeps everything the worker said, and says why it is gone. Never waits: what will not die is left behind.
void LiveSession::finish_losing() {
  const Ending ending = process_->end();
  for (const std::string& line : process_->take_lines()) handle(line);
  const std::string last_words = process_->last_error_line();
  const std::string why = std::exchange(lost_why_, "");
  process_.reset();

  reason_ = "the worker " + why;
  if (!gave_up_.empty()) {
    reason_ = "the worker gave up: " + gave_up_;
  } else if (terminated_) {
    reason_ = "the worker could not stop in the middle of a call and was ended by the cancel";
  } else if (ended_by_itself_ && fault_.empty()) {
    reason_ = "the worker " + ending.text() + (has_hello_ ? "" : " before it said hello");
  }
  if (gave_up_.empty() && !last_words.empty()) {
    reason_ += "; its last words: \"" + shortened(last_words) + "\"";
  }
  in_timed_block_ = false;
  const std::map<int64_t, Open> waiting(open_.begin(), open_.end());
  open_.clear();
  held_.clear();
  Json line = app_line(RequestType::lost);
  line["reason"] = reason_;
  if (terminated_) line["cancelled"] = true;
  record(line);
  // A cancel loses nothing: the next request starts another worker.
  if (terminated_) {
    reason_.clear();
    ask_again(waiting);
  }
  changed_ = true;
}

/// What waited behind a request that had to be killed, a run behind the estimates say, was not cancelled: another worker
/// gets it under its number.
void LiveSession::ask_again(const std::map<int64_t, Open>& waiting) {
  for (const auto& [id, open] : waiting) {
    if (open.cancelled) continue;
    if (!process_ && !launch()) return;
    open_[id] = open;
    record(*open.line);
    post(*open.line);
  }
}

}  // namespace ridge::app
