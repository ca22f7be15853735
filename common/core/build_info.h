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
  std::string optimization;  ///< "kernels -O2 or their own flags, the rest -Og"

  /// CMake's name for the build says little: what its files were compiled with says more.
  std::string compiled_as() const { return build_type + ": " + optimization; }
};

BuildInfo build_info();

/// "ridgepoint 0.1.0, commit 1a2b3c4d5e6f".
inline std::string version_line(const std::string& program) {
  const BuildInfo build = build_info();
  return program + " " + build.version + ", commit " + build.commit;
}

/// What --version says, in two lines: the second is "Release: kernels -O2 or their own flags, the rest -Og; GNU 12.2.0;
/// CUDA 13.0.88".
inline std::string version_text(const std::string& program) {
  const BuildInfo build = build_info();
  return version_line(program) + "\n" + build.compiled_as() + "; " + build.compiler + "; CUDA " +
         build.cuda;
}

}  // namespace ridge
