// An answer that the lesson itself takes, where no run of the rung gives it by its time: a number, with its unit if it has
// one. It is kept as a note of the session, and held against the figure that the lesson marks as the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/window/shell/state.h"
#include "common/core/result.h"
#include "common/view/figure/figure.h"

namespace ridge::window {

/// Errors usage: it begins with no number. "128 MiB", "3.5x", "0.4", "about 1e-7" is none.
Result<double> read_answer(std::string_view text);
/// Keeps it for the rung, or says in the notice why it cannot. `is_late`: the outcome was seen already.
void keep_answer(State& state, const std::string& kernel, const std::string& text, bool is_late);
/// As it was written; empty: nothing was.
std::string answer_of(const State& state, const std::string& kernel);
/// "You said 3x. It is 4.20× [4.10, 4.30]: you said too little, by 1.40×." Without a figure, or with one of another unit:
/// what was said. `question` has the unit of a bare number. Empty: nothing was written.
std::string answer_sentence(const State& state, const std::string& kernel,
                            std::string_view question,
                            const std::optional<figure::Figure>& measured);

}  // namespace ridge::window
