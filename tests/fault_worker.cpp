// A worker that misbehaves on purpose: argv[1] says how. It speaks just enough of the protocol
// (docs/protocol.md) to be believed until then. Used by tests/session_test.cpp.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <thread>

namespace {

int64_t sequence = 0;

void raw(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// One protocol line: `body` is what follows the magic and the sequence number.
void say(const std::string& body) {
  raw("{\"ridgepoint\":1,\"seq\":" + std::to_string(++sequence) + "," + body + "}\n");
}

void hello() {
  say(R"("type":"hello","version":"0.1.0","pid":)" + std::to_string(getpid()) + R"(,"build":{})");
}

void sleep_s(double s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(s));
}

[[noreturn]] void sleep_for_ever() {
  while (true) sleep_s(100);
}

/// The number after `"key":` in a line of compact JSON; 0 if there is none.
int64_t number(const std::string& line, const std::string& key) {
  const size_t at = line.find("\"" + key + "\":");
  return at == std::string::npos ? 0 : std::atoll(line.c_str() + at + key.size() + 3);
}

bool is(const std::string& line, const std::string& type) {
  return line.find("\"type\":\"" + type + "\"") != std::string::npos;
}

std::string about(int64_t request) {
  return R"("request":)" + std::to_string(request) + R"(,"series":0)";
}

void done(int64_t request, const char* status) {
  say(R"("type":"done","request":)" + std::to_string(request) + R"(,"status":")" + status + "\"");
}

void samples(int64_t request, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    list += std::string(i ? "," : "") + R"({"index":)" + std::to_string(i) + R"(,"t_ns":)" +
            std::to_string(1000 + i) + R"(,"cpu_ns":1000,"calls":1,"flags":[]})";
  }
  say(R"("type":"samples",)" + about(request) + R"(,"phase":"call","samples":[)" + list + "]");
}

/// Waits for the line that starts with our expectation; other lines are dropped.
bool wait_for(const std::string& type, std::string* line) {
  while (std::getline(std::cin, *line)) {
    if (is(*line, type)) return true;
  }
  return false;
}

void behave(int64_t request) {
  say(R"("type":"timing",)" + about(request));
  const int64_t asked = sequence;
  std::string line;
  if (!wait_for("ack", &line) || number(line, "seq") != asked) std::exit(4);
  samples(request, 10);
  say(R"("type":"check",)" + about(request) +
      R"(,"check":{"what":"timed shape","nmse":1e-13,"nmse_limit":1e-12,"passed":true})");
  say(R"("type":"result",)" + about(request) + R"(,"outcome":{"status":"ok"})");
  done(request, "ok");
}

void keep_answering(int64_t request, bool obey_cancel) {
  for (std::string line; std::getline(std::cin, line);) {
    if (is(line, "ping")) say(R"("type":"pong","request":)" + std::to_string(number(line, "id")));
    if (is(line, "cancel") && obey_cancel) return done(request, "cancelled");
  }
  if (!obey_cancel) sleep_for_ever();  // not even the end of stdin impresses it
}

// What each mode does when it is asked to run something; `samples` have been sent before.
using Misdeed = void (*)(int64_t request);

const std::map<std::string, Misdeed>& misdeeds() {
  static const std::map<std::string, Misdeed> all = {
      {"crash", [](int64_t) { raise(SIGSEGV); }},
      {"exit",
       [](int64_t) {
         std::fputs("first words\nthe matrix is on fire\n", stderr);
         std::_Exit(3);
       }},
      {"hang", [](int64_t) { sleep_for_ever(); }},
      {"spin",
       [](int64_t request) {
         signal(SIGTERM, SIG_IGN);
         keep_answering(request, false);
       }},
      {"slow_to_cancel", [](int64_t request) { keep_answering(request, false); }},
      {"cancellable", [](int64_t request) { keep_answering(request, true); }},
      {"junk",
       [](int64_t request) {
         raw("library: hello from printf\n\n{\"not\": \"ours\"}\n{broken\n");
         raw(std::string("\xff\xfe\0 binary\n", 11));
         raw("{\"ridgepoint\":1,\"type\":\"gossip\",\"seq\":0}\n");
         behave(request);
       }},
      {"endless",
       [](int64_t) {
         while (true) raw(std::string(4096, 'x'));
       }},
      {"half_line",
       [](int64_t) {
         raw(R"({"ridgepoint":1,"type":"samples","reques)");
         std::_Exit(0);
       }},
      {"close",
       [](int64_t) {
         close(1);
         sleep_for_ever();
       }},
      {"grandchild",
       [](int64_t request) {
         const pid_t child = fork();
         if (child == 0) sleep_for_ever();  // holds our stdout open
         say(R"("type":"telemetry","t_s":0,"values":{"grandchild":)" + std::to_string(child) + "}");
         (void)request;
         std::_Exit(5);
       }},
      {"slow_pong",
       [](int64_t request) {
         for (int pongs = 0; pongs < 2;) {
           std::string line;
           if (!wait_for("ping", &line)) std::_Exit(0);
           sleep_s(0.15);
           say(R"("type":"pong","request":)" + std::to_string(number(line, "id")));
           ++pongs;
         }
         behave(request);
       }},
      {"waiting",
       [](int64_t request) {
         say(R"("type":"phase",)" + about(request) + R"(,"phase":"waiting","text":"2 ahead")");
         sleep_s(0.6);
         behave(request);
       }},
      {"fatal",
       [](int64_t) {
         say(R"("type":"fatal","error":{"code":70,"what":"the CUDA context is lost",)"
             R"("where":"gemm.cuda.naive","hint":""})");
         std::fputs("a backtrace nobody asked for\n", stderr);
         std::_Exit(70);
       }},
      {"flood",
       [](int64_t request) {
         for (int i = 0; i < 30000; ++i) {
           say(R"("type":"telemetry","t_s":0,"values":{"i":)" + std::to_string(i) + "}");
         }
         behave(request);
       }},
      {"flood_for_ever",
       [](int64_t) {
         const std::string lines(8192, '\n');
         while (true) raw(lines);
       }},
      {"own_session",
       [](int64_t request) {
         const pid_t child = fork();
         if (child == 0) {
           setsid();
           if (fork() != 0) std::_Exit(0);
           say(R"("type":"telemetry","t_s":0,"values":{"descendant":)" + std::to_string(getpid()) +
               "}");
           for (int fd : {0, 1, 2}) close(fd);
           sleep_for_ever();
         }
         wait(nullptr);
         behave(request);
       }},
  };
  return all;
}

/// Says hello, or goes wrong before anything was asked.
void begin(const std::string& mode) {
  if (mode == "early") {
    std::fputs("error while loading shared libraries: libdnnl.so.2\n", stderr);
    std::_Exit(127);
  }
  if (mode == "silent") sleep_for_ever();
  if (mode == "login") {
    raw("Password:\n");
    sleep_for_ever();
  }
  if (mode == "banner") raw("*** Welcome to gpubox ***\n{not json}\n\nLast login: today\n");
  if (mode == "version") {
    raw("{\"ridgepoint\":2,\"type\":\"hello\",\"seq\":1}\n");
    sleep_for_ever();
  }
  hello();
  if (mode == "deaf") sleep_for_ever();  // never reads what it is told
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "good";
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  begin(mode);
  for (std::string line; std::getline(std::cin, line);) {
    const int64_t id = number(line, "id");
    if (is(line, "quit")) return 0;
    if (is(line, "ping")) say(R"("type":"pong","request":)" + std::to_string(id));
    if (is(line, "list")) {
      say(R"("type":"end","request":)" + std::to_string(id));
      done(id, "ok");
    }
    if (!is(line, "run")) continue;
    samples(id, 7);
    const auto misdeed = misdeeds().find(mode);
    if (misdeed == misdeeds().end()) {
      behave(id);
    } else {
      misdeed->second(id);
    }
  }
}
