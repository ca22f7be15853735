// What is shown of the note that a rung left of its own set-up.
#pragma once

#include <string>

namespace ridge {

/// Without the times of a rung's own first try: "sgemm, the faster of sgemm 0.36 ms and matmul 0.41 ms" is "sgemm, the
/// faster of sgemm and matmul in a first try". Such a time stands beside none that was measured.
std::string note_text(const std::string& note);

}  // namespace ridge
