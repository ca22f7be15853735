// What a learner's code may do, and what the compiler of a learner's text may do: everything is refused that is not on
// the lists of sandbox.cpp. Landlock (Linux 5.13 on) limits files, libseccomp system calls, rlimits the rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ridge::worker {

struct Limits {
  std::string folder;                 ///< its own: the one place where it may write
  std::vector<std::string> readable;  ///< beside the system's libraries
  bool gpu = false;  ///< CUDA reserves more addresses than there is memory and opens its devices
};

/// For this process and all threads it will start; to be called while it has one.
void limit_process(const Limits& limits);

struct CompilerLimits {
  std::vector<std::string>
      compilers;  ///< by their paths: they and their tools are executed, nothing else
  std::vector<std::string>
      headers;  ///< folders that are read, beside the system's headers and libraries
  std::vector<std::string> folders;  ///< where it writes
};

/// Runs `work` in a thread of its own. The programs that it starts have these limits.
void as_compiler(const CompilerLimits& limits, const std::function<void()>& work);

/// What this machine or this build lacks, a phrase each: "this kernel has no Landlock, so it may open any file of yours".
std::vector<std::string> missing_protections();

}  // namespace ridge::worker
