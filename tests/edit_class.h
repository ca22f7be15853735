// A worker that learners' texts are built and run by: what the tests of Your turn share.
#pragma once

#include "tests/program.h"
#include "tests/worker_process.h"

namespace ridge::test {

inline std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

inline const std::string& original() {
  static const std::string text =
      read_all(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/loop_order.cpp");
  REQUIRE(!text.empty());
  return text;
}

/// The rung with a statement more in its launch function.
inline std::string with(const std::string& statement, const std::string& include = "") {
  const std::string first = "  const Gemm g = gemm_of(launch);\n";
  const std::string text = replaced(original(), first, first + "  " + statement + "\n");
  return include.empty() ? text
                         : replaced(text, "#include \"kernels",
                                    "#include <" + include + ">\n#include \"kernels");
}

constexpr const char* kEdited = "gemm.cpu.loop_order_edit";

/// One worker for all that learners did to it: it has to outlive every one of them.
struct Class {
  Worker worker{"RIDGE_WORKER"};
  int64_t id = 10;

  EditBuild build(const std::string& text, const std::string& kernel = "gemm.cpu.loop_order",
                  const std::string& dtype = "") {
    worker.send(
        {{"type", "build"}, {"id", ++id}, {"kernel", kernel}, {"dtype", dtype}, {"text", text}});
    for (;;) {
      const Json line = worker.until("result", id);
      REQUIRE(!line.is_null());
      if (line.contains("build")) return line["build"].get<EditBuild>();
    }
  }
  /// Its outcome at a small size, or a null.
  Json run(const std::string& kernel = kEdited, Params params = {{"n", int64_t{64}}}) {
    worker.send({{"type", "run"},
                 {"id", ++id},
                 {"lab", "gemm"},
                 {"mode", "live"},
                 {"limit_s", 0.05},
                 {"kernels", {{{"kernel", kernel}, {"params", params_to_json(params)}}}}});
    for (;;) {
      const Json line = worker.until("result", id);
      REQUIRE(!line.is_null());
      if (!line.contains("outcome")) continue;
      worker.until("done", id);
      return line["outcome"];
    }
  }
  std::string reason(const std::string& text, Params params = {{"n", int64_t{64}}}) {
    const EditBuild made = build(text);
    if (!made.built) return made.reason;
    const Json outcome = run(kEdited, std::move(params));
    return outcome["status"].get<std::string>() + ": " + outcome["reason"].get<std::string>();
  }
};

inline Class& shared() {
  static Class made;
  return made;
}

inline bool has(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace ridge::test
