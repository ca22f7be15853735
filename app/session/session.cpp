// What both kinds of session share: how a session begins, saved runs, and launch commands.
#include "app/session/session.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/session/live_session.h"
#include "app/session/saved_run.h"
#include "app/session/transcript_file.h"
#include "common/record/command.h"
#include "common/record/json.h"

namespace ridge::app {
namespace {

/// A saved run: everything can be looked at, nothing can be asked.
class ReplaySession final : public Session {
 public:
  ReplaySession(Run run, std::string path) : run_(std::move(run)), path_(std::move(path)) {}

  bool poll() override { return std::exchange(fresh_, false); }
  void wait(double) override {}
  const Run& run() const override { return run_; }
  WorkerState state() const override { return WorkerState::replay; }
  const std::string& reason() const override { return reason_; }
  bool in_timed_block() const override { return false; }
  Result<int64_t> list() override { return refuse(); }
  Result<int64_t> source(const std::string&) override { return refuse(); }
  Result<int64_t> assembly(const std::string&) override { return refuse(); }
  Result<int64_t> build(const std::string&, const std::string&, const std::string&) override {
    return refuse();
  }
  Result<int64_t> send(WorkRequest) override { return refuse(); }
  void cancel(int64_t) override {}
  void predict(const Prediction&) override {}
  void note(const std::string& key, const std::string& text) override {
    added_.push_back(note_line(key, text));
    fresh_ |= run_.apply_line(added_.back());
  }
  /// Read where it is asked for: beside the run it would be as much memory again.
  std::vector<std::string> transcript() const override { return read_all(); }
  Result<void> save(const std::string& path) const override {
    const std::vector<std::string> lines = read_all();
    if (lines.size() > added_.size()) return save_transcript(path, lines);
    return Error{ErrorCode::bad_input, "the saved run is no longer there", "'" + path_ + "'",
                 "open it again from where it is now"};
  }

 private:
  /// The file's lines, and what was written about it since.
  std::vector<std::string> read_all() const {
    std::vector<std::string> lines = read_lines(path_);
    lines.insert(lines.end(), added_.begin(), added_.end());
    return lines;
  }
  static Error refuse() {
    return {ErrorCode::usage, "this is a saved run and has no worker", "",
            "start without --replay to measure"};
  }

  Run run_;
  std::string path_, reason_;
  std::vector<std::string> added_;
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Session> Session::nothing() {
  return std::make_unique<ReplaySession>(Run(), "");
}

Result<std::unique_ptr<Session>> Session::start(Options options) {
  auto session = std::make_unique<LiveSession>(std::move(options));
  RIDGE_TRY_VOID(session->launch());
  return std::unique_ptr<Session>(std::move(session));
}

Result<std::unique_ptr<Session>> Session::replay(const std::string& path,
                                                 std::span<const RungHash> now) {
  RIDGE_TRY(Run run, load_saved(path, now));
  return std::unique_ptr<Session>(std::make_unique<ReplaySession>(std::move(run), path));
}

std::string note_line(const std::string& key, const std::string& text) {
  return dump_json({{"ridgepoint", 1},
                    {"from", "app"},
                    {"type", RequestType::note},
                    {"what", key},
                    {"text", one_line(text, kLongestNote)}});
}

Result<std::vector<std::string>> split_command(const std::string& text) {
  std::vector<std::string> arguments;
  std::string current;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'' ? c != '\'' : quote == '"' && c != '"' && c != '\\') {
      current += c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\') {
      if (i + 1 == text.size()) {
        return Error{ErrorCode::usage, "it ends in a lone backslash", "launch command", ""};
      }
      // Inside double quotes a backslash is itself unless it guards a quote or a backslash.
      if (quote == '"' && text[i + 1] != '"' && text[i + 1] != '\\') current += c;
      current += text[++i];
      in_word = true;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) arguments.push_back(std::exchange(current, ""));
      in_word = false;
    } else {
      current += c;
      in_word = true;
    }
  }
  if (quote) {
    return Error{ErrorCode::usage, std::string("the quote ") + quote + " is never closed",
                 "launch command", ""};
  }
  if (in_word) arguments.push_back(current);
  if (arguments.empty() || arguments[0].empty()) {
    return Error{ErrorCode::usage, "it names no program", "launch command",
                 "give one, as in --worker \"ssh -T gpubox ridgepoint-worker --stdio\""};
  }
  return arguments;
}

}  // namespace ridge::app
