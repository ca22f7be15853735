// From a learner's text to a file that a worker can load, with the compiler and the flags that this
// worker was built with.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/registry.h"
#include "common/record/edit.h"
#include "worker/edit/scratch.h"

namespace ridge::worker {

/// What a learner's text is: which rung it registers, and how it wants to be compiled.
struct EditText {
  KernelSource source;  ///< its id is the original's; path, flags, hash and text are the learner's
  std::string variant;  ///< "_o1" of naive_o1
  bool is_cuda = false;
  std::string dtype;  ///< the one data type it is built for; empty: the text names no two
  std::string id() const { return source.id + std::string(kEditSuffix); }
};

/// `kernel` picks a variant where the text makes several rungs; it may be empty. `dtype`: the data type to
/// build it for; where it is not among the text's own, their first. Errors: usage, where
/// the text registers no kernel or its build line asks for what is not allowed.
Result<EditText> read_edit(std::string_view kernel, std::string_view dtype,
                           const std::string& text);

/// The headers that texts include in <>, compiled ahead once for each set of flags and kept as long as
/// this lives: <immintrin.h> alone is half a second of a save.
class Precompiled {
 public:
  /// What to give to -include: `first`, and what `text` includes in <> before its first line of code.
  /// `command`: the compiler and its flags. The first time it is `first` alone, and the rest is `making`
  /// beside the text's own compilation; who gets that waits for it.
  std::string header(const std::vector<std::string>& command, const std::string& first,
                     const std::string& text, const std::function<bool()>& cancelled,
                     std::future<void>* making);
  /// Where they are, and others of the same life may be.
  const std::string& folder() const { return folder_.path(); }

 private:
  Scratch folder_;
  std::map<std::string, std::string> made_;
};

/// Compiles it to `folder`/<id>.so, a GPU's for one of this compute capability. False: it did not compile;
/// `build` has the messages and a reason; or `cancelled` said so meanwhile. The headers that it includes are those of the source tree that
/// this worker was built from, or of $RIDGEPOINT_SOURCE. `more`: flags beyond its own.
bool compile_edit(const EditText& edit, int capability, const std::string& folder,
                  Precompiled* headers, const std::function<bool()>& cancelled, EditBuild* build,
                  const std::vector<std::string>& more = {});

/// Compiles CPU texts to one shared object at `artifact`, each by its own build line and flags: `compile_more` for each
/// of them, `link_more` for the whole. For texts of this build, not of a learner. As compile_edit() where it fails.
bool compile_together(const std::vector<EditText>& texts, const std::string& folder,
                      const std::string& artifact, const std::vector<std::string>& compile_more,
                      const std::vector<std::string>& link_more,
                      const std::function<bool()>& cancelled, EditBuild* build);
/// The compiler of this build with its flags for rungs and `more`, within the limits of a learner's text; it writes to
/// `folder` alone. `file`: what messages are about. False as compile_edit().
bool run_rung_compiler(const std::vector<std::string>& more, const std::string& folder,
                       const std::string& file, const std::function<bool()>& cancelled,
                       EditBuild* build);
/// Where the headers that texts include are: $RIDGEPOINT_SOURCE, else beside an installed worker, else where this one was
/// built.
std::string source_folder();

struct BuiltLibrary {
  std::string path;
  std::string how;  ///< "compiled by g++ with -std=c++20 -O2"
};
/// Compiles a file of the user's own that defines sides (include/ridgepoint.h) to a shared library in `folder`, with the
/// compiler of this build, its flags, and those of the file's build line. Errors: unavailable, there is no such
/// compiler; bad_input, it does not compile, or asks for a flag that is not allowed; cancelled.
Result<BuiltLibrary> compile_library(const std::string& file, bool is_cuda,
                                     const std::string& folder,
                                     const std::function<bool()>& cancelled);

/// Where compile_edit() puts what it makes.
std::string artifact_path(const EditText& edit, const std::string& folder);

}  // namespace ridge::worker
