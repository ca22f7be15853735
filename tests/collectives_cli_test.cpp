// The lab Collectives as a user has it, on a machine with nothing but a CPU: a run and its report, what is refused, a rank that is
// killed, and what is left running afterwards.
#include <dirent.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge::test;

namespace {

/// Worker's ceilings are no matter here, and take seconds.
std::vector<std::string> run_of(std::vector<std::string> more) {
  std::vector<std::string> args = {
      "--worker", variable("RIDGE_WORKER") + " --stdio", "run", "collectives", "--mode", "live"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

struct Process {
  pid_t pid = 0, parent = 0;
  std::string name;
};

std::vector<Process> processes() {
  std::vector<Process> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = read_all(entry.path() / "stat");
    const size_t open = stat.find('('), close = stat.rfind(')');
    if (close == std::string::npos) continue;
    Process one = {.pid = std::atoi(name.c_str()), .name = stat.substr(open + 1, close - open - 1)};
    std::istringstream rest(stat.substr(close + 1));
    std::string state;
    rest >> state >> one.parent;
    all.push_back(one);
  }
  return all;
}

/// Ranks whose parent's parent is this process: those that the program of a test has.
std::vector<Process> own_ranks() {
  const std::vector<Process> all = processes();
  const auto parent_of = [&](pid_t pid) {
    for (const Process& one : all)
      if (one.pid == pid) return one.parent;
    return pid_t{0};
  };
  std::vector<Process> ranks;
  for (const Process& one : all) {
    const bool is_rank = one.name.find("rank ") == 0;
    if (is_rank && parent_of(parent_of(one.parent)) == getpid()) ranks.push_back(one);
  }
  return ranks;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Waits for the ranks of a long run, 30 s at most.
std::vector<Process> ranks_of(size_t count) {
  for (int look = 0; look < 3000; ++look) {
    std::vector<Process> ranks = own_ranks();
    if (ranks.size() == count) return ranks;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

/// Half a minute in one call: its ranks are there to be killed.
std::vector<std::string> slow_ring() {
  return run_of({"--rungs", "ring", "--set", "ranks=4", "--set", "bytes=16777216", "--set",
                 "rate_mb_s=10", "--set", "delay_us=10000"});
}

}  // namespace

TEST_CASE("on a CPU alone every rung of the lab runs, is right, and is in the report") {
  const Folder folder;
  const Outcome run = ridgepoint(
      run_of({"--set", "bytes=65536", "--set", "ranks=4", "--out", folder / "run.jsonl"}));
  INFO(run.out << run.err);
  CHECK(run.code == 0);
  for (const char* rung :
       {"naive", "ring", "tree", "recursive_doubling", "halving_doubling", "two_shot"})
    CHECK(contains(run.out, "cpu." + std::string(rung)));
  CHECK_FALSE(contains(run.out, "✗"));
  CHECK(contains(run.out, "cpu.tree: 4 processes, 4 steps, the busiest rank sends 131072 bytes"));
  const Outcome report =
      ridgepoint({"report", folder / "run.jsonl", "--out", folder / "report.html"});
  INFO(report.err);
  CHECK(report.code == 0);
  const std::string page = read_all(folder / "report.html");
  CHECK(contains(page, "Collectives"));
  CHECK(contains(page, "bus bytes/s"));
  CHECK(contains(page, "4 processes, 6 steps, the busiest rank sends 98304 bytes"));
  CHECK(own_ranks().empty());
}

TEST_CASE("a recording holds each rung against the one before it, though its ranks are processes") {
  const Folder folder;
  const Outcome record =
      ridgepoint({"record", "collectives", "--processor", "cpu", "--dirty", "--rungs",
                  "naive,cpu.ring", "--out", folder / "here.jsonl", "ranks=2,bytes=65536"});
  INFO(record.out << record.err);
  REQUIRE(record.code == 0);
  // Nothing of theirs is a FLOP: the rate is their own, with the prefix that fits.
  CHECK_FALSE(contains(record.out, "FLOP/s"));
  CHECK(contains(record.out, "bus bytes/s"));
  const std::string lines = read_all(folder / "here.jsonl");
  CHECK(contains(lines, "\"baseline\":\"collectives.cpu.naive\""));
  CHECK(contains(lines, "\"candidate\":\"collectives.cpu.ring\""));
}

TEST_CASE("what a rung does not take is skipped with a sentence, and bad parameters end the run") {
  const Outcome skipped = ridgepoint(
      run_of({"--set", "op=all_to_all", "--set", "bytes=4096", "--rungs", "ring,two_shot"}));
  INFO(skipped.out << skipped.err);
  CHECK(skipped.code == 0);
  CHECK(contains(skipped.out, "takes all_reduce, reduce_scatter and all_gather"));
  const Outcome many = ridgepoint(run_of({"--set", "ranks=9"}));
  CHECK(many.code == 64);
  CHECK(contains(many.err, "ranks = 9 is above 8; choose a whole number from 2 to 8"));
  const Outcome odd = ridgepoint(run_of({"--set", "bytes=4097", "--rungs", "ring"}));
  CHECK(odd.code == 3);
  CHECK(
      contains(odd.out, "4097 bytes are no whole number of fp32 elements; choose a multiple of 4"));
}

TEST_CASE(
    "a rank that is killed fails its rung with a sentence that names it, and nothing is left") {
  Program program(variable("RIDGE_BIN"), slow_ring());
  const std::vector<Process> ranks = ranks_of(4);
  REQUIRE(ranks.size() == 4);
  for (const Process& one : ranks)
    if (one.name == "rank 3") kill(one.pid, SIGKILL);
  const Outcome run = program.finish();
  INFO(run.out << run.err);
  CHECK(run.code == 3);
  CHECK(contains(run.out, "rank 3 of 4 was ended (SIGKILL): the others cannot finish without it"));
  for (const Process& one : ranks) CHECK(kill(one.pid, 0) != 0);
}

TEST_CASE("a worker that is killed takes its ranks with it") {
  Program program(variable("RIDGE_BIN"), slow_ring());
  const std::vector<Process> ranks = ranks_of(4);
  REQUIRE(ranks.size() == 4);
  kill(ranks.front().parent, SIGKILL);
  const Outcome run = program.finish();
  CHECK(run.code != 0);
  const auto left = [&] {
    size_t alive = 0;
    for (const Process& one : processes())
      for (const Process& rank : ranks) alive += one.pid == rank.pid && one.name == rank.name;
    return alive;
  };
  for (int look = 0; look < 500 && left() > 0; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(left() == 0);
}
