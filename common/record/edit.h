// A rung as a learner changed it: what building it gave. It is a rung like any other from then on, with
// an id of its own: the original's, with "_edit" at its end.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/core/enum_table.h"

namespace ridge {

inline constexpr std::string_view kEditSuffix = "_edit";

/// "gemm.cpu.loop_order_edit"
inline bool is_edit(std::string_view kernel) {
  return kernel.ends_with(kEditSuffix);
}
/// "gemm.cpu.loop_order" of "gemm.cpu.loop_order_edit"; any other id as it is.
inline std::string_view original_of(std::string_view kernel) {
  return is_edit(kernel) ? kernel.substr(0, kernel.size() - kEditSuffix.size()) : kernel;
}

/// What the compiler said about one place.
struct CompileMessage {
  int line = 0, column = 0;  ///< from 1; 0: of no line of the learner's file
  std::string
      kind;  ///< "error", "warning", "remark": why a loop was not vectorised, as the compiler says it
  std::string text;
};

/// Where a build ended that gave no rung.
enum class BuildEnd {
  text,  ///< the text says no rung of this program, or asks for what is not allowed
  machine,  ///< there is no compiler here, no source tree, or no room for files; or the compiler did not end
  compile,  ///< the compiler refused the text
  load      ///< it compiles, and the shared object could not be loaded
};
template <>
struct EnumTable<BuildEnd> {
  static constexpr EnumName<BuildEnd> kRows[] = {{BuildEnd::text, "text"},
                                                 {BuildEnd::machine, "machine"},
                                                 {BuildEnd::compile, "compile"},
                                                 {BuildEnd::load, "load"}};
};

/// The outcome of a `build` request.
struct EditBuild {
  std::string
      kernel;  ///< id of the edited rung; empty where the text does not even say which it is
  bool built = false;                    ///< compiled, loaded and in the catalogue
  std::string reason;                    ///< why not, one sentence
  std::vector<CompileMessage> messages;  ///< in the order of the compiler, 20 at most
  std::string hash;                      ///< as of a SourceText
  double compile_s = 0, load_s = 0;
  OpenEnum<BuildEnd> ended_at = {};  ///< empty: it was built, or an earlier version did not say

  /// Not built. False, for the caller to return.
  bool refuse(BuildEnd end, std::string why) {
    reason = std::move(why);
    ended_at = end;
    return false;
  }
};

}  // namespace ridge
