#include "common/harness/measure/external.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/failure.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/python.h"

namespace ridge::external {
namespace {

using measure::Child;

constexpr size_t kAlignment = 4096;
/// How much longer than the peer says we may have waited: two wake-ups on a busy machine. What is
/// timed for a verdict lasts 50 ms or more, so that a peer which lies by half is found out.
constexpr double kSlackNs = 20e6, kSlackShare = 0.1;
constexpr int kTries = 3;
/// A library's idle threads spin for a while (OpenMP's up to 10 ms) and would take the cores from
/// the side that is timed next.
constexpr useconds_t kSettle_us = 10'000;

/// A prepared problem in a child.
struct Remote {
  const Peer* peer = nullptr;
  std::shared_ptr<Child> child;
  std::string number;
  int threads = 1;
  std::vector<Buffer> buffers;
  std::vector<size_t> offsets;
  size_t bytes = 0;
};

struct Running {
  const Peer* peer;
  int threads, device;
  std::shared_ptr<Child> child;
};
std::list<Running>& running() {
  static auto* list = new std::list<Running>;  // children end with the process, not before
  return *list;
}

/// "ok ..." without the "ok"; everything else ends the child or is its own error.
Status answer_of(const Remote& remote, const std::string& command, std::string* rest) {
  const auto answer = remote.child->ask(command);
  if (!answer) return failure(answer.error().what);
  if (answer->rfind("ok", 0) == 0 && (answer->size() == 2 || (*answer)[2] == ' ')) {
    *rest = answer->substr(2);
    return {};
  }
  if (answer->rfind("error ", 0) == 0) {
    return failure(std::string(remote.peer->library) + " says: " + answer->substr(6));
  }
  return failure(remote.child
                     ->give_up(std::string(remote.peer->library) + "'s process answered '" +
                               answer->substr(0, 80) + "' to '" +
                               command.substr(0, command.find(' ')) + "'")
                     .what);
}

std::shared_ptr<Child> start(const Peer& peer, int threads, int device) {
  const std::vector<std::string> command =
      peer.program != nullptr
          ? std::vector<std::string>{peer.program(), peer.script}
          : measure::Python::here().serve_command(std::string(peer.prelude) + peer.script);
  const std::string count = std::to_string(threads);
  // OMP_WAIT_POLICY is the worker's, for its own pool; this one is idle while we run.
  return std::make_shared<Child>(peer.library, command,
                                 std::vector<std::pair<std::string, std::string>>{
                                     {"OMP_NUM_THREADS", count},
                                     {"OPENBLAS_NUM_THREADS", count},
                                     {"MKL_NUM_THREADS", count},
                                     {"OMP_WAIT_POLICY", ""},
                                     {"GOMP_SPINCOUNT", ""},
                                     {"OPENBLAS_THREAD_TIMEOUT", "22"},
                                     {"RIDGE_PEER_THREADS", count},
                                     {"RIDGE_PEER_DEVICE", std::to_string(device)}},
                                 device >= 0);
}

/// The child that serves this peer, started where there is none.
Status child_for(const Peer& peer, int threads, int device, std::shared_ptr<Child>* child) {
  auto& all = running();
  for (auto one = all.begin(); one != all.end();) {
    const bool same = one->threads == threads && one->device == device;
    if (one->peer == &peer && same && one->child->alive()) {
      *child = one->child;
      return {};
    }
    const bool unused = one->child.use_count() == 1;
    one = one->peer == &peer && (unused || !one->child->alive()) ? all.erase(one) : ++one;
  }
  *child = start(peer, threads, device);
  const auto greeting = (*child)->receive();
  if (!greeting) return failure(greeting.error().what);
  if (*greeting != "ready") {
    const std::string text = greeting->rfind("error ", 0) == 0 ? greeting->substr(6) : *greeting;
    return failure((*child)->give_up(std::string(peer.library) + " did not start: " + text).what);
  }
  all.push_back({&peer, threads, device, *child});
  return {};
}

Status copy(const Peer& peer, void* to, const void* from, size_t bytes) {
  if (peer.copy != nullptr) return peer.copy(to, from, bytes);
  std::memcpy(to, from, bytes);
  return {};
}

void release(void* state) {
  auto* remote = static_cast<Remote*>(state);
  if (remote->child != nullptr && remote->child->alive() && !remote->number.empty()) {
    std::string rest;
    answer_of(*remote, "release " + remote->number, &rest);
  }
  delete remote;
}

std::string dims_of(const Shape& shape) {
  int last = 0;
  for (int i = 0; i < static_cast<int>(std::size(shape.dim)); ++i) {
    if (shape.dim[i] != 0) last = i;
  }
  std::string text = std::to_string(shape.dim[0]);
  for (int i = 1; i <= last; ++i) text += "x" + std::to_string(shape.dim[i]);
  return text;
}

double now_ns() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// The installed package of each peer that was asked for, remembered.
struct Found {
  bool here = false;
  std::string reason;
  measure::PythonPackage package;
};
const Found& found(const Peer& peer) {
  static std::map<const Peer*, Found> all;
  const auto [entry, is_new] = all.try_emplace(&peer);
  Found& one = entry->second;
  if (!is_new) return one;
  if (peer.program != nullptr) {
    one.here = peer.program() != nullptr;
    one.reason = "its program is not set";
  } else {
    one.here = measure::Python::here().find(peer.package, peer.part, peer.floor, &one.package,
                                            &one.reason);
  }
  return one;
}

}  // namespace

const char* unavailable(const Peer& peer) {
  const Found& one = found(peer);
  return one.here ? nullptr : one.reason.c_str();
}

const char* version(const Peer& peer) {
  const Found& one = found(peer);
  return one.here ? one.package.version.c_str() : nullptr;
}

Status prepare(const Peer& peer, const Shape& shape, const Buffer* buffers, int count, Plan* plan) {
  if (const char* reason = unavailable(peer)) return failure(reason);
  static int64_t made = 0;
  auto remote = std::make_unique<Remote>();
  const int device = peer.device == nullptr ? -1 : peer.device();
  remote->peer = &peer;
  remote->threads = device >= 0 ? 1 : shape.threads;
  remote->buffers.assign(buffers, buffers + count);
  Status status = child_for(peer, remote->threads, device, &remote->child);
  if (!status.ok()) return status;

  const std::string number = std::to_string(++made);
  std::string command =
      "prepare " + number + " " + std::string(dtype_name(shape.dtype)) + " " + dims_of(shape);
  for (const Buffer& buffer : remote->buffers) {
    remote->offsets.push_back(remote->bytes);
    command += std::string(buffer.is_output ? " out:" : " in:") + std::to_string(remote->bytes) +
               ":" + std::to_string(buffer.bytes);
    remote->bytes += (buffer.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  std::string rest;
  status = answer_of(*remote, command, &rest);
  if (!status.ok()) return status;
  remote->number = number;
  std::snprintf(plan->note, sizeof plan->note, "%s", rest.empty() ? "" : rest.c_str() + 1);
  plan->workspace_bytes = 2 * remote->bytes;  // its own arrays, and the shared memory
  plan->release = release;
  plan->state = remote.release();
  return {};
}

Status launch(const Launch& launch) {
  Remote& remote = *static_cast<Remote*>(launch.plan_state);
  const auto memory = remote.child->memory(remote.bytes);
  if (!memory) return failure(memory.error().what);
  Status status;
  for (size_t i = 0; i < remote.buffers.size() && status.ok(); ++i) {
    status =
        copy(*remote.peer, *memory + remote.offsets[i], launch.buffers[i], remote.buffers[i].bytes);
  }
  std::string rest;
  if (status.ok()) status = answer_of(remote, "call " + remote.number, &rest);
  for (size_t i = 0; i < remote.buffers.size() && status.ok(); ++i) {
    if (!remote.buffers[i].is_output) continue;
    status =
        copy(*remote.peer, launch.buffers[i], *memory + remote.offsets[i], remote.buffers[i].bytes);
  }
  return status;
}

Status time_calls(const Launch& launch, int64_t calls, CallTimes* times) {
  const Remote& remote = *static_cast<Remote*>(launch.plan_state);
  const std::string command = "time " + remote.number + " " + std::to_string(calls);
  const std::string name = remote.peer->library;
  std::string why;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::string rest;
    const double asked = now_ns();
    const Status status = answer_of(remote, command, &rest);
    const double answered = now_ns();
    if (!status.ok()) return status;
    double start = 0, end = 0, cpu = 0;
    if (std::sscanf(rest.c_str(), "%lf %lf %lf", &start, &end, &cpu) != 3) {
      return failure(remote.child->give_up(name + "'s process gave no times: '" + rest + "'").what);
    }
    const double wall = end - start, waited = answered - asked;
    char text[160];
    std::snprintf(text, sizeof text, "'s process says %.3g ms of calls that took %.3g ms here",
                  wall * 1e-6, waited * 1e-6);
    why = name + text;
    // A clock that runs otherwise than ours lies every time; a lost time slice only now and then.
    if (!(asked <= start && start < end && end <= answered && cpu >= 0)) break;
    if (!(waited - wall <= kSlackNs + kSlackShare * waited)) continue;
    if (remote.threads > 1) ::usleep(kSettle_us);
    *times = {.wall_ns = wall, .cpu_ns = cpu};
    return {};
  }
  return failure(remote.child->give_up(why).what);
}

}  // namespace ridge::external
