// The view "Messages": time of a collective against the bytes of a rank, and the delay and the rate that fit it.
#include <algorithm>

#include "app/window/views/view.h"

namespace ridge::window {
namespace {

/// What makes a lab one of messages: links with a delay, and a message's size in the learner's hand.
bool has_links(const State& state) {
  const auto& params = state.selection.lab->params;
  const auto has = [&](std::string_view name) {
    return std::any_of(params.begin(), params.end(),
                       [&](const ParamView& param) { return param.name == name; });
  };
  return has("delay_us") && has("bytes");
}

}  // namespace

const ViewDesc kMessagesView = {
    .id = "messages",
    .label = "Messages",
    .title = "Messages: time against bytes, with a fitted delay and rate",
    .place = 35,
    .level = Level::kLearn,
    .is_offered = has_links,
    .figure = "messages"};
RIDGE_VIEW(kMessagesView);

}  // namespace ridge::window
