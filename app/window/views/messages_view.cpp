// The view "Messages": time of a collective against the bytes of a rank, and the delay and the rate that fit it.
#include <algorithm>

#include "app/window/views/view.h"

namespace ridge::window {
namespace {

/// Links with a delay are what makes a lab one of messages.
bool has_links(const State& state) {
  const auto& params = state.selection.lab->params;
  return std::any_of(params.begin(), params.end(), [](const ParamView& param) {
    return param.name == std::string_view("delay_us");
  });
}

const ViewDesc kMessagesView = {
    .id = "messages",
    .label = "Messages",
    .title = "Messages: time against bytes, with a fitted delay and rate",
    .place = 35,
    .level = Level::kLearn,
    .is_offered = has_links,
    .figure = "messages"};
RIDGE_VIEW(kMessagesView);

}  // namespace
}  // namespace ridge::window
