// Sessions against real workers that misbehave (tests/fault_worker.cpp): what was received is kept,
// the reason is right, and nothing is left running.
#include "app/session/session.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/session/process.h"
#include "app/session/saved_run.h"
#include "app/session/shared_file.h"
#include "app/session/transcript_file.h"
#include "common/core/files.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;

namespace {

using Clock = std::chrono::steady_clock;

/// A machine that runs something else too is slow, not wrong.
const std::chrono::seconds kLongest(std::getenv("RIDGE_EMULATED") ? 300 : 60);

/// Fast enough for a test, slow enough for a loaded machine.
Patience quick() {
  Patience patience;
  patience.hello_s = 2;
  patience.ping_every_s = 0.05;
  patience.pong_s = 0.4;
  patience.cancel_s = 0.2;
  patience.kill_s = 0.2;
  patience.closed_s = 0.1;
  return patience;
}

std::unique_ptr<Session> start(const std::string& mode, Patience patience = quick()) {
  auto session = Session::start({{variable("RIDGE_FAULT_WORKER"), mode}, {}, patience});
  if (!session) FAIL(session.error().sentence());
  return *std::move(session);
}

/// Polls until `over` says so; false after kLongest.
template <class Predicate>
bool poll_until(Session& session, Predicate over) {
  const auto limit = Clock::now() + kLongest;
  while (!over()) {
    if (Clock::now() > limit) return false;
    session.wait(0.02);
    session.poll();
  }
  return true;
}

int64_t ask(Session& session) {
  WorkRequest request;
  request.type = RequestType::run;
  request.lab = "gemm";
  request.kernels = {{"gemm.cpu.naive_o1", {{"n", int64_t{64}}}}};
  const auto id = session.send(request);
  REQUIRE(id.ok());
  return *id;
}

std::string status(const Session& session, int64_t id) {
  const Request* request = session.run().request(id);
  return request ? to_string(request->status) : "unknown";
}

bool is_lost(const Session& session) {
  return session.state() == WorkerState::lost;
}

/// As /proc says it: 'Z' is dead and waits to be reaped; ' ': there is none.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t end = text.rfind(") ");
  return end == std::string::npos ? ' ' : text[end + 2];
}

size_t sample_count(const Session& session) {
  size_t count = 0;
  for (const Series& series : session.run().series()) count += series.samples.size();
  return count;
}

bool has_children() {
  return waitpid(-1, nullptr, WNOHANG) != -1;
}

size_t open_files() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

/// Gone, or a zombie that whoever adopted it has not collected.
bool is_dead(int pid) {
  for (int i = 0; i < 100; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text, id, name, state;
    if (!(file >> id >> name >> state) || state == "Z" || state == "X") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool mentions(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a good worker: samples, acknowledged timed blocks, a transcript that replays") {
  const size_t files_before = open_files();
  {
    auto session = start("good");
    CHECK(session->state() == WorkerState::starting);
    const int64_t id = ask(*session);
    bool saw_timed_block = false;
    REQUIRE(poll_until(*session, [&] {
      saw_timed_block |= session->in_timed_block();
      return status(*session, id) == "ok";
    }));
    CHECK_FALSE(session->in_timed_block());
    CHECK(session->state() == WorkerState::idle);
    CHECK(sample_count(*session) == 17);
    CHECK(mentions(session->transcript(), "\"from\":\"app\""));
    CHECK(mentions(session->transcript(), "\"samples\""));
    for (const char* passing : {"\"ack\"", "\"ping\"", "\"pong\"", "\"timing\""}) {
      CHECK_FALSE(mentions(session->transcript(), passing));
    }

    const Folder folder;
    REQUIRE(session->save(folder / "run.jsonl").ok());
    auto replay = Session::replay(folder / "run.jsonl");
    REQUIRE(replay.ok());
    CHECK((*replay)->state() == WorkerState::replay);
    CHECK((*replay)->run().series().size() == 1);
    CHECK(sample_count(**replay) == 17);
    std::vector<std::string> replayed = (*replay)->transcript();
    std::erase_if(replayed, is_seal);
    CHECK(replayed == session->transcript());
    // A report reads the same run, with the same results marked.
    const Series& series = (*replay)->run().series()[0];
    for (const char* hash : {series.hash.c_str(), "another"}) {
      const RungHash now[] = {{series.kernel.c_str(), hash}};
      const auto loaded = load_saved(folder / "run.jsonl", now);
      const auto again = Session::replay(folder / "run.jsonl", now);
      REQUIRE(loaded.ok());
      REQUIRE(again.ok());
      CHECK(loaded->series()[0].stale == (series.hash != hash && !series.hash.empty()));
      CHECK((*again)->run().series()[0].stale == loaded->series()[0].stale);
    }
    CHECK((*replay)->list().error().code == ErrorCode::usage);
  }
  CHECK_FALSE(has_children());
  CHECK(open_files() == files_before);
}

TEST_CASE("whatever kills a worker, its samples are kept and the reason is said") {
  struct Fault {
    const char* mode;
    const char* reason;
  };
  const Fault fault =
      GENERATE(Fault{"crash", "crashed (SIGSEGV)"}, Fault{"exit", "exited with code 3"},
               Fault{"exit", "the matrix is on fire"}, Fault{"hang", "answered no ping for 0.4 s"},
               Fault{"endless", "longer than 64 KiB"}, Fault{"half_line", "exited with code 0"},
               Fault{"close", "closed its output"}, Fault{"grandchild", "exited with code 5"},
               Fault{"fatal", "the CUDA context is lost"});
  INFO(fault.mode);
  const size_t files_before = open_files();
  auto session = start(fault.mode);
  const int64_t id = ask(*session);
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  INFO(session->reason());
  CHECK(session->reason().find(fault.reason) != std::string::npos);
  CHECK(sample_count(*session) == 7);
  CHECK(status(*session, id) == "failed");
  REQUIRE(session->run().series().size() == 1);
  CHECK(session->run().series()[0].status == SeriesStatus::partial);
  CHECK_FALSE(has_children());
  CHECK(open_files() == files_before);

  // Replayed, the run ends as it ended here.
  const Folder folder;
  REQUIRE(session->save(folder / "run.jsonl").ok());
  const auto replay = Session::replay(folder / "run.jsonl");
  REQUIRE(replay.ok());
  CHECK((*replay)->run().series()[0].status == SeriesStatus::partial);
  CHECK(session->reason().find((*replay)->run().series()[0].reason) != std::string::npos);
}

TEST_CASE("a grandchild that holds the output open goes with its worker") {
  auto session = start("grandchild");
  ask(*session);
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  REQUIRE(session->run().telemetry().size() == 1);
  const int pid = static_cast<int>(session->run().telemetry()[0].values.at("grandchild"));
  REQUIRE(pid > 1);
  CHECK(is_dead(pid));
}

TEST_CASE("a lost worker is restarted by the next request, and nothing earlier is forgotten") {
  auto session = start("crash");
  const int64_t first = ask(*session);
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  const int64_t second = ask(*session);
  CHECK(second > first);
  CHECK(session->state() == WorkerState::starting);
  CHECK(session->reason().empty());
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  CHECK(sample_count(*session) == 14);
  CHECK(session->run().series().size() == 2);
}

TEST_CASE("junk between the lines is logged and changes nothing") {
  auto session = start("junk");
  const int64_t id = ask(*session);
  REQUIRE(poll_until(*session, [&] { return status(*session, id) == "ok"; }));
  CHECK(sample_count(*session) == 17);
  CHECK(mentions(session->run().log(), "hello from printf"));
  CHECK_FALSE(mentions(session->transcript(), "hello from printf"));
}

TEST_CASE("more lines than the queue holds all arrive") {
  Patience patience = quick();
  patience.pong_s = 20;  // the answer stands behind all lines, which an instrumented reader takes seconds for
  auto session = start("flood", patience);
  const int64_t id = ask(*session);
  // Not polled for a while: the reader stops at its limit, the worker waits in its pipe.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  REQUIRE(poll_until(*session, [&] { return status(*session, id) == "ok"; }));
  CHECK(session->run().telemetry().size() == 30000);
  CHECK(sample_count(*session) == 17);
}

TEST_CASE("a worker that floods has to answer a ping all the same") {
  auto session = start("flood_for_ever");
  const int64_t id = ask(*session);
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  CHECK(session->reason().find("answered no ping") != std::string::npos);
  CHECK(status(*session, id) == "failed");
}

TEST_CASE("what a worker started in a session of its own ends with it") {
  pid_t descendant = 0;
  {
    auto session = start("own_session");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] {
      return status(*session, id) == "ok" && session->run().telemetry().size() == 1;
    }));
    descendant = static_cast<pid_t>(session->run().telemetry()[0].values.at("descendant"));
    REQUIRE(::kill(descendant, 0) == 0);
  }
  // It is nobody's child any more: the system's first process reaps it.
  const auto limit = Clock::now() + kLongest;
  while (::kill(descendant, 0) == 0 && state_of(descendant) != 'Z' && Clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK((::kill(descendant, 0) != 0 || state_of(descendant) == 'Z'));
}

TEST_CASE("two programs that write one file: what each changed stays") {
  const Folder folder;
  const std::string path = folder / "settings.json";
  const Json base = {{"theme", "dark"}, {"scale", 1}, {"recent", {"a"}}, {"window", {1, 2}}};
  std::string one = base.dump(), two = one;
  REQUIRE(write_shared(path, base.dump(), &one).ok());
  Json first = base, second = base;
  first["theme"] = "light";
  first["recent"] = {"b", "a"};
  first["window"] = {3, 4};
  second["scale"] = 2;
  second["recent"] = {"c"};  // and took "a" away
  second["new"] = {{"x", 1}};
  REQUIRE(write_shared(path, first.dump(), &one).ok());
  REQUIRE(write_shared(path, second.dump(), &two).ok());
  const auto read = [&] { return *parse_json(*read_whole(path), path); };
  CHECK(read() == Json({{"theme", "light"},
                        {"scale", 2},
                        {"recent", {"c", "b"}},
                        {"window", {3, 4}},
                        {"new", {{"x", 1}}}}));
  // The first one's next change leaves the second's.
  first["theme"] = "dark";
  REQUIRE(write_shared(path, first.dump(), &one).ok());
  CHECK(read()["theme"] == "dark");
  CHECK(read()["scale"] == 2);
  CHECK(read()["new"]["x"] == 1);
}

TEST_CASE("cancel: obeyed, else SIGTERM, else SIGKILL") {
  SECTION("obeyed") {
    auto session = start("cancellable");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    session->cancel(id);
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "cancelled"; }));
    CHECK(session->state() == WorkerState::idle);
    CHECK(sample_count(*session) == 7);
  }
  SECTION("ended by SIGTERM") {
    auto session = start("slow_to_cancel");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    session->cancel(id);
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "cancelled"; }));
    CHECK(session->reason().empty());
    CHECK(sample_count(*session) == 7);
  }
  SECTION("killed") {
    auto session = start("spin");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    session->cancel(id);
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "cancelled"; }));
    CHECK(session->state() == WorkerState::idle);
    CHECK(session->run().series().front().status == SeriesStatus::cancelled);
    CHECK(sample_count(*session) == 7);
    // The transcript tells it the same way, and the next request starts another worker.
    Run again;
    for (const std::string& line : session->transcript()) again.apply_line(line);
    CHECK(again.requests().back().status == RequestStatus::cancelled);
    REQUIRE(session->list().ok());
    CHECK(session->state() == WorkerState::starting);
  }
  SECTION("what waited behind it is asked again") {
    auto session = start("spin");
    const int64_t first = ask(*session), second = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    session->cancel(first);
    REQUIRE(poll_until(*session, [&] { return status(*session, first) == "cancelled"; }));
    CHECK(status(*session, second).empty());
    // Another worker takes it up, under the same number.
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 14; }));
    CHECK(session->run().series().back().request == second);
    session->cancel(second);
    REQUIRE(poll_until(*session, [&] { return status(*session, second) == "cancelled"; }));
    CHECK(session->state() == WorkerState::idle);
  }
  SECTION("not waited for") {
    auto patience = quick();
    patience.cancel_s = 1000;
    auto session = start("spin", patience);
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    session->stop_waiting();  // nothing is cancelled yet
    session->cancel(id);
    session->cancel(id);  // the same cancel again is no impatience
    session->poll();
    CHECK(status(*session, id).empty());
    session->stop_waiting();
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "cancelled"; }));
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a slow pong, and a long wait for a queue, are not death") {
  const std::string mode = GENERATE("slow_pong", "waiting");
  INFO(mode);
  auto session = start(mode);
  const int64_t id = ask(*session);
  REQUIRE(poll_until(*session, [&] { return is_lost(*session) || status(*session, id) == "ok"; }));
  CHECK(session->reason().empty());
  CHECK(sample_count(*session) == 17);
}

TEST_CASE("a worker that does not read is never waited for, and found out") {
  auto session = start("deaf");
  WorkRequest request;
  request.type = RequestType::run;
  for (int i = 0; i < 2000; ++i) {
    request.kernels.push_back({"gemm.cpu.naive_o1", {{"n", int64_t{64}}}});
  }
  REQUIRE(poll_until(*session, [&] { return session->state() != WorkerState::starting; }));
  for (int i = 0; i < 3; ++i) REQUIRE(session->send(request).ok());  // far more than a pipe holds
  REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
  CHECK(session->reason().find("answered no ping") != std::string::npos);
}

TEST_CASE("a worker that never says hello") {
  Patience patience = quick();
  SECTION("silent") {
    patience.hello_s = 0.2;
    auto session = start("silent", patience);
    REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
    CHECK(session->reason().find("said no hello within 0.2 s") != std::string::npos);
  }
  SECTION("a login prompt instead, which is quoted, and told nothing") {
    patience.hello_s = 0.2;
    auto session = start("login", patience);
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
    CHECK(session->reason().find("Password:") != std::string::npos);
    CHECK(status(*session, id) == "failed");
  }
  SECTION("dead before") {
    auto session = start("early");
    REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
    CHECK(session->reason().find("exited with code 127 before it said hello") != std::string::npos);
    CHECK(session->reason().find("libdnnl.so.2") != std::string::npos);
  }
  SECTION("another protocol version") {
    auto session = start("version");
    REQUIRE(poll_until(*session, [&] { return is_lost(*session); }));
    CHECK(session->reason().find("protocol version 2") != std::string::npos);
  }
  SECTION("a banner first is skipped") {
    auto session = start("banner");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "ok"; }));
    CHECK_FALSE(mentions(session->transcript(), "Welcome"));
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a program that is not there, or is none, is said at once") {
  RIDGE_SKIP_EMULATED(test::kNoExecError);
  const Folder folder;
  const auto missing = Session::start({{folder / "no-such-worker"}, {}, {}});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ErrorCode::unavailable);
  CHECK(missing.error().what == "there is no such program");
  std::ofstream(folder / "text") << "not a program\n";
  const auto plain = Session::start({{folder / "text"}, {}, {}});
  REQUIRE_FALSE(plain.ok());
  CHECK(plain.error().code == ErrorCode::unavailable);
  CHECK(plain.error().what == "it cannot be executed");
  const size_t files_before = open_files();
  CHECK_FALSE(Session::start({{folder / "no-such-worker"}, {}, {}}).ok());
  CHECK(open_files() == files_before);
}

TEST_CASE("the end of a session ends even a worker that ignores it") {
  int pid = 0;
  {
    auto session = start("spin");
    ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) == 7; }));
    for (const std::string& line : session->transcript()) {
      const size_t at = line.find("\"pid\":");
      if (at != std::string::npos) pid = std::atoi(line.c_str() + at + 6);
    }
  }
  REQUIRE(pid > 1);
  CHECK_FALSE(has_children());
  CHECK(kill(pid, 0) != 0);
}

TEST_CASE("launch commands are split as a shell would, and nothing is expanded") {
  using Words = std::vector<std::string>;
  CHECK(*split_command("ssh -T  gpubox ridgepoint-worker --stdio") ==
        Words{"ssh", "-T", "gpubox", "ridgepoint-worker", "--stdio"});
  CHECK(*split_command("'a b' \"c 'd' \\\"e\\\" \\n\" f\\ g ''") ==
        Words{"a b", "c 'd' \"e\" \\n", "f g", ""});
  CHECK(*split_command("echo $HOME `id` *;rm") == Words{"echo", "$HOME", "`id`", "*;rm"});
  CHECK(split_command("").error().code == ErrorCode::usage);
  CHECK(split_command("  ").error().code == ErrorCode::usage);
  CHECK(split_command("a 'b").error().code == ErrorCode::usage);
  CHECK(split_command("a \\").error().code == ErrorCode::usage);
}

namespace {

/// What was given to be written: a file has its seals besides.
std::string read_unsealed(const std::string& path) {
  std::string text;
  for (const std::string& line : read_lines(path)) text += is_seal(line) ? "" : line + "\n";
  return text;
}

SealCheck seals_of(const std::string& path) {
  SealCheck seals;
  for (const std::string& line : read_lines(path)) seals.take(line);
  return seals;
}

}  // namespace

TEST_CASE("a transcript gives its lines from anywhere, packed ones too, and holds less than them") {
  Transcript transcript;
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Now and then a line as long as a line may be; an empty one.
    lines.push_back(i % 5'000 == 7 ? std::string(65'535, 'x')
                    : i % 1'000 == 3
                        ? ""
                        : R"({"type":"telemetry","t_s":)" + std::to_string(i * 0.1) + "}");
    transcript.push_back(lines.back());
    bytes += lines.back().size() + 1;
  }
  CHECK(transcript.size() == lines.size());
  CHECK(*transcript.lines() == lines);
  CHECK(transcript.held_bytes() < bytes / 2);
  const Transcript copy = transcript;
  transcript.push_back("of the first alone");
  CHECK(*copy.lines() == lines);
  lines.push_back("of the first alone");
  for (const size_t first : {size_t{0}, size_t{1}, size_t{4'999}, size_t{19'999}, size_t{20'000}}) {
    std::string expected;
    for (size_t i = first; i < lines.size(); ++i) expected += lines[i] + "\n";
    CHECK(*transcript.text_from(first) == expected);
  }
}

/// Empties the files without a name that this process has open, as a disk that fails would.
void empty_nameless_files() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("/var/tmp/") && target.ends_with("(deleted)"))
      REQUIRE(::ftruncate(std::stoi(entry.path().filename().string()), 0) == 0);
  }
}

TEST_CASE("lines that the disk does not give back are an error, and no shorter transcript") {
  Transcript transcript;
  for (int i = 0; i < 20'000; ++i) transcript.push_back("line " + std::to_string(i));
  REQUIRE(transcript.lines().ok());
  empty_nameless_files();
  const Folder folder;
  auto growing = GrowingFile::open(folder / "run.jsonl");
  REQUIRE(growing.ok());
  const auto saved = growing->append(transcript);
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().what == "earlier lines of this session could not be read back");
  REQUIRE(transcript.text_from(19'999).ok());  // which was not packed yet
  TranscriptWriter writer(folder / "kept.jsonl");
  writer.append(transcript);
  CHECK(writer.take_error());
}

TEST_CASE("a transcript file is whole or not there") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  REQUIRE(save_transcript(path, {"one", "two"}).ok());
  CHECK(read_unsealed(path) == "one\ntwo\n");
  {
    auto growing = GrowingFile::open(path);
    REQUIRE(growing.ok());
    REQUIRE(growing->append({"three"}).ok());
    CHECK(read_unsealed(path) ==
          "one\ntwo\n");  // the older run stays until the new one is complete
    REQUIRE(growing->append({"three", "four"}).ok());
    REQUIRE(growing->finish().ok());
    CHECK(read_unsealed(path) == "three\nfour\n");
  }
  { auto abandoned = GrowingFile::open(path); }
  CHECK(read_unsealed(path) == "three\nfour\n");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);  // no parts left

  CHECK(GrowingFile::open(folder.path.string()).error().code == ErrorCode::cannot_write);
  CHECK(GrowingFile::open(folder / "none/run.jsonl").error().code == ErrorCode::cannot_write);
  CHECK(GrowingFile::open("/dev/null").error().code == ErrorCode::cannot_write);
}

namespace {

/// Up to ten seconds: a thread writes it.
bool holds_soon(const std::string& path, const std::string& text) {
  for (int i = 0; i < 1000; ++i) {
    if (fs::exists(path) && read_unsealed(path) == text) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::optional<Error> error_soon(TranscriptWriter& writer) {
  for (int i = 0; i < 1000; ++i) {
    if (auto error = writer.take_error()) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

/// A disk with room for so many bytes more, as this process sees it.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : old_handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small = {bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  sighandler_t old_handler_;
};

}  // namespace

TEST_CASE("a transcript is written beside its session, line by line") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  Transcript lines = {"one"};
  {
    TranscriptWriter writer(path);
    writer.append(lines);
    CHECK(holds_soon(path, "one\n"));
    lines.push_back("two");
    writer.sync(lines);
    CHECK(holds_soon(path, "one\ntwo\n"));
    lines.push_back("three");
    writer.append(lines);
    CHECK(!writer.take_error());
  }
  CHECK(read_unsealed(path) == "one\ntwo\nthree\n");
  CHECK(seals_of(path).is_sealed());
}

TEST_CASE("a full disk is told once, and what did not fit is written when there is room") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  Transcript lines = {"one"};
  TranscriptWriter writer(path);
  writer.sync(lines);
  REQUIRE(holds_soon(path, "one\n"));
  {
    const SmallDisk full(6);
    lines.push_back("two");
    writer.append(lines);
    const auto error = error_soon(writer);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::cannot_write);
    CHECK(error->sentence().find("run.jsonl") != std::string::npos);
    lines.push_back("three");
    writer.append(lines);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(!writer.take_error());  // nothing is tried until it is asked for
    writer.sync(lines);
    CHECK(error_soon(writer));
  }
  writer.sync(lines);
  CHECK(holds_soon(path, "one\ntwo\nthree\n"));
  CHECK(!writer.take_error());

  TranscriptWriter nowhere(folder / "none/run.jsonl");
  nowhere.append(lines);
  CHECK(error_soon(nowhere));
}

TEST_CASE("a run that is saved again keeps its seals, right and wrong ones") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", copy = folder / "copy.jsonl";
  const std::string hello = R"({"ridgepoint":1,"type":"hello","seq":1,"version":"0.1.0"})";
  REQUIRE(save_transcript(path, {hello, "two"}).ok());
  CHECK(seals_of(path).is_sealed());
  {
    auto replay = Session::replay(path);
    REQUIRE(replay.ok());
    CHECK((*replay)->run().seals().is_sealed());
    (*replay)->note("question", "Why?");
    REQUIRE((*replay)->save(copy).ok());
  }
  const auto again = Run::load(copy);
  REQUIRE(again.ok());
  CHECK(again->seals().is_sealed());
  CHECK(again->seals().broken().empty());
  CHECK(again->notes().at("question") == "Why?");
  // A changed one stays a changed one, whoever saves it again.
  std::vector<std::string> lines = read_lines(path);
  lines[1] = "too";
  write_all(path, lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  auto replay = Session::replay(path);
  REQUIRE(replay.ok());
  REQUIRE((*replay)->save(copy).ok());
  CHECK(Run::load(copy)->seals().broken() == "lines 1 to 3 are not as they were saved");
}

TEST_CASE("a program that is killed loses no line that had time to be written") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  const std::string line(2000, 'x');
  std::string all;
  for (int i = 0; i < 500; ++i) all += line + "\n";
  const pid_t child = fork();
  if (child == 0) {
    Transcript lines;
    TranscriptWriter writer(path);
    for (int i = 0; i < 500; ++i) {
      lines.push_back(line);
      writer.append(lines);
    }
    while (true) pause();
  }
  CHECK(holds_soon(path, all));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(read_unsealed(path) == all);
}

TEST_CASE("a session that is kept has everything in its file when it ends") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  std::vector<std::string> lines;
  {
    auto session = start("cancellable");
    const int64_t id = ask(*session);
    REQUIRE(poll_until(*session, [&] { return sample_count(*session) > 0; }));
    session->keep(path);
    session->cancel(id);
    REQUIRE(poll_until(*session, [&] { return status(*session, id) == "cancelled"; }));
    CHECK(!session->take_keep_error());
    lines = session->transcript();
  }
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  CHECK(read_unsealed(path) == all);
  CHECK(seals_of(path).is_sealed());
  auto replay = Session::replay(path);
  REQUIRE(replay.ok());
  CHECK(sample_count(**replay) > 0);
  fs::remove(path);
  CHECK((*replay)->save(folder / "copy.jsonl").error().code == ErrorCode::bad_input);
  CHECK_FALSE(fs::exists(folder / "copy.jsonl"));
}

TEST_CASE("what waits for a child that does not read is bounded") {
  auto process = Process::start({"sleep", "100"}, {});
  REQUIRE(process.ok());
  const std::string line(60 * 1024, 'x');
  int sent = 0;
  for (; sent < 1000 && !(*process)->takes_no_input(); ++sent) (*process)->send(line);
  CHECK(sent > 10);
  CHECK(sent * line.size() < 2 * kMaxUnsentBytes);
}

TEST_CASE("nothing waits for a child whose output stays open behind it") {
  auto started = Process::start({"sh", "-c", "setsid sleep 3 & echo here; exec sleep 100"}, {});
  REQUIRE(started.ok());
  Process& process = **started;
  process.wait(5);
  const auto killed = Clock::now();
  process.kill();
  const bool has_ended = process.has_ended();
  // The limit for its output is 0.2 s: a machine that was away for longer says nothing.
  if (Clock::now() - killed < std::chrono::milliseconds(200)) CHECK_FALSE(has_ended);
  while (!process.has_ended() && Clock::now() - killed < std::chrono::seconds(5))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Ending ending = process.end();
  CHECK(ending.known);
  CHECK(ending.signalled);
  CHECK(process.take_lines() == std::vector<std::string>{"here"});
}
