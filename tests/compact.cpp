#include "tests/compact.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/record/json.h"

namespace ridge::tests {
namespace {

const std::set<std::string> kRaw = {"samples", "telemetry", "phase", "timing", "check", "pong"};

/// "gemm.cuda.naive n=512": one kernel on one problem.
std::string problem_of(const Json& outcome) {
  return text_field(outcome, "kernel") + " " + outcome.value("params", Json::object()).dump();
}

class Compactor {
 public:
  void look(const Json& line) {
    const std::string type = text_field(line, "type");
    if (type == "compare") compares_.insert(whole_field(line, "id"));
    const Json* outcome = object_field(line, "outcome");
    if (outcome != nullptr && !is_side(line)) run_.insert(problem_of(*outcome));
  }

  bool keeps(const Json& line) {
    const std::string type = text_field(line, "type");
    if (kRaw.count(type) > 0) return false;
    if (type == "env") return !std::exchange(has_environment_, true);
    if (type == "kernel") {
      const Json* kernel = object_field(line, "kernel");
      return kernel == nullptr || text_field(*kernel, "backend") == "cuda";
    }
    const Json* outcome = object_field(line, "outcome");
    return outcome == nullptr || !is_side(line) || run_.count(problem_of(*outcome)) == 0;
  }

 private:
  bool is_side(const Json& line) const { return compares_.count(whole_field(line, "request")) > 0; }

  std::set<int64_t> compares_;
  std::set<std::string> run_;
  bool has_environment_ = false;
};

Error cannot(const char* what, const std::string& path) {
  return {ErrorCode::cannot_write, what, path, "the recording is as it was"};
}

}  // namespace

Result<void> compact(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) return cannot("nothing can be read", path);
  Compactor compactor;
  const auto parsed = [](const std::string& line) { return Json::parse(line, nullptr, false); };
  for (const std::string& line : lines) compactor.look(parsed(line));
  const std::string smaller = path + ".compact";
  {
    std::ofstream out(smaller);
    for (const std::string& line : lines)
      if (compactor.keeps(parsed(line))) out << line << '\n';
    if (!out.flush()) return cannot("it could not be written", smaller);
  }
  std::error_code error;
  std::filesystem::rename(smaller, path, error);
  if (error) return cannot("it could not be replaced", path);
  return {};
}

}  // namespace ridge::tests
