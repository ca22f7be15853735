// The rounds of a comparison, by column: a session of hours holds thousands of comparisons, and a round of four slots takes
// 40 bytes in place of the 136 of a Round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/made_iterator.h"
#include "common/record/types.h"

namespace ridge {

class Rounds {
 public:
  using Iterator = MadeIterator<Rounds, Round>;

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  Round operator[](size_t i) const;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// A usable one (door.h): as many times as its order has slots, and clocks of all of them or of none.
  void push_back(const Round& round);
  /// For what is over: gives back the room that was taken for more of them.
  void shrink();

 private:
  struct Row {
    int index = 0;
    uint32_t first = 0;  ///< slot of all
  };
  std::vector<Row> rows_;
  std::string order_;  ///< of every slot its side
  std::vector<double> t_ns_;
  std::vector<double> sm_clock_hz_;  ///< empty: of no slot; NaN: its round has none
};

}  // namespace ridge
