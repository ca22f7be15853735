// What this binary was built from and with. Written by the build (cmake/write_build_info.cmake).
#pragma once

#include <string>

namespace ridge {

struct BuildInfo {
  std::string version;       ///< "0.1.0"
  std::string commit;        ///< "1a2b3c4d5e6f", "-dirty" appended; "unknown" outside git
  std::string compiler;      ///< "GNU 12.2.0"
  std::string build_type;    ///< "Release"
  std::string cuda;          ///< "13.0.88", or "none: why"
  std::string optimization;  ///< "-O2 kernels, -Og app and worker"
};

BuildInfo build_info();

/// What --version says: "ridgepoint 0.1.0, commit 1a2b3c4d5e6f, -O2 kernels, -Og app and worker, GNU 12.2.0, CUDA 13.0.88".
inline std::string version_line(const std::string& program) {
  const BuildInfo build = build_info();
  return program + " " + build.version + ", commit " + build.commit + ", " + build.optimization +
         ", " + build.compiler + ", CUDA " + build.cuda;
}

}  // namespace ridge
