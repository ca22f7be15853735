// Programs as a user starts them, temporary folders, and the schema checker, for tests.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/core/program.h"
#include "tests/skip.h"

namespace ridge::test {

namespace fs = std::filesystem;

inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_all(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "ridge-cli-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() {
    fs::permissions(path, fs::perms::owner_all);
    fs::remove_all(path);
  }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }
};

struct Outcome {
  int code = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

/// A program in a terminal without a display, its outputs in files.
class Program {
 public:
  Program(const std::string& binary, std::vector<std::string> args) {
    args.insert(args.begin(), binary);
    int out = open_raised((folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC),
        err = open_raised((folder_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    start_program({.command = args,
                   .files = {{out, 1}, {err, 2}},
                   .environment = environment_with({{"DISPLAY", ""},
                                                    {"WAYLAND_DISPLAY", ""},
                                                    {"LC_ALL", "C.UTF-8"},
                                                    {"HOME", folder_.path.string()}}),
                   .has_group = false},
                  &pid_);
    close_fd(&out);
    close_fd(&err);
  }
  void interrupt() const { send(SIGINT); }
  void send(int signal) const { kill(pid_, signal); }
  /// Not waited for, because a test failed before: gone all the same.
  ~Program() {
    if (pid_ > 0) kill_and_reap(pid_, false);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Outcome finish() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
            read_all(folder_ / "out"), read_all(folder_ / "err")};
  }

 private:
  Folder folder_;
  pid_t pid_ = -1;
};

/// Processes that are "sleep MARK".
inline int running(const std::string& mark) {
  const std::string wanted = std::string("sleep") + '\0' + mark + '\0';
  int count = 0;
  std::error_code ended;  // a process that ends while the list is read
  for (fs::directory_iterator entry("/proc", ended), end; !ended && entry != end;
       entry.increment(ended)) {
    std::string line(wanted.size() + 1, '\0');
    int file = open_raised((entry->path() / "cmdline").c_str(), O_RDONLY);
    const ssize_t got = file < 0 ? 0 : read(file, line.data(), line.size());
    close_fd(&file);
    // Programs between a test and its command have the mark in a longer line.
    count += got == ssize_t(wanted.size()) && line.compare(0, wanted.size(), wanted) == 0;
  }
  return count;
}

/// " SCHEMA FILE", as arguments of tests/schema_check.py.
inline std::string schema_argument(const std::string& schema, const std::string& file) {
  return " '" + variable("RIDGE_SOURCE") + "/docs/schema/" + schema + ".schema.json' '" + file +
         "'";
}

/// The checker's exit code, by whichever Python has the module; 77: none has.
inline int check_schemas(const std::string& arguments) {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string script = variable("RIDGE_SOURCE") + "/tests/schema_check.py";
    const int status = std::system((std::string(python) + " '" + script + "'" + arguments).c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == 0 || code == 1) return code;
  }
  return 77;
}

inline bool has_schema_checker() {
  return check_schemas("") != 77;
}

/// Says that it was skipped where no Python has the module; the case goes on.
inline void expect_schemas(const std::string& arguments) {
  const int code = check_schemas(arguments);
  if (code == 77) {
    RIDGE_SKIP_NOTE("no python3 with the module jsonschema (Debian: python3-jsonschema)");
  } else {
    CHECK(code == 0);
  }
}

}  // namespace ridge::test
