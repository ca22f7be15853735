// The worker of a page: the same server on one thread. web/worker.js (in a Web Worker) or web/stdin.js (under node) gives it
// its lines, one call each, and takes what it prints, a line at a time.
#include <emscripten.h>
#include <unistd.h>

#include "worker/server.h"

namespace {

void nothing() {}

ridge::worker::Server* the_server() {
  static ridge::worker::Emitter emitter(STDOUT_FILENO, nothing, false);
  static ridge::worker::Server server(&emitter);
  return &server;
}

}  // namespace

/// One line, without its end. Returns when what it asks for is done. False: the worker is lost.
extern "C" EMSCRIPTEN_KEEPALIVE bool ridge_take_line(const char* line) {
  the_server()->take_line(line);
  return the_server()->serve_waiting();
}

int main() {
  the_server()->say_hello();
  return 0;
}
