// Home's quiet line: how good the reader's own predictions are, over the runs that are kept and this session's. There is none
// before the first prediction has an outcome.
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "app/query/foresight.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

class HomePredictions {
 public:
  /// The widget "own_predictions"; takes no room where there is nothing to say.
  void draw(Ui& ui, Area* rest);
  bool is_empty() const { return text_.empty(); }

 private:
  void update(Ui& ui);

  bool is_begun_ = false;
  std::future<std::vector<app::Foretold>> reading_;  ///< valid until it is in `kept_`
  std::vector<app::Foretold> kept_;                  ///< of earlier sessions' runs
  uint64_t version_ = ~uint64_t{0};                  ///< of the run that `text_` is of
  std::string text_;                                 ///< empty: nothing to say
};

}  // namespace ridge::window
