// The worker of a page: the same server. web/worker.js (in a Web Worker) or web/stdin.js (under node) gives it its lines, one
// call each, and takes what it prints, a line at a time. Where threads can share memory the server has one of its own, and
// hears its lines while it works; elsewhere a call returns when the line's request is done.
#include <emscripten.h>
#include <unistd.h>

#include <thread>

#include "common/core/background.h"
#include "worker/server.h"

namespace {

void nothing() {}

ridge::worker::Server* the_server() {
  static ridge::worker::Emitter emitter(STDOUT_FILENO, nothing, ridge::worker_has_threads());
  static ridge::worker::Server server(&emitter);
  return &server;
}

/// 0: it was told to quit; else the worker is lost.
void end_with(int code) {
  MAIN_THREAD_EM_ASM({ Module['onEnded']($0); }, code);
}

}  // namespace

/// One line, without its end.
extern "C" EMSCRIPTEN_KEEPALIVE void ridge_take_line(const char* line) {
  the_server()->take_line(line);
  if (ridge::worker_has_threads()) return;
  if (!the_server()->serve_waiting()) end_with(static_cast<int>(ridge::ErrorCode::worker));
  if (the_server()->has_quit()) end_with(0);
}

int main() {
  the_server()->say_hello();
  if (ridge::worker_has_threads()) std::thread([] { end_with(the_server()->run()); }).detach();
  return 0;
}
