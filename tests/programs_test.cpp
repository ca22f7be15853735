// Programs started by common/core/program.h, and what becomes of them.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "common/core/program.h"
#include "tests/catch.h"
#include "tests/skip.h"

namespace ridge {
namespace {

/// What a shell command prints, and how it ended.
std::pair<std::string, Ending> run(const std::string& script, bool dies_with_us,
                                   const std::vector<std::string>& environment = {}) {
  int out[2];
  REQUIRE(make_pipe(out));
  pid_t pid = -1;
  const int failed = start_program({.command = {"/bin/sh", "-c", script},
                                    .files = {{out[1], 1}},
                                    .environment = environment,
                                    .dies_with_us = dies_with_us},
                                   &pid);
  REQUIRE(failed == 0);
  close_fd(&out[1]);
  std::string text;
  char piece[256];
  for (ssize_t n; (n = read(out[0], piece, sizeof piece)) > 0;) text.append(piece, size_t(n));
  close_fd(&out[0]);
  const auto ending = reap(pid, 5);
  REQUIRE(ending);
  return {text, *ending};
}

TEST_CASE("a program has what it is handed and no more", "[core]") {
  const int kept = open_raised("/dev/null", O_RDONLY);
  REQUIRE(kept >= 10);
  const int inherited = fcntl(kept, F_DUPFD, 20);  // not closed by an exec
  ::signal(SIGPIPE, SIG_IGN);
  for (const bool dies_with_us : {false, true}) {
    CAPTURE(dies_with_us);
    CHECK(run("echo /proc/self/fd/*", dies_with_us).first.find("/" + std::to_string(inherited)) ==
          std::string::npos);
    // A shell whose parent ignores a signal cannot trap it.
    CHECK(run("trap 'echo piped' PIPE; kill -PIPE $$; exit 3", dies_with_us).first == "piped\n");
    CHECK(run("exit 3", dies_with_us).second.text() == "exited with code 3");
    CHECK(run("kill -SEGV $$", dies_with_us).second.text() == "crashed (SIGSEGV)");
    CHECK(run("kill -TERM $$", dies_with_us).second.text() == "was ended (SIGTERM)");
    setenv("RIDGE_TEST_GONE", "here", 1);
    const auto environment = environment_with({{"RIDGE_TEST_NEW", "x"}, {"RIDGE_TEST_GONE", ""}});
    CHECK(run("echo $RIDGE_TEST_NEW,$RIDGE_TEST_GONE", dies_with_us, environment).first == "x,\n");
  }
  close(kept);
  close(inherited);
}

TEST_CASE("a program that is missing is an error, not a child", "[core]") {
  RIDGE_SKIP_EMULATED(test::kNoExecError);
  pid_t pid = 0;
  CHECK(start_program({.command = {"ridge-no-such-program"}}, &pid) == ENOENT);
  CHECK(pid == -1);
  REQUIRE(start_program({.command = {"/no/such/program"}, .dies_with_us = true}, &pid) == 0);
  const auto ending = reap(pid, 5);
  REQUIRE(ending);
  CHECK(ending->value == 127);
}

TEST_CASE("killing takes the group, and waits for nobody", "[core]") {
  int out[2];
  REQUIRE(make_pipe(out));
  pid_t pid = -1;
  REQUIRE(start_program({.command = {"/bin/sh", "-c", "sleep 60 & echo started; wait"},
                         .files = {{out[1], 1}}},
                        &pid) == 0);
  close_fd(&out[1]);
  char piece[16];
  REQUIRE(read(out[0], piece, sizeof piece) > 0);
  CHECK_FALSE(peek_ending(pid));
  CHECK_FALSE(reap(pid, 0.01));
  const Ending ending = kill_and_reap(pid, true);
  CHECK(ending.known);
  CHECK(ending.value == SIGKILL);
  CHECK(read(out[0], piece, sizeof piece) ==
        0);  // the last of the group is gone, else it would wait
  close_fd(&out[0]);
  const auto again = reap(pid, 0);  // no child any more
  REQUIRE(again);
  CHECK_FALSE(again->known);
}

TEST_CASE("an ending can be looked at before it is reaped", "[core]") {
  pid_t pid = -1;
  REQUIRE(start_program({.command = {"/bin/sh", "-c", "exit 5"}}, &pid) == 0);
  std::optional<Ending> seen;
  for (int i = 0; i < 1000 && !seen; ++i, usleep(5000)) seen = peek_ending(pid);
  REQUIRE(seen);
  CHECK(seen->value == 5);
  CHECK(kill(pid, 0) == 0);  // its number is still its own
  CHECK(reap(pid, 0)->value == 5);
}

}  // namespace
}  // namespace ridge
