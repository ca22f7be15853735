// The classes of accuracy: their names in lines and files (docs/protocol.md), and how a sentence says them.
#pragma once

#include <string>

#include "common/core/accuracy.h"
#include "common/core/enum_table.h"

namespace ridge {

template <>
struct EnumTable<Accuracy> {
  static constexpr EnumName<Accuracy> kRows[] = {{Accuracy::componentwise, "componentwise"},
                                                 {Accuracy::row_column, "row_column"},
                                                 {Accuracy::max_norm, "max_norm"}};
};

/// "accurate to the largest of A and B (max norm)".
std::string accuracy_text(Accuracy accuracy);

/// The sentence that says in which classes two rungs are; empty where they are in the same. No full stop.
std::string accuracy_difference(const std::string& rung, Accuracy accuracy,
                                const std::string& other_rung, Accuracy other);

struct Series;
/// Of a rung that a check refused for its accuracy alone: by how much it is over its limit, a sentence without full stop.
/// Its output is what its definition says, so that nothing is broken: it is no candidate. Empty: it is none such.
std::string over_accuracy_limit(const Series& series);

}  // namespace ridge
