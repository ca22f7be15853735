// ridgepoint-worker: measures, and speaks the protocol of docs/protocol.md on stdin and stdout.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "common/core/build_info.h"
#include "common/harness/measure/isa.h"
#include "worker/edit/loading.h"
#include "worker/edit/scratch.h"
#include "worker/edit/witness.h"
#include "worker/emitter.h"
#include "worker/emulated/counted_call.h"
#include "worker/input.h"
#include "worker/last_words.h"
#include "worker/server.h"

namespace {

using ridge::measure::IsaLevel;

constexpr const char* kReady = "RIDGE_WORKER_ENVIRONMENT";  // set once the variables below are

/// What asks a library for narrower instructions, another number of threads or other work than it would choose. A peer that
/// a line of the user's shell has made slow would be a weak baseline, and no figure would show it.
constexpr const char* kBindsPeers[] = {"OPENBLAS_CORETYPE",
                                       "OPENBLAS_NUM_THREADS",
                                       "GOTO_NUM_THREADS",
                                       "DNNL_MAX_CPU_ISA",
                                       "ONEDNN_MAX_CPU_ISA",
                                       "DNNL_CPU_ISA_HINTS",
                                       "ONEDNN_CPU_ISA_HINTS",
                                       "DNNL_DEFAULT_FPMATH_MODE",
                                       "ONEDNN_DEFAULT_FPMATH_MODE",
                                       "DNNL_VERBOSE",
                                       "ONEDNN_VERBOSE",
                                       "MKL_ENABLE_INSTRUCTIONS",
                                       "MKL_CBWR",
                                       "MKL_DYNAMIC",
                                       "MKL_NUM_THREADS",
                                       "MKL_VERBOSE",
                                       "ATEN_CPU_CAPABILITY",
                                       "OMP_DYNAMIC",
                                       "OMP_NUM_THREADS",
                                       "OMP_THREAD_LIMIT",
                                       "NVIDIA_TF32_OVERRIDE",
                                       "CUBLAS_WORKSPACE_CONFIG",
                                       "CUDA_LAUNCH_BLOCKING"};

/// What the peers read when they are loaded, before main() could say anything: hence the re-exec. The one place where
/// the worker's environment is made.
void set_peer_environment() {
  for (const char* name : kBindsPeers) unsetenv(name);
  const IsaLevel isa = ridge::measure::usable_isa();
  // Of aarch64 nothing is narrower than what every library uses.
  const IsaLevel has = ridge::measure::cpu_isa();
  const bool capped = isa < has && has > IsaLevel::neon;
  // An idle OpenMP thread that spins takes the core from the rung that is timed next; one that sleeps at once costs a
  // library 10 to 50 us for each of the parallel regions that a call has. 2,000 turns of libgomp's loop are 57 us on a
  // Zen CPU: longer than the gaps within a call, and short for what comes next. (Where another program takes a core,
  // each region may cost that much: a millisecond of it made a call of 0.05 ms take 1.5.)
  if (getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "2000", 0);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  // OpenBLAS 0.3.21 does not know newer CPUs and falls back to AVX2: half the speed. RIDGE_MAX_ISA is the one way to
  // cap the libraries, since it caps our own rungs too.
  if (isa == IsaLevel::avx512) setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 1);
  if (capped) {
    const bool avx2 = isa == IsaLevel::avx2;
    setenv("OPENBLAS_CORETYPE", avx2 ? "HASWELL" : "NEHALEM", 1);
    setenv("DNNL_MAX_CPU_ISA", avx2 ? "AVX2" : "SSE41", 1);
    setenv("ONEDNN_MAX_CPU_ISA", avx2 ? "AVX2" : "SSE41", 1);
    setenv("MKL_ENABLE_INSTRUCTIONS", avx2 ? "AVX2" : "SSE4_2", 1);  // PyTorch's
    setenv("ATEN_CPU_CAPABILITY", avx2 ? "avx2" : "default", 1);
  }
}

/// The libraries' constructors have run by now: start over with the environment they need. Where
/// that fails the worker goes on; a peer may then be slower, never wrong.
void execute_again_once(char** argv) {
  if (getenv(kReady) != nullptr) return;
  set_peer_environment();
  setenv(kReady, "1", 1);
  execv("/proc/self/exe", argv);
}

/// Not a return from main: the thread that reads goes on, and may not see the statics destroyed.
[[noreturn]] void end_with(int code) {
  ridge::worker::Scratch::remove_own();
  _exit(code);
}
[[noreturn]] void end_process() {
  end_with(0);
}

/// Keeps stdout for the protocol alone: a private copy of it, and fd 1 pointing at stderr.
int take_stdout() {
  const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  if (own >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  return own;
}

int usage(FILE* to, int code) {
  fputs(
      "ridgepoint-worker --stdio     speak the protocol on stdin and stdout\n"
      "ridgepoint-worker --commands  the same, and run the commands that a compare request names\n"
      "ridgepoint-worker --edited FOLDER FILE...\n"
      "                              the same, limited, with a learner's rungs from FOLDER loaded\n"
      "ridgepoint-worker --witness FOLDER FILE...\n"
      "                              limited and loaded likewise; makes the calls that a worker "
      "asks for\n"
      "ridgepoint-worker --counted FOLDER\n"
      "                              limited likewise; counts the CUDA rung that a worker asks "
      "for\n"
      "ridgepoint-worker --version   say what this is\n",
      to);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_witness = argc >= 4 && strcmp(argv[1], "--witness") == 0;
  const bool is_edited = is_witness || (argc >= 4 && strcmp(argv[1], "--edited") == 0);
  const bool is_counted = argc == 3 && strcmp(argv[1], "--counted") == 0;
  if (argc != 2 && !is_edited && !is_counted) return usage(stderr, 64);
  if (strcmp(argv[1], "--help") == 0) return usage(stdout, 0);
  if (strcmp(argv[1], "--version") == 0) {
    puts(ridge::version_text("ridgepoint-worker").c_str());
    return 0;
  }
  const bool runs_commands = strcmp(argv[1], "--commands") == 0;
  if (strcmp(argv[1], "--stdio") != 0 && !runs_commands && !is_edited && !is_counted)
    return usage(stderr, 64);

  // Commands get the environment of the person who typed them; what is counted calls no peer.
  if (!runs_commands && !is_counted) execute_again_once(argv);
  unsetenv(kReady);  // a worker started by this one would need its own
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a write past the limit of a file fails, and says so
  const int out = take_stdout();
  if (out < 0) {
    fputs("ridgepoint-worker: stdout is closed; it must be a pipe to the app\n", stderr);
    return 70;
  }
  if (is_counted) _exit(ridge::worker::serve_counted(argv[2], STDIN_FILENO, out));
  ridge::worker::Emitter emitter(out, end_process);
  if (is_edited) {  // before there is a second thread: limits are of a thread and those it starts
    ridge::worker::tell_last_words(&emitter);
    if (const auto loaded = ridge::worker::load_edits(argv[2], {argv + 3, argv + argc}); !loaded) {
      emitter.emit("fatal", {{"error", loaded.error()}});
      return 70;
    }
  }
  if (is_witness) _exit(ridge::worker::serve_witness(STDIN_FILENO, out));
  ridge::worker::Server server(&emitter, runs_commands);
  server.say_hello();
  // It ends with the process: at the end of input at once, also while the main thread is stuck in a kernel.
  std::thread([&server] {
    ridge::worker::read_lines(STDIN_FILENO,
                              [&](const std::string& line) { server.take_line(line); });
    end_process();
  }).detach();
  end_with(server.run());
}
